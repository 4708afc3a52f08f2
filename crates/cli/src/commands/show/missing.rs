//! Explains why there is no tool of a name.

use std::path::Path;

use catalog::{Catalog, Diagnostic};
use host::Assembly;

use crate::error::{CommandError, ErrorKind};

/// Maximum number of suggested names.
const MAX_SUGGESTIONS: usize = 6;

/// Built-in tools that are served only with a section of the configuration, by the end of their names.
const OPTIONAL: [(&str, &str); 4] = [
    ("_rmd", "set `enabled = true` under `[documents]` in toolcrib.toml"),
    ("_flag", "add the section `[flags]` to toolcrib.toml"),
    ("_flags", "add the section `[flags]` to toolcrib.toml"),
    ("get_content", "add a category under `[content]` to toolcrib.toml"),
];

/// The error for a name that no tool has: its definition has an error, or names that were probably
/// meant.
pub(super) fn explain(catalog: &Catalog, assembly: &Assembly, name: &str) -> CommandError {
    let not_found = |message: String| CommandError::new(ErrorKind::NotFound, message);
    if let Some(found) = find_error(assembly, name) {
        let source = &found.origin.source;
        return not_found(format!(
            "`{name}` is not served, because of an error in {source}: {}",
            found.message
        ))
        .hint(format!("run `toolcrib check {source}` to see where"));
    }
    let folder = assembly.crib().folder.display();
    not_found(format!("there is no tool `{name}` in {folder}")).hint(suggest(catalog, name))
}

/// The first error in the definition of this tool: one that names it, or one in the file of that name.
fn find_error<'a>(assembly: &'a Assembly, name: &str) -> Option<&'a Diagnostic> {
    let is_in_its_file = |found: &Diagnostic| {
        let file = Path::new(found.origin.source.as_str()).file_stem();
        let rest = file.and_then(|stem| name.strip_prefix(stem.to_str()?));
        found.tool.is_none() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let errors = || assembly.loaded().diagnostics.iter().filter(|found| found.is_error());
    let of_tool = errors().find(|found| found.tool.as_deref() == Some(name));
    of_tool.or_else(|| errors().find(|found| is_in_its_file(found)))
}

/// Suggests similar names; for a program its subcommands (`git_log` for `git`), and for a subcommand or
/// function its full name.
fn suggest(catalog: &Catalog, name: &str) -> String {
    let names = || catalog.tools().iter().map(|tool| tool.name.as_str());
    let is_separator = |text: &str| text.ends_with(['_', '-']) || text.starts_with(['_', '-']);
    let has_part = |tool: &&str| {
        let rest = tool.strip_prefix(name).or_else(|| tool.strip_suffix(name));
        rest.is_some_and(|rest| !name.is_empty() && is_separator(rest))
    };
    let parts: Vec<_> = names().filter(has_part).map(|name| format!("`{name}`")).collect();
    let shown = parts.iter().take(MAX_SUGGESTIONS).cloned().collect::<Vec<_>>().join(", ");
    let optional = || OPTIONAL.iter().find(|(end, _)| name.ends_with(end));
    match (parts.len(), catalog.closest(name), optional()) {
        (0, Some(near), _) => format!("did you mean `{near}`?"),
        (0, None, Some((_, section))) => (*section).to_owned(),
        (0, None, None) => "run `toolcrib list` to see the tools, `toolcrib check` to see why one is missing, or name another crib with -C".to_owned(),
        (1..=MAX_SUGGESTIONS, _, _) => format!("did you mean {shown}?"),
        (more, _, _) => format!("did you mean {shown} or one of {} others?", more - MAX_SUGGESTIONS),
    }
}
