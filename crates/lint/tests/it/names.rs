//! `TC2xx`: names, and sequences that call by name.

use catalog::{
    Launch, Severity,
    launch::{Sequence, Step},
};
use serde_json::json;

use crate::harness::{check, check_in, codes, lines, tool};

#[test]
fn warns_of_names_that_differ_only_in_case_or_separator() {
    let found = check_in("my-crib", vec![tool("git_log"), tool("git-log"), tool("Git_Log"), tool("git_status")]);
    insta::assert_snapshot!(lines(&found), @r"
    warning TC202 tools/git-log.json#: the name `git-log` is easily taken for `Git_Log`
    warning TC202 tools/git_log.json#: the name `git_log` is easily taken for `Git_Log`
    ");
}

#[test]
fn warns_of_a_name_that_is_nearly_a_built_in_one() {
    assert_eq!(codes(tool("Status")), ["TC202"]);
    assert_eq!(codes(tool("status")), [] as [&str; 0]);
}

#[test]
fn measures_a_name_with_the_prefix_of_a_host() {
    let fits = "x".repeat(64 - "mcp__my-crib__".len());
    assert_eq!(codes(tool(&fits)), [] as [&str; 0]);
    let found = check(tool(&format!("{fits}y")));
    assert_eq!((found[0].code, found[0].severity), ("TC203", Severity::Warning));
    assert_eq!(found[0].hint.as_deref(), Some("shorten a name on its path, or the crib's, by 1"));
}

#[test]
fn measures_a_full_name_twice_decorated() {
    let name = "x".repeat(60 - "mcp__my-crib__".len());
    let (catalog, _) = catalog::Catalog::merge([tool(&name)]);
    let context = |full_names| lint::Context { crib: "my-crib".into(), full_names };
    assert_eq!(lint::check(&catalog, &context(false)), []);
    assert_eq!(lint::check(&catalog, &context(true))[0].code, "TC203");
    assert_eq!(lint::check(&catalog, &lint::Context::default()), []);
}

#[test]
fn warns_of_what_some_hosts_rewrite() {
    let found = check(tool("7zip.list"));
    insta::assert_snapshot!(lines(&found), @"warning TC204 tools/7zip.list.json#: the name `7zip.list` begins with a digit and has a dot, which some hosts rewrite");
}

fn sequence(name: &str, steps: &[&str]) -> catalog::Tool {
    let step = |name: &&str| Step {
        tool: (*name).to_owned(),
        arguments: json!({}),
        description: None,
        skip_if_exists: None,
        skip_if_missing: None,
    };
    let mut tool = tool(name);
    tool.launch = Launch::Sequence(Sequence { steps: steps.iter().map(step).collect(), delay_ms: 0 });
    tool
}

#[test]
fn warns_of_a_step_that_leads_nowhere() {
    let mut silent = tool("silent");
    silent.launch = Launch::Missing;
    let found = check_in("c", vec![sequence("all", &["build_it", "biuld_it", "silent"]), tool("build_it"), silent]);
    insta::assert_snapshot!(lines(&found), @r"
    warning TC205 tools/all.json#: step 2 calls `biuld_it`, which does not exist
    warning TC205 tools/all.json#: step 3 calls `silent`, which has no command
    ");
    assert_eq!(found[0].hint.as_deref(), Some("did you mean `build_it`?"));
}

#[test]
fn refuses_a_sequence_that_comes_back_to_itself() {
    let found = check_in("c", vec![sequence("a", &["b"]), sequence("b", &["c", "a"]), tool("c"), sequence("d", &["a"])]);
    insta::assert_snapshot!(lines(&found), @r"
    error TC206 tools/a.json#: the sequence comes back to itself through `b`
    error TC206 tools/b.json#: the sequence comes back to itself through `a`
    ");
}
