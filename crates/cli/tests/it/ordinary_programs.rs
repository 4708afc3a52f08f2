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
fn jq_reads_a_file_with_a_filter() {
    skip_without!("jq");
    let leaf = json!({"subcommand": [{"name": "default", "description": "Filter JSON",
        "fixed_args": ["--compact-output"],
        "positional_args": [
            {"name": "filter", "type": "string", "required": true, "description": "The filter"},
            {"name": "file", "type": "string", "format": "path", "required": true, "description": "The file"}]}]});
    let crib = crib("jq", "jq", leaf).file("a.json", r#"{"items": [{"n": 1}, {"n": 2}]}"#);
    let output = crib.run(&["call", "jq", "filter=[.items[].n]", "file=a.json"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "[1,2]\n"), "{}", output.stderr);
    let broken = crib.run(&["call", "jq", "filter=.[", "file=a.json"]);
    assert!(broken.code == 1 && broken.stderr.contains("syntax error"), "{}", broken.stderr);
}

#[test]
fn npm_runs_a_script_and_gets_the_settings_of_the_user_only_with_credentials() {
    skip_without!("npm");
    let leaf = json!({"subcommand": [
        {"name": "run", "description": "Run a script", "fixed_args": ["--silent"],
            "positional_args": [{"name": "script", "type": "string", "required": true, "description": "Its name"}]},
        {"name": "config", "description": "Print a setting", "fixed_args": ["get"],
            "positional_args": [{"name": "key", "type": "string", "required": true, "description": "The setting"}]}]});
    let crib = crib("npm", "npm", leaf)
        .file(
            "package.json",
            r#"{"name": "a", "version": "1.0.0", "scripts": {"hello": "echo hello"}}"#,
        )
        .file("../home/.npmrc", "fund=false\ninit-author-name=Ada\n");
    let home = crib.root().with_file_name("home");
    let call = |arguments: &[&str]| {
        let mut command = crib.command(&[&["call"], arguments].concat());
        let output = command.env("HOME", &home).output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(call(&["npm_run", "script=hello"]), (Some(0), "hello\n".to_owned()));
    // The file may have tokens of registries.
    assert_eq!(call(&["npm_config", "key=init-author-name"]), (Some(0), "\n".to_owned()));
    crib.write("toolcrib.toml", "[program.npm]\ncredentials = true\n");
    assert_eq!(call(&["npm_config", "key=init-author-name"]), (Some(0), "Ada\n".to_owned()));
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
