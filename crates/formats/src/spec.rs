//! Markdown specifications: a document in which people describe tools for people.
//!
//! Readable and conformant are two things. `page` knows Markdown, `outline` finds the tools in it,
//! `parts` what is said where, and the rest reads each part however it is written: what it means goes
//! into the tool, whether that is as it should be is for rules to say.

mod absent;
mod allow;
mod answers;
mod assemble;
mod bullet;
mod field;
mod fix;
mod gather;
mod inline;
mod input;
mod kind;
mod listed;
mod outline;
mod output;
mod page;
mod parts;
mod rules;
mod schema_write;
mod signature;
mod table;
mod title;
mod tool;
mod write;
mod written;
mod yaml_fence;

use std::collections::HashSet;

use catalog::{Allowance, SourceId, Tool};

pub use fix::{Edit, apply, fixes};
use outline::outline;
use page::Page;

use crate::{
    context::{Context, ReadLink},
    format::{Draft, Format, Reader, Reading, Template, TemplateError, Writer, WrittenFile},
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

/// No more tools than this are read from one page.
const MOST_TOOLS: usize = 5_000;

/// What is read from a page, and with what.
struct PageReader<'r, 't> {
    page: &'r Page<'t>,
    report: &'r mut Report,
    linked: ReadLink<'r>,
}

/// Whether a text is a specification: by the name of its file, its title, or headings that no other document has.
fn is_specification(source: &SourceId, text: &str) -> bool {
    let name = source.as_str().to_ascii_lowercase();
    if name.ends_with(&FILE_NAME.to_ascii_lowercase()) {
        return true;
    }
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
    // A comment of YAML looks like a heading.
    headings.next().is_some_and(|first| is_title(first) || is_tool(first) || headings.any(is_tool))
        && (name.ends_with(".md") || !yaml::is_mapping(text))
}

fn write_files(tools: &[Tool], name: &str) -> Vec<WrittenFile> {
    vec![WrittenFile::new(name, "md", write::page(tools, name))]
}

fn fill(name: &str) -> Result<Draft, TemplateError> {
    let text = include_str!("spec/template.md").replace("NAME", name);
    Ok(Draft {
        file: WrittenFile { name: format!("{name}/{FILE_NAME}"), text },
        next_step: "fill in the parts in brackets; run `toolcrib check` to see what is left"
            .to_owned(),
    })
}

fn read(text: &str, context: &Context<'_>, report: &mut Report) -> Reading {
    if text.starts_with('\u{feff}') {
        let problem =
            json::SyntaxProblem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark");
        report.push_syntax(problem.hint("save it without"));
    }
    if let Some(offset) = text.find('\0') {
        // The Markdown parser replaces NUL, so that its offsets would not be those of the text.
        report.push_syntax(json::SyntaxProblem::new(
            &NUL,
            offset,
            "the file has a NUL character in it",
        ));
        return Reading::default();
    }
    let (tools, allowances) = read_page(text, context.linked, report);
    Reading { tools, allowances, ..Reading::default() }
}

/// Reads the tools of a specification, and the rules that it allows itself to break.
fn read_page(text: &str, linked: ReadLink<'_>, report: &mut Report) -> (Vec<Tool>, Vec<Allowance>) {
    let page = Page::parse(text);
    let outline = outline(&page);
    let mut reader = PageReader { page: &page, report, linked };
    let allowances = reader.allowances(&outline);
    let version = answers::document_version(
        &page,
        outline.entries.first().map_or(text.len(), |first| first.span.start),
    );
    let mut tools = Vec::new();
    for entry in &outline.entries {
        if reader.report.is_exhausted() {
            break;
        }
        if tools.len() >= MOST_TOOLS {
            let found = reader.report.at_span(
                &TOO_MUCH,
                entry.heading.clone(),
                format!("there are more than {MOST_TOOLS} tools"),
            );
            reader.report.push(found.hint("split the document"));
            break;
        }
        tools.extend(reader.tools(entry, version.as_ref()));
    }
    if tools.len() < MOST_TOOLS {
        let listed = reader.listed_tools(&outline, version.as_ref());
        tools.extend(listed);
    }
    reader.borrow_purposes(&mut tools);
    if tools.is_empty() || !outline.placeholders.is_empty() {
        reader.explain_absence(&outline);
    }
    let names =
        outline.entries.iter().flat_map(|entry| entry.names.iter().map(|named| named.name.clone()));
    let known: HashSet<String> = tools.iter().map(|tool| tool.name.clone()).chain(names).collect();
    reader.explain_lists(&outline, &known);
    (tools, allowances)
}
