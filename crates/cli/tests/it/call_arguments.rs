//! `call`: arguments on the command line, and output while a tool runs.

use std::{io::Write, process::Stdio};

use serde_json::{Value, json};
use testing::{TempCrib, definition};

use crate::approve::run_at_terminal;

fn crib() -> TempCrib {
    let mut show = definition("show", "echo");
    show["subcommand"][0]["options"] = json!([
        {"name": "count", "type": "integer", "description": "How many"},
        {"name": "ratio", "type": "number", "description": "A ratio"},
        {"name": "all", "type": "boolean", "description": "All"},
        {"name": "names", "type": "array", "items": {"type": "string"}, "description": "Names"},
        {"name": "file", "type": "string", "format": "path", "description": "A file"}]);
    TempCrib::new().tool("show", show).file("sub/x.txt", "").tool("ok", definition("ok", "true"))
}

fn argv(crib: &TempCrib, arguments: &[&str]) -> Value {
    let all = [&["call", "show", "--dry-run", "--json"], arguments].concat();
    let output = crib.run(&all);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.json()["argv"].clone()
}

#[test]
fn key_value_arguments_are_typed_by_the_schema() {
    let crib = crib();
    let typed = argv(
        &crib,
        &["count=3", "ratio=0.5", "all=true", "names=a", "names=b c", "file=sub/x.txt"],
    );
    let args =
        r#"{"count": 3, "ratio": 0.5, "all": true, "names": ["a", "b c"], "file": "sub/x.txt"}"#;
    assert_eq!(typed, argv(&crib, &["--args", args]));
    assert_eq!(argv(&crib, &[r#"names=["a","b"]"#]), argv(&crib, &["names=a", "names=b"]));
    assert_eq!(argv(&crib, &["--args", r#"{"count": 1}"#, "count=2"]), argv(&crib, &["count=2"]));
    crib.write("arguments.json", r#"{"count": 2}"#);
    assert_eq!(argv(&crib, &["--args", "@arguments.json"]), argv(&crib, &["count=2"]));
    let mut command = crib.command(&["call", "show", "--dry-run", "--json", "--args", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(br#"{"count": 2}"#).expect("written");
    let output = child.wait_with_output().expect("an end");
    let plan: Value = serde_json::from_slice(&output.stdout).expect("a plan");
    assert_eq!(plan["argv"], argv(&crib, &["count=2"]));
}

#[test]
fn wrong_arguments_are_explained() {
    let crib = crib();
    let transcripts = [
        vec!["call", "show", "cuont=3"],
        vec!["call", "show", "count=many"],
        vec!["call", "show", "count"],
        vec!["call", "show", "count=1", "count=2"],
        vec!["call", "ok", "x=1"],
        vec!["call", "show", "@arguments.json"],
        vec!["call", "show", "--count", "3"],
    ];
    let all: Vec<_> = transcripts.iter().map(|arguments| crib.transcript(arguments)).collect();
    insta::assert_snapshot!(all.join("\n"), @r"
    exit code 4
    --- stderr
    error: `show` has no parameter `cuont`
     |
     = help: did you mean `count`?

    exit code 4
    --- stderr
    error: `count` must be an integer, received `many`
     |
     = help: run `toolcrib show show` to see its parameters

    exit code 4
    --- stderr
    error: `count` is not `key=value`
     |
     = help: run `toolcrib show show` to see its parameters

    exit code 4
    --- stderr
    error: `count` is given twice, and is not a list

    exit code 4
    --- stderr
    error: `ok` has no parameter `x`
     |
     = help: its parameters are working_directory

    exit code 4
    --- stderr
    error: `@arguments.json` is not `key=value`
     |
     = help: pass JSON with `--args '{…}'`, `--args @FILE` or `--args -`

    exit code 2
    --- stderr
    error: unexpected argument '--count' found

      tip: parameters of tools are written `count=VALUE`

    Usage: toolcrib call <NAME> [KEY=VALUE]...

    For more information, try '--help'.
    ");
}

#[test]
fn typed_paths_are_relative_to_the_current_folder() {
    let crib = crib();
    let run = |folder: &str, arguments: &[&str]| -> Value {
        let all = [&["call", "show", "--dry-run", "--json"], arguments].concat();
        let output = crib.command(&all).current_dir(folder).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let sub = crib.root().join("sub");
    let sub = sub.to_str().expect("UTF-8");
    let expected = argv(&crib, &["file=sub/x.txt"]);
    assert_eq!(run(sub, &["file=x.txt"])["argv"], expected);
    assert_eq!(
        run(sub, &["--args", r#"{"file": "sub/x.txt"}"#])["argv"],
        expected,
        "JSON is as it is"
    );
    let outside = crib.command(&["call", "show", "file=x.txt"]).current_dir("/").output();
    assert_eq!(outside.expect("it runs").status.code(), Some(4), "/x.txt is outside");
}

#[test]
fn a_person_sees_output_as_it_comes() {
    let slow = definition("slow", "sh slow.sh");
    let script = "echo first; echo problem >&2; until [ -e go ]; do sleep 0.05; done; echo last";
    let crib = TempCrib::new().tool("slow", slow).file("slow.sh", script);
    let (mut child, shown) = crate::operations::run_on_terminal(&crib, &["call", "slow"]);
    let mut seen = String::new();
    while !(seen.contains("first") && seen.contains("problem")) {
        seen += &shown.recv().expect("output before the end");
    }
    crib.write("go", "");
    assert!(child.wait().expect("an end").success());
    seen.extend(shown.iter());
    assert_eq!(seen.replace("\r\n", "\n").matches("first\n").count(), 1, "{seen}");
    assert!(seen.ends_with("last\r\n"), "{seen}");
}

#[test]
fn a_silent_tool_shows_how_long_it_has_been_running() {
    let crib = TempCrib::new().tool("nap", definition("nap", "sleep 1.2"));
    let (code, seen) = run_at_terminal(&crib, &["call", "nap"], &[]);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains(" nap  1 s"), "{seen:?}");
    assert!(seen.ends_with("\r\u{1b}[K"), "the spinner is removed: {seen:?}");
    assert_eq!(crib.run(&["call", "nap"]).stderr, "", "not in a pipe");
}
