//! The flags of the MTDF guide, in terms of the commands that do the same.

use std::{path::Path, process::ExitCode};

use catalog::{Diagnostic, arguments};
use host::{Assembly, Options};
use serde_json::Value;
use workspace::check_paths;

use super::{CommandContext, CommandResult, check, docs};
use crate::{arguments::GuideFlags, terminal};

/// Runs the flag that was given; `None` if none was.
pub(super) fn run(context: &CommandContext<'_>, flags: &GuideFlags) -> Option<CommandResult> {
    if let Some(file) = &flags.validate_schema {
        return Some(validate_schema(context, file));
    }
    if flags.validate_tools {
        return Some(context.assemble(Options::default()).map(|assembly| print(&assembly)));
    }
    if flags.debug_validation {
        return Some(debug(context));
    }
    flags
        .generate_docs
        .then(|| docs::write(context, Path::new("tool-docs"), docs::Format::Markdown))
}

/// Checks one file and prints the document that the MTDF guide describes.
fn validate_schema(context: &CommandContext<'_>, file: &Path) -> CommandResult {
    let loaded = check_paths(&[file.to_owned()], context.environment)?;
    let errors = || loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let tool = errors().find_map(|diagnostic| diagnostic.tool.clone());
    let first = || loaded.catalog.tools().first().map(|tool| tool.name.clone());
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = tool.or_else(first).or_else(stem).unwrap_or_default();
    let details: Vec<_> = errors().map(to_argument_error).collect();
    let failed = !details.is_empty();
    let mut document = arguments::error_document(&name, &details);
    if !failed {
        document["error"] = Value::Null;
    }
    terminal::json(&document);
    Ok(ExitCode::from(u8::from(failed)))
}

fn to_argument_error(diagnostic: &Diagnostic) -> arguments::ArgumentError {
    arguments::ArgumentError {
        path: diagnostic.origin.pointer().unwrap_or_default().to_owned(),
        message: diagnostic.message.clone(),
        expected: diagnostic.expected.clone().unwrap_or_default(),
        received: diagnostic.received.clone().unwrap_or_default(),
    }
}

/// Checks the crib and shows each tool as it was read.
fn debug(context: &CommandContext<'_>) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    for tool in assembly.loaded().catalog.tools() {
        terminal::print_line(&::docs::render_for_terminal(tool));
        terminal::print("\n");
    }
    Ok(print(&assembly))
}

fn print(assembly: &Assembly) -> ExitCode {
    check::print(assembly.loaded(), assembly.crib().files(), check::Format::Human)
}
