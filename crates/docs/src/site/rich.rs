//! Somebody's text inside HTML: characters stay characters, Markdown becomes structure, and nothing becomes markup,
//! a script or a request.

use comrak::{Arena, Options, format_html, nodes::NodeValue, parse_document};

use crate::terminal::is_hidden;

/// A text in which no character means anything. What cannot be seen is shown as such.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ if is_hidden(c) => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A text in code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// A line in which only code in backticks means something.
pub(super) fn spans(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(line);
    }
    parts
        .iter()
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { code(part) } else { escaped(part) })
        .collect()
}

/// A text as it is, in a block of its own that can be reached by keyboard where it is wider than the page.
pub(super) fn block(label: &str, text: &str) -> String {
    format!(
        "<pre tabindex=\"0\" aria-label=\"{}\"><code>{}</code></pre>\n",
        escaped(label),
        escaped(text.trim_end())
    )
}

/// Markdown as HTML. HTML in it is shown as text, pictures as links, and headings stand below those of the page.
pub(super) fn markdown(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if c != '\n' && c != '\t' && is_hidden(c) { '\u{fffd}' } else { c })
        .collect();
    let mut options = Options::default();
    options.render.escape = true;
    options.extension.table = true;
    options.extension.strikethrough = true;
    let arena = Arena::new();
    let root = parse_document(&arena, &visible, &options);
    for node in root.descendants() {
        let mut data = node.data.borrow_mut();
        let replaced = match &mut data.value {
            NodeValue::Image(link) => Some(NodeValue::Link(link.clone())),
            NodeValue::Heading(heading) => {
                heading.level = 3;
                None
            }
            _ => None,
        };
        if let Some(value) = replaced {
            data.value = value;
        }
    }
    let mut html = String::new();
    format_html(root, &options, &mut html).expect("writing to a string");
    html
}
