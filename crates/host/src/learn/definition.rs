//! Writes observed effects to where a tool declares its effects.

use std::{io, path::PathBuf};

use atomic_file::Access;
use catalog::{Glob, Implementation, Tool, implementation::RFunction};
use formats::Declaration;
use toml_edit::{DocumentMut, Item, TableLike};
use workspace::Crib;

use super::{Profile, profile::keyword_for};

/// The file of a crib that has its `[[bind]]` clauses.
const CONFIGURATION: &str = "toolcrib.toml";

/// Where a tool declares its effects.
#[derive(Clone, Copy, Debug, Default)]
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
        let source = crib.folder.join(tool.origin.source.as_str());
        match (&tool.implementation, Place::of(tool)) {
            (Implementation::R(function), _) => declare_in_comment(crib, function, &declaration),
            (_, Some(Place::Bind)) => plan(crib, crib.folder.join(CONFIGURATION), |text| {
                declare_in_clause(text, &tool.name, &declaration)
            }),
            _ => plan(crib, source, |text| {
                let pointer = tool.origin.pointer().unwrap_or_default();
                formats::declare(text, pointer, &declaration).map_err(|error| error.to_string())
            }),
        }
    }
}

fn plan(
    crib: &Crib,
    path: PathBuf,
    edit: impl FnOnce(&str) -> Result<String, String>,
) -> Result<DefinitionChange, DefinitionError> {
    let bytes = crib.files().read(&path);
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let before = text.ok_or_else(|| DefinitionError::Unreadable(path.clone()))?;
    match edit(&before) {
        Ok(after) => Ok(DefinitionChange { path, before, after }),
        Err(reason) => Err(DefinitionError::Undeclarable(path, reason)),
    }
}

/// The configuration with a declaration in the clause that binds a tool.
fn declare_in_clause(text: &str, name: &str, declaration: &Declaration) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let clauses = document.get_mut("bind").and_then(Item::as_array_of_tables_mut);
    let matches = |glob: &str| Glob::new(glob).is_ok_and(|glob| glob.is_match(name));
    let pattern = |clause: &dyn TableLike| clause.get("tools")?.as_str().map(str::to_owned);
    // The first clause that matches applies.
    let clause = clauses.and_then(|clauses| {
        clauses.iter_mut().find(|clause| pattern(*clause).is_some_and(|glob| matches(&glob)))
    });
    let Some(clause) = clause else {
        return Err(format!("it has no `[[bind]]` table for `{name}`"));
    };
    let glob = pattern(clause).unwrap_or_default();
    if glob != name {
        return Err(format!(
            "its `[[bind]]` for `{glob}` may apply to other tools; bind `{name}` in a clause of its own before it"
        ));
    }
    let facts = [("mutates", declaration.mutates), ("network", declaration.network)];
    for (key, value) in facts {
        if let Some(value) = value {
            clause.insert(key, toml_edit::value(value));
        }
    }
    Ok(document.to_string())
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
    let network = declaration.network.is_some_and(|network| network).then_some("mcp-network");
    let keywords: Vec<_> =
        declaration.mutates.map(keyword_for).into_iter().chain(network).collect();
    let mut files: Vec<_> = folder
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("r"))
        })
        .collect();
    files.sort();
    for path in files {
        let add = |text: &str| {
            roxygen::add_keywords(text, name, &keywords)
                .ok_or_else(|| "no such function".to_owned())
        };
        if let Ok(change) = plan(crib, path, add) {
            return Ok(change);
        }
    }
    let reason = format!("no comment with `@keywords mcp-tool` is directly before `{name}`");
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
        assert!(absent.is_err_and(|reason| reason.contains("no `[[bind]]` table for `sell`")));
    }
}
