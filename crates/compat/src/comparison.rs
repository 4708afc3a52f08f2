//! Comparison of two catalogs, tool by tool.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use catalog::{
    Catalog, SourceId, Tool,
    spec_details::{Version, VersionOf},
};

use crate::{
    Bump, Change, Class, VersionCheck, rename,
    rules::tool::{TOOL_ADDED, TOOL_REMOVED, TOOL_RENAMED},
    schema::{compare_input, compare_output},
    text, version,
};

/// The changes of one tool between two catalogs. The tool may exist in only one of them.
#[derive(Clone, Debug)]
pub struct ToolComparison {
    /// The name by which callers know the tool: the old one if it was renamed.
    pub name: String,
    /// The new name, if the tool was renamed.
    pub new_name: Option<String>,
    /// The version in the old catalog, as written.
    pub old_version: Option<String>,
    /// The version in the new catalog, as written. For a removed tool, the version of its document.
    pub new_version: Option<String>,
    /// The changes, worst first.
    pub changes: Vec<Change>,
}

impl ToolComparison {
    /// The effect of all changes together, except the allowed ones.
    pub fn class(&self) -> Class {
        self.changes
            .iter()
            .filter(|change| change.allowed.is_none())
            .map(|change| change.effect.class())
            .max()
            .unwrap_or_default()
    }

    /// The smallest version step that the changes require. A new tool has no version to step from.
    pub fn required_bump(&self) -> Bump {
        if self.has_change(TOOL_ADDED.name) { Bump::None } else { Bump::required_for(self.class()) }
    }

    /// Checks whether the declared version is high enough, and suggests one otherwise.
    pub fn check_version(&self) -> VersionCheck {
        let (old, new) = (self.old_version.as_deref(), self.new_version.as_deref());
        let is_removed = self.has_change(TOOL_REMOVED.name);
        // An allowed removal is not breaking any more and needs no version.
        if is_removed && self.class() == Class::Breaking && new.is_none() {
            version::check_removed(old)
        } else {
            version::check(self.class(), self.required_bump(), old, new)
        }
    }

    fn has_change(&self, rule: &str) -> bool {
        self.changes.iter().any(|change| change.rule.name == rule)
    }
}

/// Compares two catalogs. Returns every tool of both, sorted by name, including unchanged ones.
pub fn compare(old: &Catalog, new: &Catalog) -> Vec<ToolComparison> {
    let is_removed = |tool: &&Arc<Tool>| new.get(&tool.name).is_none();
    let is_added = |tool: &&Arc<Tool>| old.get(&tool.name).is_none();
    let removed: Vec<&Tool> = old.tools().iter().filter(is_removed).map(AsRef::as_ref).collect();
    let added: Vec<&Tool> = new.tools().iter().filter(is_added).map(AsRef::as_ref).collect();
    // Only names that exist on one side are candidates: a name on both sides is the same tool,
    // however different its definition is.
    let renames = rename::find_renames(&removed, &added);
    let mut comparisons = BTreeMap::new();
    for tool in old.tools() {
        let successor = new
            .get(&tool.name)
            .map(AsRef::as_ref)
            .or_else(|| renames.get(tool.name.as_str()).copied());
        let comparison = match successor {
            Some(successor) => compare_pair(tool, successor),
            None => removed_tool(tool),
        };
        comparisons.insert(tool.name.clone(), comparison);
    }
    for tool in added {
        if renames.values().all(|renamed| renamed.name != tool.name) {
            comparisons.insert(tool.name.clone(), added_tool(tool));
        }
    }
    let mut comparisons: Vec<ToolComparison> = comparisons.into_values().collect();
    fill_document_versions(old, new, &mut comparisons);
    comparisons
}

/// Compares two descriptions of one tool, whatever their names. Returns the changes, worst first.
pub fn compare_tools(old: &Tool, new: &Tool) -> Vec<Change> {
    let mut changes = compare_input(old, new);
    changes.extend(compare_output(old, new));
    changes.extend(text::compare_texts(old, new, &changes));
    changes.sort_by_key(|change| Reverse(change.effect));
    changes
}

fn compare_pair(old: &Tool, new: &Tool) -> ToolComparison {
    let mut changes = compare_tools(old, new);
    let is_renamed = old.name != new.name;
    if is_renamed {
        let message = format!("`{}` was renamed to `{}`", old.name, new.name);
        // First although the list is sorted by effect: the other changes only make sense once the
        // reader knows about the rename.
        changes.insert(0, Change::in_tool(&TOOL_RENAMED, "/name", message));
    }
    ToolComparison {
        name: old.name.clone(),
        new_name: is_renamed.then(|| new.name.clone()),
        old_version: old.annotations.version.clone(),
        new_version: new.annotations.version.clone(),
        changes,
    }
}

fn removed_tool(tool: &Tool) -> ToolComparison {
    ToolComparison {
        name: tool.name.clone(),
        new_name: None,
        old_version: tool.annotations.version.clone(),
        new_version: None,
        changes: vec![Change::in_tool(&TOOL_REMOVED, "", "the tool was removed".to_owned())],
    }
}

fn added_tool(tool: &Tool) -> ToolComparison {
    ToolComparison {
        name: tool.name.clone(),
        new_name: None,
        old_version: None,
        new_version: tool.annotations.version.clone(),
        changes: vec![Change::in_tool(&TOOL_ADDED, "", "the tool was added".to_owned())],
    }
}

/// Gives removed tools the new version of their document.
///
/// A removed tool cannot declare a version any more, but a specification document has one version
/// for all of its tools, and that is where the removal must show.
fn fill_document_versions(old: &Catalog, new: &Catalog, comparisons: &mut [ToolComparison]) {
    // The document may have been moved: the tools that stayed tell where it is now.
    let surviving = old.tools().iter().filter_map(|tool| Some((tool, new.get(&tool.name)?)));
    let new_sources: HashMap<&SourceId, &SourceId> =
        surviving.map(|(old, new)| (&old.origin.source, &new.origin.source)).collect();
    let versions: HashMap<&SourceId, &Version> = new
        .tools()
        .iter()
        .filter_map(|tool| Some((&tool.origin.source, document_version(tool)?)))
        .collect();
    for comparison in comparisons {
        if comparison.new_version.is_some() || new.get(&comparison.name).is_some() {
            continue;
        }
        // A version that belonged to the tool alone is gone with it.
        let Some(tool) = old.get(&comparison.name).filter(|tool| document_version(tool).is_some())
        else {
            continue;
        };
        comparison.new_version = new_sources
            .get(&tool.origin.source)
            .and_then(|source| versions.get(*source))
            .map(|version| version.text.clone());
    }
}

/// The version that `tool` has from its document.
fn document_version(tool: &Tool) -> Option<&Version> {
    let version = tool.details.as_ref()?.version.as_ref()?;
    (version.of == VersionOf::Document).then_some(version)
}
