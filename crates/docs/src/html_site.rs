//! A catalog as HTML pages: an index by category with a search box, and a page per tool.
//!
//! The pages load nothing: no fonts, images or scripts, except for the inline script of the index,
//! which searches that page. Text by an author is Markdown without HTML, and the content security
//! policy of tool pages allows no script at all.

mod html;
mod index;
mod tool;

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, Implementation, Tool};

use crate::{
    SitePage,
    markdown_site::{effect_label, unique_path},
};
use html::escape;

/// A line in every page that identifies it as generated, so that `docs` overwrites only its own
/// pages.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"toolcrib docs\">";

/// The heading over tools without a category that do not share a definition with others.
const OTHER: &str = "Other tools";

/// The heading over tools that come with the server.
const BUILT_IN: &str = "Built in";

/// A tool and the path of its page.
struct Entry<'c> {
    tool: &'c Tool,
    path: String,
}

/// The tools under one heading of the index.
struct Group<'c> {
    name: String,
    anchor: String,
    entries: Vec<Entry<'c>>,
}

/// Renders a catalog as HTML: `index.html` first, then a page per tool in `tools/`.
pub fn render_html_site(catalog: &Catalog, crib: &str) -> Vec<SitePage> {
    let groups = group_tools(catalog);
    let index = SitePage { path: "index.html".to_owned(), text: index::render_page(crib, &groups) };
    let mut pages = vec![index];
    for group in &groups {
        for (number, entry) in group.entries.iter().enumerate() {
            let previous = number.checked_sub(1).and_then(|number| group.entries.get(number));
            let next = group.entries.get(number + 1);
            let context = tool::PageContext { crib, group, previous, next };
            let text = tool::render_page(entry.tool, &context);
            pages.push(SitePage { path: entry.path.clone(), text });
        }
    }
    pages
}

/// Groups tools by category, in alphabetical order; tools without a group are last.
fn group_tools(catalog: &Catalog) -> Vec<Group<'_>> {
    let mut taken = HashSet::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut tools_per_source: HashMap<&str, usize> = HashMap::new();
    for tool in catalog.tools() {
        *tools_per_source.entry(tool.origin.source.as_str()).or_default() += 1;
    }
    for tool in catalog.tools() {
        let entry = Entry { tool, path: unique_path(&tool.name, "html", &mut taken) };
        let category = tool.annotations.category.clone();
        let name = category.unwrap_or_else(|| default_group(tool, &tools_per_source));
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group { name, anchor: String::new(), entries: vec![entry] }),
        }
    }
    groups.sort_by_key(|group| (group.name == OTHER, group.name.to_lowercase()));
    if let [only] = groups.as_mut_slice()
        && only.name == OTHER
    {
        only.name = "Tools".to_owned();
    }
    // Numbered anchors, because names of categories need not be valid or unique as ids.
    for (number, group) in groups.iter_mut().enumerate() {
        group.anchor = format!("group-{}", number + 1);
    }
    groups
}

/// The group of a tool without a category: its definition file, if that has several tools.
fn default_group(tool: &Tool, tools_per_source: &HashMap<&str, usize>) -> String {
    let source = tool.origin.source.as_str();
    let parts: Vec<&str> = source.split('/').collect();
    match parts.as_slice() {
        _ if tool.implementation == Implementation::Native => BUILT_IN.to_owned(),
        _ if tools_per_source.get(source).is_none_or(|count| *count < 2) => OTHER.to_owned(),
        // All specifications have the same file name, so their folders distinguish them.
        [.., folder, file] if file.eq_ignore_ascii_case("mcp_tool_specification.md") => {
            (*folder).to_owned()
        }
        [.., file] => file.rsplit_once('.').map_or(*file, |(stem, _)| stem).to_owned(),
        [] => OTHER.to_owned(),
    }
}

/// Whether a page may run scripts.
#[derive(Clone, Copy)]
enum ScriptPolicy {
    /// Only inline scripts.
    Inline,
    /// No scripts.
    Denied,
}

/// Renders a complete HTML document.
fn render_document(title: &str, scripts: ScriptPolicy, body: &str) -> String {
    let scripts = match scripts {
        ScriptPolicy::Inline => " script-src 'unsafe-inline';",
        ScriptPolicy::Denied => "",
    };
    // The search form opens the index. A page that is read from a folder has no origin that
    // `'self'` could match, so `file:` is named as well.
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline';{scripts} \
         base-uri 'none'; form-action 'self' file:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to content</a>\n{body}</body>\n</html>\n",
        escape(title),
        include_str!("html_site/style.css"),
    )
}

/// The declared effect of a tool as a coloured badge.
fn render_effect_badge(tool: &Tool) -> String {
    let label = effect_label(tool);
    let class = label.replace(' ', "-");
    // Without its column heading, "not declared" would be unclear.
    let text = if label == "not declared" { "effect not declared" } else { label };
    format!("<span class=\"badge {class}\">{text}</span>")
}
