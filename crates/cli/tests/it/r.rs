//! R functions from a package to a client, with a real R: on the terminal, on standard input and
//! output, and over HTTP.

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::{serve::Client, temp_crib::TempCrib};

/// Whether R is installed. Prints a notice if not; in CI it must be.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
fn has_r() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join("R").is_file());
    assert!(found || env::var_os("CI").is_none(), "CI must have R");
    if !found {
        eprintln!("SKIPPED: R is not installed (Debian: r-base-core)");
    }
    found
}

const CODE: &str = "
mcp_tool_count <- function(by = 1L, .state_env = NULL) {
  n <- .state_env$get('n', missing = 0L) + by
  .state_env$set('n', n)
  n
}
mcp_tool_wipe <- function(what) paste('wiped', what)
mcp_tool_slow <- function() { message('half way'); Sys.sleep(3); list(done = TRUE, took = 'long') }
mcp_tool_draw <- function() { plot(1:3); invisible('drawn') }
";

const NONE: &str = "{type: object, properties: {}}";

fn yaml(name: &str, parameters: &str, rest: &str) -> String {
    format!(
        "name: {name}\ndescription: Does {name}\nparameters: {parameters}\nimplementation_example: f()\nmutates: no\n{rest}"
    )
}

fn crib_with_r_tools() -> TempCrib {
    let by = "{type: object, properties: {by: {type: integer, description: how far}}}";
    let what = "{type: object, properties: {what: {type: string, description: what goes}}, required: [what]}";
    let tools = [
        (
            "demo-mcp_tool_count",
            yaml("demo-mcp_tool_count", by, "returns: {type: integer, description: the count}\n"),
        ),
        ("demo-mcp_tool_wipe", yaml("demo-mcp_tool_wipe", what, "requires_approval: yes\n")),
        (
            "demo-mcp_tool_slow",
            yaml(
                "demo-mcp_tool_slow",
                NONE,
                "execution_time: 60\nreturns: {type: object, description: what came of it}\n",
            ),
        ),
        ("demo-mcp_tool_draw", yaml("demo-mcp_tool_draw", NONE, "")),
    ];
    let crib =
        TempCrib::new().file("DESCRIPTION", "Package: demo\nVersion: 1.0\n").file("R/all.R", CODE);
    tools
        .into_iter()
        .fold(crib, |crib, (name, text)| crib.file(&format!("inst/mcp/tools/{name}.yaml"), &text))
}

#[test]
fn a_package_is_called_from_the_terminal() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let output = crib.run(&["call", "demo-mcp_tool_count", "--args", r#"{"by": 3}"#]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "3\n"), "{}", output.stderr);
    let plan = crib
        .run(&["call", "demo-mcp_tool_count", "--args", r#"{"by": 3}"#, "--dry-run", "--json"])
        .json();
    assert_eq!(
        (&plan["program"], &plan["argv"]),
        (&json!("R"), &json!(["R", "-e", "demo::mcp_tool_count(by = 3L)"]))
    );
    let doctor = crib.run(&["doctor"]);
    assert!(doctor.code == 0 && doctor.stdout.contains("\n  R         /"), "{}", doctor.stdout);
}

#[test]
fn what_needs_approval_is_shown_as_the_exact_call_and_runs_once_approved() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let call =
        || crib.run(&["call", "demo-mcp_tool_wipe", "--args", r#"{"what": "all"}"#, "--json"]);
    let refused = call();
    assert_eq!(refused.code, 5);
    let details = &refused.json()["error_details"];
    assert_eq!(details["plan"]["argv"], json!(["R", "-e", "demo::mcp_tool_wipe(what = \"all\")"]));
    let id = details["approval"].as_str().expect("an id").to_owned();
    assert_eq!(crib.run(&["approve", &id]).code, 0);
    assert_eq!(call().json()["text"], "[1] \"wiped all\"\n");
    assert_eq!(call().code, 5, "a yes counts once");
}

#[test]
fn a_client_on_pipes_is_a_session() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let mut one = Client::start(&crib, &[]);
    let mut other = Client::start(&crib, &[]);
    let count = |client: &mut Client| {
        client.ask("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {}}))["result"]
            ["structuredContent"]
            .clone()
    };
    assert_eq!(count(&mut one), json!({"result": 1}));
    assert_eq!(count(&mut one), json!({"result": 2}));
    assert_eq!(count(&mut other), json!({"result": 1}));
    let drawn = one.ask("tools/call", json!({"name": "demo-mcp_tool_draw", "arguments": {}}));
    let blocks = drawn["result"]["content"].as_array().expect("content");
    assert_eq!(
        (&blocks[0]["text"], &blocks[1]["type"]),
        (&json!("[1] \"drawn\"\n"), &json!("image"))
    );
}

#[test]
fn a_slow_function_becomes_an_operation_whose_last_message_is_told() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let mut client = Client::start(&crib, &[]);
    let answer = client.ask("tools/call", json!({"name": "demo-mcp_tool_slow", "arguments": {}}));
    let id = answer["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    let result =
        client.ask("tools/call", json!({"name": "await", "arguments": {"id": id}}))["result"]
            .clone();
    assert!(result.to_string().contains("half way"), "{result}");
    assert!(result.to_string().contains("long"), "{result}");
}

/// A server over HTTP.
struct Site {
    child: Child,
    address: String,
}

impl Site {
    fn start(crib: &TempCrib) -> Self {
        let mut command = crib.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("a server");
        let mut log =
            BufReader::new(child.stderr.take().expect("its log")).lines().map_while(Result::ok);
        let line = log.find(|line| line.contains("http://")).expect("where it listens");
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next())
            .expect("an address")
            .to_owned();
        std::thread::spawn(move || log.for_each(drop));
        Self { child, address }
    }

    /// Answers the head of the response and the message in its body.
    fn send(&self, method: &str, headers: &str, body: &str) -> (String, Value) {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("the server reads");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("the server answers");
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let message = body.lines().find_map(|line| {
            serde_json::from_str(line.strip_prefix("data: ").unwrap_or(line)).ok()
        });
        (head.to_owned(), message.unwrap_or_default())
    }

    /// A request of a newer client, which belongs to no session.
    fn modern(&self, arguments: Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": "demo-mcp_tool_count", "arguments": arguments, "_meta": meta});
        let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: demo-mcp_tool_count\r\n";
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            .to_string();
        let (head, message) = self.send("POST", headers, &body);
        assert!(!message["result"].is_null(), "{head}\n{message}");
        message["result"]["structuredContent"].clone()
    }

    /// A session of an older client, by its id.
    fn session(&self) -> String {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).to_string();
        let (head, _) = self.send("POST", "", &body);
        let id = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned)
        });
        let id = id.expect("a session");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        self.send("POST", &format!("Mcp-Session-Id: {id}\r\n"), &ready);
        id
    }

    fn legacy(&self, session: &str) -> Value {
        let params = json!({"name": "demo-mcp_tool_count", "arguments": {}});
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
            .to_string();
        let (head, message) = self.send("POST", &format!("Mcp-Session-Id: {session}\r\n"), &body);
        assert!(!message["result"].is_null(), "{head}\n{message}");
        message["result"]["structuredContent"].clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The R processes that a process started.
fn workers_of(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let parents = entries.filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let rest = stat.rsplit_once(") ")?.1.to_owned();
        let mut fields = rest.split(' ');
        (fields.next() != Some("Z"))
            .then(|| fields.next().and_then(|parent| parent.parse::<u32>().ok()))
            .flatten()
    });
    parents.filter(|found| *found == parent).count()
}

