//! Two catalogs, tool by tool.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use catalog::{
    Catalog, SourceId, Tool,
    aspect::{Version, VersionOf},
};

use crate::{
    Bump, Change, Class, Verdict, rename,
    rules::tool::{TOOL_ADDED, TOOL_REMOVED, TOOL_RENAMED},
    schema::Walk,
    texts, version,
};

/// One tool in two catalogs, or in one of them.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The name by which callers know it: the old one, if it has another now.
    pub name: String,
    /// The name that it has now, if it was renamed.
    pub new_name: Option<String>,
    /// Its version before, as written.
    pub old_version: Option<String>,
    /// Its version now, as written; of a tool that is gone, that of its document.
    pub new_version: Option<String>,
    /// What changed, the worst first.
    pub changes: Vec<Change>,
}

impl Compared {
    /// What all its changes together are, apart from those that somebody allowed.
    pub fn class(&self) -> Class {
        self.changes
            .iter()
            .filter(|change| change.allowed.is_none())
            .map(|change| change.effect.class())
            .max()
            .unwrap_or_default()
    }

    /// The least step of the version that they need. What is new has no version to step from.
    pub fn bump(&self) -> Bump {
        if self.changes.iter().any(|change| change.rule.name == TOOL_ADDED.name) {
            Bump::None
        } else {
            Bump::needed(self.class())
        }
    }

    /// Whether the version that is declared is high enough, and which would be.
    pub fn verdict(&self) -> Verdict {
        match self.is_gone() && self.class() == Class::Breaking && self.new_version.is_none() {
            true => version::undeclared(self.old_version.as_deref()),
            false => version::judge(
                self.class(),
                self.bump(),
                self.old_version.as_deref(),
                self.new_version.as_deref(),
            ),
        }
    }

    /// Whether it is in the old catalog alone.
    fn is_gone(&self) -> bool {
        self.changes.iter().any(|change| change.rule.name == TOOL_REMOVED.name)
    }
}

/// Every tool of two catalogs, by name, with what changed.
pub fn compare(old: &Catalog, new: &Catalog) -> Vec<Compared> {
    let is_gone = |tool: &&Arc<Tool>| new.get(&tool.name).is_none();
    let is_fresh = |tool: &&Arc<Tool>| old.get(&tool.name).is_none();
    let gone: Vec<&Tool> = old.tools().iter().filter(is_gone).map(AsRef::as_ref).collect();
    let fresh: Vec<&Tool> = new.tools().iter().filter(is_fresh).map(AsRef::as_ref).collect();
    let renamed = rename::pairs(&gone, &fresh);
    let mut found = BTreeMap::new();
    for tool in old.tools() {
        let other = new
            .get(&tool.name)
            .map(AsRef::as_ref)
            .or_else(|| renamed.get(tool.name.as_str()).copied());
        let compared = match other {
            Some(other) => both(tool, other),
            None => removed(tool),
        };
        found.insert(tool.name.clone(), compared);
    }
    for tool in
        fresh.into_iter().filter(|tool| renamed.values().all(|other| other.name != tool.name))
    {
        found.insert(tool.name.clone(), added(tool));
    }
    let mut found: Vec<Compared> = found.into_values().collect();
    follow_documents(old, new, &mut found);
    found
}

/// What changed between two descriptions of one tool, the worst first; their names do not matter.
pub fn compare_tools(old: &Tool, new: &Tool) -> Vec<Change> {
    let mut changes = Walk::of_input(old, new);
    changes.extend(Walk::of_output(old, new));
    changes.extend(texts::compare(old, new, &changes));
    changes.sort_by_key(|change| Reverse(change.effect));
    changes
}

fn both(old: &Tool, new: &Tool) -> Compared {
    let mut changes = compare_tools(old, new);
    let is_renamed = old.name != new.name;
    if is_renamed {
        changes.insert(
            0,
            Change::of_tool(
                &TOOL_RENAMED,
                "/name",
                format!("`{}` is called `{}` now", old.name, new.name),
            ),
        );
    }
    Compared {
        name: old.name.clone(),
        new_name: is_renamed.then(|| new.name.clone()),
        old_version: old.annotations.version.clone(),
        new_version: new.annotations.version.clone(),
        changes,
    }
}

fn removed(tool: &Tool) -> Compared {
    let change = Change::of_tool(&TOOL_REMOVED, "", "the tool is gone".to_owned());
    let old_version = tool.annotations.version.clone();
    Compared {
        name: tool.name.clone(),
        new_name: None,
        old_version,
        new_version: None,
        changes: vec![change],
    }
}

fn added(tool: &Tool) -> Compared {
    let change = Change::of_tool(&TOOL_ADDED, "", "the tool is new".to_owned());
    let new_version = tool.annotations.version.clone();
    Compared {
        name: tool.name.clone(),
        new_name: None,
        old_version: None,
        new_version,
        changes: vec![change],
    }
}

/// A tool that is gone has no version any more, but its document may: that is where its going shows.
fn follow_documents(old: &Catalog, new: &Catalog, found: &mut [Compared]) {
    let names = old.tools().iter().filter_map(|tool| Some((tool, new.get(&tool.name)?)));
    let moved: HashMap<&SourceId, &SourceId> =
        names.map(|(tool, other)| (&tool.origin.source, &other.origin.source)).collect();
    let of_document = |tool: &Tool| {
        tool.aspects.as_ref().and_then(|aspects| aspects.version.clone()).filter(is_of_document)
    };
    let versions: HashMap<&SourceId, Version> = new
        .tools()
        .iter()
        .filter_map(|tool| Some((&tool.origin.source, of_document(tool)?)))
        .collect();
    for compared in found
        .iter_mut()
        .filter(|compared| compared.new_version.is_none() && new.get(&compared.name).is_none())
    {
        let Some(tool) = old.get(&compared.name).filter(|tool| of_document(tool).is_some()) else {
            continue;
        };
        let document = moved.get(&tool.origin.source).and_then(|source| versions.get(*source));
        compared.new_version = document.map(|version| version.text.clone());
    }
}

fn is_of_document(version: &Version) -> bool {
    version.of == VersionOf::Document
}
