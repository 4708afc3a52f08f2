//! The token of HTTP clients, whose answers count as a person's, and who owns what.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testing::{
    HttpClient, HttpServer, MODERN, StdioClient, TempCrib, definition, request, request_meta,
};

use crate::operations::{dangerous_tool, request_approval};

/// Calls `wipe` as a client that shows forms, and answers yes if it is asked.
fn call_and_say_yes(server: &HttpServer, authorization: &str) -> Value {
    let mut params = json!({"name": "wipe", "arguments": {"what": "a"}});
    params["_meta"] = request_meta(json!({"elicitation": {}}));
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "wipe"),
        ("Authorization", authorization),
    ];
    let send = |params: &Value| {
        let body = request(1, "tools/call", params.clone()).to_string();
        server.send("POST", &headers, &body).message()["result"].take()
    };
    let asked = send(&params);
    if asked["resultType"] != "input_required" {
        return asked;
    }
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"approve": true}}});
    send(&params)
}

/// Writes a token next to the crib, with these permissions.
fn token_outside(crib: &TempCrib, mode: u32) -> PathBuf {
    let path = crib.root().with_file_name(format!("token-{mode:o}"));
    fs::write(&path, "sesame\n").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    path
}

/// Starts a server, and returns the lines of its log up to the one with the token or its file.
fn startup_log(crib: &TempCrib) -> Vec<String> {
    startup_log_of(crib.command(&["serve", "--http", "127.0.0.1:0"]))
}

fn startup_log_of(mut command: Command) -> Vec<String> {
    let mut server = command.stderr(Stdio::piped()).spawn().expect("the server starts");
    let log = BufReader::new(server.stderr.take().expect("stderr is piped"));
    let mut lines = Vec::new();
    for line in log.lines().map_while(Result::ok) {
        let is_last = line.contains("mcpServers") || line.contains("clients send the token");
        lines.push(line);
        if is_last {
            break;
        }
    }
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    lines
}

#[test]
fn a_short_token_is_reported() {
    let crib = TempCrib::new().tool("say", definition("say", "echo hi"));
    let file = token_outside(&crib, 0o600);
    let log = || {
        let mut command = crib.command(&["serve", "--http", "127.0.0.1:0", "--token-file"]);
        command.arg(&file);
        startup_log_of(command).join("\n")
    };
    assert!(log().contains("can be guessed: it has 6 characters"), "{}", log());
    fs::write(&file, "k7mq2a4thi5xop3l").expect("a longer token");
    assert!(!log().contains("guessed"), "{}", log());
}

#[test]
fn the_first_http_server_of_a_crib_creates_a_token_and_prints_it_once() {
    let crib = TempCrib::new().tool("say", definition("say", "echo hi"));
    let first = startup_log(&crib);
    let file = crib.state().join("http-token");
    let token = fs::read_to_string(&file).expect("a token");
    let mode = fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!((mode & 0o777, token.len()), (0o600, 26), "{token}");
    let entry: Value = serde_json::from_str(first.last().expect("a line")).expect("JSON");
    let entry = &entry["mcpServers"]["crib"];
    assert_eq!(entry["headers"]["Authorization"], format!("Bearer {token}"), "{entry}");
    assert!(entry["url"].as_str().is_some_and(|url| url.ends_with("/mcp")), "{entry}");
    let second = startup_log(&crib).join("\n");
    assert!(second.contains("http-token") && !second.contains(&token), "{second}");
    assert_eq!(fs::read_to_string(&file).expect("a token"), token, "it stays the same");
}

