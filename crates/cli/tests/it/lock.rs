//! `lock`: pinned tools, and tools that differ from the lock file.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition};

fn locked_crib() -> TempCrib {
    let crib = TempCrib::new()
        .tool("alpha", definition("alpha", "echo"))
        .tool("beta", definition("beta", "echo"))
        .tool("gamma", definition("gamma", "echo"));
    assert_eq!(crib.run(&["lock"]).code, 0);
    crib
}

fn read_lock(crib: &TempCrib) -> String {
    std::fs::read_to_string(crib.root().join("toolcrib.lock")).expect("a lock")
}

#[test]
fn lock_pins_every_tool_by_name_reproducibly() {
    let crib = locked_crib();
    let first = read_lock(&crib);
    let written: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!(
        written["tools"].as_object().expect("tools").keys().collect::<Vec<_>>(),
        ["alpha", "beta", "gamma"]
    );
    crib.run(&["lock"]);
    assert_eq!(read_lock(&crib), first);
    insta::assert_snapshot!(crib.transcript(&["lock", "--check"]), @r"
    exit code 0
    --- stderr
    toolcrib.lock is up to date: 3 tools
    ");
    insta::assert_snapshot!(crib.transcript(&["lock"]), @r"
    exit code 0
    --- stderr
    toolcrib.lock is up to date: 3 tools
    ");
}

#[test]
fn lock_check_reports_new_missing_and_different_tools() {
    let crib = locked_crib();
    let mut changed = definition("alpha", "printf");
    changed["subcommand"][0]["description"] = json!("Runs it otherwise");
    crib.write("tools/alpha.json", &changed.to_string());
    crib.write("tools/delta.json", &definition("delta", "echo").to_string());
    std::fs::remove_file(crib.root().join("tools/gamma.json")).expect("a file");
    insta::assert_snapshot!(crib.transcript(&["lock", "--check"]), @r"
    exit code 1
    --- stdout
    `alpha` changed: description, implementation
    `delta` is new
    `gamma` was removed

    --- stderr
    3 differences from toolcrib.lock; run `toolcrib lock --accept NAME` to accept a tool, or `toolcrib lock` for all
    ");
    insta::assert_snapshot!(crib.transcript(&["lock"]), @r"
    exit code 0
    --- stdout
    `alpha` changed: description, implementation
    `delta` is new
    `gamma` was removed

    --- stderr
    pinned 3 tools in toolcrib.lock
    ");
    assert_eq!(crib.run(&["lock", "--check"]).code, 0);
}

#[test]
fn moving_a_definition_to_another_file_is_not_a_change() {
    let crib = locked_crib();
    std::fs::rename(crib.root().join("tools/alpha.json"), crib.root().join("tools/zeta.json"))
        .expect("a file");
    assert_eq!(crib.run(&["lock", "--check"]).code, 0);
}

#[test]
fn lock_check_rejects_a_missing_or_broken_lock_file() {
    let crib = TempCrib::new().tool("alpha", definition("alpha", "echo"));
    insta::assert_snapshot!(crib.transcript(&["lock", "--check"]), @r"
    exit code 2
    --- stderr
    error: there is no `toolcrib.lock` in `CRIB`
     |
     = help: run `toolcrib lock` to write it
    ");
    crib.write("toolcrib.lock", "{}");
    insta::assert_snapshot!(crib.transcript(&["lock", "--check"]), @r"
    exit code 2
    --- stderr
    error: `CRIB/toolcrib.lock` is not a valid lock file: missing field `version` at line 1 column 2
     |
     = help: restore the file, or run `toolcrib lock` to replace it
    ");
}

#[test]
fn a_tool_that_differs_from_the_lock_is_not_served_until_accepted() {
    let crib = locked_crib();
    let changed = definition("alpha", "printf");
    crib.write("tools/alpha.json", &changed.to_string());
    crib.write("tools/delta.json", &definition("delta", "echo").to_string());
    let listed = |crib: &TempCrib| {
        let tools = crib.run(&["list", "--json"]).json();
        let names = tools.as_array().expect("tools").iter();
        names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let has = |name: &str| listed(&crib).iter().any(|listed| listed == name);
    assert!(has("beta") && !has("alpha") && !has("delta"), "{:?}", listed(&crib));
    let output = crib.run(&["list"]).stdout;
    let (_, held) = output.split_once("\n\n").expect("two parts");
    insta::assert_snapshot!(held, @r"
    Built in
    read_output  Reads lines of a long output that a result shows in part.

    Held back until you run `toolcrib lock --accept NAME`
    `alpha` changed: implementation
    `delta` is new
    ");
    insta::assert_snapshot!(crib.transcript(&["call", "alpha"]), @r"
    exit code 3
    --- stderr
    error: `alpha` changed: implementation, so it is held back
     |
     = help: review it, then run `toolcrib lock --accept alpha`
    ");
    let examined = crib.run(&["doctor"]).stdout;
    assert!(examined.contains("\n  `delta` is new\n"), "{examined}");
    let (_, tools) = examined.split_once("\nTools\n").expect("the tools");
    insta::assert_snapshot!(tools, @r"
    held     alpha
    ok       beta
    held     delta
    ok       gamma
    ");
    insta::assert_snapshot!(crib.run(&["show", "alpha"]).stderr, @r"
    held: `alpha` changed: implementation; review it, then run `toolcrib lock --accept alpha` to serve it
    ");
    let shown = crib.run(&["show", "delta", "--json"]).json();
    assert_eq!(shown["held"], "`delta` is new");
    assert_eq!(crib.run(&["show", "beta"]).stderr, "");
    let server = StdioClient::start(&crib, &[]);
    let reloaded = crib.run(&["reload"]).stdout;
    assert_eq!(reloaded, "reloaded: 4 tools, 0 errors; held: alpha, delta\n");
    server.close();
    assert_eq!(crib.run(&["lock", "--accept", "alpha"]).code, 0);
    assert!(has("alpha") && !has("delta"));
    assert_eq!(crib.run(&["lock", "--accept", "nothing"]).code, 3);
}

#[test]
fn the_lock_file_covers_scripts() {
    let crib =
        TempCrib::new().tool("run", definition("run", "sh run.sh")).file("run.sh", "echo one");
    assert_eq!(crib.run(&["lock"]).code, 0);
    assert_eq!(crib.run(&["call", "run"]).stdout, "one\n");
    crib.write("run.sh", "echo two");
    insta::assert_snapshot!(crib.transcript(&["lock", "--check"]), @r"
    exit code 1
    --- stdout
    `run` changed: scripts or modules

    --- stderr
    1 difference from toolcrib.lock; run `toolcrib lock --accept NAME` to accept a tool, or `toolcrib lock` for all
    ");
    assert_eq!(crib.run(&["call", "run"]).code, 3);
}

#[test]
fn a_broken_lock_file_disables_every_tool() {
    let crib = locked_crib();
    crib.write("toolcrib.lock", "{}");
    assert_eq!(crib.run(&["call", "alpha"]).code, 3);
}

#[test]
fn serve_warns_of_tools_that_differ_from_the_lock_file() {
    let crib = locked_crib();
    assert!(
        !crib.run(&["serve"]).stderr.contains("toolcrib.lock"),
        "all tools match the lock file"
    );
    crib.write("tools/delta.json", &definition("delta", "echo").to_string());
    let output = crib.run(&["serve"]);
    assert!(
        output.stderr.contains("because they differ from toolcrib.lock: `delta` is new; accept"),
        "{}",
        output.stderr
    );
}
