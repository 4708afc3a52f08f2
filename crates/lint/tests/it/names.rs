//! `TC2xx`: names, and sequences that call by name.

use catalog::{
    Implementation, Location, Severity, StepLocation,
    implementation::{RFunction, Sequence, Step},
};
use serde_json::json;
use testing::{echo_tool, schema};

use crate::tools::{NONE, check, check_all, codes, format_diagnostics};

#[test]
fn warns_about_names_that_differ_only_in_case_or_separator() {
    let found = check_all(
        "my-crib",
        vec![
            echo_tool("git_log"),
            echo_tool("git-log"),
            echo_tool("Git_Log"),
            echo_tool("git_status"),
        ],
    );
    insta::assert_snapshot!(format_diagnostics(&found), @"
    warning TC202 tools/git-log.json#: the name `git-log` is easily confused with `Git_Log`
      rename one of them so that they differ in more than case, `-`, `_` and `.`
    warning TC202 tools/git_log.json#: the name `git_log` is easily confused with `Git_Log`
      rename one of them so that they differ in more than case, `-`, `_` and `.`
    ");
}

#[test]
fn warns_about_a_name_close_to_a_built_in_one() {
    assert_eq!(codes(echo_tool("Status")), ["TC202"]);
    assert_eq!(codes(echo_tool("status")), NONE);
}

#[test]
fn measures_a_name_with_the_prefix_of_the_host() {
    let fits = "x".repeat(64 - "mcp__my-crib__".len());
    assert_eq!(codes(echo_tool(&fits)), NONE);
    let found = check(echo_tool(&format!("{fits}y")));
    assert_eq!((found[0].code, found[0].severity), ("TC203", Severity::Warning));
    assert_eq!(
        found[0].hint.as_deref(),
        Some("shorten the tool's name, a subcommand or the crib's name by 1")
    );
}

#[test]
fn measures_a_full_name_with_both_prefixes() {
    let name = "x".repeat(60 - "mcp__my-crib__".len());
    let (catalog, _) = catalog::Catalog::merge([echo_tool(&name)]);
    let context = |full_names| lint::Context {
        crib: "my-crib".into(),
        full_names,
        ..lint::Context::default()
    };
    assert_eq!(lint::check(&catalog, &context(false)), []);
    assert_eq!(lint::check(&catalog, &context(true))[0].code, "TC203");
    assert_eq!(lint::check(&catalog, &lint::Context::default()), []);
}

#[test]
fn warns_about_names_that_some_hosts_rewrite() {
    let found = check(echo_tool("7zip.list"));
    insta::assert_snapshot!(format_diagnostics(&found), @"
    warning TC204 tools/7zip.list.json#: the name `7zip.list` starts with a digit and contains a dot, which some hosts rewrite
      start with a letter and use `_` instead of a dot
    ");
}

#[test]
fn accepts_dots_in_the_names_of_r_functions() {
    let mut tool = echo_tool("data.table-read.csv");
    let of = |function: &str| {
        let function = function.to_owned();
        Implementation::R(RFunction {
            package: "data.table".to_owned(),
            function,
            sources: None,
            formals: Vec::new(),
        })
    };
    tool.implementation = of("read.csv");
    assert!(check(tool.clone()).iter().all(|found| found.code != "TC204"));
    tool.implementation = of("other");
    assert!(check(tool).iter().any(|found| found.code == "TC204"), "a name that the author chose");
}

/// A sequence of calls without arguments.
fn sequence(name: &str, steps: &[&str]) -> catalog::Tool {
    let step = |name: &&str| Step {
        tool: (*name).to_owned(),
        arguments: json!({}),
        description: None,
        skip_if_exists: None,
        skip_if_missing: None,
    };
    let mut tool = echo_tool(name);
    tool.implementation =
        Implementation::Sequence(Sequence { steps: steps.iter().map(step).collect(), delay_ms: 0 });
    let location = |index| StepLocation {
        step: Location::Value(format!("/sequence/{index}")),
        arguments: Location::Value(format!("/sequence/{index}/args")),
    };
    tool.steps = (0..steps.len()).map(location).collect();
    tool
}

#[test]
fn reports_a_step_without_a_callable_tool_at_its_location() {
    let mut undefined = echo_tool("undefined");
    undefined.implementation = Implementation::Missing;
    let found = check_all(
        "c",
        vec![
            sequence("all", &["build_it", "biuld_it", "undefined"]),
            echo_tool("build_it"),
            undefined,
        ],
    );
    insta::assert_snapshot!(format_diagnostics(&found), @"
    error TC205 tools/all.json#/sequence/1: step 2 calls `biuld_it`, which does not exist
      did you mean `build_it`?
    warning TC205 tools/all.json#/sequence/2: step 3 calls `undefined`, which has no command
      use the served name of a tool of this crib
    ");
    assert_eq!(found[0].hint.as_deref(), Some("did you mean `build_it`?"));
}

#[test]
fn rejects_a_sequence_that_calls_itself() {
    let found = check_all(
        "c",
        vec![
            sequence("a", &["b"]),
            sequence("b", &["c", "a"]),
            echo_tool("c"),
            sequence("d", &["a"]),
        ],
    );
    insta::assert_snapshot!(format_diagnostics(&found), @"
    error TC206 tools/a.json#/sequence/0: the sequence calls itself through `b`
      remove this step
    error TC206 tools/b.json#/sequence/1: the sequence calls itself through `a`
      remove this step
    error TC205 tools/d.json#/sequence/0: step 1 calls `a`, which has an error
      fix `a`
    ");
}

#[test]
fn a_single_file_may_call_tools_of_other_files_and_built_in_ones() {
    let (catalog, _) = catalog::Catalog::merge([sequence("all", &["elsewhere", "status"])]);
    let context = lint::Context { scope: lint::Scope::File, ..lint::Context::default() };
    let found = lint::check(&catalog, &context);
    insta::assert_snapshot!(format_diagnostics(&found), @"
    warning TC205 tools/all.json#/sequence/0: step 1 calls `elsewhere`, which does not exist
      use the served name of a tool of this crib
    ");
}

#[test]
fn a_shared_broken_step_breaks_all_tools_and_is_reported_once() {
    let one = sequence("one", &["nowhere"]);
    let two = catalog::Tool { name: "two".to_owned(), ..one.clone() };
    let (catalog, _) = catalog::Catalog::merge([one, two]);
    let context = lint::Context::default();
    let found =
        lint::check_catalog(&catalog, &context, lint::check_tools(catalog.tools(), &context));
    assert_eq!(found.diagnostics.len(), 1);
    assert_eq!(found.broken, ["one", "two"].map(str::to_owned).into());
}

#[test]
fn validates_the_arguments_of_steps_like_those_of_a_call() {
    let mut build = echo_tool("build");
    build.input = schema(
        json!({"type": "object", "required": ["target", "working_directory"], "additionalProperties": false,
        "properties": {"target": {"type": "string"}, "jobs": {"type": "integer"}, "working_directory": {"type": "string"}}}),
    );
    let mut all = sequence("all", &["build", "build"]);
    all.input =
        schema(json!({"type": "object", "properties": {"working_directory": {"type": "string"}}}));
    let Implementation::Sequence(steps) = &mut all.implementation else { panic!("a sequence") };
    steps.steps[0].arguments = json!({"jobs": "four", "taget": "x"});
    steps.steps[1].arguments = json!({"target": "x"});
    let found: Vec<_> = check_all("c", vec![all, build])
        .into_iter()
        .filter(catalog::Diagnostic::is_error)
        .collect();
    insta::assert_snapshot!(format_diagnostics(&found), @"
    error TC207 tools/all.json#/sequence/0/args/target: step 1, `build`: Missing required parameter 'target'
      correct the arguments of this step
    error TC207 tools/all.json#/sequence/0/args/jobs: step 1, `build`: Expected integer, received string
      correct the arguments of this step
    error TC207 tools/all.json#/sequence/0/args/taget: step 1, `build`: Unknown parameter 'taget'; did you mean 'target'?
      correct the arguments of this step
    ");
}
