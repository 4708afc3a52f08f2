//! RAVE tools: functions of R packages as YAML, one file each.
//!
//! Files of this format are made by programs, old and new, so reading is generous: what is clearly
//! meant is mended and said, what cannot be used is left out and said. A safety flag is never left
//! out: a file in which one cannot be understood gives no tool.

pub(crate) mod encoding;
mod fit;
mod rules;
mod schema;
mod tool;
mod write;

use catalog::Tool;
use serde_json::Value as Json;

use crate::{
    context::Context,
    format::{
        Confidence, Draft, Format, Reader, Reading, Template, TemplateError, Writer, WrittenFile,
    },
    json::Node,
    report::Report,
    yaml,
};

pub(crate) static FORMAT: Format = Format {
    name: "rave",
    title: "R functions as YAML (RAVE)",
    summary: "R functions as YAML",
    location: "One file per tool, in `inst/mcp/tools/` of an R package or in `tools/`.",
    extensions: &["yaml", "yml"],
    folders: &["tools", "inst/mcp/tools"],
    file_name: None,
    reader: Reader::Data { detect, read },
    writer: Some(Writer {
        help: "R functions as YAML, one file each",
        separator: "---\n",
        write: write_files,
    }),
    schema: Some(schema),
    template: Some(Template {
        help: "A function of an R package as YAML, in tools/; NAME is PACKAGE-FUNCTION",
        fill,
    }),
    rules: rules::RULES,
};

/// Top-level keys that only definitions of this format have.
const KEYS: [&str; 4] = ["parameters", "implementation_example", "execution_time", "returns"];

fn detect(root: &Node<'_>, text: &str) -> Option<Confidence> {
    if root.has_any(&KEYS) {
        Some(Confidence::Strong)
    } else {
        (root.has_any(&["name"]) && yaml::is_yaml(text)).then_some(Confidence::Weak)
    }
}

/// Reads the tool of a definition, whose whole text is `text`.
fn read(root: &Node<'_>, text: &str, _: &Context<'_>, report: &mut Report) -> Reading {
    Reading::of_tools(tool::ToolReader::new(root, text, report).tool().into_iter().collect())
}

fn write_files(tools: &[Tool], _: &str) -> Vec<WrittenFile> {
    let file = |tool: &Tool| WrittenFile::new(&tool.name, "yaml", write::document(tool));
    tools.iter().map(file).collect()
}

fn schema() -> Json {
    serde_json::from_str(include_str!("rave/schema.json")).expect("the schema is JSON")
}

fn fill(name: &str) -> Result<Draft, TemplateError> {
    let parts = name
        .split_once('-')
        .filter(|(package, function)| !package.is_empty() && !function.is_empty());
    let Some((package, function)) = parts else {
        return Err(TemplateError {
            message: format!("`{name}` is not the name of an R function"),
            hint: "use PACKAGE-FUNCTION, such as `stats-median`",
        });
    };
    let text = include_str!("rave/template.yaml");
    let text = text.replace("PACKAGE", package).replace("FUNCTION", function);
    Ok(Draft {
        file: WrittenFile::new(name, "yaml", text),
        next_step: format!("describe the function's parameters, then run `toolcrib call {name}`"),
    })
}
