//! MTDF: command-line tools as JSON, in two dialects.
//!
//! A definition is either a tree of subcommands, of which each leaf is a tool, or one tool with a
//! JSON Schema. `tree` walks it and applies inheritance, `parameter` and `schema_tool` read the two
//! ways of declaring arguments, `leaf` builds the tools.

mod availability;
mod binding;
mod canonical;
mod command;
mod conflict;
mod consent;
mod constraint;
mod declaration;
mod field_checks;
mod formatting;
mod leaf;
mod parameter;
mod parameter_type;
pub(crate) mod rules;
mod schema_tool;
mod sequence;
mod settings;
mod shell_syntax;
mod tree;
mod write;

pub use self::declaration::{Declaration, DeclareError, declare};
pub use self::formatting::{Rewrite, Unformatted, format_definition};
use catalog::Tool;
use serde_json::Value as Json;

use crate::{
    context::{Context, Guidance},
    format::{
        Confidence, FilledTemplate, Format, Reader, Reading, Template, TemplateError, Writer,
        WrittenFile,
    },
    json::Node,
    report::Report,
    yaml,
};

pub(crate) static FORMAT: Format = Format {
    name: "mtdf",
    title: "Command-line tools as JSON (MTDF)",
    summary: "Command-line tools as JSON",
    location: "One file per tool, in `tools/`.",
    extensions: &["json", "yaml", "yml"],
    folders: &["tools"],
    file_name: None,
    reader: Reader::Data { detect, read: read_root },
    writer: Some(Writer {
        help: "Command-line tools as JSON; several files if the tools' names have no prefix in common",
        separator: "",
        write: write::write_files,
    }),
    schema: Some(schema),
    template: Some(Template { help: "A command-line tool as JSON, in tools/", fill }),
    rules: rules::RULES,
};

/// Top-level keys that decide what is run, which only this format has.
const KEYS: [&str; 5] = ["command", "subcommand", "inputSchema", "input_schema", "sequence"];

fn detect(root: &Node<'_>, text: &str) -> Option<Confidence> {
    if !root.is_object() {
        None
    } else if root.has_any(&KEYS) {
        Some(Confidence::Strong)
    } else if root.has_any(&["name"]) && !yaml::is_yaml(text) {
        Some(Confidence::Weak)
    } else {
        Some(Confidence::Fallback)
    }
}

fn read_root(root: &Node<'_>, _: &str, context: &Context<'_>, report: &mut Report) -> Reading {
    let (tools, broken) = read(root, context.guidance, report);
    Reading { tools, broken, ..Reading::default() }
}

/// Reads the tools of a definition: those without an error, and the others as far as possible.
fn read<'n>(
    root: &'n Node<'n>,
    guidance: &'n Guidance,
    report: &mut Report,
) -> (Vec<Tool>, Vec<Tool>) {
    let tools = tree::TreeReader::new(guidance, report).read_definition(root);
    if report.is_exhausted() { Default::default() } else { tools }
}

/// The JSON Schema accepts exactly the definitions that are read without an error, except for
/// references, patterns, conflicts and defaults, which no JSON Schema can check.
fn schema() -> Json {
    serde_json::from_str(include_str!("mtdf/schema.json")).expect("the schema is JSON")
}

fn fill(name: &str) -> Result<FilledTemplate, TemplateError> {
    let text = include_str!("mtdf/template.json").replace("NAME", name);
    Ok(FilledTemplate {
        file: WrittenFile::new(name, "json", text),
        next_step: format!(
            "fill in the parts in brackets, add parameters, then run `toolcrib check` and `toolcrib call {name}`"
        ),
    })
}
