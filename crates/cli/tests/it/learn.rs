//! `call --learn`: a tool watched instead of confined.

use std::{fs, process::Command};

use serde_json::json;

use crate::crib::Crib;

/// Without the program that watches there is nothing to test; `scripts/test` installs it.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn cannot_watch() -> bool {
    let cannot = Command::new("strace").arg("-V").output().is_err();
    if cannot {
        eprintln!("SKIPPED: no strace here");
        assert!(std::env::var_os("CI").is_none(), "CI must have strace");
    }
    cannot
}

fn copy() -> serde_json::Value {
    let path = |name: &str| json!({"name": name, "type": "string", "format": "path", "description": "A file", "required": true});
    json!({"name": "copy", "description": "Copy", "command": "cp", "synchronous": true, "mutates": true,
        "subcommand": [{"name": "default", "description": "Copy a file", "positional_args": [path("from"), path("to")]}]})
}

#[test]
fn proposes_what_a_copy_needs() {
    if cannot_watch() {
        return;
    }
    let crib = Crib::new().tool("copy", copy()).file("given", "content");
    let ran =
        crib.run(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(fs::read_to_string(crib.root().join("made")).expect("it ran"), "content");
    insta::assert_snapshot!(ran.stdout, @r#"
    accessed
      read            given
      written         made
      network         not used
    for the definition
      "mutates": true,
      "network": false
      in `from`: "access": "read"
      in `to`: "access": "write"
    "#);
}

#[test]
fn what_was_learnt_is_enough() {
    if cannot_watch() {
        return;
    }
    let mut learnt = copy();
    for (index, access) in ["read", "write"].into_iter().enumerate() {
        learnt["subcommand"][0]["positional_args"][index]["access"] = json!(access);
    }
    let crib = Crib::new().tool("copy", learnt).file("given", "content");
    let ran = crib.run(&["call", "copy", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn tells_what_lies_outside_of_the_default() {
    if cannot_watch() {
        return;
    }
    let outside = tempfile::tempdir().expect("a folder");
    let place = outside.path().canonicalize().expect("a path");
    fs::write(place.join("data"), "data").expect("a file");
    let script =
        format!("cat {0}/data; echo x > {0}/made; cat near; echo t > $TMPDIR/t", place.display());
    let crib = Crib::new()
        .tool("peek", crate::crib::definition("peek", "sh peek.sh"))
        .file("peek.sh", &script)
        .file("near", "near");
    let ran = crib.run(&["call", "peek", "--learn"]);
    let said = ran.stdout.replace(&place.display().to_string(), "OUTSIDE");
    for line in [
        "read            near",
        "read outside    OUTSIDE/data",
        "written outside OUTSIDE/made",
        r#""mutates": true"#,
    ] {
        assert!(said.contains(line), "{line}: {said}{}", ran.stderr);
    }
    assert!(
        said.ends_with("  [confine]\n  read = [\"OUTSIDE/data\"]\n  write = [\"OUTSIDE\"]\n"),
        "{said}"
    );
    assert!(!said.contains("toolcrib-"), "its own temporary folder is nobody's business: {said}");
}

#[test]
fn a_failed_run_is_said_to_teach_less() {
    if cannot_watch() {
        return;
    }
    let crib = Crib::new().tool("copy", copy());
    let ran =
        crib.run(&["call", "copy", "--learn", "--args", r#"{"from": "missing", "to": "made"}"#]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("it may need more"), "{}", ran.stderr);
    assert!(ran.stdout.contains(r#""mutates": false"#), "{}", ran.stdout);
}

#[test]
fn a_dangerous_tool_is_not_watched_without_approval() {
    let mut guarded = copy();
    guarded["dangerous"] = json!(true);
    let crib = Crib::new().tool("copy", guarded).file("given", "content");
    let ran =
        crib.run(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert!(!ran.stdout.contains("touched") && !crib.root().join("made").exists());
}

#[test]
fn says_which_package_watches() {
    let crib = Crib::new().tool("copy", copy()).file("given", "content");
    let tools = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("/bin/cp", tools.path().join("cp")).expect("a link");
    let mut command =
        crib.command(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    let output = command.env("PATH", tools.path()).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("install the package `strace`"), "{said}");
    assert!(!crib.root().join("made").exists());
}

#[test]
fn a_plan_cut_to_the_call_is_shown() {
    let mut cut = copy();
    for (index, access) in ["read", "write"].into_iter().enumerate() {
        cut["subcommand"][0]["positional_args"][index]["access"] = json!(access);
    }
    let crib = Crib::new().tool("copy", cut).file("given", "content").file("out/there", "old");
    let ran = crib.run(&[
        "call",
        "copy",
        "--dry-run",
        "--args",
        r#"{"from": "given", "to": "out/there"}"#,
    ]);
    let line = |name: &str| {
        ran.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned()
    };
    let root = crib.root();
    let reads: Vec<_> = line("reads").split_whitespace().skip(1).map(str::to_owned).collect();
    assert_eq!(
        reads.first().map(String::as_str),
        root.join("given").to_str(),
        "the call's own paths come first: {}",
        ran.stdout
    );
    assert!(!reads.iter().any(|path| Some(path.as_str()) == root.to_str()), "{}", ran.stdout);
    assert_eq!(line("writes").split_whitespace().last(), root.join("out/there").to_str());
}
