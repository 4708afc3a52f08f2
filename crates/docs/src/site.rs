//! A whole catalog as HTML pages: an index by category with a search box, and a page for each tool.
//!
//! The pages ask nothing of anybody: no script but the index's own, which only finds what is on the page, no picture,
//! no font. A tool's text is Markdown without HTML; a page of a tool allows no script at all.

mod index;
mod rich;
mod tool;

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, Implementation, Tool};

use crate::{
    Page,
    pages::{effect, path},
};
use rich::escaped;

/// The line by which a page tells that it was made here.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"toolcrib docs\">";

/// The heading over tools that name no category and stand alone, where others do not.
const OTHER: &str = "Other tools";

/// The heading over tools that come with the server.
const BUILT_IN: &str = "Built in";

/// A tool and where its page is.
struct Entry<'c> {
    tool: &'c Tool,
    path: String,
}

/// Tools of one category.
struct Group<'c> {
    name: String,
    anchor: String,
    entries: Vec<Entry<'c>>,
}

/// The pages of a catalog: `index.html` first, then one for each tool in `tools/`.
pub fn site(catalog: &Catalog, crib: &str) -> Vec<Page> {
    let groups = groups(catalog);
    let index = Page { path: "index.html".to_owned(), text: index::page(crib, &groups) };
    let mut pages = vec![index];
    for group in &groups {
        for (number, entry) in group.entries.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|number| group.entries.get(number));
            let around = tool::Around { crib, group, before, after: group.entries.get(number + 1) };
            pages.push(Page { path: entry.path.clone(), text: tool::page(entry.tool, &around) });
        }
    }
    pages
}

/// The tools by category, categories by name; those without one come last.
fn groups(catalog: &Catalog) -> Vec<Group<'_>> {
    let mut taken = HashSet::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut shares: HashMap<&str, usize> = HashMap::new();
    catalog
        .tools()
        .iter()
        .for_each(|tool| *shares.entry(tool.origin.source.as_str()).or_default() += 1);
    for tool in catalog.tools() {
        let entry = Entry { tool, path: path(&tool.name, "html", &mut taken) };
        let name = tool.annotations.category.clone().unwrap_or_else(|| kin(tool, &shares));
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
    groups
        .iter_mut()
        .enumerate()
        .for_each(|(number, group)| group.anchor = format!("group-{}", number + 1));
    groups
}

/// What tools without a category have in common: the definition that has several of them.
fn kin(tool: &Tool, shares: &HashMap<&str, usize>) -> String {
    let source = tool.origin.source.as_str();
    let parts: Vec<&str> = source.split('/').collect();
    match parts.as_slice() {
        _ if tool.implementation == Implementation::Native => BUILT_IN.to_owned(),
        _ if shares.get(source).is_none_or(|count| *count < 2) => OTHER.to_owned(),
        // Specifications all have one name; their folders tell them apart.
        [.., folder, file] if file.eq_ignore_ascii_case("mcp_tool_specification.md") => {
            (*folder).to_owned()
        }
        [.., file] => file.rsplit_once('.').map_or(*file, |(stem, _)| stem).to_owned(),
        [] => OTHER.to_owned(),
    }
}

/// What a page may load and run.
#[derive(Clone, Copy)]
enum Scripts {
    /// Its own script.
    Own,
    /// None.
    Nothing,
}

/// A page around its body.
fn document(title: &str, scripts: Scripts, body: &str) -> String {
    let scripts = match scripts {
        Scripts::Own => " script-src 'unsafe-inline';",
        Scripts::Nothing => "",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline';{scripts} \
         base-uri 'none'; form-action 'self' file:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to content</a>\n{body}</body>\n</html>\n",
        escaped(title),
        include_str!("site/style.css"),
    )
}

/// What a tool does to the world, as a mark that can be seen.
fn badge(tool: &Tool) -> String {
    let effect = effect(tool);
    let class = effect.replace(' ', "-");
    let words = if effect == "not said" { "effect not said" } else { effect };
    format!("<span class=\"badge {class}\">{words}</span>")
}
