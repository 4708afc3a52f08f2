//! Tools for clients that do not accept every schema.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, initialize_params, notification};

/// A crib with a tool that takes a text or a file, and has a parameter whose name providers reject.
fn crib() -> TempCrib {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The text"},
            "größe": {"type": "integer", "description": "The size"},
        },
        "oneOf": [{"required": ["text"]}, {"required": ["größe"]}],
    });
    let tool = json!({
        "name": "send", "description": "Send a text or a size", "command": "echo", "mutates": false,
        "inputSchema": schema,
    });
    TempCrib::new().tool("send", tool)
}

/// Starts a server for a client that introduces itself with this name.
fn start(crib: &TempCrib, name: &str) -> StdioClient {
    let mut client = StdioClient::spawn(crib.command(&["serve", "--quiet"]));
    let mut params = initialize_params(json!({}));
    params["clientInfo"]["name"] = name.into();
    client.request("initialize", params);
    client.send(&notification("notifications/initialized"));
    client
}

fn listed(client: &mut StdioClient) -> String {
    let mut reply = client.request("tools/list", json!({}));
    let tools = reply["result"]["tools"].as_array_mut().expect("a list");
    let tool = tools.iter_mut().find(|tool| tool["name"] == "send").expect("the tool");
    let shown = json!({"description": tool["description"], "inputSchema": tool["inputSchema"]});
    serde_json::to_string_pretty(&shown).expect("plain data")
}

#[test]
fn a_client_gets_tools_in_a_form_that_it_accepts() {
    let crib = crib();
    let mut claude = start(&crib, "claude-code");
    insta::assert_snapshot!(listed(&mut claude));
    let result = claude.call("send", json!({"gr__e": 7}));
    assert_ne!(result["isError"], Value::Bool(true), "{result}");
    // The call is validated against the full schema.
    let result = claude.call("send", json!({"gr__e": 7, "text": "a"}));
    assert_eq!(result["structuredContent"]["error_type"], "invalid_arguments", "{result}");
    let full = listed(&mut start(&crib, "another"));
    assert!(full.contains("oneOf") && full.contains("größe"), "{full}");
}

#[test]
fn a_crib_may_serve_all_clients_by_the_rules_of_some() {
    let crib = crib().file("toolcrib.toml", "[serve]\nclients = [\"claude-code\"]\n");
    let mut client = start(&crib, "another");
    assert_eq!(listed(&mut client), listed(&mut start(&crib, "claude-code")));
    let list = crib.run(&["list", "--json"]).json();
    assert!(!list.to_string().contains("oneOf"), "{list}");
}

#[test]
fn check_warns_of_what_common_clients_lose() {
    insta::assert_snapshot!(crib().transcript(&["check"]));
}

#[test]
fn check_fails_if_a_client_loses_a_tool() {
    let name = "a_tool_with_a_name_that_is_far_too_long_for_cursor_to_show_it";
    let crib = TempCrib::new()
        .file("toolcrib.toml", "[crib]\nname = \"shop\"\n")
        .tool(name, testing::definition(name, "echo"));
    let check = |client: &str| crib.run(&["check", "--client", client]).code;
    assert_eq!((check("codex"), check("cursor")), (0, 1));
    insta::assert_snapshot!(crib.transcript(&["check", "--client", "cursor"]));
}

#[test]
fn an_unknown_client_is_an_error() {
    let crib = crib().file("toolcrib.toml", "[serve]\nclients = [\"clippy\"]\n");
    let output = crib.run(&["check"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("there is no client `clippy`"), "{}", output.stdout);
}
