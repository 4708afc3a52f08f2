//! The program as a client starts it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// Answers of the program to these requests, in their order.
fn answers(arguments: &[&str], requests: &[(&str, Value)]) -> Vec<Value> {
    let mut child: Child = Command::new(env!("CARGO_BIN_EXE_everything"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut answers = Vec::new();
    for (method, params) in requests {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(input, "{request}").expect("it reads");
        let line = lines.next().expect("an answer").expect("readable");
        answers.push(serde_json::from_str(&line).expect("only protocol on standard output"));
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
    answers
}

#[test]
fn echoes_and_serves_as_many_tools_as_wanted() {
    let echo = json!({"name": "tool_0002", "arguments": {"message": "hi"}});
    let answers = answers(&["--tools", "3"], &[("tools/list", json!({})), ("tools/call", echo)]);
    let tools = answers[0]["result"]["tools"].as_array().expect("tools");
    assert_eq!(
        tools
            .iter()
            .filter(|tool| tool["name"].as_str().is_some_and(|name| name.starts_with("tool_")))
            .count(),
        3
    );
    assert_eq!(answers[1]["result"]["content"][0]["text"], "hi");
}

#[test]
fn the_first_tool_can_be_called_without_arguments() {
    let listed = answers(&[], &[("tools/list", json!({}))]);
    let first = listed[0]["result"]["tools"][0]["name"].clone();
    let called = answers(&[], &[("tools/call", json!({"name": first}))]);
    assert_eq!(called[0]["result"]["content"][0]["text"], "ok", "{called:?}");
}
