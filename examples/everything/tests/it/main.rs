//! Runs the program as a client does.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// Sends requests to the program and returns its responses, in order.
fn request_all(arguments: &[&str], requests: &[(&str, Value)]) -> Vec<Value> {
    let mut child: Child = Command::new(env!("CARGO_BIN_EXE_everything"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut responses = Vec::new();
    for (method, params) in requests {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(input, "{request}").expect("the program reads its input");
        let line = lines.next().expect("a response").expect("valid UTF-8");
        responses.push(serde_json::from_str(&line).expect("only protocol on standard output"));
    }
    drop(input);
    assert!(child.wait().expect("the program exits").success());
    responses
}

#[test]
fn serves_the_requested_number_of_echo_tools() {
    let echo = json!({"name": "tool_0002", "arguments": {"message": "hi"}});
    let responses =
        request_all(&["--tools", "3"], &[("tools/list", json!({})), ("tools/call", echo)]);
    let tools = responses[0]["result"]["tools"].as_array().expect("tools");
    assert_eq!(
        tools
            .iter()
            .filter(|tool| tool["name"].as_str().is_some_and(|name| name.starts_with("tool_")))
            .count(),
        3
    );
    assert_eq!(responses[1]["result"]["content"][0]["text"], "hi");
}

#[test]
fn the_first_tool_can_be_called_without_arguments() {
    let listed = request_all(&[], &[("tools/list", json!({}))]);
    let first = listed[0]["result"]["tools"][0]["name"].clone();
    let called = request_all(&[], &[("tools/call", json!({"name": first}))]);
    assert_eq!(called[0]["result"]["content"][0]["text"], "ok", "{called:?}");
}
