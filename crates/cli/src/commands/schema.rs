//! `schema`: JSON Schemas for editors.

use std::process::ExitCode;

use clap::builder::TypedValueParser;
use formats::FORMATS;
use serde_json::Value;

use super::{CommandContext, CommandResult};
use crate::{
    choice::{self, Choice},
    terminal,
};

/// Print a JSON Schema, with which editors check and complete files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kind of file.
    #[arg(value_name = "KIND", value_parser = parser())]
    of: SchemaKind,
}

/// A kind of file and its schema.
#[derive(Clone, Copy)]
struct SchemaKind {
    name: &'static str,
    schema: fn() -> Value,
}

/// Accepts every format that has a schema, and the configuration.
fn parser() -> impl TypedValueParser<Value = SchemaKind> {
    let of_format = |format: &&formats::Format| {
        let value = SchemaKind { name: format.name, schema: format.schema? };
        Some(Choice { name: format.name, help: format.summary, value })
    };
    let value = SchemaKind { name: "config", schema: workspace::config_schema };
    let config = Choice { name: "config", help: "toolcrib.toml", value };
    choice::parser(FORMATS.iter().filter_map(of_format).chain([config]).collect())
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    terminal::print(&render(args.of.name, args.of.schema));
    Ok(ExitCode::SUCCESS)
}

/// Renders the schema of a kind of file. Its `$id` is a URN rather than an address, because the
/// schema belongs to this version of the program.
pub(super) fn render(name: &str, schema: fn() -> Value) -> String {
    let mut schema = schema();
    if let Value::Object(members) = &mut schema {
        members.shift_insert(0, "$id".to_owned(), format!("urn:toolcrib:{name}").into());
    }
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}
