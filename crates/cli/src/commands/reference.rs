//! `reference`: the generated pages of the documentation. Hidden: it is for those who change Toolcrib.

use std::{fmt::Write, process::ExitCode};

use clap::{CommandFactory, ValueEnum};
use serde_json::Value;

use super::{CommandContext, CommandResult};
use crate::{arguments::Cli, terminal};

/// Print a page of the reference.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which.
    #[arg(value_enum)]
    page: Page,
}

#[derive(Clone, Copy, ValueEnum)]
enum Page {
    Cli,
    Rules,
    Changes,
    Config,
    Mtdf,
    Rave,
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let text = match args.page {
        Page::Cli => cli(),
        Page::Rules => docs::rules_reference(&host::rules()),
        Page::Changes => docs::changes_reference(compat::CHANGES),
        Page::Config => fields(
            "toolcrib.toml",
            "Every key has a default. An unknown key is an error.",
            &workspace::config_schema(),
        ),
        Page::Mtdf => fields(
            "Command-line tools as JSON (MTDF)",
            "One file per tool, in `tools/`.",
            &formats::mtdf_schema(),
        ),
        Page::Rave => fields(
            "R functions as YAML (RAVE)",
            "One file per tool, in `inst/mcp/tools/` of an R package or in `tools/`.",
            &formats::rave_schema(),
        ),
    };
    terminal::line(text.trim_end());
    Ok(ExitCode::SUCCESS)
}

fn cli() -> String {
    let mut command = Cli::command().term_width(100);
    command.build();
    let mut text =
        String::from("# Command line\n\nMade from the program itself: `scripts/reference`.\n");
    write_help(&mut text, &mut command);
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set()) {
        write_help(&mut text, sub);
    }
    text
}

fn write_help(text: &mut String, command: &mut clap::Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let help = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim()).expect("writing to a string");
}

/// A table for each object of a JSON Schema: the root, then its definitions.
fn fields(title: &str, intro: &str, schema: &Value) -> String {
    let mut text =
        format!("# {title}\n\n{intro} Made from the program itself: `scripts/reference`.\n");
    write_fields(&mut text, "The file", schema);
    let definitions =
        ["$defs", "definitions"].into_iter().filter_map(|key| schema[key].as_object());
    for (name, definition) in definitions.flatten() {
        write_fields(&mut text, name, definition);
    }
    text
}

fn write_fields(text: &mut String, name: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    let required = |key: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key))
    };
    write!(text, "\n## {name}\n\n").expect("writing to a string");
    if let Some(description) = schema["description"].as_str() {
        write!(text, "{}\n\n", description.replace('\n', " ")).expect("writing to a string");
    }
    text.push_str("| key | type | what |\n|---|---|---|\n");
    for (key, field) in properties {
        let must = if required(key) { " (required)" } else { "" };
        let what = field["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ")
            .replace('|', "\\|");
        writeln!(text, "| `{key}`{must} | {} | {what} |", type_of(field))
            .expect("writing to a string");
    }
}

fn type_of(field: &Value) -> String {
    let of_definition =
        |reference: &str| reference.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(reference) = field["$ref"].as_str() {
        return of_definition(reference);
    }
    if let Some(values) = field["enum"].as_array() {
        return values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    }
    match &field["type"] {
        Value::String(kind) if kind == "array" && field["items"].is_object() => {
            format!("array of {}", type_of(&field["items"]))
        }
        Value::String(kind) if kind == "object" && field["additionalProperties"].is_object() => {
            format!("table of {}", type_of(&field["additionalProperties"]))
        }
        Value::String(kind) => kind.clone(),
        _ if !field["const"].is_null() => field["const"].to_string(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .filter(|kind| *kind != "null")
            .collect::<Vec<_>>()
            .join(" or "),
        _ => field["anyOf"].as_array().map_or_else(
            || "any".to_owned(),
            |any| {
                any.iter()
                    .map(type_of)
                    .filter(|kind| kind != "null")
                    .collect::<Vec<_>>()
                    .join(" or ")
            },
        ),
    }
}
