//! Texts that promise another way of answering than the tool has.

use std::sync::LazyLock;

use catalog::{Diagnostic, Mode, Rule, Severity};

use crate::{
    check::Report,
    phrase::Phrases,
    text::{Role, Text},
    words::Word,
};

pub(crate) static RULE: Rule = Rule {
    code: "TC404",
    name: "mode-mismatch",
    severity: Severity::Warning,
    why: "A model that is told to expect an operation id waits for one that never comes; one that is told the result comes \
          at once reports success before anything is done. What the description and the guidance say must agree with \
          `synchronous`.",
    bad: r#"{"name": "suite", "description": "Tests", "command": "echo", "synchronous": true, "mutates": true,
 "subcommand": [{"name": "default", "description": "Run all tests. Runs asynchronously and returns an operation_id."}]}"#,
    good: r#"{"name": "suite", "description": "Tests", "command": "echo", "synchronous": true, "mutates": true,
 "subcommand": [{"name": "default", "description": "Run all tests and print the failures"}]}"#,
};

/// What only a tool says that answers before it is done.
static BACKGROUND: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "asynchronously",
        "asynchronous execution is",
        "returns|return ..5 operation id|ids",
        "runs|continues|executes|executed in the background",
        "notification ..2 when ..3 complete|completes|completed|finished|done|ready",
        "via mcp notification",
        "result|final|future ..1 notification",
        "notify|notifies you when",
        "notified when ..4 complete|completes|completed|finished|done",
    ])
});

/// What only a tool says whose answer is its result.
static WAITING: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "synchronously",
        "synchronous execution is",
        "returns|return ..2 result|results|output immediately",
        "result|results|output is|are returned immediately",
        "is a blocking ..1 tool|call|operation",
        "blocks until",
    ])
});

/// Words before a claim that make it one about something else, or no claim at all.
const DISTANCING: [&str; 24] = [
    "unlike",
    "not",
    "never",
    "no",
    "don't",
    "doesn't",
    "isn't",
    "without",
    "instead",
    "rather",
    "than",
    "tasks",
    "other",
    "can",
    "may",
    "could",
    "if",
    "when",
    "whether",
    "either",
    "or",
    "previously",
    "optionally",
    "wait",
];

pub(crate) fn check(text: &Text<'_>, report: &mut Report<'_>) {
    let subject = match text.role {
        Role::Description => "description",
        Role::Guidance => "guidance",
        _ => return,
    };
    let (phrases, is, promises, other) = match text.tool.mode {
        Mode::Synchronous => (&BACKGROUND, "synchronous", "an answer before it is done", "false"),
        Mode::Asynchronous => (&WAITING, "asynchronous", "its result at once", "true"),
    };
    let words = text.words();
    let Some(claim) = phrases.find(words).find(|span| !is_distanced(words, span.start)) else {
        return;
    };
    let claim = text.quote(claim);
    let message = format!("the tool is {is}, but its {subject} promises {promises}: \"{claim}\"");
    let change = if text.role == Role::Guidance {
        "choose another guidance block"
    } else {
        "change the text"
    };
    let found = Diagnostic::new(&RULE, text.origin(), message).received(claim);
    report.push(found.hint(format!("{change}, or say `\"synchronous\": {other}`")));
}

fn is_distanced(words: &[Word<'_>], at: usize) -> bool {
    let before = words[..at].iter().rev().take_while(|word| word.sentence == words[at].sentence);
    before.map(|word| word.lower.as_ref()).any(|word| DISTANCING.contains(&word))
}
