//! JSON Schemas, which crib folders often hold for editors: recognized so that they are not read
//! as broken tools.

use catalog::{Rule, Severity};

use crate::{
    context::Context,
    format::{Confidence, Format, Reader, Reading},
    json::Node,
    report::Report,
};

pub(crate) static FORMAT: Format = Format {
    name: "json-schema",
    title: "JSON Schemas",
    summary: "JSON Schemas, which define no tools",
    location: "Anywhere; they define no tools.",
    extensions: &["json"],
    folders: &[],
    file_name: None,
    reader: Reader::Data { detect, read },
    writer: None,
    schema: None,
    template: None,
    rules: &[&JSON_SCHEMA_FILE],
};

static JSON_SCHEMA_FILE: Rule = Rule {
    code: "TC014",
    name: "json-schema-file",
    severity: Severity::Note,
    why: "The file is a JSON Schema, which editors may use. It defines no tool, so it is skipped.",
    bad: r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

/// Top-level keys that schemas have and definitions do not.
const KEYS: [&str; 4] = ["properties", "$defs", "definitions", "$ref"];

fn detect(root: &Node<'_>, _: &str) -> Option<Confidence> {
    root.has_any(&KEYS).then_some(Confidence::Weak)
}

fn read(_: &Node<'_>, _: &str, _: &Context<'_>, report: &mut Report) -> Reading {
    report.push(report.at_file(&JSON_SCHEMA_FILE, "this is a JSON Schema, not a definition"));
    Reading::default()
}
