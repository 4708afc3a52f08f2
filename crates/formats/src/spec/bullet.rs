//! Fields as bullets: `` - `name` (string, optional, default 3): what it means ``. A name in neither code nor bold counts only
//! where its type is said too: else it may be the first word of a sentence.

use std::ops::Range;

use super::{
    field::{Field, Required, first_value, of_signature},
    inline::{code, is_name, one_line},
    kind,
    page::{Block, Kind, Page},
};

/// The fields of a list; none if its items are something else.
pub(super) fn fields(page: &Page<'_>, items: &[Vec<Block>]) -> Vec<Field> {
    let read: Vec<Vec<Field>> = items.iter().map(|item| of_item(page, item)).collect();
    match read.iter().any(Vec::is_empty) && !read.iter().flatten().any(|field| field.is_typed) {
        // Names in running text are not a list of fields.
        true => Vec::new(),
        false => read.into_iter().flatten().collect(),
    }
}

/// The bytes of the items in which no field can be read.
pub(super) fn unread(page: &Page<'_>, items: &[Vec<Block>]) -> Vec<Range<usize>> {
    let is_unread = |item: &&Vec<Block>| of_item(page, item).is_empty();
    items
        .iter()
        .filter(is_unread)
        .filter_map(|item| item.first().map(|first| first.span.clone()))
        .collect()
}

fn of_item(page: &Page<'_>, item: &[Block]) -> Vec<Field> {
    let Some(first) = item.first().filter(|block| matches!(block.kind, Kind::Paragraph)) else {
        return Vec::new();
    };
    let text = page.str(&first.span);
    let (names, rest) = names(text, first.span.start);
    let rest = &text[rest..];
    if names.is_empty() {
        let signature = || {
            code(text)
                .first()
                .and_then(|(code, span)| of_signature(code, first.span.start + span.start))
        };
        return plain(page, text, item).or_else(signature).into_iter().collect();
    }
    described(page, names, rest, &item[1..])
}

/// The field of a bullet that begins with a name in neither code nor bold, and says its type.
fn plain(page: &Page<'_>, text: &str, item: &[Block]) -> Option<Field> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))?;
    let name = text[..end].trim_end_matches(['.', '-']);
    let is_field = is_name(name) && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let start = item.first().filter(|_| is_field)?.span.start;
    let names = vec![(name.to_owned(), start..start + name.len())];
    described(page, names, &text[name.len()..], &item[1..]).pop().filter(|field| field.is_typed)
}

/// Fields of these names, of which a text says the same, with those that are listed below it.
fn described(
    page: &Page<'_>,
    names: Vec<(String, Range<usize>)>,
    rest: &str,
    below: &[Block],
) -> Vec<Field> {
    let (remark, rest) = remarks(rest);
    // Without a remark, a mark must part the name from what is said: else it is running text.
    let Some(description) = told(rest).or_else(|| (!remark.is_empty()).then_some(rest)) else {
        return Vec::new();
    };
    let (kind, description) =
        if remark.is_empty() { typed(description) } else { (None, description) };
    let remark = kind.unwrap_or(remark);
    let inner: Vec<Field> = below.iter().flat_map(|block| inner(page, block)).collect();
    let make = |(name, span): (String, Range<usize>)| {
        let mut field = Field::named(&name, span);
        field.description = one_line(description);
        take_remark(&mut field, &remark);
        field.inner.clone_from(&inner);
        field
    };
    names.into_iter().map(make).collect()
}

fn inner(page: &Page<'_>, block: &Block) -> Vec<Field> {
    match &block.kind {
        Kind::List(items) => fields(page, items),
        _ => Vec::new(),
    }
}

/// The names that a bullet begins with, in code or in bold, and where its text goes on.
fn names(text: &str, start: usize) -> (Vec<(String, Range<usize>)>, usize) {
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        let skipped = text[at..].trim_start_matches([' ', ',', '/', '&']);
        let open = text.len() - skipped.len();
        // Nothing but a space does not join names: what follows is a type.
        if !names.is_empty() && text[at..open].trim().is_empty() {
            return (names, at);
        }
        let Some((name, from, end)) = name_at(text, open) else {
            return (names, at);
        };
        names.push((name.to_owned(), start + from..start + from + name.len()));
        at = end;
    }
}

fn name_at(text: &str, at: usize) -> Option<(&str, usize, usize)> {
    let rest = &text[at..];
    let strong = rest.strip_prefix("**");
    let inside = strong.unwrap_or(rest);
    let offset = at + rest.len() - inside.len();
    let (name, from, mut end) = match inside.strip_prefix('`') {
        Some(after) => {
            let close = after.find('`')?;
            (&after[..close], offset + 1, offset + close + 2)
        }
        None => {
            let close = strong?.find("**").filter(|_| strong.is_some())?;
            let name = inside[..close].trim_end_matches(':');
            (name, offset, offset + name.len())
        }
    };
    if strong.is_some() {
        end += text[end..].strip_prefix("**").map_or(0, |_| 2);
    }
    is_name(name).then_some((name, from, end))
}

