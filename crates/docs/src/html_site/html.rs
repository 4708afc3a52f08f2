//! Text by an author inside HTML: it never becomes markup, a script or a request.

use catalog::markdown::find_excess;
use comrak::{Arena, Options, format_html, nodes::NodeValue, parse_document};

use crate::terminal::is_invisible;

/// Escapes a text for content and attributes. Invisible characters are replaced by a visible one.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(replace_invisible(c)),
        }
    }
    out
}

/// A text as inline code.
pub(super) fn code_span(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// A line in which only code in backticks is rendered, and other Markdown stays text.
pub(super) fn render_inline_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    // An even number of parts means an unmatched backtick.
    if parts.len().is_multiple_of(2) {
        return escape(line);
    }
    let parts = parts.iter().enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { code_span(part) } else { escape(part) }).collect()
}

/// A code block. `tabindex` makes it scrollable by keyboard where it is wider than the page.
pub(super) fn code_block(label: &str, text: &str) -> String {
    format!(
        "<pre tabindex=\"0\" aria-label=\"{}\"><code>{}</code></pre>\n",
        escape(label),
        escape(text.trim_end())
    )
}

/// Renders Markdown. HTML in it is escaped, images become links so that nothing is loaded, and
/// headings are below those of the page.
pub(super) fn render_markdown(text: &str) -> String {
    // A short text can be a table of millions of cells, so it is shown as it is written.
    if find_excess(text).is_some() {
        return format!("<pre>{}</pre>\n", escape(text));
    }
    let visible: String = text.chars().map(replace_invisible).collect();
    let mut options = Options::default();
    options.render.escape = true;
    options.extension.table = true;
    options.extension.strikethrough = true;
    let arena = Arena::new();
    let root = parse_document(&arena, &visible, &options);
    for node in root.descendants() {
        let mut data = node.data.borrow_mut();
        match &mut data.value {
            NodeValue::Heading(heading) => heading.level = 3,
            NodeValue::Image(link) => {
                let link = link.clone();
                data.value = NodeValue::Link(link);
            }
            _ => {}
        }
    }
    let mut html = String::new();
    format_html(root, &options, &mut html).expect("writing to a string");
    html
}

fn replace_invisible(c: char) -> char {
    if c != '\n' && c != '\t' && is_invisible(c) { '\u{fffd}' } else { c }
}
