//! Sequences of tools.

use catalog::{Implementation, implementation::Step};
use serde_json::json;

use crate::reading::{errors, read, summary, tool};

#[test]
fn steps_call_tools_by_their_served_names() {
    let tool = tool(&json!({
        "name": "all", "description": "Everything", "command": "sequence", "step_delay_ms": 5,
        "sequence": [
            {"tool": "cargo", "subcommand": "nextest_run", "args": {"workspace": true}, "description": "Test"},
            {"tool": "fmt", "subcommand": "default", "args": {}, "skip_if_file_exists": "a", "skip_if_file_missing": "b"},
            {"tool": "say"},
        ],
    }));
    let Implementation::Sequence(sequence) = &tool.implementation else { panic!("a sequence") };
    assert_eq!(sequence.delay_ms, 5);
    let step = Step {
        tool: "cargo_nextest_run".to_owned(),
        arguments: json!({"workspace": true}),
        description: Some("Test".to_owned()),
        skip_if_exists: None,
        skip_if_missing: None,
    };
    assert_eq!(sequence.steps[0], step);
    let second = &sequence.steps[1];
    assert_eq!(
        (second.tool.as_str(), second.skip_if_exists.as_deref(), second.skip_if_missing.as_deref()),
        ("fmt", Some("a"), Some("b"))
    );
    assert_eq!(sequence.steps[2].tool, "say");
    assert_eq!(sequence.steps[2].arguments, json!({}));
    assert_eq!(tool.step_origin(2).pointer(), Some("/sequence/2"));
    assert_eq!(tool.step_arguments_origin(0).pointer(), Some("/sequence/0/args"));
}

#[test]
fn a_subcommand_may_be_a_sequence_and_may_inherit_one() {
    let reading = read(&json!({
        "name": "t", "description": "A tool", "command": "prog",
        "subcommand": [
            {"name": "check", "description": "Check", "sequence": [{"tool": "t", "subcommand": "build"}]},
            {"name": "build", "description": "Build"},
            {"name": "group", "description": "G", "sequence": [{"tool": "x"}], "subcommand": [{"name": "run", "description": "R"}]},
        ],
    }));
    assert_eq!(reading.diagnostics, []);
    let launches: Vec<_> = reading
        .tools
        .iter()
        .map(|tool| matches!(tool.implementation, Implementation::Sequence(_)))
        .collect();
    assert_eq!(launches, [true, false, true]);
    let Implementation::Sequence(sequence) = &reading.tools[0].implementation else {
        panic!("a sequence")
    };
    assert_eq!(sequence.delay_ms, 100);
    let places: Vec<_> =
        reading.tools.iter().map(|tool| tool.step_origin(0).pointer().map(str::to_owned)).collect();
    let expected = ["/subcommand/0/sequence/0", "/subcommand/1", "/subcommand/2/sequence/0"];
    assert_eq!(
        places,
        expected.map(|pointer| Some(pointer.to_owned())),
        "an inherited step stands where it is written"
    );
}

#[test]
fn a_sequence_needs_no_command_and_takes_only_a_folder() {
    let reading = read(&json!({"name": "t", "description": "A tool", "sequence": [{"tool": "x"}],
        "options": [{"name": "lost", "type": "string"}, {"name": "working_directory", "type": "string"}]}));
    assert_eq!(summary(&reading.diagnostics), ["warning TC038 /options/0"]);
    let names: Vec<_> = reading.tools[0].input.properties().map(|(name, _)| name).collect();
    assert_eq!(names, ["working_directory"]);
}

#[test]
fn rejects_invalid_steps() {
    let reading = read(&json!({"name": "t", "description": "A tool", "command": "sequence",
        "sequence": [{"subcommand": "x"}, 3, {"tool": "y", "args": []}, {"tool": "z", "arg": {}}]}));
    assert_eq!(
        errors(&reading.diagnostics),
        [
            "error TC020 /sequence/0/tool",
            "error TC021 /sequence/1",
            "error TC021 /sequence/2/args",
            "error TC023 /sequence/3/arg"
        ]
    );
    assert!(reading.tools.is_empty());
}

#[test]
fn a_sequence_does_not_affect_other_leaves() {
    let reading = read(&json!({
        "name": "t", "description": "A tool", "command": "prog", "options": [{"name": "verbose", "type": "boolean"}],
        "subcommand": [
            {"name": "all", "description": "All", "sequence": [{"tool": "t", "subcommand": "one"}]},
            {"name": "one", "description": "One"},
        ],
    }));
    assert_eq!(reading.diagnostics, []);
    let keys = |index: usize| {
        reading.tools[index].input.properties().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (keys(0), keys(1)),
        (
            vec!["working_directory".to_owned()],
            vec!["verbose".to_owned(), "working_directory".to_owned()]
        )
    );
}
