//! Invisible characters, and characters that make text look different from what it is.

use catalog::{Diagnostic, Rule, Severity};

use crate::{sink::DiagnosticSink, text::Text};

pub(crate) static RULE: Rule = Rule {
    code: "TC504",
    name: "hidden-character",
    severity: Severity::Error,
    why: "Models read characters that people cannot see. Tag characters and zero-width \
          characters carry instructions past a reviewer, direction overrides reorder the \
          displayed text, and control characters rewrite a terminal. A definition needs none of \
          them. Joiners inside emoji and in scripts that need them are allowed in descriptions. \
          Private-use characters cause only a warning.",
    bad: r#"{"name": "tidy", "description": "Order", "command": "sort", "mutates": false, "subcommand": [
 {"name": "default", "description": "Sort the lines of a file\u202e elif"}]}"#,
    good: r#"{"name": "tidy", "description": "Order", "command": "sort", "mutates": false, "subcommand": [
 {"name": "default", "description": "Sort the lines of a file 🧑‍🔧"}]}"#,
};

pub(crate) fn check(text: &Text<'_>, sink: &mut DiagnosticSink<'_>) {
    // Almost every text is printable ASCII. A name is checked in full, because a line break in it
    // is not legitimate.
    if text.text.bytes().all(|byte| matches!(byte, b' '..0x7f | b'\n')) && !text.is_name() {
        return;
    }
    let hidden: Vec<_> = find_hidden(text).collect();
    // Report the most severe one, and of those the first.
    let Some((at, first)) =
        hidden.iter().max_by_key(|(at, kind)| (kind.severity(), usize::MAX - at))
    else {
        return;
    };
    let more = match hidden.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let c = text.text[*at..].chars().next().unwrap_or_default();
    let message =
        format!("{} contains {} U+{:04X}{more}", text.describe(), first.name(), u32::from(c));
    let found = Diagnostic::new(&RULE, text.origin(), message).severity(first.severity());
    sink.push(
        found
            .hint("remove it: people cannot see it, but models read it")
            .with_received(excerpt(text.text, *at)),
    );
}

/// A kind of character that does not belong in a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HiddenKind {
    Direction,
    Tag,
    Invisible,
    Control,
    Private,
}

impl HiddenKind {
    fn name(self) -> &'static str {
        match self {
            Self::Direction => "the text-direction control",
            Self::Tag => "the invisible tag character",
            Self::Invisible => "the invisible character",
            Self::Control => "the control character",
            Self::Private => "the private-use character",
        }
    }

    fn severity(self) -> Severity {
        match self {
            Self::Private => Severity::Warning,
            _ => RULE.severity,
        }
    }
}

/// Finds the hidden characters of a text with their byte offsets.
fn find_hidden<'a>(text: &'a Text<'_>) -> impl Iterator<Item = (usize, HiddenKind)> + 'a {
    let mut previous = None;
    let mut characters = text.text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, c) = characters.next()?;
        let next = characters.peek().map(|(_, next)| *next);
        // Names are compared byte by byte, so a joiner that is correct in prose makes two names
        // that look the same.
        let kind = classify(c).filter(|_| text.is_name() || !is_legitimate(c, previous, next));
        previous = Some(c);
        Some(kind.map(|kind| (at, kind)))
    })
    .flatten()
}

fn classify(c: char) -> Option<HiddenKind> {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            Some(HiddenKind::Direction)
        }
        '\u{e0000}'..='\u{e007f}' => Some(HiddenKind::Tag),
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => Some(HiddenKind::Invisible),
        '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' => Some(HiddenKind::Invisible),
        '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => {
            Some(HiddenKind::Invisible)
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{1d173}'..='\u{1d17a}' => {
            Some(HiddenKind::Invisible)
        }
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some(HiddenKind::Private),
        _ if c.is_control() => Some(HiddenKind::Control),
        _ => None,
    }
}

/// Whether prose may contain the character between these neighbours.
fn is_legitimate(c: char, previous: Option<char>, next: Option<char>) -> bool {
    let is_next_to = |test: fn(char) -> bool| previous.is_some_and(test) || next.is_some_and(test);
    match c {
        '\n' | '\r' | '\t' => true,
        // Variation selectors: the character before as emoji or as text.
        '\u{fe0e}' | '\u{fe0f}' => {
            previous.is_some_and(|before| classify(before).is_none() && !before.is_whitespace())
        }
        // The joiner combines emoji, and shapes letters in some scripts.
        '\u{200d}' => {
            previous.is_some_and(is_pictograph) && next.is_some_and(is_pictograph)
                || previous.is_some_and(is_joining) && next.is_some_and(is_joining)
        }
        '\u{200c}' => previous.is_some_and(is_joining) && next.is_some_and(is_joining),
        // Direction marks are needed in right-to-left text.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => is_next_to(is_right_to_left),
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Whether a letter belongs to a script whose spelling needs joiners: Arabic, and the scripts of
/// South and South-East Asia.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        && classify(c).is_none()
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && classify(c).is_none()
}

/// The text around the character, with hidden characters escaped.
fn excerpt(text: &str, at: usize) -> String {
    const AROUND: usize = 20;
    let start = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let visible = |c: char| {
        if c.is_control() || classify(c).is_some() {
            c.escape_unicode().to_string()
        } else {
            c.to_string()
        }
    };
    text[start..].chars().take(2 * AROUND).map(visible).collect()
}
