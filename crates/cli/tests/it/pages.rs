//! `docs`, `schema`, `new`, `doctor`: what is written for people and editors.

use std::fs;

use crate::crib::{Crib, definition, repository, run};

#[test]
fn docs_writes_an_index_and_a_page_for_each_tool() {
    let crib = Crib::new().tool("ok", definition("ok", "true"));
    assert_eq!(crib.run(&["docs", "--out", "pages"]).code, 0);
    let index = fs::read_to_string(crib.root().join("pages/index.md")).expect("an index");
    assert!(index.contains("ok.md"), "{index}");
}

#[test]
fn schemas_are_json_schemas() {
    for of in ["mtdf", "guidance", "config"] {
        let schema = run(&["schema", of]).json();
        assert!(schema["$schema"].is_string() && schema["properties"].is_object(), "{of}: {schema}");
    }
}

#[test]
fn a_new_definition_is_clean_runs_and_is_not_overwritten() {
    let crib = Crib::new().file("text.txt", "one\ntwo\n");
    assert_eq!(crib.run(&["new", "mtdf", "count"]).code, 0);
    assert_eq!(crib.run(&["check", "--strict"]).code, 0, "{}", crib.run(&["check"]).stdout);
    let ran = crib.run(&["call", "count", "--args", r#"{"files": ["text.txt"], "lines": true}"#]);
    assert!(ran.stdout.starts_with('2'), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(crib.run(&["new", "mtdf", "count"]).code, 2);
    assert_eq!(crib.run(&["new", "mtdf", "../evil"]).code, 2);
}

#[test]
fn doctor_tells_what_is_missing_and_how_to_get_it() {
    let mut lost = definition("lost", "no-such-program-anywhere");
    lost["install_instructions"] = "get it at the shop".into();
    let crib = Crib::new().tool("ok", definition("ok", "true")).tool("lost", lost);
    let ran = crib.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    for words in ["Landlock", "ok       ok", "missing  lost", "get it at the shop"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn availability_checks_decide_in_doctor_and_before_the_first_call() {
    let mut tool = definition("picky", "true");
    tool["availability_check"] = serde_json::json!({"command": "sh", "args": ["-c", "exit 3"]});
    let crib = Crib::new().tool("picky", tool.clone());
    assert_eq!(crib.run(&["doctor"]).code, 1);
    assert_eq!(crib.run(&["call", "picky"]).code, 1);
    tool["availability_check"]["success_exit_codes"] = serde_json::json!([3]);
    crib.write("tools/picky.json", &tool.to_string());
    assert_eq!(crib.run(&["call", "picky"]).code, 0);
}

#[test]
fn the_starter_is_clean_and_runs() {
    let starter = repository().join("examples/starter");
    let starter = starter.to_str().expect("a name");
    let check = run(&["-C", starter, "check", "--strict"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let ran = run(&["-C", starter, "call", "find_text", "--args", r#"{"text": "belt"}"#]);
    assert!(ran.stdout.contains("lathe needs a new belt"), "{}{}", ran.stdout, ran.stderr);
}
