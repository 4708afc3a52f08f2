//! Fields as list items: `` - `name` (string, optional, default 3): description ``.
//!
//! The hard part is to tell a list of fields from prose in bullets. A name in code or bold needs a
//! mark or a remark after it; a plain name also needs a type, since it may be the first word of a
//! sentence.

use std::ops::Range;

use super::{
    field::{Field, Required, find_first_value},
    inline::{collapse_whitespace, find_code_spans, is_name},
    markdown::{Block, BlockKind, MarkdownDocument},
    signature, type_expression,
};

/// A name and its span in the document.
type LocatedName = (String, Range<usize>);

/// The fields of a list; none if its items are something else.
pub(super) fn read_fields(document: &MarkdownDocument<'_>, items: &[Vec<Block>]) -> Vec<Field> {
    let read: Vec<Vec<Field>> = items.iter().map(|item| read_item(document, item)).collect();
    // One typed field is enough to make it a list of fields. Without types every item must be one:
    // otherwise names in code are just mentioned in prose.
    let is_every_item_read = !read.iter().any(Vec::is_empty);
    if is_every_item_read || read.iter().flatten().any(|field| field.is_typed) {
        read.into_iter().flatten().collect()
    } else {
        Vec::new()
    }
}

/// The spans of the items from which no field can be read.
pub(super) fn find_unread_items(
    document: &MarkdownDocument<'_>,
    items: &[Vec<Block>],
) -> Vec<Range<usize>> {
    items
        .iter()
        .filter(|item| read_item(document, item).is_empty())
        .filter_map(|item| item.first().map(|first| first.span.clone()))
        .collect()
}

fn read_item(document: &MarkdownDocument<'_>, item: &[Block]) -> Vec<Field> {
    let Some((first, below)) =
        item.split_first().filter(|(block, _)| matches!(block.kind, BlockKind::Paragraph))
    else {
        return Vec::new();
    };
    let text = document.slice(&first.span);
    let (names, end) = parse_names(text, first.span.start);
    if !names.is_empty() {
        return read_description(document, names, &text[end..], below);
    }
    // Without a name before it, code may be a whole declaration: "- `a: str = 3`".
    let declaration = || {
        let code = find_code_spans(text).into_iter().next()?;
        signature::parse_declaration(code.text, first.span.start + code.range.start)
    };
    read_plain_item(document, text, first.span.start, below)
        .or_else(declaration)
        .into_iter()
        .collect()
}

/// Reads an item that begins with a name in neither code nor bold, which counts only with a type.
fn read_plain_item(
    document: &MarkdownDocument<'_>,
    text: &str,
    start: usize,
    below: &[Block],
) -> Option<Field> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
    let name = text[..end].trim_end_matches(['.', '-']);
    // A capital begins a sentence: "Note: string values are trimmed".
    let is_field = is_name(name) && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if !is_field {
        return None;
    }
    let names = vec![(name.to_owned(), start..start + name.len())];
    read_description(document, names, &text[name.len()..], below)
        .pop()
        .filter(|field| field.is_typed)
}

/// Reads the text after the names of an item, which all of them share, and the fields listed below.
fn read_description(
    document: &MarkdownDocument<'_>,
    names: Vec<LocatedName>,
    text: &str,
    below: &[Block],
) -> Vec<Field> {
    let (remark, rest) = take_remarks(text);
    // Without a remark, a mark must separate the name from the description: otherwise it is prose.
    let description = strip_mark(rest).or_else(|| (!remark.is_empty()).then_some(rest));
    let Some(description) = description else {
        return Vec::new();
    };
    let (type_remark, description) =
        if remark.is_empty() { split_type(description) } else { (None, description) };
    let remark = type_remark.unwrap_or(remark);
    let nested: Vec<Field> = below
        .iter()
        .flat_map(|block| match &block.kind {
            BlockKind::List(items) => read_fields(document, items),
            _ => Vec::new(),
        })
        .collect();
    let to_field = |(name, span): LocatedName| {
        let mut field = Field::named(&name, span);
        field.description = collapse_whitespace(description);
        apply_remark(&mut field, &remark);
        field.nested.clone_from(&nested);
        field
    };
    names.into_iter().map(to_field).collect()
}

/// The names in code or bold that an item begins with (`` `x`, `y`, `z` ``), and the offset after
/// them. `start` is the offset of the text in the document.
fn parse_names(text: &str, start: usize) -> (Vec<LocatedName>, usize) {
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        let rest = text[at..].trim_start_matches([' ', ',', '/', '&']);
        let next = text.len() - rest.len();
        // Names are joined by more than a space: code after only a space is a type.
        if !names.is_empty() && text[at..next].trim().is_empty() {
            return (names, at);
        }
        let Some((name, name_start, end)) = parse_name_at(text, next) else {
            return (names, at);
        };
        names.push((name.to_owned(), start + name_start..start + name_start + name.len()));
        at = end;
    }
}

