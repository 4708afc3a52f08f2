//! Texts that contradict the mode of the tool.

use std::{collections::HashSet, sync::LazyLock};

use catalog::{Catalog, Diagnostic, Mode, Rule, Severity};

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
          and the guidance must agree with `synchronous`. No client shows a model a result that is pushed \
          to it: the result of an operation comes with the next call, or from `await`.",
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

/// Promises that cannot be kept: clients do not show pushed results to the model, which would wait
/// forever.
static PUSH_CLAIMS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "pushed automatically",
        "automatically pushed",
        "result|results ..3 pushed",
        "via mcp notification",
        "result|results ..4 notification",
        "notify|notifies you ..2 result|results",
        "do not wait|await|poll",
        "don't wait|await|poll",
        "never wait|await|poll",
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
    // Shared guidance is reported once, by `check_shared_guidance`.
    if text.tool.mode == Mode::Asynchronous && text.role == Role::Description {
        sink.diagnostics.extend(find_push(text, subject));
    }
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
    let found = Diagnostic::new(&RULE, text.origin(), message).with_received(claim);
    sink.push(found.hint(format!("{change}, or set `\"synchronous\": {other}`")));
}

/// Reports shared guidance that promises pushed results, once for all asynchronous tools that share
/// it.
pub(crate) fn check_shared_guidance(catalog: &Catalog, sink: &mut DiagnosticSink<'_>) {
    let mut seen = HashSet::new();
    let tools = catalog.tools().iter().filter(|tool| tool.mode == Mode::Asynchronous);
    for tool in tools {
        let guidance = tool.description.guidance.as_deref();
        let Some(guidance) = guidance.filter(|guidance| seen.insert(*guidance)) else {
            continue;
        };
        let text = Text::new(Role::Guidance, guidance, tool, None);
        let found = find_push(&text, "guidance").map(|found| found.tool(&tool.name));
        sink.diagnostics.extend(found);
    }
}

/// A promise that the result is pushed, or advice that relies on it.
fn find_push(text: &Text<'_>, subject: &str) -> Option<Diagnostic> {
    let words = text.words();
    let claim = PUSH_CLAIMS.find(words).find(|span| !is_qualified(words, span.start))?;
    let claim = text.quote(claim);
    let message = format!(
        "the {subject} relies on results that are pushed, which no client shows to the model: \"{claim}\""
    );
    let found = Diagnostic::new(&RULE, text.origin(), message).with_received(claim);
    Some(found.hint(
        "write that the result comes with the next call after the end, and that `await` waits for it",
    ))
}

/// Whether a qualifier precedes the claim in its sentence.
fn is_qualified(words: &[Word<'_>], at: usize) -> bool {
    let before = words[..at].iter().rev().take_while(|word| word.sentence == words[at].sentence);
    before.map(|word| word.lower.as_ref()).any(|word| QUALIFIERS.contains(&word))
}
