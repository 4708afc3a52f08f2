//! The meaning of titles: the section that a title opens, or the tools that it names.

use std::ops::Range;

use catalog::spec_details::Section;

use super::inline::{CodeSpan, find_code_spans, is_file_name, is_name, is_placeholder};

/// The section that a heading or label opens, whatever its number and the remark in parentheses.
///
/// The titles are those of the template and every variant found in real documents.
pub(super) fn find_section(title: &str) -> Option<Section> {
    Some(match normalize_title(title).as_str() {
        "tool purpose and description"
        | "purpose and description"
        | "purpose"
        | "description"
        | "tool purpose" => Section::Purpose,
        "invocation name" | "invocation" => Section::InvocationName,
        "input schema" | "input" | "inputs" | "parameters" | "input parameters" | "arguments"
        | "schema" | "parameter" | "input parameter" => Section::Input,
        "output schema" | "output" | "outputs" | "returns" | "return" | "return value"
        | "return schema" | "response" | "success" | "success response" | "returns on success"
        | "success returns" | "response schema" => Section::Output,
        "error handling" | "error cases" | "error" | "errors" | "error response"
        | "error responses" => Section::Errors,
        "idempotency" | "idempotent" | "trust and idempotency" => Section::Idempotency,
        "usage examples" | "usage example" | "example usage" | "example invocation" | "example"
        | "examples" | "example call" => Section::Examples,
        "security considerations" | "security" => Section::Security,
        _ => return None,
    })
}

/// The number that a title begins with, as in "3. Input Schema".
pub(super) fn parse_number(title: &str) -> Option<usize> {
    title.split_once('.').and_then(|(number, _)| number.trim().parse().ok())
}

/// A title in lower case, without its number, emphasis and remark in parentheses.
pub(super) fn normalize_title(title: &str) -> String {
    // Only digits make a number: "Inputs vs. outputs" keeps its words.
    let title = match title.split_once(". ") {
        Some((number, rest)) if number.trim().bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => title,
    };
    // Remarks differ between documents: "(Parameters)", "(JSON)", "(for MCP context)".
    let title = title.split(" (").next().unwrap_or(title);
    title.trim_matches(['*', '`', ':', ' ']).to_ascii_lowercase()
}

/// The subject of a heading, as far as tools are concerned.
#[derive(Debug, PartialEq)]
pub(super) enum HeadingSubject {
    /// Tools after a label: ``Tool: `a_b` ``.
    Labelled(Vec<ToolName>),
    /// Nothing but names that only tools have: `` `a_b` / `c_d` ``.
    Names(Vec<ToolName>),
    /// One plain word, which is a tool only below a heading that announces tools.
    Word(ToolName),
    /// A name of the template that was not filled in.
    Placeholder,
    Other,
}

/// The name of a tool, and its span in the title or in the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolName {
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

impl ToolName {
    fn from_span(span: &CodeSpan<'_>) -> Self {
        let start = span.range.start;
        Self { name: span.text.to_owned(), span: start..start + span.text.len() }
    }

    /// Moves the span by `offset` bytes.
    pub(super) fn shift(self, offset: usize) -> Self {
        Self { span: self.span.start + offset..self.span.end + offset, ..self }
    }
}

pub(super) fn classify_heading(title: &str) -> HeadingSubject {
    let core = strip_number(title).trim_start_matches('*');
    let offset = title.len() - core.len();
    // The label comes first: it makes a tool of any name, such as the one in "Tool: think".
    if let Some(rest) = strip_tool_label(core) {
        return classify_labelled(rest, title.len() - rest.len());
    }
    match classify_unlabelled(core.trim_end_matches('*')) {
        HeadingSubject::Names(names) => {
            HeadingSubject::Names(names.into_iter().map(|named| named.shift(offset)).collect())
        }
        HeadingSubject::Word(named) => HeadingSubject::Word(named.shift(offset)),
        other => other,
    }
}

/// A title without the number it begins with: `1.`, `2.3`, `4)`.
fn strip_number(title: &str) -> &str {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    if rest.len() < title.len() && rest.starts_with(' ') { rest.trim_start() } else { title }
}

/// The rest of a title after a label for tools: `Tool:`, `MCP Tool 3:`, `Tool -` before code.
///
/// Without a colon, code must follow: "Tool Registration" and "Tool Schema" are not tools.
fn strip_tool_label(title: &str) -> Option<&str> {
    let strip_word = |title, word: &str| {
        let (head, rest) = str::split_at_checked(title, word.len())?;
        head.eq_ignore_ascii_case(word).then_some(rest)
    };
    let rest = strip_word(strip_word(title, "mcp ").unwrap_or(title), "tool")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    if let Some(rest) = rest.strip_prefix(':') {
        return Some(rest.trim_start_matches('*'));
    }
    let rest = rest.trim_start_matches(['-', '–', '—', '*', ' ']);
    rest.starts_with('`').then_some(rest)
}

fn classify_labelled(rest: &str, offset: usize) -> HeadingSubject {
    let mut spans = find_code_spans(rest);
    if spans.is_empty() {
        let start = rest.len() - rest.trim_start().len();
        let word = rest.split_whitespace().next().unwrap_or_default().trim_end_matches('*');
        spans.push(CodeSpan { text: word, range: start..start + word.len() });
    }
    spans.iter_mut().for_each(|span| span.text = strip_call(span.text));
    if spans.first().is_some_and(|first| is_placeholder(first.text)) {
        return HeadingSubject::Placeholder;
    }
    // The label makes the first name a tool; the others are tools only if nothing but separators is
    // between them, unlike in "Tool: `a_b` (replaces `c_d`)".
    let count = if is_separator(&text_outside(rest, &spans)) { spans.len() } else { 1 };
    HeadingSubject::Labelled(
        spans.iter().take(count).map(|span| ToolName::from_span(span).shift(offset)).collect(),
    )
}