/// The name in code, bold or both at an offset, with its start and the offset after its marks.
fn parse_name_at(text: &str, at: usize) -> Option<(&str, usize, usize)> {
    let rest = &text[at..];
    let bold = rest.strip_prefix("**");
    let inside = bold.unwrap_or(rest);
    let offset = at + rest.len() - inside.len();
    let (name, start, mut end) = if let Some(code) = inside.strip_prefix('`') {
        let close = code.find('`')?;
        (&code[..close], offset + 1, offset + close + 2)
    } else {
        let close = bold?.find("**")?;
        let name = inside[..close].trim_end_matches(':');
        (name, offset, offset + name.len())
    };
    if bold.is_some() && text[end..].starts_with("**") {
        end += 2;
    }
    is_name(name).then_some((name, start, end))
}

/// Takes the remarks after a name, joined by commas, and returns them with the rest. A remark is in
/// parentheses or is a type in code, and may be emphasised: `` `string` *(required)* ``.
fn take_remarks(text: &str) -> (String, &str) {
    let mut remarks = Vec::new();
    let mut rest = text.trim_start();
    loop {
        // Marks of emphasis need not be paired up: types and remarks contain none.
        let plain = rest.trim_start_matches(['*', '_', ' ']);
        let Some((remark, after)) = take_parenthesized(plain)
            .or_else(|| take_type_in_code(plain))
            .filter(|(remark, _)| !remark.is_empty())
        else {
            return (remarks.join(", "), rest);
        };
        remarks.push(remark);
        rest = after.trim_start_matches(['*', '_']).trim_start();
    }
}

fn take_type_in_code(text: &str) -> Option<(&str, &str)> {
    let (code, after) = text.strip_prefix('`')?.split_once('`')?;
    type_expression::parse(code).is_some().then_some((code, after))
}

fn take_parenthesized(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_start().strip_prefix('(')?;
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + 1..]));
        }
    }
    None
}

/// Splits the type off a description that is one, or begins with one before a dash:
/// `` `int` = 3 — how many ``. Returns the type as a remark, and the rest.
fn split_type(description: &str) -> (Option<String>, &str) {
    // The first dash separates the type; later ones belong to the description.
    let dash = [" — ", " – ", " - "]
        .into_iter()
        .filter_map(|dash| Some((description.find(dash)?, dash.len())))
        .min();
    let (head, rest) = match dash {
        Some((at, length)) => (&description[..at], description[at + length..].trim()),
        None => (description, ""),
    };
    let head = head.trim_matches(['*', '_', ' ']);
    let (type_text, default) = head
        .split_once('=')
        .map_or((head, None), |(type_text, default)| (type_text.trim(), Some(default.trim())));
    // A remark may be in parentheses after the type or separated from it by a comma.
    let flat = type_text.replace(" (", ", ").replace(')', "");
    let is_type = type_expression::parse(type_text).is_some();
    let remark = if is_type_remark(&flat) || is_type && find_first_value(type_text).is_some() {
        flat
    } else if is_type {
        type_text.to_owned()
    } else {
        return (None, description);
    };
    match default {
        Some(default) => (Some(format!("{remark}, default {default}")), rest),
        None => (Some(remark), rest),
    }
}

/// Whether a remark consists of one type and, at most, whether it is required and its default.
fn is_type_remark(text: &str) -> bool {
    let is_attribute = |part: &&str| {
        let lower = part.to_ascii_lowercase();
        matches!(lower.as_str(), "required" | "optional") || lower.starts_with("default")
    };
    let parts = split_outer_commas(text);
    let types: Vec<&str> = parts.into_iter().filter(|part| !is_attribute(part)).collect();
    matches!(types.as_slice(), [only] if type_expression::parse(only).is_some())
}

/// The description after the mark that separates it from the name; `None` without such a mark.
fn strip_mark(text: &str) -> Option<&str> {
    let text = text.trim_start().trim_start_matches("**").trim_start();
    if text.is_empty() {
        return Some("");
    }
    [":", "—", "–", "--", "-"].into_iter().find_map(|mark| text.strip_prefix(mark)).map(str::trim)
}

/// Sets the type, the default, the values, and whether it is required, from a remark such as
/// `string, one of: a, b, optional`.
pub(super) fn apply_remark(field: &mut Field, remark: &str) {
    let mut default = None;
    let mut values: Vec<&str> = Vec::new();
    for part in split_outer_commas(remark) {
        let lower = part.to_ascii_lowercase();
        match lower.as_str() {
            "required" => field.required = Required::Yes,
            "optional" => field.required = Required::No,
            _ if lower.starts_with("default") => {
                default = Some(part["default".len()..].trim_start_matches([':', '=', ' ']));
                field.required = Required::No;
            }
            // Once values began, every part that is nothing else is one of them.
            _ if !values.is_empty() => values.push(part),
            _ if !field.is_typed && type_expression::parse(part).is_some() => field.set_type(part),
            _ if find_first_value(part).is_some() => values.extend(find_first_value(part)),
            // A single word in the place of the type is one that cannot be read, and is reported.
            _ if !field.is_typed && field.unknown_type.is_none() && is_name(part) => {
                field.set_type(part)
            }
            _ => {}
        }
    }
    if !values.is_empty() {
        field.set_values(&values.join(","));
    }
    field.set_default(default);
}

/// The parts between commas or semicolons outside of brackets.
fn split_outer_commas(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '<' | '{' => depth += 1,
            ']' | ')' | '>' | '}' => depth -= 1,
            ',' | ';' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}