#[test]
fn r_starts_with_the_first_call_and_not_before() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let mut client = Client::start(&crib, &[]);
    client.names();
    client.ask("tools/call", json!({"name": "demo-mcp_tool_wipe", "arguments": {"what": "all"}}));
    client.ask("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {"by": "much"}}));
    assert_eq!(workers_of(client.server()), 0, "nothing was called");
    client.ask("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {}}));
    assert_eq!(workers_of(client.server()), 1);
}

#[test]
fn the_state_of_a_handle_outlives_a_server_that_was_killed() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let site = Site::start(&crib);
    assert_eq!(site.modern(json!({"session": "mine"})), json!(1));
    assert_eq!(site.modern(json!({"session": "mine"})), json!(2));
    drop(site);
    assert_eq!(Site::start(&crib).modern(json!({"session": "mine"})), json!(3));
}

#[test]
fn a_long_result_of_a_package_with_dots_in_its_name_is_fetched_in_parts() {
    if !has_r() {
        return;
    }
    let tool =
        yaml("my.own.pkg-mcp_tool_all", NONE, "returns: {type: array, description: numbers}\n");
    let crib = TempCrib::new()
        .file("DESCRIPTION", "Package: my.own.pkg\nVersion: 1.0\n")
        .file("R/all.R", "mcp_tool_all <- function() as.list(seq_len(300000))\n")
        .file("inst/mcp/tools/my.own.pkg-mcp_tool_all.yaml", &tool);
    let mut client = Client::start(&crib, &[]);
    let answer =
        client.ask("tools/call", json!({"name": "my.own.pkg-mcp_tool_all", "arguments": {}}));
    let blocks = answer["result"]["content"].as_array().expect("content");
    let link =
        blocks.iter().find(|block| block["type"] == "resource_link").expect("a link to the whole");
    let read = |client: &mut Client, uri: &str| {
        client.ask("resources/read", json!({"uri": uri}))["result"]["contents"][0].clone()
    };
    let first = read(&mut client, link["uri"].as_str().expect("where"));
    assert!(first["text"].as_str().expect("text").starts_with("[1,2,3,"), "{first}");
    let second = read(&mut client, &format!("{}/1", link["uri"].as_str().expect("where")));
    assert!(second["text"].as_str().expect("text").ends_with(",299999,300000]"), "{second}");
}

#[test]
fn over_http_a_session_is_a_connection_or_a_handle() {
    if !has_r() {
        return;
    }
    let crib = crib_with_r_tools();
    let site = Site::start(&crib);
    assert_eq!(site.modern(json!({})), json!(1));
    assert_eq!(site.modern(json!({})), json!(1), "without a handle, state is fresh");
    assert_eq!(site.modern(json!({"session": "mine"})), json!(1));
    assert_eq!(site.modern(json!({"session": "mine"})), json!(2));
    assert_eq!(site.modern(json!({"session": "other"})), json!(1));
    let (one, other) = (site.session(), site.session());
    assert_eq!(site.legacy(&one), json!({"result": 1}));
    assert_eq!(site.legacy(&one), json!({"result": 2}));
    assert_eq!(site.legacy(&other), json!({"result": 1}));
    let before = workers_of(site.child.id());
    site.send("DELETE", &format!("Mcp-Session-Id: {one}\r\n"), "");
    let is_gone = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        workers_of(site.child.id()) < before
    });
    assert!(is_gone, "the session ended with its worker");
}
