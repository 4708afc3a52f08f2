//! `TC4xx`: descriptions and guidance.

use std::sync::Arc;

use catalog::{Mode, Severity};
use lint::Context;
use serde_json::json;
use testing::echo_tool;

use crate::tools::{
    NONE, check, codes, format_diagnostics, tool_with_description, tool_with_parameter,
};

#[test]
fn warns_about_missing_descriptions() {
    let found = check({
        let mut tool = tool_with_parameter("n", json!({"type": "integer", "description": "  "}));
        tool.description.text = "\n".into();
        tool
    });
    insta::assert_snapshot!(format_diagnostics(&found), @"
    warning TC401 tools/parameterized.json#: the tool has no description
      describe in a sentence what it does and when to use it
    warning TC401 tools/parameterized.json#/subcommand/0/options/0: the parameter `n` has no description
      describe in a few words what it means
    ");
    assert_eq!(codes(tool_with_parameter("n", json!({"$ref": "#/$defs/n"}))), NONE);
}

#[test]
fn warns_about_a_description_that_repeats_the_name() {
    let mut echo = echo_tool("flush_cache");
    echo.description.text = "Flush cache.".into();
    assert_eq!(codes(echo), ["TC402"]);
    assert_eq!(
        codes(tool_with_parameter("dry-run", json!({"type": "boolean", "description": "Dry run"}))),
        ["TC402"]
    );
    assert_eq!(
        codes(tool_with_parameter(
            "dry-run",
            json!({"type": "boolean", "description": "The dry run"})
        )),
        NONE
    );
}

#[test]
fn notes_a_long_description() {
    let mut long = tool_with_description(&"word ".repeat(500));
    assert_eq!(codes(long.clone()), NONE);
    long.description.guidance = Some("word ".repeat(400));
    let found = check(long);
    assert_eq!((found[0].code, found[0].severity), ("TC403", Severity::Note));
}

/// Texts that are true only for an asynchronous tool.
const ASYNCHRONOUS: &[&str] = &[
    "**IMPORTANT:** This tool operates asynchronously.\n1. **Immediate Response:** Returns operation_id and status 'started'.",
    "1. **Immediate Response:** Returns operation_id and status 'started'. NOT success.",
    "Execute a shell command asynchronously",
    "A tool that runs for a specified duration asynchronously.",
    "Assemble the debug variant (Runs asynchronously - returns id immediately)",
    "Asynchronous execution is the default",
    "Returns immediately. It runs in the background.",
    "Returns immediately with an operation ID; alerts follow",
    "Builds everything and returns an operation id",
    "The system will automatically notify you when the operation completes",
];

/// Texts that are true only for a synchronous tool.
const SYNCHRONOUS: &[&str] = &[
    "This tool runs synchronously and returns results immediately.",
    "These tools run synchronously by default to ensure immediate feedback",
    "**WARNING:** This is a blocking tool and makes you inefficient",
    "**WARNING:** This is a blocking coordination tool. Use ONLY for final validation.",
    "Synchronous execution is default and recommended for tasks completing in less than about 10 seconds.",
    "Formats the code. The result is returned immediately.",
    "Blocks until the server answers",
];

/// Texts that are true for both.
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

fn codes_in_mode(mode: Mode, text: &str) -> Vec<&'static str> {
    let mut tool = tool_with_description(text);
    tool.mode = mode;
    codes(tool)
}

#[test]
fn warns_when_the_text_contradicts_the_mode() {
    for text in ASYNCHRONOUS {
        assert_eq!(codes_in_mode(Mode::Synchronous, text), ["TC404"], "{text}");
        assert_eq!(codes_in_mode(Mode::Asynchronous, text), NONE, "{text}");
    }
    for text in SYNCHRONOUS {
        assert_eq!(codes_in_mode(Mode::Asynchronous, text), ["TC404"], "{text}");
        assert_eq!(codes_in_mode(Mode::Synchronous, text), NONE, "{text}");
    }
}

#[test]
fn warns_about_promises_of_pushed_results() {
    for text in [
        "2. **Final Result:** Result pushed automatically via MCP notification when complete.",
        "You **MUST** process the future result notification to know if operation succeeded",
    ] {
        assert_eq!(codes_in_mode(Mode::Synchronous, text), ["TC404"], "{text}");
        assert_eq!(codes_in_mode(Mode::Asynchronous, text), ["TC404"], "{text}");
    }
    let advice = "Runs the tests. **DO NOT** wait for the final result.";
    assert_eq!(codes_in_mode(Mode::Asynchronous, advice), ["TC404"]);
}

#[test]
fn warns_once_about_guidance_that_several_tools_share() {
    let tool = |name: &str| {
        let mut tool = echo_tool(name);
        tool.mode = Mode::Asynchronous;
        tool.description.guidance = Some("Results are pushed automatically.".to_owned());
        tool
    };
    let catalog = catalog::Catalog::merge([tool("one"), tool("two")]).0;
    let found = lint::check(&catalog, &Context::default());
    assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["TC404"]);
}

#[test]
fn accepts_texts_that_fit_both_modes() {
    for text in NEITHER {
        assert_eq!(codes_in_mode(Mode::Synchronous, text), NONE, "{text}");
        assert_eq!(codes_in_mode(Mode::Asynchronous, text), NONE, "{text}");
    }
    let comparing = "This tool runs SYNCHRONOUSLY and provides complete results, unlike tasks which run asynchronously";
    assert_eq!(codes_in_mode(Mode::Synchronous, comparing), NONE);
}

#[test]
fn checks_a_text_that_tools_share_for_each_of_them() {
    let promise = "Returns an operation_id.";
    let tool = |name: &str, mode| {
        let mut tool = echo_tool(name);
        (tool.description.text, tool.mode) = (promise.to_owned(), mode);
        Arc::new(tool)
    };
    let tools = [
        tool("patient", Mode::Asynchronous),
        tool("first", Mode::Synchronous),
        tool("second", Mode::Synchronous),
        tool("other", Mode::Asynchronous),
    ];
    let found = lint::check_each(&tools, &Context::default());
    let found: Vec<Vec<_>> =
        found.iter().map(|of_tool| of_tool.iter().map(|found| found.code).collect()).collect();
    assert_eq!(found, [vec![], vec!["TC404"], vec!["TC404"], vec![]]);
}

#[test]
fn checks_guidance_and_description_separately() {
    let mut tool = tool_with_description("Run the tests. Returns an\noperation_id.");
    tool.description.guidance = Some("This tool operates asynchronously.".into());
    let found = check(tool);
    insta::assert_snapshot!(format_diagnostics(&found), @r#"
    warning TC404 tools/described.json#: the tool is synchronous, but its description promises a reply before it is done: "Returns an operation_id"
      change the text, or set `"synchronous": false`
    warning TC404 tools/described.json#: the tool is synchronous, but its guidance promises a reply before it is done: "asynchronously"
      choose another guidance block, or set `"synchronous": false`
    "#);
}
