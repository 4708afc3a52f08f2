//! Writes observed effects to where a tool declares its effects.

use std::{
    io,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use catalog::{Glob, Implementation, Tool, implementation::RFunction};
use formats::Declaration;
use toml_edit::{DocumentMut, Item, TableLike, Value};
use workspace::Crib;

use super::{Profile, profile::keywords_for};

/// The file of a crib that has its `[[bind]]` clauses.
const CONFIGURATION: &str = "toolcrib.toml";

/// Where a tool declares its effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Its JSON definition.
    #[default]
    Definition,
    /// The `[[bind]]` clause that implements it.
    Bind,
    /// The roxygen2 comment of its R function, from which the definition is generated.
    RComment,
}

impl Place {
    /// `None` if calls of the tool have no process of their own.
    pub(super) fn of(tool: &Tool) -> Option<Self> {
        match &tool.implementation {
            Implementation::Process(_) if tool.origin.source.as_str().ends_with(".json") => {
                Some(Self::Definition)
            }
            Implementation::Process(_) | Implementation::Python(_) => Some(Self::Bind),
            Implementation::R(_) => Some(Self::RComment),
            _ => None,
        }
    }
}

/// A planned change of a definition.
pub struct DefinitionChange {
    /// The file.
    pub path: PathBuf,
    /// The current text.
    pub before: String,
    /// The new text.
    pub after: String,
}

/// An error while changing a definition.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// Its file cannot be read.
    #[error("cannot read `{0}`")]
    Unreadable(PathBuf),
    /// The effects cannot be declared in its file.
    #[error("cannot change `{0}`: {1}")]
    Undeclarable(PathBuf, String),
    /// Its file cannot be written.
    #[error("cannot write `{0}`: {1}")]
    Unwritable(PathBuf, io::Error),
}

impl Profile {
    /// Plans the file that declares the effects of `tool`, with the observed ones.
    pub fn declare(&self, crib: &Crib, tool: &Tool) -> Result<DefinitionChange, DefinitionError> {
        let declaration = self.declaration(tool);
        match (self.place(), &tool.implementation) {
            (Place::RComment, Implementation::R(function)) => {
                declare_in_comment(crib, function, &declaration)
            }
            (Place::Bind, _) => {
                let path = crib.folder.join(CONFIGURATION);
                let before = read(crib, &path)?;
                let after = declare_in_clause(&before, &tool.name, &declaration);
                to_change(path, before, after)
            }
            _ => {
                let path = crib.folder.join(tool.origin.source.as_str());
                let before = read(crib, &path)?;
                let pointer = tool.origin.pointer().unwrap_or_default();
                let after = formats::declare(&before, pointer, &declaration);
                to_change(path, before, after.map_err(|error| error.to_string()))
            }
        }
    }
}

fn read(crib: &Crib, path: &Path) -> Result<String, DefinitionError> {
    let bytes = crib.files().read(path);
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| DefinitionError::Unreadable(path.to_owned()))
}

fn to_change(
    path: PathBuf,
    before: String,
    after: Result<String, String>,
) -> Result<DefinitionChange, DefinitionError> {
    match after {
        Ok(after) => Ok(DefinitionChange { path, before, after }),
        Err(reason) => Err(DefinitionError::Undeclarable(path, reason)),
    }
}

/// The configuration with a declaration in the clause that binds a tool.
fn declare_in_clause(text: &str, name: &str, declaration: &Declaration) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let matches = |clause: &&mut dyn TableLike| {
        let glob = clause.get("tools").and_then(Item::as_str);
        glob.and_then(|glob| Glob::new(glob).ok()).is_some_and(|glob| glob.is_match(name))
    };
    // The first clause that matches applies.
    let Some(clause) = clauses(&mut document).into_iter().find(matches) else {
        return Err(format!("it has no `[[bind]]` for `{name}`"));
    };
    let glob = clause.get("tools").and_then(Item::as_str).unwrap_or_default();
    if glob != name {
        return Err(format!(
            "its `[[bind]]` for `{glob}` may apply to other tools; bind `{name}` in a clause of its own before it"
        ));
    }
    let facts = [("mutates", declaration.mutates), ("network", declaration.network)];
    for (key, value) in facts.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        match clause.get_mut(key).and_then(Item::as_value_mut) {
            Some(known) => {
                // Keeps the comment behind the value.
                let decor = known.decor().clone();
                *known = value.into();
                *known.decor_mut() = decor;
            }
            None => drop(clause.insert(key, toml_edit::value(value))),
        }
    }
    Ok(document.to_string())
}

