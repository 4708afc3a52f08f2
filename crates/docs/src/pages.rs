//! A whole catalog as Markdown pages.

use std::collections::HashSet;

use catalog::{Catalog, Tool};

use crate::{
    markdown::{cell, code_cell},
    tool_page,
};

/// A page and where it belongs, relative to the folder of all pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The path, with `/` between folders.
    pub path: String,
    /// Its Markdown or HTML.
    pub text: String,
}

/// The pages of a catalog: `index.md` first, then one for each tool in `tools/`.
pub fn pages(catalog: &Catalog, crib: &str) -> Vec<Page> {
    let mut taken = HashSet::new();
    let tools = catalog.tools();
    let paths: Vec<String> = tools.iter().map(|tool| path(&tool.name, "md", &mut taken)).collect();
    let rows: String = tools.iter().zip(&paths).map(|(tool, path)| row(tool, path)).collect();
    let count = match tools.len() {
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    };
    let text = format!(
        "# {}\n\n{count}.\n\n| tool | what it does | effect |\n|---|---|---|\n{rows}",
        code_cell(crib)
    );
    let index = Page { path: "index.md".to_owned(), text };
    let pages = tools.iter().zip(paths).map(|(tool, path)| Page { path, text: tool_page(tool) });
    std::iter::once(index).chain(pages).collect()
}

fn row(tool: &Tool, path: &str) -> String {
    let effect = effect(tool);
    format!(
        "| [{}]({path}) | {} | {effect} |\n",
        code_cell(&tool.name),
        cell(first_sentence(&tool.description.text))
    )
}

/// What a tool does to the world, in a word or two.
pub(crate) fn effect(tool: &Tool) -> &'static str {
    match tool.annotations.mutates {
        _ if !tool.is_callable() => "not served",
        _ if tool.annotations.dangerous == Some(true) => "dangerous",
        Some(false) => "reads",
        Some(true) => "writes",
        None => "not said",
    }
}

/// The first sentence of a text, or its first line if that is shorter.
pub(crate) fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
}

/// A path of its own for each tool, also where a file system does not tell `A` from `a`.
pub(crate) fn path(name: &str, extension: &str, taken: &mut HashSet<String>) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' })
        .collect();
    let mut path = format!("tools/{safe}.{extension}");
    let mut number = 1;
    while !taken.insert(path.to_ascii_lowercase()) {
        number += 1;
        path = format!("tools/{safe}~{number}.{extension}");
    }
    path
}
