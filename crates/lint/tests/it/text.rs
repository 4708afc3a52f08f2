//! `TC4xx`: what tools and parameters say about themselves.

use catalog::{Mode, Severity};
use serde_json::json;

use crate::harness::{check, codes, lines, saying, taking, tool};

#[test]
fn warns_of_a_tool_or_parameter_that_says_nothing() {
    let found = check({
        let mut tool = taking("n", json!({"type": "integer", "description": "  "}));
        tool.description.text = "\n".into();
        tool
    });
    insta::assert_snapshot!(lines(&found), @r"
    warning TC401 tools/taker.json#: the tool has no description
    warning TC401 tools/taker.json#/subcommand/0/options/0: the parameter `n` has no description
    ");
    assert_eq!(codes(taking("n", json!({"$ref": "#/$defs/n"}))), [] as [&str; 0]);
}

#[test]
fn warns_of_a_description_that_repeats_the_name() {
    let mut echo = tool("flush_cache");
    echo.description.text = "Flush cache.".into();
    assert_eq!(codes(echo), ["TC402"]);
    assert_eq!(
        codes(taking("dry-run", json!({"type": "boolean", "description": "Dry run"}))),
        ["TC402"]
    );
    assert_eq!(
        codes(taking("dry-run", json!({"type": "boolean", "description": "The dry run"}))),
        [] as [&str; 0]
    );
}

#[test]
fn notes_a_description_that_costs_much() {
    let mut long = saying(&"word ".repeat(500));
    assert_eq!(codes(long.clone()), [] as [&str; 0]);
    long.description.guidance = Some("word ".repeat(400));
    let found = check(long);
    assert_eq!((found[0].code, found[0].severity), ("TC403", Severity::Note));
}

/// Only a tool that answers before it is done says this.
const BACKGROUND: &[&str] = &[
    "**IMPORTANT:** This tool operates asynchronously.\n1. **Immediate Response:** Returns operation_id and status 'started'.",
    "1. **Immediate Response:** Returns operation_id and status 'started'. NOT success.",
    "2. **Final Result:** Result pushed automatically via MCP notification when complete.",
    "You **MUST** process the future result notification to know if operation succeeded",
    "Execute a shell command asynchronously",
    "A tool that runs for a specified duration asynchronously.",
    "Assemble the debug variant (Runs asynchronously - returns id immediately)",
    "Asynchronous execution is the default",
    "Returns immediately. It runs in the background.",
    "Returns immediately with an operation ID; alerts follow",
    "Builds everything and returns an operation id",
    "The system will automatically notify you when the operation completes",
];

/// Only a tool whose answer is its result says this.
const WAITING: &[&str] = &[
    "This tool runs synchronously and returns results immediately.",
    "These tools run synchronously by default to ensure immediate feedback",
    "**WARNING:** This is a blocking tool and makes you inefficient",
    "**WARNING:** This is a blocking coordination tool. Use ONLY for final validation.",
    "Synchronous execution is default and recommended for tasks completing in less than about 10 seconds.",
    "Formats the code. The result is returned immediately.",
    "Blocks until the server answers",
];

/// Every tool may say this.
const NEITHER: &[&str] = &[
    "Cancel a running operation by its operation ID.",
    "Query the status of operations without blocking. Shows active and completed operations.",
    "Wait for asynchronous operations to complete with intelligent timeout handling",
    "Wait for previously started asynchronous operations to complete.",
    "Test fixture tools for integration testing async/timeout/error scenarios",
    "Reliable access to the Git command-line client for repository operations.",
    "Watch a run until it completes, showing its progress.",
    "Start the daemon in the background",
    "Send a desktop notification",
    "Send a notification to a channel",
    "Can run asynchronously with `--detach`",
    "Query the database; unlike `export`, this does not run asynchronously",
    "Sync two folders",
    "Synchronise the clock",
];

fn in_mode(mode: Mode, text: &str) -> Vec<&'static str> {
    let mut tool = saying(text);
    tool.mode = mode;
    codes(tool)
}

#[test]
fn warns_when_the_text_promises_another_mode() {
    for text in BACKGROUND {
        assert_eq!(in_mode(Mode::Synchronous, text), ["TC404"], "{text}");
        assert_eq!(in_mode(Mode::Asynchronous, text), [] as [&str; 0], "{text}");
    }
    for text in WAITING {
        assert_eq!(in_mode(Mode::Asynchronous, text), ["TC404"], "{text}");
        assert_eq!(in_mode(Mode::Synchronous, text), [] as [&str; 0], "{text}");
    }
}

#[test]
fn is_silent_about_texts_that_promise_nothing() {
    for text in NEITHER {
        assert_eq!(in_mode(Mode::Synchronous, text), [] as [&str; 0], "{text}");
        assert_eq!(in_mode(Mode::Asynchronous, text), [] as [&str; 0], "{text}");
    }
    let comparing = "This tool runs SYNCHRONOUSLY and provides complete results, unlike tasks which run asynchronously";
    assert_eq!(in_mode(Mode::Synchronous, comparing), [] as [&str; 0]);
}

#[test]
fn checks_guidance_apart_from_the_text_and_quotes_both() {
    let mut tool = saying("Run the tests. Returns an\noperation_id.");
    tool.description.guidance = Some("This tool operates asynchronously.".into());
    let found = check(tool);
    insta::assert_snapshot!(lines(&found), @r#"
    warning TC404 tools/speaker.json#: the tool is synchronous, but its description promises an answer before it is done: "Returns an operation_id"
    warning TC404 tools/speaker.json#: the tool is synchronous, but its guidance promises an answer before it is done: "asynchronously"
    "#);
    assert_eq!(found[0].hint.as_deref(), Some("change the text, or say `\"synchronous\": false`"));
    assert_eq!(
        found[1].hint.as_deref(),
        Some("choose another guidance block, or say `\"synchronous\": false`")
    );
}
