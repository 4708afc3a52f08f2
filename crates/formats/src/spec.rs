//! Markdown specifications: documents in which people describe tools for people.
//!
//! Reading is lenient and never grades: it extracts the meaning of whatever layout a document uses,
//! and lint rules judge the result. The steps, in order:
//!
//! 1. [`markdown`] parses the text into blocks with byte spans.
//! 2. [`outline`] finds the headings that name tools ([`title`] recognizes names and sections).
//! 3. [`segment`] splits the description of a tool into segments, one per heading or label.
//! 4. [`input`], [`output`] and [`details`] read the segments of each section. [`field_sources`]
//!    collects everything that can declare fields: tables, bullets, signatures, JSON and YAML.
//! 5. [`object_schema`] turns fields into a JSON Schema, and [`tool`] assembles the tool.
//! 6. [`listed_tools`] and [`missing_tools`] handle tools without a heading of their own.

mod allowance;
mod annotations;
mod bullet;
mod details;
mod field;
mod field_check;
mod field_sources;
mod fix;
mod inline;
mod input;
mod json_block;
mod listed_tools;
mod markdown;
mod missing_tools;
mod object_schema;
mod outline;
mod output;
mod row_repair;
mod rules;
mod schema_block;
mod segment;
mod signature;
mod table;
mod title;
mod tool;
mod type_expression;
mod write;
mod yaml_block;

use std::collections::HashSet;

use catalog::{Allowance, SourceId, Tool, markdown::find_excess};

pub use fix::{Edit, apply_edits, find_fixes};
use markdown::MarkdownDocument;
use outline::build_outline;

use crate::{
    context::{Context, ReadLink},
    format::{
        FilledTemplate, Format, Reader, Reading, Template, TemplateError, Writer, WrittenFile,
    },
    json,
    report::Report,
    rules::syntax::{BYTE_ORDER_MARK, NUL, TOO_MUCH},
    yaml,
};

/// The name that makes a file a specification wherever it is.
const FILE_NAME: &str = "MCP_TOOL_SPECIFICATION.md";

pub(crate) static FORMAT: Format = Format {
    name: "spec",
    title: "Markdown specifications",
    summary: "Markdown specifications",
    location: "Any number of tools per file, named `MCP_TOOL_SPECIFICATION.md`, anywhere in the crib.",
    extensions: &["md"],
    folders: &[],
    file_name: Some(FILE_NAME),
    reader: Reader::Markdown { detect: is_specification, read },
    writer: Some(Writer { help: "A Markdown specification", separator: "", write: write_files }),
    schema: None,
    template: Some(Template {
        help: "A Markdown specification, in a folder of its own in tools/; `check` reports what is \
               left to fill in",
        fill,
    }),
    rules: rules::RULES,
};

/// The maximum number of tools read from one document.
const MAX_TOOLS: usize = 5_000;

/// Reads one document. Each step of reading adds its methods in its own module.
struct SpecReader<'r, 't> {
    document: &'r MarkdownDocument<'t>,
    report: &'r mut Report,
    linked: ReadLink<'r>,
}

/// Whether a text is a specification, by its file name, its title, or a heading that only
/// specifications have (``Tool: `name` ``).
fn is_specification(source: &SourceId, text: &str) -> bool {
    // Real projects use the file name in upper and in lower case.
    let name = source.as_str().to_ascii_lowercase();
    if name.ends_with(&FILE_NAME.to_ascii_lowercase()) {
        return true;
    }
    // JSON, YAML and TOML may mention MCP tools in their first comment or string. Their readers are
    // asked after this one, so a wrong match here would hide a definition.
    let is_data = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
    if is_data || [".yaml", ".yml", ".toml"].iter().any(|other| name.ends_with(other)) {
        return false;
    }
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    let is_title = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.starts_with("# ") && line.contains("mcp") && line.contains("tool")
    };
    let is_tool = |line: &str| line.trim_start_matches('#').trim_start().starts_with("Tool: `");
    // A YAML comment looks like a heading (`# MCP tools`), so a text without a telling extension
    // must not be a YAML mapping either.
    headings.next().is_some_and(|first| is_title(first) || is_tool(first) || headings.any(is_tool))
        && (name.ends_with(".md") || !yaml::is_mapping(text))
}

fn write_files(tools: &[Tool], name: &str) -> Vec<WrittenFile> {
    vec![WrittenFile::new(name, "md", write::write_document(tools, name))]
}

fn fill(name: &str) -> Result<FilledTemplate, TemplateError> {
    let text = include_str!("spec/template.md").replace("NAME", name);
    Ok(FilledTemplate {
        file: WrittenFile { name: format!("{name}/{FILE_NAME}"), text },
        next_step: "fill in the parts in brackets; run `toolcrib check` to see what is left"
            .to_owned(),
    })
}

fn read(text: &str, context: &Context<'_>, report: &mut Report) -> Reading {
    if text.starts_with('\u{feff}') {
        let problem =
            json::SyntaxProblem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark");
        report.push_syntax(problem.hint("save the file without it"));
    }
    if let Some(offset) = text.find('\0') {
        // The Markdown parser replaces NUL with a longer character, so its positions would no
        // longer be those of the text.
        report.push_syntax(json::SyntaxProblem::new(
            &NUL,
            offset,
            "the file contains a NUL character",
        ));
        return Reading::default();
    }
    if let Some(offset) = find_excess(text) {
        let message = "the document has too many lines, marks or table cells";
        let problem = json::SyntaxProblem::new(&TOO_MUCH, offset, message);
        report.push_syntax(problem.hint("split the document"));
        return Reading::default();
    }
    let (tools, allowances) = read_document(text, context.linked, report);
    Reading { tools, allowances, ..Reading::default() }
}

/// Reads the tools of a specification, and the rules that it allows itself to break.
fn read_document(
    text: &str,
    linked: ReadLink<'_>,
    report: &mut Report,
) -> (Vec<Tool>, Vec<Allowance>) {
    let document = MarkdownDocument::parse(text);
    let outline = build_outline(&document);
    let mut reader = SpecReader { document: &document, report, linked };
    let allowances = reader.read_allowances(&outline);
    let preamble_end = outline.entries.first().map_or(text.len(), |first| first.span.start);
    let version = details::read_document_version(&document, preamble_end);
    let mut tools = Vec::new();
    for entry in &outline.entries {
        if reader.report.is_exhausted() {
            break;
        }
        if tools.len() >= MAX_TOOLS {
            let found = reader.report.at_span(
                &TOO_MUCH,
                entry.heading.clone(),
                format!("there are more than {MAX_TOOLS} tools"),
            );
            reader.report.push(found.hint("split the document"));
            break;
        }
        tools.extend(reader.read_entry(entry, version.as_ref()));
    }
    if tools.len() < MAX_TOOLS {
        tools.extend(reader.read_listed_tools(&outline, version.as_ref()));
    }
    // Runs last, when all tools are known, because a table of contents may come before or after the
    // sections.
    reader.fill_in_purposes(&mut tools);
    if tools.is_empty() || !outline.placeholders.is_empty() {
        reader.report_missing_tools(&outline);
    }
    // A tool whose description has errors is still described, so the names of all headings count.
    let headings =
        outline.entries.iter().flat_map(|entry| entry.names.iter().map(|named| named.name.clone()));
    let described: HashSet<String> =
        tools.iter().map(|tool| tool.name.clone()).chain(headings).collect();
    reader.report_undescribed_tools(&outline, &described);
    (tools, allowances)
}
