//! `serve` as a client sees it, on standard input and output, and `reload`.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::temp_crib::{TempCrib, definition};

/// How long a test waits for a message.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A client of the legacy era on a server's standard input and output.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// The answer to `initialize`.
    pub(crate) hello: Value,
}

impl Client {
    pub(crate) fn start(crib: &TempCrib, arguments: &[&str]) -> Self {
        Self::start_with(crib, arguments, &[])
    }

    /// As [`Client::start`], with these variables in the server's environment.
    pub(crate) fn start_with(
        crib: &TempCrib,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut child = crib
            .command(&["serve"])
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let output = child.stdout.take().expect("its output");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        let input = child.stdin.take();
        let mut client = Self { child, input, lines, next: 0, hello: Value::Null };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        client.hello = client.ask("initialize", hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{message}").expect("the server reads");
    }

    /// Waits for the next message that is `wanted`.
    pub(crate) fn wait(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + TIMEOUT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("an answer in time");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|_| panic!("not protocol: {line}"));
            if wanted(&message) {
                return message;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| message["id"] == id)
    }

    /// The names of the listed tools, without the built-in ones.
    pub(crate) fn names(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let names = listed["result"]["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned());
        names
            .filter(|name| {
                !["await", "cancel", "status"].iter().any(|built_in| name.ends_with(built_in))
            })
            .collect()
    }

    /// The process id of the server.
    pub(crate) fn server(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn wait_for_change(&self) {
        self.wait(|message| message["method"] == "notifications/tools/list_changed");
    }

    /// Closes the input and waits until the server exits.
    pub(crate) fn close(mut self) -> Duration {
        let start = Instant::now();
        drop(self.input.take());
        assert!(self.child.wait().expect("an end").success());
        start.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a process with this command line runs.
pub(crate) fn is_running(command: &str) -> bool {
    let list = std::process::Command::new("ps").args(["-e", "-o", "args="]).output().expect("ps");
    String::from_utf8_lossy(&list.stdout).lines().any(|line| line == command)
}

/// Waits for something that is sure to come.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_so() {
        assert!(Instant::now() < end, "it does not come to pass");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn list_json_prints_exactly_what_is_served() {
    let crib =
        TempCrib::new().tool("a", definition("a", "true")).tool("b", definition("b", "true"));
    let mut client = Client::start(&crib, &[]);
    let served = client.ask("tools/list", json!({}))["result"]["tools"].clone();
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
    let mut client = Client::start(&crib, &[]);
    assert_eq!(client.names(), ["mcp_my-crib_under_score"]);
    let called =
        client.ask("tools/call", json!({"name": "mcp_my-crib_under_score", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "hi\n");
    assert_eq!(crib.run(&["call", "mcp_my-crib_under_score"]).stdout, "hi\n");
}

#[test]
fn reload_notifies_clients() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = Client::start(&crib, &[]);
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
    let mut client = Client::start(&crib, &[]);
    assert_eq!(client.names(), ["a"]);
    crib.write("tools/a.json", "{\"name\": \"a\", ");
    insta::assert_snapshot!(crib.transcript(&["reload"]), @r"
    exit code 0
    --- stdout
    reloaded: 1 tool, 1 error; kept the last good version of tools/a.json
    ");
    let called = client.ask("tools/call", json!({"name": "a", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "first\n");
}

#[test]
fn a_hangup_signal_reloads() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = Client::start(&crib, &[]);
    assert_eq!(client.names(), ["a"]);
    crib.write("tools/b.json", &definition("b", "true").to_string());
    let pid = client.child.id().to_string();
    assert!(
        std::process::Command::new("kill").args(["-HUP", &pid]).status().expect("kill").success()
    );
    client.wait_for_change();
    assert_eq!(client.names(), ["a", "b"]);
}

#[test]
fn watch_reloads_by_itself() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let mut client = Client::start(&crib, &["--watch"]);
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
    let mut client = Client::start(&crib, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": "nap", "arguments": {}}}));
    wait_until(|| is_running("sleep 4711"));
    assert!(client.close() < Duration::from_secs(5));
    wait_until(|| !is_running("sleep 4711"));
}

#[test]
fn a_broken_config_keeps_the_server_from_starting() {
    let crib = TempCrib::new().file("toolcrib.toml", "[crib]\nnames = 1\n");
    insta::assert_snapshot!(crib.transcript(&["serve"]), @r"
    exit code 2
    --- stderr
    error: toolcrib.toml: unknown field `names`, expected one of `name`, `full_names`, `roots`, `descriptions`, `errors`, `check_definition`
     |
     = help: `toolcrib schema config` prints the valid keys; run `toolcrib check` to see where
    ");
}

#[test]
fn listening_beyond_this_machine_needs_a_token() {
    let crib = TempCrib::new();
    insta::assert_snapshot!(crib.transcript(&["serve", "--http", "0.0.0.0:0"]), @r"
    exit code 2
    --- stderr
    error: refusing to listen on 0.0.0.0:0 without a token
     |
     = help: pass a token with --token-file, or listen on 127.0.0.1
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
fn a_killed_server_leaves_no_program_of_a_plain_call_however_it_hides() {
    let crib = TempCrib::new().tool("hide", definition("hide", "env -i setsid sleep 4791"));
    let mut client = Client::start(&crib, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": "hide", "arguments": {}}}));
    wait_until(|| is_running("sleep 4791"));
    drop(client);
    let _next = Client::start(&crib, &[]);
    wait_until(|| !is_running("sleep 4791"));
}
