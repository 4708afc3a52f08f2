//! Titles: which section one names, and which tool.

use std::ops::Range;

use catalog::spec_details::Section;

use super::inline::{code, is_file_name, is_name, is_placeholder};

/// The section that a heading or label names, whatever its number and what stands in parentheses.
pub(super) fn section(title: &str) -> Option<Section> {
    Some(match words(title).as_str() {
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

/// The number that a title begins with.
pub(super) fn number(title: &str) -> Option<usize> {
    title.split_once('.').and_then(|(number, _)| number.trim().parse().ok())
}

/// A title in lower case, without its number and what stands in parentheses at its end.
pub(super) fn words(title: &str) -> String {
    let title = match title.split_once(". ") {
        Some((number, rest)) if number.trim().bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => title,
    };
    let title = title.split(" (").next().unwrap_or(title);
    title.trim_matches(['*', '`', ':', ' ']).to_ascii_lowercase()
}

/// What a heading says about tools.
#[derive(Debug, PartialEq)]
pub(super) enum Subject {
    /// It names tools, and says so.
    Titled(Vec<Named>),
    /// It is nothing but names of tools.
    Bare(Vec<Named>),
    /// It is one plain word: a tool if it stands among tools.
    Word(Named),
    /// It has a name that is to be filled in.
    Placeholder,
    /// It is about something else.
    Other,
}

/// A name and its bytes inside the title.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

impl Named {
    fn moved(self, offset: usize) -> Self {
        Self { span: self.span.start + offset..self.span.end + offset, ..self }
    }
}

/// What a heading says about tools.
pub(super) fn subject(title: &str) -> Subject {
    let core = unnumbered(title).trim_start_matches('*');
    let offset = title.len() - core.len();
    if let Some(rest) = after_mark(core) {
        return titled(rest, title.len() - rest.len());
    }
    match bare_subject(core.trim_end_matches('*')) {
        Subject::Bare(names) => {
            Subject::Bare(names.into_iter().map(|named| named.moved(offset)).collect())
        }
        Subject::Word(named) => Subject::Word(named.moved(offset)),
        other => other,
    }
}

/// A title without the number it begins with.
fn unnumbered(title: &str) -> &str {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    if rest.len() < title.len() && rest.starts_with(' ') { rest.trim_start() } else { title }
}

/// What follows the words that mark a tool: `Tool:`, `MCP Tool 3:`, `Tool` before a name in code.
fn after_mark(title: &str) -> Option<&str> {
    let word = |title, word: &str| {
        let (head, rest) = str::split_at_checked(title, word.len())?;
        head.eq_ignore_ascii_case(word).then_some(rest)
    };
    let rest = word(word(title, "mcp ").unwrap_or(title), "tool")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    if let Some(rest) = rest.strip_prefix(':') {
        return Some(rest.trim_start_matches('*'));
    }
    let rest = rest.trim_start_matches(['-', '–', '—', '*', ' ']);
    rest.starts_with('`').then_some(rest)
}

fn bare_subject(title: &str) -> Subject {
    let mut spans = code(title);
    let around: String = outside(title, &spans);
    spans.iter_mut().for_each(|(name, _)| *name = called(name));
    match spans.as_slice() {
        [] => plain(title),
        _ if !is_joint(&around) => Subject::Other,
        _ if spans.iter().any(|(name, _)| is_placeholder(name)) => Subject::Placeholder,
        _ if spans.iter().all(|(name, _)| is_tool_name(name)) => {
            Subject::Bare(spans.iter().map(named).collect())
        }
        _ => Subject::Other,
    }
}

fn titled(rest: &str, offset: usize) -> Subject {
    let mut spans = code(rest);
    if spans.is_empty() {
        let start = rest.len() - rest.trim_start().len();
        let word = rest.split_whitespace().next().unwrap_or_default().trim_end_matches('*');
        spans.push((word, start..start + word.len()));
    }
    spans.iter_mut().for_each(|(name, _)| *name = called(name));
    match spans.first() {
        Some((name, _)) if is_placeholder(name) => Subject::Placeholder,
        Some(_) => {
            let moved = |found: &(&str, Range<usize>)| named(found).moved(offset);
            let around = outside(rest, &spans);
            let count = if is_joint(&around) { spans.len() } else { 1 };
            Subject::Titled(spans.iter().take(count).map(moved).collect())
        }
        None => Subject::Other,
    }
}

fn plain(title: &str) -> Subject {
    let title = title.trim();
    let named = Named { name: title.to_owned(), span: 0..title.len() };
    let is_lower = !title.is_empty()
        && title.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte)
        });
    let is_joined = title.contains(['_', '.']);
    match is_lower && is_name(title) && !is_file_name(title) && section(title).is_none() {
        true if is_joined && is_placeholder(title) => Subject::Placeholder,
        true if is_joined => Subject::Bare(vec![named]),
        true => Subject::Word(named),
        false => Subject::Other,
    }
}

fn named(found: &(&str, Range<usize>)) -> Named {
    Named { name: found.0.to_owned(), span: found.1.start..found.1.start + found.0.len() }
}

/// The name in a signature.
fn called(code: &str) -> &str {
    code.split_once('(').map_or(code, |(name, _)| name.trim_end())
}

/// A name that tools have: what has capitals is a type or a class.
fn is_tool_name(name: &str) -> bool {
    is_name(name) && !is_file_name(name) && !name.contains(|c: char| c.is_ascii_uppercase())
}

/// The text around the code in it.
fn outside(text: &str, spans: &[(&str, Range<usize>)]) -> String {
    let mut at = 0;
    let mut around = String::new();
    for (_, span) in spans {
        around.push_str(text.get(at..span.start).unwrap_or_default());
        at = span.end;
    }
    around.push_str(text.get(at..).unwrap_or_default());
    around.replace('`', " ")
}

/// Whether a text between names only joins them, or goes on behind a dash or in parentheses.
fn is_joint(around: &str) -> bool {
    let words =
        around.trim().trim_start_matches(['/', ',', '&', ' ']).trim_start_matches("and ").trim();
    words.is_empty() || words == "and" || words.starts_with(['-', '–', '—', ':', '('])
}

#[cfg(test)]
mod tests {
    use super::{Subject, subject};

    fn names(title: &str) -> Vec<String> {
        match subject(title) {
            Subject::Titled(names) | Subject::Bare(names) => names
                .into_iter()
                .inspect(|named| assert_eq!(title[named.span.clone()], named.name))
                .map(|named| named.name)
                .collect(),
            Subject::Word(named) => vec![format!("?{}", named.name)],
            Subject::Placeholder => vec!["[]".to_owned()],
            Subject::Other => Vec::new(),
        }
    }

    #[test]
    fn tells_tools_from_other_headings() {
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
