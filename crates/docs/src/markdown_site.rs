//! A catalog as Markdown pages.

use std::collections::HashSet;

use catalog::{Catalog, Tool};

use crate::{
    markdown::{code_cell, escape_cell},
    render_tool_page,
};

/// A page of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// The path relative to the root of the site, with `/` separators.
    pub path: String,
    /// Markdown or HTML.
    pub text: String,
}

/// Renders a catalog as Markdown: `index.md` first, then a page per tool in `tools/`.
pub fn render_markdown_site(catalog: &Catalog, crib: &str) -> Vec<SitePage> {
    let mut taken = HashSet::new();
    let tools = catalog.tools();
    let paths: Vec<String> =
        tools.iter().map(|tool| unique_path(&tool.name, "md", &mut taken)).collect();
    let rows: String =
        tools.iter().zip(&paths).map(|(tool, path)| render_index_row(tool, path)).collect();
    let text = format!(
        "# {}\n\n{}.\n\n| tool | description | effect |\n|---|---|---|\n{rows}",
        code_cell(crib),
        count_tools(tools.len())
    );
    let index = SitePage { path: "index.md".to_owned(), text };
    let pages =
        tools.iter().zip(paths).map(|(tool, path)| SitePage { path, text: render_tool_page(tool) });
    std::iter::once(index).chain(pages).collect()
}

fn render_index_row(tool: &Tool, path: &str) -> String {
    format!(
        "| [{}]({path}) | {} | {} |\n",
        code_cell(&tool.name),
        escape_cell(first_sentence(&tool.description.text)),
        effect_label(tool)
    )
}

/// `1 tool`, `2 tools`.
pub(crate) fn count_tools(count: usize) -> String {
    if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") }
}

/// The declared effect of a tool, in a word or two.
pub(crate) fn effect_label(tool: &Tool) -> &'static str {
    match tool.annotations.mutates {
        _ if !tool.is_callable() => "not served",
        _ if tool.annotations.dangerous == Some(true) => "dangerous",
        Some(false) => "reads",
        Some(true) => "writes",
        None => "not declared",
    }
}

/// The first sentence of a text, or its first line if that is shorter, without the full stop.
pub(crate) fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
}

/// The path of a tool's page. Paths are compared in lower case, because file systems on macOS and
/// Windows ignore case.
pub(crate) fn unique_path(name: &str, extension: &str, taken: &mut HashSet<String>) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let safe: String = name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    let mut path = format!("tools/{safe}.{extension}");
    let mut number = 1;
    while !taken.insert(path.to_ascii_lowercase()) {
        number += 1;
        path = format!("tools/{safe}~{number}.{extension}");
    }
    path
}
