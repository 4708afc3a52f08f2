//! Parameters as code declares them: `f(a: str, b: int = 3)`, `def f(a, *, b=3) -> dict:`, `a:
//! str`.
//!
//! A list of parameters is read as a whole or not at all: half of it would reject valid calls.

use std::ops::Range;

use super::{
    field::{Field, Required},
    inline::is_name,
    type_expression,
};

/// Parameters that Python passes itself.
const RECEIVERS: [&str; 2] = ["self", "cls"];

/// Parses the parameters of the Python function `name` that a text defines. `base` is the offset of
/// the text in the document.
pub(super) fn parse_definition(text: &str, name: &str, base: usize) -> Option<Vec<Field>> {
    // The namespace of a tool is not part of the function's name.
    let name = name.rsplit('.').next().unwrap_or(name);
    let text = &blank_comments(text);
    let end_of_name = text.match_indices("def ").find_map(|(at, keyword)| {
        let rest = text[at + keyword.len()..].trim_start();
        let start = text.len() - rest.len();
        // `async def` has a space before the keyword; in `undef ` it is the end of a word.
        let is_keyword = text[..at].ends_with(['\n', ' ']) || at == 0;
        rest.strip_prefix(name)
            .filter(|_| is_keyword)?
            .trim_start()
            .starts_with('(')
            .then_some(start + name.len())
    })?;
    parse_parameters(text, end_of_name, base)
}

/// Parses the parameters after the name of a tool in a heading or signature. Empty parentheses are
/// how prose refers to any function, so they declare nothing.
pub(super) fn parse_call(text: &str, name: &str, base: usize) -> Option<Vec<Field>> {
    let at = text
        .match_indices(name)
        .map(|(at, _)| at + name.len())
        .find(|at| text[*at..].starts_with('('))?;
    parse_parameters(text, at, base).filter(|fields| !fields.is_empty())
}

/// Parses one declaration with a type: `a: str`, `b: int = 3`.
pub(super) fn parse_declaration(text: &str, base: usize) -> Option<Field> {
    let (name, rest) = text.split_once(':')?;
    let name = name.trim();
    if !is_name(name) {
        return None;
    }
    let (type_text, default) = rest
        .split_once('=')
        .map_or((rest, None), |(type_text, default)| (type_text, Some(default.trim())));
    let mut field = Field::named(name, base..base + name.len());
    // Without a known type, inline code with a colon may be anything.
    field.schema = type_expression::parse(type_text)?;
    field.is_typed = true;
    field.required = if default.is_some() { Required::No } else { Required::Yes };
    field.set_default(default);
    Some(field)
}

/// Parses the parameters in the first parentheses that open at or after `at`.
fn parse_parameters(text: &str, at: usize, base: usize) -> Option<Vec<Field>> {
    let open = at + text[at..].find('(')? + 1;
    let mut fields = Vec::new();
    for span in split_arguments(text, open)? {
        let start = span.end - text[span.clone()].trim_start().len();
        match text[span].trim() {
            // A trailing comma, and the marks of Python for keyword-only and positional-only
            // parameters.
            "" | "*" | "/" => {}
            receiver if RECEIVERS.contains(&receiver) && fields.is_empty() => {}
            parameter => fields.push(parse_parameter(parameter, base + start)?),
        }
    }
    Some(fields)
}

/// Parses one parameter of a list, whose type may be missing: `a`, `a?: str`, `b: int = 3`.
fn parse_parameter(text: &str, start: usize) -> Option<Field> {
    let (declared, default) = split_at_mark(text, '=');
    let (name, type_text) = split_at_mark(declared, ':');
    let (name, is_optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
    // `*args` and `**kwargs` are not names, so a signature with them is not read.
    let mut field = is_name(name).then(|| Field::named(name, start..start + name.len()))?;
    type_text.into_iter().for_each(|text| field.set_type(text));
    field.required = if default.is_some() || is_optional { Required::No } else { Required::Yes };
    field.set_default(default);
    Some(field)
}

/// The text before the first outer `mark`, and the text after it if there is one.
fn split_at_mark(text: &str, mark: char) -> (&str, Option<&str>) {
    match outer_chars(text).find(|(_, c)| *c == mark) {
        Some((at, _)) => (text[..at].trim(), Some(text[at + mark.len_utf8()..].trim())),
        None => (text.trim(), None),
    }
}

/// The spans between commas from `open` to the closing parenthesis; `None` if it is never closed.
fn split_arguments(text: &str, open: usize) -> Option<Vec<Range<usize>>> {
    let mut spans = Vec::new();
    let mut start = open;
    for (at, c) in outer_chars(&text[open..]).map(|(at, c)| (open + at, c)) {
        if matches!(c, ',' | ')') {
            spans.push(start..at);
            start = at + 1;
        }
        if c == ')' {
            return Some(spans);
        }
    }
    None
}

/// The characters outside of quotes and of brackets that the text opens.
fn outer_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    // The comma in `dict[str, int]` or in the default `"a, b"` separates no parameters.
    let mut depth = 0_usize;
    let mut quote = None;
    text.char_indices().filter(move |(_, c)| {
        match (quote, *c) {
            (Some(open), c) => quote = (open != c).then_some(open),
            (None, '"' | '\'') => quote = Some(*c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, _) => return depth == 0,
        }
        false
    })
}

/// Replaces comments by as many bytes of blanks, so that offsets stay valid.
fn blank_comments(text: &str) -> String {
    let mut quote = None;
    // Quotes are tracked because a `#` in a string starts no comment.
    let mut is_comment = false;
    let blank = |c: char| {
        match (quote, c) {
            (_, '\n') => (quote, is_comment) = (None, false),
            (Some(open), c) => quote = (open != c).then_some(open),
            (None, '"' | '\'') if !is_comment => quote = Some(c),
            (None, c) => is_comment |= c == '#',
        }
        if is_comment { std::iter::repeat_n(' ', c.len_utf8()) } else { std::iter::repeat_n(c, 1) }
    };
    text.chars().flat_map(blank).collect()
}
