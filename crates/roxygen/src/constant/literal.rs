//! Literals of R: numbers, strings with their escapes, and quoted names.

use std::str::Chars;

use serde_json::Number;

/// A name without its backticks or quotes.
pub(crate) fn unquote_name(text: &str) -> String {
    match text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
        Some(inner) => inner.to_owned(),
        None => unquote_string(text).unwrap_or_else(|| text.to_owned()),
    }
}

/// The exact value of a number. A float with a whole value becomes an integer, as JSON would write
/// it, unless a double cannot represent it exactly.
pub(super) fn parse_number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    let value: f64 = text.parse().ok()?;
    // Just below 2^53, up to which doubles are exact.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Some(Number::from(value as i64))
    } else {
        Number::from_f64(value)
    }
}

/// The value of a string literal, raw or with escapes. `None` if it has an escape that R rejects.
pub(super) fn unquote_string(text: &str) -> Option<String> {
    if let Some(raw) = text.strip_prefix(['r', 'R']).filter(|raw| raw.starts_with(['"', '\''])) {
        let inner = &raw[1..raw.len() - 1];
        // `r"---(...)---"`: the dashes on both sides and one bracket on each are delimiters.
        let dashes = inner.len() - inner.trim_start_matches('-').len();
        return inner.get(dashes + 1..inner.len() - dashes - 1).map(str::to_owned);
    }
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        out.push(if c == '\\' { parse_escape(&mut rest)? } else { c });
    }
    Some(out)
}

fn parse_escape(rest: &mut Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        digit @ '0'..='7' => parse_octal(digit, rest)?,
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'x' => parse_hex(rest, 2)?,
        'u' => parse_hex(rest, 4)?,
        'U' => parse_hex(rest, 8)?,
        c @ ('"' | '\'' | '\\' | '`' | ' ' | '\n') => c,
        _ => return None,
    })
}

/// `\101`: up to three octal digits.
fn parse_octal(first: char, rest: &mut Chars<'_>) -> Option<char> {
    let more =
        rest.as_str().bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let digits: String = std::iter::once(first).chain(rest.by_ref().take(more)).collect();
    u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32)
}

/// `\u00e9` or `\u{e9}`: up to `most` hexadecimal digits.
fn parse_hex(rest: &mut Chars<'_>, most: usize) -> Option<char> {
    let text = rest.as_str();
    let body = text.strip_prefix('{').unwrap_or(text);
    let digits = body.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
    let value = u32::from_str_radix(&body[..digits], 16).ok()?;
    // The digits are ASCII, so characters and bytes count alike.
    let braces = if body.len() < text.len() { 2 } else { 0 };
    for _ in 0..digits + braces {
        rest.next();
    }
    char::from_u32(value)
}
