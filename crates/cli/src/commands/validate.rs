//! The flags of the MTDF guide, in terms of the commands that do the same.

use std::{path::Path, process::ExitCode};

use catalog::{Diagnostic, SourceId, arguments};
use host::{Assembly, Options};
use serde_json::Value;
use workspace::{Files, Loaded, check_paths};

use super::{CommandContext, CommandResult, check, docs};
use crate::{arguments::GuideFlags, report::human::Detail, terminal};

/// Runs the flag that was given; `None` if none was.
pub(super) fn run(context: &CommandContext<'_>, flags: &GuideFlags) -> Option<CommandResult> {
    if let Some(file) = &flags.validate_schema {
        return Some(validate_schema(context, file));
    }
    if flags.validate_tools {
        return Some(
            context.assemble(Options::default()).map(|assembly| print(context, &assembly)),
        );
    }
    if flags.debug_validation {
        return Some(debug(context));
    }
    flags
        .generate_docs
        .then(|| docs::write(context, Path::new("tool-docs"), docs::PageFormat::Markdown))
}

/// Checks one file and prints the JSON document of the MTDF guide. It includes warnings and hints,
/// but only errors affect the exit code.
fn validate_schema(context: &CommandContext<'_>, file: &Path) -> CommandResult {
    let loaded = check_paths(&[file.to_owned()], context.environment)?;
    let failed = loaded.diagnostics.iter().any(Diagnostic::is_error);
    let details: Vec<_> = loaded.diagnostics.iter().map(to_argument_error).collect();
    let mut document = arguments::error_document(&find_tool(file, &loaded), &details);
    for (entry, found) in
        document["details"].as_array_mut().into_iter().flatten().zip(&loaded.diagnostics)
    {
        entry["code"] = found.code.into();
        entry["severity"] = found.severity.as_str().into();
        if let Some(hint) = &found.hint {
            entry["hint"] = hint.as_str().into();
        }
    }
    if !failed {
        document["error"] = Value::Null;
    }
    terminal::json(&document);
    Ok(ExitCode::from(u8::from(failed)))
}

/// The `name` at the root of the file; if it has none, the name of its first tool or of the file.
fn find_tool(file: &Path, loaded: &Loaded) -> String {
    let text = Files::new("").text(&SourceId::new(file.to_string_lossy())).unwrap_or_default();
    let root: Option<Value> = serde_json::from_str(&text).ok();
    let own = root.and_then(|root| root["name"].as_str().map(str::to_owned));
    let first = || loaded.catalog.tools().first().map(|tool| tool.name.clone());
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    own.or_else(first).or_else(stem).unwrap_or_default()
}

fn to_argument_error(diagnostic: &Diagnostic) -> arguments::ArgumentError {
    arguments::ArgumentError {
        path: diagnostic.origin.pointer().unwrap_or_default().to_owned(),
        message: diagnostic.message.clone(),
        expected: diagnostic.expected.clone().or(diagnostic.hint.clone()).unwrap_or_default(),
        received: diagnostic.received.clone().unwrap_or_default(),
    }
}

/// Checks the crib and shows each tool as it was read.
fn debug(context: &CommandContext<'_>) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    for tool in assembly.loaded().catalog.tools() {
        terminal::print_line(&::docs::render_for_terminal(tool, ::docs::WIDTH));
        terminal::print("\n");
    }
    Ok(print(context, &assembly))
}

fn print(context: &CommandContext<'_>, assembly: &Assembly) -> ExitCode {
    let book = context.published_book();
    check::print(
        assembly.loaded(),
        assembly.crib().files(),
        check::ReportFormat::Human,
        Detail::Some,
        book.as_ref(),
    )
}
