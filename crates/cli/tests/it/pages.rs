//! `docs`, `schema`, `new`, `doctor`: what is written for people and editors.

use std::fs;

use crate::crib::{Crib, definition, repository, run};

#[test]
fn docs_writes_an_index_and_a_page_for_each_tool() {
    let crib = Crib::new().tool("ok", definition("ok", "true"));
    assert_eq!(crib.run(&["docs", "--out", "pages"]).code, 0);
    let index = fs::read_to_string(crib.root().join("pages/index.html")).expect("an index");
    for page in ["tools/ok.html", "tools/status.html"] {
        assert!(
            index.contains(page) && crib.root().join("pages").join(page).is_file(),
            "{page}: {index}"
        );
    }
    assert_eq!(crib.run(&["docs", "--out", "pages", "--format", "markdown"]).code, 0);
    let index = fs::read_to_string(crib.root().join("pages/index.md")).expect("an index");
    assert!(index.contains("ok.md") && index.contains("status.md"), "{index}");
}

#[test]
fn pages_of_tools_that_are_gone_are_removed_and_nothing_else_is() {
    let crib =
        Crib::new().tool("ok", definition("ok", "true")).tool("old", definition("old", "true"));
    for format in ["html", "markdown"] {
        crib.write("tools/old.json", &definition("old", "true").to_string());
        let docs = ["docs", "--out", "pages", "--format", format];
        assert_eq!(crib.run(&docs).code, 0);
        let extension = if format == "html" { "html" } else { "md" };
        let path = |name: &str| crib.root().join(format!("pages/tools/{name}.{extension}"));
        fs::write(path("mine"), "<p>my own page</p>").expect("a page");
        fs::remove_file(crib.root().join("tools/old.json")).expect("a definition");
        let ran = crib.run(&docs);
        assert!(ran.stderr.contains("1 stale page removed"), "{}", ran.stderr);
        assert!(!path("old").exists() && path("mine").exists());
        let before = fs::read(path("ok")).expect("a page");
        assert_eq!(crib.run(&docs).code, 0);
        assert!(
            fs::read(path("ok")).expect("a page") == before,
            "pages are the same bytes each time"
        );
    }
}

#[test]
fn a_page_that_somebody_else_wrote_is_not_overwritten() {
    let crib =
        Crib::new().tool("ok", definition("ok", "true")).file("pages/index.html", "<p>mine</p>");
    let ran = crib.run(&["docs", "--out", "pages"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("was not written by `toolcrib docs`"), "{}", ran.stderr);
    assert_eq!(
        fs::read_to_string(crib.root().join("pages/index.html")).expect("the page"),
        "<p>mine</p>"
    );
}

#[test]
fn show_tells_the_result_errors_and_security_of_a_specification() {
    let page = fs::read_to_string(repository().join("crates/formats/tests/it/specs/whole.md"))
        .expect("the page");
    let shown =
        Crib::new().file("MCP_TOOL_SPECIFICATION.md", &page).run(&["show", "count_lines"]).stdout;
    for part in [
        "Result",
        "How many lines there are",
        "Errors",
        "FileNotFound",
        "Security",
        "must lie below",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn schemas_are_json_schemas() {
    for of in ["mtdf", "guidance", "config"] {
        let schema = run(&["schema", of]).json();
        assert!(
            schema["$schema"].is_string() && schema["properties"].is_object(),
            "{of}: {schema}"
        );
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
