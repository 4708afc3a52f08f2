//! `serve` as a client sees it, on standard input and output, and `reload`.

use std::{process::Command, time::Duration};

use serde_json::{Value, json};
use testing::{
    StdioClient, TempCrib, definition, is_command_running, request, wait_until_blocking,
};

#[test]
fn list_json_prints_exactly_the_served_tools() {
    let crib =
        TempCrib::new().tool("a", definition("a", "true")).tool("b", definition("b", "true"));
    let mut client = StdioClient::start(&crib, &[]);
    let served = client.request("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(crib.run(&["list", "--json"]).json(), served);
}

#[test]
fn missing_restrictions_are_in_the_metadata_and_logged() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let meta = |crib: &TempCrib| {
        crib.run(&["list", "--json"]).json().as_array().expect("tools")[0]["_meta"].clone()
    };
    assert_eq!(meta(&crib), Value::Null);
    crib.write("toolcrib.toml", "[confine]\nenabled = false\n");
    assert!(
        meta(&crib)["toolcrib/unconfined"][0]
            .as_str()
            .is_some_and(|text| text.contains("turned off in toolcrib.toml"))
    );
    assert!(crib.run(&["serve"]).stderr.contains("turned off in toolcrib.toml"));
}

#[test]
fn full_names_are_served_and_callable() {
    let crib = TempCrib::new()
        .tool("under_score", definition("under_score", "echo hi"))
        .file("toolcrib.toml", "[crib]\nname = \"my-crib\"\nfull_names = true\n");
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(client.names(), ["mcp_my-crib_under_score"]);
    let called =
        client.request("tools/call", json!({"name": "mcp_my-crib_under_score", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "hi\n");
    assert_eq!(crib.run(&["call", "mcp_my-crib_under_score"]).stdout, "hi\n");
}

#[test]
fn reload_notifies_clients() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = StdioClient::start(&crib, &[]);
    crib.write("tools/b.json", &definition("b", "true").to_string());
    assert_eq!(client.names(), ["a"], "definitions are reloaded only on request");
    insta::assert_snapshot!(crib.transcript(&["reload"]), @r"
    exit code 0
    --- stdout
    reloaded: 2 tools, 0 errors
    ");
    client.wait_for_change();
    assert_eq!(client.names(), ["a", "b"]);
}

#[test]
fn the_last_good_version_of_a_broken_file_stays_served() {
    let crib = TempCrib::new().tool("a", definition("a", "echo first"));
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(client.names(), ["a"]);
    crib.write("tools/a.json", "{\"name\": \"a\", ");
    insta::assert_snapshot!(crib.transcript(&["reload"]), @r"
    exit code 0
    --- stdout
    reloaded: 1 tool, 1 error; kept the last good version of tools/a.json
    ");
    let called = client.request("tools/call", json!({"name": "a", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "first\n");
}

#[test]
fn a_hangup_signal_reloads() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(client.names(), ["a"]);
    crib.write("tools/b.json", &definition("b", "true").to_string());
    let pid = client.pid().to_string();
    assert!(Command::new("kill").args(["-HUP", &pid]).status().expect("kill").success());
    client.wait_for_change();
    assert_eq!(client.names(), ["a", "b"]);
}

#[test]
fn watch_reloads_automatically() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = StdioClient::start(&crib, &["--watch"]);
    assert_eq!(client.names(), ["a"]);
    crib.write("tools/b.json", &definition("b", "true").to_string());
    client.wait_for_change();
    assert_eq!(client.names(), ["a", "b"]);
}

#[test]
fn reload_without_a_server_fails() {
    insta::assert_snapshot!(TempCrib::new().transcript(&["reload"]), @r"
    exit code 2
    --- stderr
    error: no server of `CRIB` is running
     |
     = help: start one with `toolcrib serve`
    ");
}

#[test]
fn end_of_input_stops_the_server_and_its_programs() {
    let crib = TempCrib::new().tool("nap", definition("nap", "sleep 4711"));
    let mut client = StdioClient::start(&crib, &[]);
    client.send(&request(99, "tools/call", json!({"name": "nap", "arguments": {}})));
    wait_until_blocking("the program starts", || is_command_running("sleep 4711"));
    assert!(client.close() < Duration::from_secs(5));
    wait_until_blocking("the program is killed", || !is_command_running("sleep 4711"));
}

#[test]
fn a_broken_config_keeps_the_server_from_starting() {
    let crib = TempCrib::new().file("toolcrib.toml", "[crib]\nnames = 1\n");
    insta::assert_snapshot!(crib.transcript(&["serve"]), @r"
    exit code 2
    --- stderr
    error: toolcrib.toml: unknown field `names`
     |
     = help: did you mean `name`? Run `toolcrib check` to see where
    ");
}

#[test]
fn listening_beyond_this_machine_needs_a_token() {
    let crib = TempCrib::new();
    insta::assert_snapshot!(crib.transcript(&["serve", "--http", "0.0.0.0:0"]), @r"
    exit code 2
    --- stderr
    error: other machines can reach 0.0.0.0:0, so clients must send a token that you choose
     |
     = help: write a long random token to a file and pass it with `--token-file`, or listen on 127.0.0.1
    ");
    crib.write("empty", "\n");
    let arguments = ["serve", "--http", "127.0.0.1:0", "--token-file", "empty"];
    insta::assert_snapshot!(crib.transcript(&arguments), @r"
    exit code 2
    --- stderr
    error: the token file `empty` is empty
     |
     = help: write a long random token into it
    ");
}

#[test]
fn the_next_server_kills_detached_programs_of_a_killed_one() {
    let crib = TempCrib::new().tool("hide", definition("hide", "env -i setsid sleep 4791"));
    let mut client = StdioClient::start(&crib, &[]);
    client.send(&request(99, "tools/call", json!({"name": "hide", "arguments": {}})));
    wait_until_blocking("the program starts", || is_command_running("sleep 4791"));
    drop(client);
    let _next = StdioClient::start(&crib, &[]);
    wait_until_blocking("the program is killed", || !is_command_running("sleep 4791"));
}
