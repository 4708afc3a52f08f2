//! What goes to standard error, and what never goes to standard output.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::json;

use crate::crib::{Crib, definition};

/// A crib with a good tool and a broken file.
fn half_broken() -> Crib {
    Crib::new()
        .tool("good", definition("good", "true"))
        .file("tools/bad.json", "{\n  \"name\": \"bad\",\n  \"command\" \"true\"\n}")
}

#[test]
fn what_is_wrong_is_logged_at_load_with_its_place() {
    // Standard input is at its end at once, so the server starts, says what it has to say, and ends.
    let ran = half_broken().run(&["serve"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("tools/bad.json:3:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 tool from 2 files"), "{}", ran.stderr);
}

#[test]
fn the_level_is_set_by_flag_and_by_variable() {
    let crib = half_broken();
    assert!(!crib.run(&["serve", "--log-level", "error"]).stderr.contains(" from 2 files"));
    let quiet = crib.command(&["serve"]).env("TOOLCRIB_LOG", "error").output().expect("a run");
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains(" from 2 files"));
    assert_eq!(crib.run(&["serve", "--log-level", "loud"]).code, 2);
}

#[test]
fn logs_can_be_json() {
    let ran = half_broken().run(&["serve", "--log-json"]);
    assert!(!ran.stderr.is_empty());
    for line in ran.stderr.lines() {
        let entry: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert!(entry["level"].is_string() && entry["fields"]["message"].is_string(), "{entry}");
    }
}

#[test]
fn not_even_a_trace_shows_the_messages_of_clients() {
    let mut say = definition("say", "echo");
    say["subcommand"][0]["positional_args"] =
        json!([{"name": "word", "type": "string", "description": "What"}]);
    let crib = Crib::new().tool("say", say);
    let mut command = crib.command(&["serve", "--log-level", "trace"]);
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let mut input = server.stdin.take().expect("its input");
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "say", "arguments": {"word": "xyzzy-4711"}}}),
    ] {
        writeln!(input, "{message}").expect("the server reads");
    }
    let mut answers =
        BufReader::new(server.stdout.take().expect("its output")).lines().map_while(Result::ok);
    assert!(answers.any(|line| line.contains("xyzzy-4711")), "the call is answered");
    drop(input);
    let logged = server.wait_with_output().expect("an end").stderr;
    assert!(
        !String::from_utf8_lossy(&logged).contains("xyzzy-4711"),
        "{}",
        String::from_utf8_lossy(&logged)
    );
}