#[test]
fn http_clients_without_the_token_are_rejected_even_on_loopback() {
    let crib = TempCrib::new().tool("say", definition("say", "echo hi"));
    let server = HttpServer::start(&crib, &[]);
    let list = request(1, "tools/list", json!({"_meta": request_meta(json!({}))})).to_string();
    let headers = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")];
    for wrong in ["", "Bearer ", "Bearer wrong", "Basic c2VzYW1l"] {
        let headers = [&headers[..], &[("Authorization", wrong)]].concat();
        let refused = server.send("POST", &headers, &list);
        assert_eq!(refused.status, 401, "{wrong}");
        let (message, challenge) = match wrong {
            "Bearer wrong" => ("the bearer token is wrong", r#"Bearer error="invalid_token""#),
            _ => ("this server needs a bearer token", "Bearer"),
        };
        assert_eq!(refused.message()["error"]["message"], message, "{wrong}");
        assert_eq!(refused.header("www-authenticate"), Some(challenge), "{wrong}");
    }
    assert_eq!(server.send("POST", &headers, &list).status, 200);
    let open = HttpServer::start(&crib, &["--no-token"]);
    let headers = [&headers[..], &[("Authorization", "")]].concat();
    assert_eq!(open.send("POST", &headers, &list).status, 200);
}

#[test]
fn a_form_over_http_counts_only_with_a_token_that_tools_and_others_cannot_read() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool()).file("token", "sesame\n");
    let inside = crib.root().join("token");
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o600)).expect("permissions");
    let link = crib.root().with_file_name("link");
    std::os::unix::fs::symlink(&inside, &link).expect("a link");
    let own = HttpServer::start(&crib, &[]);
    let approved = call_and_say_yes(&own, own.authorization());
    assert_eq!(approved["structuredContent"]["stdout"], "wiped a\n", "{approved}");
    for (file, counts) in [
        (token_outside(&crib, 0o600), true),
        (token_outside(&crib, 0o640), false),
        (token_outside(&crib, 0o604), false),
        (inside, false),
        (link, false),
    ] {
        let server = HttpServer::start(&crib, &["--token-file", file.to_str().expect("a path")]);
        let result = call_and_say_yes(&server, "Bearer sesame");
        let error = &result["structuredContent"]["error_type"];
        let expected = if counts { Value::Null } else { json!("approval_required") };
        assert_eq!(*error, expected, "{}: {result}", file.display());
    }
    let open = HttpServer::start(&crib, &["--no-token"]);
    let result = call_and_say_yes(&open, "Bearer sesame");
    assert_eq!(result["structuredContent"]["error_type"], "approval_required", "{result}");
}

#[test]
fn a_form_over_http_does_not_count_if_tools_run_without_a_sandbox() {
    let crib = TempCrib::new()
        .tool("wipe", dangerous_tool())
        .file("toolcrib.toml", "[confine]\nenabled = false\n");
    let server = HttpServer::start(&crib, &[]);
    let result = call_and_say_yes(&server, server.authorization());
    assert_eq!(result["structuredContent"]["error_type"], "approval_required", "{result}");
}

#[test]
fn a_token_next_to_the_program_of_a_tool_does_not_count() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let folder = crib.root().with_file_name("bin");
    fs::create_dir(&folder).expect("a folder");
    let program = folder.join("program");
    fs::write(&program, "#!/bin/sh\n").expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    crib.write(
        "tools/near.json",
        &definition("near", program.to_str().expect("a path")).to_string(),
    );
    let file = folder.join("token");
    fs::rename(token_outside(&crib, 0o600), &file).expect("moved");
    let server = HttpServer::start(&crib, &["--token-file", file.to_str().expect("a path")]);
    let result = call_and_say_yes(&server, "Bearer sesame");
    assert_eq!(result["structuredContent"]["error_type"], "approval_required", "{result}");
}

#[test]
fn stdio_clients_the_terminal_and_each_token_own_their_operations() {
    let late = json!({
        "name": "late", "description": "Takes its time", "command": "sleep 30", "mutates": false,
        "subcommand": [{"name": "default", "description": "Sleeps"}],
    });
    let crib = TempCrib::new().tool("late", late);
    let own = HttpServer::start(&crib, &[]);
    let open = HttpServer::start(&crib, &["--no-token"]);
    let (own, open) = (HttpClient::modern(&own), HttpClient::modern(&open));
    let mut stdio = StdioClient::start(&crib, &[]);
    let started = stdio.call("late", json!({}))["structuredContent"].take();
    let id = started["operation_id"].as_str().expect("an operation").to_owned();
    let sees = |status: &Value| status.to_string().contains(&id);
    assert!(sees(&stdio.call("status", json!({}))), "its owner sees it");
    for (other, status) in [
        ("a token", own.call("status", json!({}))),
        ("no token", open.call("status", json!({}))),
        ("the terminal", crib.run(&["call", "status", "--json"]).json()),
    ] {
        assert!(!sees(&status), "{other}: {status}");
    }
    let cancelled = own.call("cancel", json!({"id": id}));
    assert_eq!(cancelled["error_type"], "unknown_operation", "{cancelled}");
    // A person at the terminal manages the operations of all owners.
    let listed = crib.run(&["operations", "list", "--json"]).json();
    assert_eq!(listed["operations"][0]["owner"], "stdio", "{listed}");
    assert_eq!(crib.run(&["operations", "cancel", &id]).code, 0);
}

#[test]
fn an_approval_is_valid_for_its_owner_only() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    assert_eq!(crib.approve(&id).code, 0);
    let refused = StdioClient::start(&crib, &[]).call("wipe", json!({"what": "a"}));
    assert_eq!(refused["structuredContent"]["error_type"], "approval_required", "{refused}");
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 0);
}
