//! Texts that contradict the mode of the tool.

use std::sync::LazyLock;

use catalog::{Diagnostic, Mode, Rule, Severity};

use crate::{
    phrase::Phrases,
    prose::Word,
    sink::DiagnosticSink,
    text::{Role, Text},
};

pub(crate) static RULE: Rule = Rule {
    code: "TC404",
    name: "mode-mismatch",
    severity: Severity::Warning,
    why: "A model that expects an operation id waits for one that never arrives. A model that \
          expects the result at once reports success before the work is done. The description \
          and the guidance must agree with `synchronous`.",
    bad: r#"{"name": "suite", "description": "Tests", "command": "echo", "synchronous": true, "mutates": true,
 "subcommand": [{"name": "default", "description": "Run all tests. Runs asynchronously and returns an operation_id."}]}"#,
    good: r#"{"name": "suite", "description": "Tests", "command": "echo", "synchronous": true, "mutates": true,
 "subcommand": [{"name": "default", "description": "Run all tests and print the failures"}]}"#,
};

/// Claims that are true only for an asynchronous tool.
static ASYNCHRONOUS_CLAIMS: LazyLock<Phrases> = LazyLock::new(|| {
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

/// Claims that are true only for a synchronous tool.
static SYNCHRONOUS_CLAIMS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "synchronously",
        "synchronous execution is",
        "returns|return ..2 result|results|output immediately",
        "result|results|output is|are returned immediately",
        "is a blocking ..1 tool|call|operation",
        "blocks until",
    ])
});

/// Words before a claim, in the same sentence, that negate it or make it about something else.
const QUALIFIERS: [&str; 24] = [
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

pub(crate) fn check(text: &Text<'_>, sink: &mut DiagnosticSink<'_>) {
    let subject = match text.role {
        Role::Description => "description",
        Role::Guidance => "guidance",
        _ => return,
    };
    let (phrases, is, promises, other) = match text.tool.mode {
        Mode::Synchronous => {
            (&ASYNCHRONOUS_CLAIMS, "synchronous", "a reply before it is done", "false")
        }
        Mode::Asynchronous => (&SYNCHRONOUS_CLAIMS, "asynchronous", "an immediate result", "true"),
    };
    let words = text.words();
    let Some(claim) = phrases.find(words).find(|span| !is_qualified(words, span.start)) else {
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
    sink.push(found.hint(format!("{change}, or set `\"synchronous\": {other}`")));
}

/// Whether a qualifier precedes the claim in its sentence.
fn is_qualified(words: &[Word<'_>], at: usize) -> bool {
    let before = words[..at].iter().rev().take_while(|word| word.sentence == words[at].sentence);
    before.map(|word| word.lower.as_ref()).any(|word| QUALIFIERS.contains(&word))
}