/// The `[[bind]]` tables, or those of an array `bind = [{…}]`.
fn clauses(document: &mut DocumentMut) -> Vec<&mut dyn TableLike> {
    match document.get_mut("bind") {
        Some(Item::ArrayOfTables(tables)) => {
            tables.iter_mut().map(|table| table as &mut dyn TableLike).collect()
        }
        Some(Item::Value(Value::Array(tables))) => {
            let tables = tables.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.map(|table| table as &mut dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// The R source with a declaration in the comment of a function.
fn declare_in_comment(
    crib: &Crib,
    function: &RFunction,
    declaration: &Declaration,
) -> Result<DefinitionChange, DefinitionError> {
    let RFunction { package, function: name, sources, .. } = function;
    let Some(sources) = sources else {
        let reason = format!("the package `{package}` is installed, and not part of the crib");
        return Err(DefinitionError::Undeclarable(crib.folder.clone(), reason));
    };
    let folder: PathBuf = crib.folder.join(sources).join("R").components().collect();
    let Declaration { mutates, network, .. } = declaration;
    let mut keywords = keywords_for(true, *network == Some(true));
    keywords.retain(|keyword| *keyword != "mcp-writes" || *mutates == Some(true));
    let is_r = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("r"));
    let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(is_r).collect();
    // R loads the files by name, and keeps the last definition.
    files.sort();
    for path in files.into_iter().rev() {
        let before = read(crib, &path)?;
        if let Some(after) = roxygen::add_keywords(&before, name, &keywords) {
            return to_change(path, before, Ok(after));
        }
    }
    let reason = format!("no function `{name}` with `@keywords mcp-tool` was found in it");
    Err(DefinitionError::Undeclarable(folder, reason))
}

impl DefinitionChange {
    /// Whether the definition already declares all effects.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Writes the file.
    pub fn apply(&self) -> Result<(), DefinitionError> {
        atomic_file::replace(&self.path, self.after.as_bytes(), Access::Usual)
            .map_err(|error| DefinitionError::Unwritable(self.path.clone(), error))
    }
}

#[cfg(test)]
mod tests {
    use formats::Declaration;

    use super::declare_in_clause;

    const CLAUSES: &str = "# Stock\n[[bind]]\ntools = \"stock_count\" # exact\npython = \"stock\"\n\n[[bind]]\ntools = \"stock_*\"\npython = \"stock\"\n";

    #[test]
    fn declares_in_the_clause_of_one_tool_and_keeps_the_rest() {
        let declaration =
            Declaration { mutates: Some(true), network: Some(true), ..Declaration::default() };
        let after = declare_in_clause(CLAUSES, "stock_count", &declaration);
        let own = "python = \"stock\"\n";
        let changed = CLAUSES.replacen(own, &format!("{own}mutates = true\nnetwork = true\n"), 1);
        assert_eq!(after, Ok(changed));
        let shared = declare_in_clause(CLAUSES, "stock_add", &declaration);
        assert!(shared.is_err_and(|reason| reason.contains("`stock_*` may apply to other tools")));
        let absent = declare_in_clause(CLAUSES, "sell", &declaration);
        assert!(absent.is_err_and(|reason| reason.contains("no `[[bind]]` for `sell`")));
        let inline = "bind = [{ tools = \"sell\", python = \"m\", mutates = false }] # all\n";
        let changed = declare_in_clause(inline, "sell", &declaration).expect("declared");
        insta::assert_snapshot!(changed);
        let commented = "[[bind]]\ntools = \"sell\"\nmutates = false # for now\nnetwork = true\n";
        let changed = declare_in_clause(commented, "sell", &declaration);
        assert_eq!(changed, Ok(commented.replace("false", "true")));
    }
}