fn classify_unlabelled(title: &str) -> HeadingSubject {
    let mut spans = find_code_spans(title);
    if spans.is_empty() {
        return classify_plain(title);
    }
    let outside = text_outside(title, &spans);
    spans.iter_mut().for_each(|span| span.text = strip_call(span.text));
    if !is_separator(&outside) {
        HeadingSubject::Other
    } else if spans.iter().any(|span| is_placeholder(span.text)) {
        HeadingSubject::Placeholder
    } else if spans.iter().all(|span| is_tool_name(span.text)) {
        HeadingSubject::Names(spans.iter().map(ToolName::from_span).collect())
    } else {
        HeadingSubject::Other
    }
}

/// Classifies a heading without code. Names with an underscore or a dot are not English words, so
/// they name tools anywhere.
fn classify_plain(title: &str) -> HeadingSubject {
    let title = title.trim();
    let is_lower = title
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte));
    // `mcp_tools.py` and "parameters" have the form of names too.
    if !is_lower || !is_name(title) || is_file_name(title) || find_section(title).is_some() {
        return HeadingSubject::Other;
    }
    let named = ToolName { name: title.to_owned(), span: 0..title.len() };
    if !title.contains(['_', '.']) {
        HeadingSubject::Word(named)
    } else if is_placeholder(title) {
        HeadingSubject::Placeholder
    } else {
        HeadingSubject::Names(vec![named])
    }
}

/// The function name of a signature: `a_b` in `a_b(x: int)`.
fn strip_call(code: &str) -> &str {
    code.split_once('(').map_or(code, |(name, _)| name.trim_end())
}

/// Whether code in a heading names a tool. A capital makes it a type or a class.
fn is_tool_name(name: &str) -> bool {
    is_name(name) && !is_file_name(name) && !name.contains(|c: char| c.is_ascii_uppercase())
}

/// The text around code spans.
fn text_outside(text: &str, spans: &[CodeSpan<'_>]) -> String {
    let mut at = 0;
    let mut outside = String::new();
    for span in spans {
        outside.push_str(text.get(at..span.range.start).unwrap_or_default());
        at = span.range.end;
    }
    outside.push_str(text.get(at..).unwrap_or_default());
    outside.replace('`', " ")
}

/// Whether the text around names only separates them, or is a remark after a dash or in
/// parentheses. Other words make a heading like "The `x` object", which is not about a tool.
fn is_separator(outside: &str) -> bool {
    let words =
        outside.trim().trim_start_matches(['/', ',', '&', ' ']).trim_start_matches("and ").trim();
    words.is_empty() || words == "and" || words.starts_with(['-', '–', '—', ':', '('])
}

#[cfg(test)]
mod tests {
    use super::{HeadingSubject, classify_heading};

    fn names(title: &str) -> Vec<String> {
        match classify_heading(title) {
            HeadingSubject::Labelled(names) | HeadingSubject::Names(names) => names
                .into_iter()
                .inspect(|named| assert_eq!(title[named.span.clone()], named.name))
                .map(|named| named.name)
                .collect(),
            HeadingSubject::Word(named) => vec![format!("?{}", named.name)],
            HeadingSubject::Placeholder => vec!["[]".to_owned()],
            HeadingSubject::Other => Vec::new(),
        }
    }

    #[test]
    fn distinguishes_tools_from_other_headings() {
        for (title, expected) in [
            ("Tool: `a_b`", vec!["a_b"]),
            ("Tool: `a.b` (deprecated)", vec!["a.b"]),
            ("Tool: think", vec!["think"]),
            ("`a.b_c`", vec!["a.b_c"]),
            ("`a_b` / `c_d`", vec!["a_b", "c_d"]),
            ("`a_b` — does it", vec!["a_b"]),
            ("audio_transcribe", vec!["audio_transcribe"]),
            ("push", vec!["?push"]),
            ("1. `a_b`", vec!["a_b"]),
            ("2.3 a_b", vec!["a_b"]),
            ("4) Tool: a_b", vec!["a_b"]),
            ("**`a_b`**", vec!["a_b"]),
            ("*a_b*", vec!["a_b"]),
            ("**Tool:** `a_b`", vec!["a_b"]),
            ("**Tool: a_b**", vec!["a_b"]),
            ("Tool 2: `a_b`", vec!["a_b"]),
            ("MCP Tool: `a_b`", vec!["a_b"]),
            ("Tool - `a_b`", vec!["a_b"]),
            ("`a_b(x: int) -> dict`", vec!["a_b"]),
            ("Tool: `[YourToolName]`", vec!["[]"]),
            ("`tool_name`", vec!["[]"]),
        ] {
            assert_eq!(names(title), expected, "{title}");
        }
        for other in [
            "Tool Registration",
            "Tool Schema",
            "Tools",
            "Tool Reference",
            "`DemoRegistry`",
            "`mcp_tools.py`",
            "Module: graph_rag",
            "parameters",
            "The `x` object",
            "1. Overview",
            "2. Tools",
            "Tool 3",
            "Tooling: `a_b`",
            "`Registry.find(x)`",
        ] {
            assert_eq!(names(other), Vec::<String>::new(), "{other}");
        }
    }
}