/// What stands behind a name in parentheses or as a type in code, emphasised or not, and what follows.
fn remarks(text: &str) -> (String, &str) {
    let mut said = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let plain = rest.trim_start_matches(['*', '_', ' ']);
        let (inner, after) = remark(plain);
        let (inner, after) = if inner.is_empty() { type_in_code(plain) } else { (inner, after) };
        if inner.is_empty() {
            return (said.join(", "), rest);
        }
        said.push(inner);
        rest = after.trim_start_matches(['*', '_']).trim_start();
    }
}

/// The type in code that a text begins with, and what follows.
fn type_in_code(text: &str) -> (&str, &str) {
    let close = text.strip_prefix('`').and_then(|inner| inner.find('`'));
    match close.map(|close| (&text[1..=close], &text[close + 2..])) {
        Some((code, after)) if kind::parse(code).is_some() => (code, after),
        _ => ("", text),
    }
}

/// The remark in a description that is a type, or begins with one and a dash: `` `int` = 3 — how many ``.
fn typed(description: &str) -> (Option<String>, &str) {
    let cut = [" — ", " – ", " - "]
        .into_iter()
        .filter_map(|dash| Some((description.find(dash)?, dash.len())))
        .min();
    let (head, rest) = match cut {
        Some((at, length)) => (&description[..at], description[at + length..].trim()),
        None => (description, ""),
    };
    let head = head.trim_matches(['*', '_', ' ']);
    let (kind, default) = head
        .split_once('=')
        .map_or((head, None), |(kind, default)| (kind.trim(), Some(default.trim())));
    // What stands in parentheses behind a type is as much a remark as what a comma parts from it.
    let flat = kind.replace(" (", ", ").replace(')', "");
    let is_type = kind::parse(kind).is_some();
    let said = match is_remark(&flat) || is_type && first_value(kind).is_some() {
        true => flat,
        false if is_type => kind.to_owned(),
        false => return (None, description),
    };
    (
        Some(default.map_or_else(|| said.clone(), |default| format!("{said}, default {default}"))),
        rest,
    )
}

/// Whether a text says a type and, if anything, whether it must be given or what it is by default.
fn is_remark(text: &str) -> bool {
    let is_fact = |part: &&str| {
        let lower = part.to_ascii_lowercase();
        matches!(lower.as_str(), "required" | "optional") || lower.starts_with("default")
    };
    let types: Vec<&str> = parts(text).into_iter().filter(|part| !is_fact(part)).collect();
    matches!(types.as_slice(), [only] if kind::parse(only).is_some())
}

/// What stands in parentheses behind a name, and what follows.
fn remark(text: &str) -> (&str, &str) {
    let trimmed = text.trim_start();
    let Some(inner) = trimmed.strip_prefix('(') else {
        return ("", trimmed);
    };
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&inner[..at], &inner[at + 1..]);
        }
    }
    ("", trimmed)
}

/// The description behind the mark that parts it from the name; nothing if no such mark is there.
fn told(text: &str) -> Option<&str> {
    let text = text.trim_start().trim_start_matches("**").trim_start();
    let mark = |mark: &str| text.strip_prefix(mark);
    [":", "—", "–", "--", "-"]
        .into_iter()
        .find_map(mark)
        .or_else(|| text.is_empty().then_some(""))
        .map(str::trim)
}

/// Takes what the parentheses say: a type, whether it must be given, a default, the values it can have.
pub(super) fn take_remark(field: &mut Field, remark: &str) {
    let mut default = None;
    let mut values: Vec<&str> = Vec::new();
    for part in parts(remark) {
        let lower = part.to_ascii_lowercase();
        match lower.as_str() {
            "required" => field.required = Required::Yes,
            "optional" => field.required = Required::No,
            _ if lower.starts_with("default") => {
                default = Some(part["default".len()..].trim_start_matches([':', '=', ' ']));
                field.required = Required::No;
            }
            _ if !values.is_empty() => values.push(part),
            _ if !field.is_typed && kind::parse(part).is_some() => field.set_type(part),
            _ if first_value(part).is_some() => values.extend(first_value(part)),
            _ if !field.is_typed
                && field.unknown.is_none()
                && !part.is_empty()
                && is_name(part) =>
            {
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

/// The parts between the commas that are in no brackets.
fn parts(text: &str) -> Vec<&str> {
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
