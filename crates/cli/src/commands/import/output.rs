//! Writes an imported definition, and reports what a person should look at.

use std::path::Path;

use atomic_file::Access;
use formats::{Rewrite, format_definition};
use host::count;
use import::{Definition, ImportRecord, Source};

use super::{read::Imported, record_file};
use crate::{error::CommandError, terminal};

/// Notes of one kind beyond this are counted instead of printed.
const MAX_NOTES: usize = 8;

/// Writes or prints a definition.
pub(super) fn write(
    source: &Source,
    imported: Imported,
    out: Option<&Path>,
) -> Result<(), CommandError> {
    let Imported { definition, mut notes } = imported;
    notes.extend(definition.notes.iter().cloned());
    match out {
        None => terminal::print(&render(&definition)),
        Some(path) if path.exists() => {
            let message = format!("`{}` exists", path.display());
            let hint = "run `toolcrib import --update FILE`, or pass another file with `--out`";
            return Err(CommandError::machine(message).hint(hint));
        }
        Some(path) => save(path, source, &definition)?,
    }
    print_notes(notes);
    if !definition.cautions.is_empty() {
        let line =
            |(tool, reason): &(String, String)| format!("looks dangerous: `{tool}`: {reason}");
        print_some(definition.cautions.iter().map(line).collect());
        terminal::note("declare `\"dangerous\": true` where it is, or pass `--mark-dangerous`");
    }
    Ok(())
}

/// The text of the file, as `toolcrib fmt` would write it.
fn render(definition: &Definition) -> String {
    let text = definition.text();
    format_definition(&text, Rewrite::Format).unwrap_or(text)
}

fn save(path: &Path, source: &Source, definition: &Definition) -> Result<(), CommandError> {
    // First the record: a definition without one cannot be updated.
    record_file::save(path, &ImportRecord::new(source.clone(), definition))?;
    atomic_file::replace(path, render(definition).as_bytes(), Access::Usual)
        .map_err(|error| CommandError::io("write", path, &error))?;
    let (tools, path) = (count(definition.tools(), "tool"), path.display());
    terminal::note(&format!("wrote {tools} to {path}; review them, then run `toolcrib check`"));
    Ok(())
}

/// Prints what could not be read.
pub(super) fn print_notes(notes: Vec<String>) {
    print_some(notes.into_iter().map(|note| format!("note: {note}")).collect());
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
