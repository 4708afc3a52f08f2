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
mod schema_write;
mod signature;
mod table;
mod title;
mod tool;
pub(crate) mod write;
mod written;
mod yaml_fence;

use std::collections::HashSet;

use catalog::{Allowance, SourceId, Tool};

use crate::{report::Report, rules::syntax::TOO_MUCH, yaml};
pub use fix::{Edit, apply, fixes};
use outline::outline;
use page::Page;

/// Brings the text of a file that a definition links to, or says why not.
pub type Linked<'l> = &'l dyn Fn(&str) -> Result<String, String>;

/// No more tools than this are read from one page.
const MOST_TOOLS: usize = 5_000;

/// What is read from a page, and with what.
struct Reader<'r, 't> {
    page: &'r Page<'t>,
    report: &'r mut Report,
    linked: Linked<'r>,
}

/// Whether a text is a specification: by the name of its file, its title, or headings that no other document has.
pub(crate) fn is_specification(source: &SourceId, text: &str) -> bool {
    let name = source.as_str().to_ascii_lowercase();
    if name.ends_with("mcp_tool_specification.md") {
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
        && (is_markdown(source) || !yaml::is_mapping(text))
}

/// Whether a file is Markdown by its name, and so nothing else.
pub(crate) fn is_markdown(source: &SourceId) -> bool {
    source.as_str().to_ascii_lowercase().ends_with(".md")
}

/// Reads the tools of a specification, and what it allows itself.
pub(crate) fn read(
    text: &str,
    linked: Linked<'_>,
    report: &mut Report,
) -> (Vec<Tool>, Vec<Allowance>) {
    let page = Page::parse(text);
    let outline = outline(&page);
    let mut reader = Reader { page: &page, report, linked };
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
            let found = reader.report.span(
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
