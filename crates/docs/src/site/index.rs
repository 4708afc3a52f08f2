//! The index: every tool by category, and a box to search them with.

use serde_json::{Value, json};

use super::{
    Entry, Group, Scripts, badge, document,
    rich::{code, escaped, spans},
};
use crate::{pages::first_sentence, terminal::is_hidden};

/// The page.
pub(super) fn page(crib: &str, groups: &[Group<'_>]) -> String {
    let count = groups.iter().map(|group| group.entries.len()).sum::<usize>();
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    let contents: String = groups.iter().map(content).collect();
    let contents = match groups.len() {
        0 | 1 => String::new(),
        _ => {
            format!("<nav class=\"contents\" aria-label=\"Categories\"><ul>{contents}</ul></nav>\n")
        }
    };
    let sections: String = groups.iter().map(section).collect();
    let body = format!(
        "<header class=\"top\"><h1>{}</h1>\n<p class=\"lead\" id=\"count\" role=\"status\">{tools}</p>\n{SEARCH}</header>\n\
         {contents}<main id=\"main\">\n{sections}<p id=\"nothing\" hidden>No tool has these words.</p>\n</main>\n\
         <script type=\"application/json\" id=\"words\">{}</script>\n<script>\n{}</script>\n",
        escaped(crib),
        words(groups),
        include_str!("search.js"),
    );
    document(&format!("{crib}: tools"), Scripts::Own, &body)
}

/// The box appears where it can work.
const SEARCH: &str = "<form role=\"search\" id=\"search\" hidden><label for=\"q\">Search tools</label>\
                      <input id=\"q\" name=\"q\" type=\"search\" autocomplete=\"off\" placeholder=\"name, words, parameters\"></form>\n";

fn content(group: &Group<'_>) -> String {
    let Group { name, anchor, entries } = group;
    format!(
        "<li><a href=\"#{anchor}\">{}</a> <span class=\"number\">{}</span></li>",
        escaped(name),
        entries.len()
    )
}

fn section(group: &Group<'_>) -> String {
    let Group { name, anchor, entries } = group;
    let items: String = entries.iter().map(item).collect();
    format!(
        "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-title\">\n<h2 id=\"{anchor}-title\">{}</h2>\n\
         <ul class=\"tools\">\n{items}</ul>\n</section>\n",
        escaped(name)
    )
}

fn item(entry: &Entry<'_>) -> String {
    let Entry { tool, path } = entry;
    let title = tool
        .title
        .as_deref()
        .filter(|title| *title != tool.name)
        .map(|title| format!(" <span class=\"title\">{}</span>", escaped(title)));
    format!(
        "<li><a href=\"{}\">{}</a>{} {}<br><span class=\"about\">{}</span></li>\n",
        escaped(path),
        code(&tool.name),
        title.unwrap_or_default(),
        badge(tool),
        spans(first_sentence(&tool.description.text)),
    )
}

/// What each tool is found by, in the order of the page: its name, text, category and parameters in lower case.
fn words(groups: &[Group<'_>]) -> String {
    let of = |entry: &Entry<'_>| {
        let tool = entry.tool;
        let parameters = tool.input.properties().map(|(name, _)| name);
        let texts =
            [tool.name.as_str(), tool.title.as_deref().unwrap_or_default(), &tool.description.text];
        let words = texts.into_iter().chain(tool.annotations.category.as_deref()).chain(parameters);
        let all =
            words.collect::<Vec<_>>().join(" ").to_lowercase().replace(|c: char| is_hidden(c), " ");
        json!(all.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let all: Vec<Value> = groups.iter().flat_map(|group| &group.entries).map(of).collect();
    // In a script only the end of it means anything: `<` is written so that none can be there.
    Value::Array(all).to_string().replace('<', "\\u003c")
}
