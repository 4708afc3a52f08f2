//! The index: every tool by category, with a search box.

use serde_json::{Value, json};

use super::{
    Entry, Group, ScriptPolicy,
    html::{code_span, escape, render_inline_code},
    render_document, render_effect_badge,
};
use crate::{
    markdown_site::{count_tools, first_sentence},
    terminal::is_invisible,
};

/// Hidden until the script shows it, because it does not work without scripts.
const SEARCH_FORM: &str = "<form role=\"search\" id=\"search\" hidden><label for=\"q\">Search tools</label>\
                           <input id=\"q\" name=\"q\" type=\"search\" autocomplete=\"off\" placeholder=\"name, words, parameters\"></form>\n";

/// Renders the index.
pub(super) fn render_page(crib: &str, groups: &[Group<'_>]) -> String {
    let count = count_tools(groups.iter().map(|group| group.entries.len()).sum());
    let sections: String = groups.iter().map(render_group).collect();
    let body = format!(
        "<header class=\"top\"><h1>{}</h1>\n<p class=\"lead\" id=\"count\" role=\"status\">{count}</p>\n{SEARCH_FORM}</header>\n\
         {}<main id=\"main\">\n{sections}<p id=\"nothing\" hidden>No tools match.</p>\n</main>\n\
         <script type=\"application/json\" id=\"words\">{}</script>\n<script>\n{}</script>\n",
        escape(crib),
        render_contents(groups),
        render_search_words(groups),
        include_str!("search.js"),
    );
    render_document(&format!("{crib}: tools"), ScriptPolicy::Inline, &body)
}

/// Links to the groups, if there are several.
fn render_contents(groups: &[Group<'_>]) -> String {
    if groups.len() < 2 {
        return String::new();
    }
    let items = groups.iter().map(|Group { name, anchor, entries }| {
        let count = entries.len();
        format!(
            "<li><a href=\"#{anchor}\">{}</a> <span class=\"number\">{count}</span></li>",
            escape(name)
        )
    });
    let items: String = items.collect();
    format!("<nav class=\"contents\" aria-label=\"Categories\"><ul>{items}</ul></nav>\n")
}

fn render_group(group: &Group<'_>) -> String {
    let Group { name, anchor, entries } = group;
    let items: String = entries.iter().map(render_entry).collect();
    format!(
        "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-title\">\n<h2 id=\"{anchor}-title\">{}</h2>\n\
         <ul class=\"tools\">\n{items}</ul>\n</section>\n",
        escape(name)
    )
}

fn render_entry(entry: &Entry<'_>) -> String {
    let Entry { tool, path } = entry;
    let title = tool.title.as_deref().filter(|title| *title != tool.name);
    let title = title.map(|title| format!(" <span class=\"title\">{}</span>", escape(title)));
    format!(
        "<li><a href=\"{}\">{}</a>{} {}<br><span class=\"about\">{}</span></li>\n",
        escape(path),
        code_span(&tool.name),
        title.unwrap_or_default(),
        render_effect_badge(tool),
        render_inline_code(first_sentence(&tool.description.text)),
    )
}

/// The text that each tool is found by, as a JSON array in page order: name, title, description,
/// category and parameters in lower case.
fn render_search_words(groups: &[Group<'_>]) -> String {
    let words = |entry: &Entry<'_>| {
        let tool = entry.tool;
        let title = tool.title.as_deref().unwrap_or_default();
        let texts = [tool.name.as_str(), title, &tool.description.text];
        let parameters = tool.input.properties().map(|(name, _)| name);
        let texts = texts.into_iter().chain(tool.annotations.category.as_deref()).chain(parameters);
        let text = texts.collect::<Vec<_>>().join(" ").to_lowercase().replace(is_invisible, " ");
        json!(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let entries = groups.iter().flat_map(|group| &group.entries);
    let words: Value = entries.map(words).collect();
    // HTML ends a script at the first `</script`, even inside a string, so no `<` may remain.
    words.to_string().replace('<', "\\u003c")
}
