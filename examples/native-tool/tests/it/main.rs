//! Runs the program as a client does.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

#[test]
fn serves_its_one_tool_under_the_configured_prefix() {
    for (variables, name) in [
        (vec![], "count_words"),
        (
            vec![("MCP_TOOL_PREFIX", "acme"), ("MCP_INCLUDE_EXAMPLE_TOOLS", "true")],
            "acme_count_words",
        ),
    ] {
        serve_and_call(&variables, name);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_native-tool"))
        .env("MCP_TOOL_PREFIX", "a b")
        .output()
        .expect("the program starts");
    assert!(!output.status.success());
}

fn serve_and_call(variables: &[(&str, &str)], name: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_native-tool"))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut ask = |method: &str, mut params: Value| -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(input, "{request}").expect("the program reads its input");
        let line = lines.next().expect("a response").expect("valid UTF-8");
        serde_json::from_str(&line).expect("only protocol on standard output")
    };
    let listed = ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, [name]);
    let call = json!({"name": name, "arguments": {"text": "to be or not to be"}});
    let called = ask("tools/call", call);
    assert_eq!(called["result"]["structuredContent"], json!({"success": true, "value": 6}));
    drop(input);
    assert!(child.wait().expect("the program exits").success());
}
