//! Names spelled with letters of another script that look like Latin ones.

use catalog::{Diagnostic, Rule, Severity};

use crate::{
    check::Report,
    text::{Role, Text},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC505",
    name: "lookalike-letter",
    severity: Severity::Error,
    why: "A name or a choice that mixes Latin letters with Cyrillic or Greek ones of the same shape looks like another name \
          and is not it: a call with the one that is seen fails, or reaches something else. Spell it in one script.",
    bad: r#"{"name": "fetch", "description": "Fetch a page", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"s\u043eurce": {"type": "string", "description": "Where from"}}}}"#,
    good: r#"{"name": "fetch", "description": "Fetch a page", "command": "echo", "mutates": false,
 "inputSchema": {"type": "object", "additionalProperties": false,
  "properties": {"source": {"type": "string", "description": "Where from"}}}}"#,
};

pub(crate) fn check(text: &Text<'_>, report: &mut Report<'_>) {
    if text.text.is_ascii() || !(text.is_name() || text.role == Role::Value) {
        return;
    }
    let impostor = text.text.split(|c: char| !c.is_alphanumeric()).filter_map(impostor).next();
    if let Some((letter, latin)) = impostor {
        let message = format!(
            "{} has U+{:04X}, which looks like `{latin}`, among Latin letters",
            text.subject(),
            u32::from(letter)
        );
        let found = Diagnostic::new(&RULE, text.origin(), message);
        report.push(found.hint(format!("write `{latin}`, or the whole word in one script")));
    }
}

/// The first letter of a word that passes for a Latin one, if the word has Latin letters too.
fn impostor(word: &str) -> Option<(char, char)> {
    let has_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    word.chars()
        .find_map(|c| Some((c, looks_like(c)?)))
        .filter(|(letter, _)| has_latin || is_styled(*letter))
}

/// The Latin letter that a letter of another script, or a styled one, looks like.
fn looks_like(c: char) -> Option<char> {
    const PAIRS: &str = "аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwӏlАAВBЕEКKМMНHОOРPСCТTХXІIЅSЈJ\
        οoνvαaρpιiκkυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXɡgıi";
    if is_styled(c) {
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

/// Full-width forms of Latin letters, which no script needs.
fn is_styled(c: char) -> bool {
    matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}')
}
