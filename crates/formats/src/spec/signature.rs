//! Parameters as code writes them: `f(a: str, b: int = 3)` in a heading, `def f(a, *, b=3) -> dict:` in a fence.
//!
//! What is no such list as a whole gives nothing: half a signature would refuse calls that are right.

use std::ops::Range;

use super::{
    field::{Field, Required},
    inline::is_name,
};

/// What Python passes by itself.
const RECEIVERS: [&str; 2] = ["self", "cls"];

/// The parameters of the function of this name that a text defines; nothing if it defines none or is not understood.
pub(super) fn defined(text: &str, name: &str, start: usize) -> Option<Vec<Field>> {
    let name = name.rsplit('.').next().unwrap_or(name);
    let text = &without_comments(text);
    let definition = text.match_indices("def ").find_map(|(at, mark)| {
        let rest = text[at + mark.len()..].trim_start();
        let from = text.len() - rest.len();
        let is_whole = text[..at].ends_with(['\n', ' ']) || at == 0;
        rest.strip_prefix(name)
            .filter(|_| is_whole)?
            .trim_start()
            .starts_with('(')
            .then_some(from + name.len())
    })?;
    parameters(text, definition, start)
}

/// The parameters behind the name of this tool in a heading. Nothing between the parentheses says nothing of parameters.
pub(super) fn headed(title: &str, name: &str, start: usize) -> Option<Vec<Field>> {
    let at = title
        .match_indices(name)
        .map(|(at, _)| at + name.len())
        .find(|at| title[*at..].starts_with('('))?;
    parameters(title, at, start).filter(|fields| !fields.is_empty())
}

/// The parameters in the parentheses that open at or behind `at`.
fn parameters(text: &str, at: usize, start: usize) -> Option<Vec<Field>> {
    let open = at + text[at..].find('(')? + 1;
    let parts = parts(text, open)?;
    let mut fields = Vec::new();
    for part in parts {
        let said = text[part.clone()].trim();
        let from = part.end - text[part].trim_start().len();
        match said {
            "" | "*" | "/" => {}
            said if RECEIVERS.contains(&said) && fields.is_empty() => {}
            said => fields.push(parameter(said, start + from)?),
        }
    }
    Some(fields)
}

fn parameter(text: &str, start: usize) -> Option<Field> {
    let (declared, default) = parted(text, '=');
    let (name, kind) = parted(declared, ':');
    let (name, is_optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
    let mut field = is_name(name).then(|| Field::named(name, start..start + name.len()))?;
    kind.into_iter().for_each(|kind| field.set_type(kind));
    field.required = if default.is_some() || is_optional { Required::No } else { Required::Yes };
    field.set_default(default);
    Some(field)
}

/// What stands before a mark, and behind it if it is there.
fn parted(text: &str, mark: char) -> (&str, Option<&str>) {
    match outer(text).find(|(_, c)| *c == mark) {
        Some((at, _)) => (text[..at].trim(), Some(text[at + mark.len_utf8()..].trim())),
        None => (text.trim(), None),
    }
}

/// The bytes between the commas up to the parenthesis that closes; nothing if none does.
fn parts(text: &str, open: usize) -> Option<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut from = open;
    for (at, c) in outer(&text[open..]).map(|(at, c)| (open + at, c)) {
        if matches!(c, ',' | ')') {
            parts.push(from..at);
            from = at + 1;
        }
        if c == ')' {
            return Some(parts);
        }
    }
    None
}

/// The characters that stand in no quotes and no brackets that are opened in the text.
fn outer(text: &str) -> impl Iterator<Item = (usize, char)> {
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

/// A text with blanks in the place of its comments.
fn without_comments(text: &str) -> String {
    let mut quote = None;
    let mut is_comment = false;
    let blank = |c: char| {
        match (quote, c) {
            (_, '\n') => (quote, is_comment) = (None, false),
            (Some(open), c) => quote = (open != c).then_some(open),
            (None, '"' | '\'') if !is_comment => quote = Some(c),
            (None, c) => is_comment |= c == '#',
        }
        std::iter::repeat_n(
            if is_comment { ' ' } else { c },
            if is_comment { c.len_utf8() } else { 1 },
        )
    };
    text.chars().flat_map(blank).collect()
}
