//! Characters that are there but cannot be seen, or that make text look like other text.

use catalog::{Diagnostic, Rule, Severity};

use crate::{check::Report, text::Text};

pub(crate) static RULE: Rule = Rule {
    code: "TC504",
    name: "hidden-character",
    severity: Severity::Error,
    why: "A model reads characters that a person cannot see: tag characters and zero-width annotations carry whole sentences past \
          a reviewer, direction overrides reorder what is shown, and control characters rewrite a terminal. None is needed \
          in a definition. Joiners inside emoji and in scripts that need them are allowed in descriptions. Private-use \
          characters only get a warning.",
    bad: r#"{"name": "tidy", "description": "Order", "command": "sort", "mutates": false, "subcommand": [
 {"name": "default", "description": "Sort the lines of a file\u202e elif"}]}"#,
    good: r#"{"name": "tidy", "description": "Order", "command": "sort", "mutates": false, "subcommand": [
 {"name": "default", "description": "Sort the lines of a file 🧑‍🔧"}]}"#,
};

pub(crate) fn check(text: &Text<'_>, report: &mut Report<'_>) {
    if text.text.bytes().all(|byte| matches!(byte, b' '..0x7f | b'\n')) && !text.is_name() {
        return;
    }
    let hidden: Vec<_> = find(text).collect();
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
    let message = format!("{} has {} U+{:04X}{more}", text.subject(), first.name(), u32::from(c));
    let found = Diagnostic::new(&RULE, text.origin(), message).severity(first.severity());
    report.push(
        found
            .hint("take it out: it cannot be seen, but models read it")
            .received(excerpt(text.text, *at)),
    );
}

/// A kind of character that has no place in a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Direction,
    Tag,
    Invisible,
    Control,
    Private,
}

impl Kind {
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

fn find<'a>(text: &'a Text<'_>) -> impl Iterator<Item = (usize, Kind)> + 'a {
    let mut previous = None;
    let mut characters = text.text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, c) = characters.next()?;
        let next = characters.peek().map(|(_, next)| *next);
        let kind = kind(c).filter(|_| text.is_name() || !is_innocent(c, previous, next));
        previous = Some(c);
        Some(kind.map(|kind| (at, kind)))
    })
    .flatten()
}

fn kind(c: char) -> Option<Kind> {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            Some(Kind::Direction)
        }
        '\u{e0000}'..='\u{e007f}' => Some(Kind::Tag),
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => Some(Kind::Invisible),
        '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' => Some(Kind::Invisible),
        '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => {
            Some(Kind::Invisible)
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{1d173}'..='\u{1d17a}' => {
            Some(Kind::Invisible)
        }
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some(Kind::Private),
        _ if c.is_control() => Some(Kind::Control),
        _ => None,
    }
}

/// Whether prose may have this character here.
fn is_innocent(c: char, previous: Option<char>, next: Option<char>) -> bool {
    let beside = |test: fn(char) -> bool| previous.is_some_and(test) || next.is_some_and(test);
    match c {
        '\n' | '\r' | '\t' => true,
        // Emoji and text style of the character before.
        '\u{fe0e}' | '\u{fe0f}' => {
            previous.is_some_and(|before| kind(before).is_none() && !before.is_whitespace())
        }
        '\u{200d}' => {
            previous.is_some_and(is_pictograph) && next.is_some_and(is_pictograph)
                || previous.is_some_and(is_joining) && next.is_some_and(is_joining)
        }
        '\u{200c}' => previous.is_some_and(is_joining) && next.is_some_and(is_joining),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => beside(is_right_to_left),
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Letters of scripts whose spelling needs joiners: Arabic and those of India and its neighbours.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        && kind(c).is_none()
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && kind(c).is_none()
}

/// What stands around the character, with everything unusual spelled out.
fn excerpt(text: &str, at: usize) -> String {
    const AROUND: usize = 20;
    let start = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let visible = |c: char| {
        if c.is_control() || kind(c).is_some() {
            c.escape_unicode().to_string()
        } else {
            c.to_string()
        }
    };
    text[start..].chars().take(2 * AROUND).map(visible).collect()
}
