//! Writes an imported definition, and reports what a person should look at.

use std::path::Path;

use atomic_file::Access;
use formats::{Rewrite, format_definition};
use host::count;
use import::Definition;

use crate::{error::CommandError, terminal};

/// Notes of one kind beyond this are counted instead of printed.
const MAX_NOTES: usize = 8;

/// A definition, and what could not be read.
pub(super) struct Imported {
    pub(super) definition: Definition,
    pub(super) notes: Vec<String>,
}

/// Writes or prints a definition.
pub(super) fn write(
    imported: Imported,
    out: Option<&Path>,
    mark_dangerous: bool,
) -> Result<(), CommandError> {
    let Imported { mut definition, mut notes } = imported;
    if mark_dangerous {
        definition.apply_cautions();
    }
    notes.append(&mut definition.notes);
    match out {
        None => terminal::print(&render(&definition)),
        Some(path) if path.exists() => {
            let message = format!("`{}` exists", path.display());
            return Err(
                CommandError::machine(message).hint("remove it, or pass another file with `--out`")
            );
        }
        Some(path) => save(path, &definition)?,
    }
    print_some(notes.into_iter().map(|note| format!("note: {note}")).collect());
    if !mark_dangerous {
        let cautions = definition.cautions.iter();
        let lines: Vec<_> =
            cautions.map(|(tool, reason)| format!("looks dangerous: `{tool}`: {reason}")).collect();
        if !lines.is_empty() {
            print_some(lines);
            terminal::note("declare `\"dangerous\": true` where it is, or pass `--mark-dangerous`");
        }
    }
    Ok(())
}

/// The text of the file, as `toolcrib fmt` would write it.
fn render(definition: &Definition) -> String {
    let text = definition.text();
    format_definition(&text, Rewrite::Format).unwrap_or(text)
}

fn save(path: &Path, definition: &Definition) -> Result<(), CommandError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| CommandError::io("create", folder, &error))?;
    }
    atomic_file::replace(path, render(definition).as_bytes(), Access::Usual)
        .map_err(|error| CommandError::io("write", path, &error))?;
    let tools = count(definition.tools(), "tool");
    terminal::note(&format!(
        "wrote {tools} to {}; review them, then run `toolcrib check`",
        path.display()
    ));
    Ok(())
}

fn print_some(lines: Vec<String>) {
    let hidden = lines.len().saturating_sub(MAX_NOTES);
    for line in lines.iter().take(MAX_NOTES) {
        terminal::note_foreign(line);
    }
    if hidden > 0 {
        terminal::note(&format!("… and {hidden} more"));
    }
}
