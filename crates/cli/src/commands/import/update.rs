//! `import --update`: reads the source of a definition again.

use std::{fs, path::Path, process::ExitCode};

use atomic_file::Access;
use formats::{Rewrite, format_definition};
use import::merge_edits;
use serde_json::Value;
use workspace::{Crib, check_text};

use super::{output, read, record_file};
use crate::{
    commands::{CommandContext, CommandResult, diff},
    error::CommandError,
    terminal,
};

/// Prints what changed in the source, and writes it if asked to.
pub(super) fn run(context: &CommandContext<'_>, file: &Path, writes: bool) -> CommandResult {
    let record = record_file::load(file)?;
    let text = fs::read_to_string(file).map_err(|error| CommandError::io("read", file, &error))?;
    let edited: Value = serde_json::from_str(&text).map_err(|error| {
        CommandError::machine(format!("`{}` is not JSON: {error}", file.display()))
            .hint("comments cannot be kept; remove them to update the file")
    })?;
    let imported = read::read(&record.source, context.environment)?;
    let merged = merge_edits(&record.imported, &edited, &imported.definition.json);
    let merged_text = merged.to_string();
    let new = format_definition(&merged_text, Rewrite::Format).unwrap_or(merged_text);
    output::print_notes(imported.notes);
    if merged == edited {
        terminal::note(&format!("`{}` is up to date", file.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let crib = Crib::open_lenient(context.crib_folder().as_deref(), context.environment)?.0;
    let name = file.display().to_string();
    let (old, changed) = (check_text(&crib, &name, &text), check_text(&crib, &name, &new));
    diff::print_human(&compat::compare(&old.catalog, &changed.catalog));
    if !writes {
        terminal::note("pass `--write` to write these changes");
        return Ok(ExitCode::from(1));
    }
    atomic_file::replace(file, new.as_bytes(), Access::Usual)
        .map_err(|error| CommandError::io("write", file, &error))?;
    record_file::save(file, &record.renew(&imported.definition))?;
    terminal::note(&format!("wrote {}", file.display()));
    Ok(ExitCode::SUCCESS)
}
