//! Definitions of everyday programs, run with the real programs.

use std::{fs, process::Command};

use serde_json::{Value, json};
use testing::{TempCrib, skip_without};

fn crib(name: &str, command: &str, leaf: Value) -> TempCrib {
    let mut definition = json!({"name": name, "description": "A program", "command": command,
        "synchronous": true, "mutates": false});
    definition
        .as_object_mut()
        .expect("an object")
        .extend(leaf.as_object().cloned().expect("fields"));
    TempCrib::new().tool(name, definition)
}

fn grep() -> TempCrib {
    let leaf = json!({
        "success_exit_codes": [1],
        "subcommand": [{"name": "default", "description": "Find lines",
            "fixed_args": ["--line-number", "--recursive"],
            "positional_args": [
                {"name": "pattern", "type": "string", "required": true, "description": "What"},
                {"name": "where", "type": "string", "format": "path", "double_dash": true, "default": ".",
                    "description": "Where"}]}],
    });
    crib("grep", "grep", leaf).file("notes/a.txt", "one\ntwo\n")
}

#[test]
fn grep_prints_the_paths_that_were_asked_for() {
    let output = grep().run(&["call", "grep", "--args", r#"{"pattern": "two", "where": "notes"}"#]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "notes/a.txt:2:two\n"));
}

#[test]
fn grep_without_a_match_is_no_failure() {
    let crib = grep();
    let call = |arguments: &str| crib.run(&["call", "grep", "--json", "--args", arguments]);
    let output = call(r#"{"pattern": "three", "where": "notes"}"#);
    let result: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((output.code, &result["exit_code"]), (0, &json!(1)));
    assert_eq!(call(r#"{"pattern": "three", "where": "nowhere"}"#).code, 1, "grep exits with 2");
}

#[test]
fn git_log_takes_a_revision_and_paths() {
    skip_without!("git");
    let leaf = json!({"subcommand": [{"name": "log", "description": "List commits",
        "fixed_args": ["--format=%s"],
        "positional_args": [
            {"name": "revision", "type": "string", "description": "From here"},
            {"name": "paths", "type": "array", "items": {"type": "string", "format": "path"},
                "double_dash": true, "description": "Only these"}]}]});
    let crib = crib("git", "git --no-pager", leaf).file("a", "1").file("b", "2");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
        assert!(command.current_dir(crib.root()).status().expect("git runs").success());
    };
    git(&["init", "-q"]);
    for file in ["a", "b"] {
        git(&["add", file]);
        git(&["commit", "-q", "-m", &format!("add {file}")]);
    }
    let log = |arguments: &str| crib.run(&["call", "git_log", "--args", arguments]).stdout;
    assert_eq!(log(r#"{"revision": "HEAD", "paths": ["a"]}"#), "add a\n");
    assert_eq!(log(r#"{"paths": ["b"]}"#), "add b\n");
    assert_eq!(log(r#"{"revision": "HEAD~1"}"#), "add a\n");
}

#[test]
fn a_dry_run_needs_no_program() {
    let leaf = json!({"subcommand": [{"name": "run", "description": "Start a container",
        "options": [{"name": "env", "flag": "-e", "type": "object", "pairs": "=", "description": "Variables"}],
        "positional_args": [{"name": "image", "type": "string", "required": true, "description": "Image"}]}]});
    let crib = crib("box", "docker-that-is-not-installed", leaf);
    let arguments = r#"{"image": "alpine", "env": {"A": "b", "C": "d e"}}"#;
    let output = crib.run(&["call", "box_run", "--dry-run", "--args", arguments]);
    let first = output.stdout.lines().next().unwrap_or_default().trim_end().to_owned();
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        first.ends_with("docker-that-is-not-installed run -e A=b -e 'C=d e' alpine"),
        "{first}"
    );
    assert!(output.stderr.contains("was not found"), "{}", output.stderr);
    assert_ne!(crib.run(&["call", "box_run", "--args", arguments]).code, 0);
    assert!(fs::read_dir(crib.root()).is_ok());
}
