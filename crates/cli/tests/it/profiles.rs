//! `[[profile]]`: clients that get some of the tools.

use std::io::{Read, Write};

use serde_json::{Value, json};
use testing::{HttpServer, StdioClient, TempCrib, definition};

const PROFILES: &str = "[[profile]]\nname = \"reader\"\ntools = [\"read_*\", \"both\"]\n\n[[profile]]\nname = \"none\"\ntools = [\"x\"]\n";

/// A crib with two tools, a sequence of them, and two profiles.
fn crib() -> TempCrib {
    let mut both = definition("both", "sequence");
    both["step_delay_ms"] = json!(0);
    let step = |tool: &str| json!({"tool": tool, "args": {}});
    both["subcommand"][0]["sequence"] = json!([step("read_a"), step("write_a")]);
    TempCrib::new()
        .tool("read_a", definition("read_a", "echo read"))
        .tool("write_a", definition("write_a", "echo written"))
        .tool("both", both)
        .file("toolcrib.toml", PROFILES)
}

#[test]
fn a_client_on_stdio_gets_the_tools_of_its_profile() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &["--profile", "reader"]);
    assert_eq!(client.names(), ["both", "read_a"]);
    let other = client.request("tools/call", json!({"name": "write_a", "arguments": {}}));
    assert_eq!(other["error"]["code"], -32602, "{other}");
    let both = client.call("both", json!({}));
    assert!(both.to_string().contains("written"), "a sequence calls tools outside: {both}");
    crib.write("toolcrib.toml", &PROFILES.replace("read_*", "write_*"));
    crib.run(&["reload"]);
    client.wait_for_change();
    assert_eq!(client.names(), ["both", "write_a"]);
    crib.write("toolcrib.toml", "");
    crib.run(&["reload"]);
    client.wait_for_change();
    assert_eq!(client.names(), [""; 0], "a profile that is gone has no tools");
    insta::assert_snapshot!(crib.transcript(&["serve", "--profile", "reader"]));
    crib.write("toolcrib.toml", PROFILES);
    insta::assert_snapshot!(crib.transcript(&["serve", "--profile", "raeder"]));
}

#[test]
fn profiles_have_addresses_of_their_own() {
    let crib = crib();
    let server = HttpServer::start(&crib, &[]);
    let tools = |path: &str| {
        let url = format!("{}{path}", server.url());
        let file = crib.state().join("http-token");
        let token = ["--token-file", file.to_str().expect("a path")];
        let live =
            crib.run(&[&["check", "--against", &url, "--format", "json"][..], &token].concat());
        (live.code, live.stdout + &live.stderr)
    };
    // `--against` compares all tools of the crib with those that the server lists.
    assert_eq!(tools("").0, 0);
    let (code, report) = tools("/reader");
    assert!(code == 1 && report.contains("write_a") && !report.contains("read_a"), "{report}");
    assert_eq!(tools("/raeder").0, 2);
    crib.write(
        "toolcrib.toml",
        &format!("{PROFILES}\n[[profile]]\nname = \"late\"\ntools = [\"read_a\"]\n"),
    );
    let reload = crib.run(&["reload"]);
    assert!(reload.stdout.contains("`late` is served after a restart"), "{}", reload.stdout);
    let single = HttpServer::start(&crib, &["--profile", "reader"]);
    let paths = ["/mcp", "/mcp/reader"].map(|path| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut stream = std::net::TcpStream::connect(&single.address).expect("a connection");
        stream.write_all(head.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("a response");
        answer.split(' ').nth(1).expect("a status").to_owned()
    });
    assert_eq!(paths, ["401", "401"], "only holders of the token learn which profiles there are");
}

#[test]
fn an_entry_of_a_client_can_name_a_profile() {
    let crib = crib().file("../home/.keep", "");
    let home = crib.root().with_file_name("home");
    let connect = |arguments: &[&str]| {
        let mut command = crib.command(&[&["connect", "cursor"], arguments].concat());
        command.env("HOME", &home).env_remove("XDG_CONFIG_HOME");
        testing::CommandOutput::from(&command.output().expect("the program starts"))
    };
    let entries = || -> Value {
        let text = std::fs::read_to_string(home.join(".cursor/mcp.json")).expect("a file");
        serde_json::from_str::<Value>(&text).expect("JSON")["mcpServers"].clone()
    };
    let output = connect(&["--profile", "reader"]);
    assert!(
        output.stdout.contains("Cursor gets 3 tools: both, read_a, read_output"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    assert!(
        output.stdout.contains("connect cursor --undo --profile reader"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    let args = entries()["crib-reader"]["args"].clone();
    assert_eq!(args, json!(["-C", crib.root(), "serve", "--profile", "reader"]));
    assert_eq!(connect(&["--profile", "raeder"]).code, 2);
    let server = HttpServer::start(&crib, &[]);
    let over_http = connect(&["--profile", "reader", "--name", "web", "--http", &server.url()]);
    assert!(
        over_http.stdout.contains("Cursor gets 3 tools: both, read_a, read_output"),
        "{}",
        over_http.stdout
    );
    let twice = format!("{}/reader", server.url());
    assert_eq!(connect(&["--profile", "reader", "--http", &twice]).code, 2);
    assert_eq!(entries()["web"]["url"], format!("{}/reader", server.url()));
    crib.write("toolcrib.toml", "");
    assert_eq!(connect(&["--undo", "--profile", "reader"]).code, 0);
    assert_eq!(entries()["crib-reader"], Value::Null);
}
