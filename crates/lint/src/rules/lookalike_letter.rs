//! Names with letters of other scripts that look like Latin ones.

use catalog::{Diagnostic, Rule, Severity};

use crate::{
    sink::DiagnosticSink,
    text::{Role, Text},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC505",
    name: "lookalike-letter",
    severity: Severity::Error,
    why: "A name or choice that mixes Latin letters with similar ones from Cyrillic or Greek is \
          not the name that people see: a call with the visible name fails, or reaches something \
          else. Write it in one script.",
    bad: r#"{"name": "fetch", "description": "Fetch a page", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"s\u043eurce": {"type": "string", "description": "Where from"}}}}"#,
    good: r#"{"name": "fetch", "description": "Fetch a page", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"source": {"type": "string", "description": "Where from"}}}}"#,
};

pub(crate) fn check(text: &Text<'_>, sink: &mut DiagnosticSink<'_>) {
    // Prose may mix scripts; only names and choices are compared.
    if text.text.is_ascii() || !(text.is_name() || text.role == Role::Value) {
        return;
    }
    let lookalike = text.text.split(|c: char| !c.is_alphanumeric()).find_map(find_lookalike);
    if let Some((letter, latin)) = lookalike {
        let message = format!(
            "{} mixes Latin letters with U+{:04X}, which looks like `{latin}`",
            text.describe(),
            u32::from(letter)
        );
        let found = Diagnostic::new(&RULE, text.origin(), message);
        sink.push(found.hint(format!("write `{latin}`, or write the whole word in one script")));
    }
}

/// Finds the first letter that looks like a Latin one, if the word has Latin letters too: a word in
/// one script is fine. Returns the letter and the Latin one.
fn find_lookalike(word: &str) -> Option<(char, char)> {
    let has_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    word.chars()
        .find_map(|c| Some((c, to_latin(c)?)))
        .filter(|(letter, _)| has_latin || is_full_width(*letter))
}

/// The Latin letter that a Cyrillic, Greek or full-width letter looks like.
fn to_latin(c: char) -> Option<char> {
    // Alternately the foreign letter and the Latin one.
    const PAIRS: &str = "аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwӏlАAВBЕEКKМMНHОOРPСCТTХXІIЅSЈJ\
        οoνvαaρpιiκkυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXɡgıi";
    if is_full_width(c) {
        // Full-width forms are ordered like ASCII, at this distance.
        return char::from_u32(u32::from(c) - 0xfee0);
    }
    let mut pairs = PAIRS.chars();
    while let (Some(foreign), Some(latin)) = (pairs.next(), pairs.next()) {
        if foreign == c {
            return Some(latin);
        }
    }
    None
}

/// Whether a character is a full-width form of a Latin letter, which no script needs in a name.
fn is_full_width(c: char) -> bool {
    matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}')
}
