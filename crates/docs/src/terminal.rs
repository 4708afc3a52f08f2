//! A tool as plain text for a terminal: aligned, and wrapped at 88 columns.

use catalog::Tool;

use crate::{fields::Field, tool_docs::ToolDocs};

/// The width of the text: comfortable to read, and it fits into most windows.
pub const WIDTH: usize = 88;

/// The widest label that others are aligned to. A wider one gets a line of its own.
const MAX_LABEL_WIDTH: usize = 28;

/// Renders a tool as `toolcrib show` prints it, in lines of at most `width` columns where words
/// allow it.
pub fn render_for_terminal(tool: &Tool, width: usize) -> String {
    let docs = ToolDocs::new(tool);
    let mut out = Page { text: sanitize(&tool.name), width };
    if let Some(title) = &docs.title {
        out.push_str(&format!("  ({})", sanitize(title)));
    }
    out.push('\n');
    push_lines(&mut out, &docs.description, "  ");
    push_heading(&mut out, "Parameters", &docs.parameters);
    push_aligned(&mut out, docs.parameters.iter().map(describe_field));
    push_heading(&mut out, "Result", &docs.results);
    push_aligned(&mut out, docs.results.iter().map(describe_field));
    push_heading(&mut out, "Errors", docs.errors.as_slice());
    push_lines(&mut out, docs.errors.as_deref().unwrap_or_default(), "    ");
    push_heading(&mut out, "Security", &docs.security);
    docs.security.iter().for_each(|remark| push_wrapped(&mut out, remark, "  - ", "    "));
    push_invocation(&mut out, tool, &docs.invocation);
    push_heading(&mut out, "Call", docs.call.as_slice());
    docs.call.iter().for_each(|call| push_verbatim(&mut out, call));
    push_heading(&mut out, "Examples", &docs.examples);
    for (call, explanation) in &docs.examples {
        push_verbatim(&mut out, call);
        push_wrapped(&mut out, explanation, "    ", "    ");
    }
    push_heading(&mut out, "Example", docs.transcript.as_slice());
    docs.transcript
        .iter()
        .flat_map(|code| code.lines())
        .for_each(|line| push_verbatim(&mut out, line));
    push_heading(&mut out, "Facts", &docs.facts);
    push_aligned(&mut out, docs.facts.into_iter().map(|(label, value)| (label.to_owned(), value)));
    out.text
}

/// A page being written, and its width.
struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn push(&mut self, c: char) {
        self.text.push(c);
    }
}

fn push_heading<T>(out: &mut Page, heading: &str, content: &[T]) {
    if !content.is_empty() {
        out.push_str(&format!("\n{heading}\n"));
    }
}

fn push_invocation(out: &mut Page, tool: &Tool, invocation: &[String]) {
    out.push_str("\nRuns\n");
    if invocation.is_empty() {
        push_verbatim(out, tool.implementation.summary());
    }
    invocation.iter().for_each(|line| push_wrapped(out, line, "  ", "      "));
}

/// Appends a line without wrapping it, so that it can be copied.
fn push_verbatim(out: &mut Page, line: &str) {
    out.push_str(&format!("  {}\n", sanitize(line)));
}

fn push_lines(out: &mut Page, text: &str, following: &str) {
    text.lines().for_each(|line| push_wrapped(out, line, "  ", following));
}

/// The name of a field, and its description with type and constraints in parentheses.
fn describe_field(field: &Field) -> (String, String) {
    let mut properties = vec![field.type_text.clone()];
    properties.extend(field.required.then(|| "required".to_owned()));
    properties.extend(field.default.as_ref().map(|default| format!("default {default}")));
    properties.extend(field.constraints.iter().map(|constraint| {
        let text = format!("{} {}", constraint.text, constraint.values.join(", "));
        text.trim_end().to_owned()
    }));
    let text = format!("{} ({})", field.description.trim(), properties.join("; "));
    (field.name.clone(), text)
}

/// Appends labels with their texts in a second column.
fn push_aligned(out: &mut Page, rows: impl Iterator<Item = (String, String)>) {
    let rows: Vec<_> = rows.map(|(label, text)| (sanitize(&label), text)).collect();
    let widths = rows.iter().map(|(label, _)| label.chars().count());
    let width = widths.filter(|width| *width <= MAX_LABEL_WIDTH).max().unwrap_or(0);
    let indent = " ".repeat(width + 4);
    for (label, text) in rows {
        let mut first = format!("  {label:width$}  ");
        if label.chars().count() > width {
            out.push_str(&format!("  {label}\n"));
            first.clone_from(&indent);
        }
        for line in text.lines() {
            push_wrapped(out, line, &first, &indent);
            first.clone_from(&indent);
        }
    }
}

/// Appends one line, wrapped at spaces. A word that is too wide is not split, so that it can be
/// copied.
fn push_wrapped(out: &mut Page, line: &str, first_indent: &str, indent: &str) {
    let mut current = first_indent.to_owned();
    let mut has_words = false;
    for word in sanitize(line).split_whitespace() {
        if has_words && current.chars().count() + 1 + word.chars().count() > out.width {
            out.push_str(current.trim_end());
            out.push('\n');
            current = indent.to_owned();
            has_words = false;
        }
        if has_words {
            current.push(' ');
        }
        current.push_str(word);
        has_words = true;
    }
    out.push_str(current.trim_end());
    out.push('\n');
}

/// Replaces characters that could move the cursor or reverse the text after them. Definitions come
/// from others, and a terminal acts on escape sequences.
fn sanitize(text: &str) -> String {
    let sanitized = text.chars().map(|c| match c {
        _ if c.is_whitespace() => ' ',
        _ if is_invisible(c) => '\u{fffd}',
        _ => c,
    });
    sanitized.collect()
}

/// Whether a character is invisible or changes how those after it are displayed: control
/// characters, zero-width characters, bidirectional controls and tags.
pub(crate) fn is_invisible(c: char) -> bool {
    let is_format = matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
    c.is_control() || is_format || matches!(c, '\u{e0000}'..='\u{e007f}')
}
