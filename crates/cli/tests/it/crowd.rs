//! Many clients of one server process at once, over real connections, and some that vanish.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    process::{Child, Stdio},
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::temp_crib::{TempCrib, definition};

/// How long a test waits for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);
const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A server process that listens on a port of its own.
struct Site {
    crib: TempCrib,
    child: Child,
    address: String,
}

impl Site {
    /// Serves `say`, which prints a word, and `late`, which prints one after six seconds: long enough to become an operation on a busy
    /// machine.
    fn new() -> Self {
        let taking = |name: &str, command: &str, synchronous: bool| {
            let mut tool = definition(name, command);
            tool["synchronous"] = json!(synchronous);
            tool["subcommand"][0]["positional_args"] = json!([{"name": "word", "type": "string", "description": "What", "required": true}]);
            tool
        };
        let crib = TempCrib::new()
            .tool("say", taking("say", "echo", true))
            .tool("late", taking("late", "sh late.sh", false))
            .file("late.sh", "sleep 6; echo \"late $1\"")
            .file("toolcrib.toml", "[limits]\nconcurrency = 300\n");
        let mut serve = crib.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child =
            serve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a server");
        let mut log =
            BufReader::new(child.stderr.take().expect("its log")).lines().map_while(Result::ok);
        let line = log.find(|line| line.contains("listening on")).expect("it listens");
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .expect("an address")
            .to_owned();
        thread::spawn(move || log.for_each(drop));
        Self { crib, child, address }
    }

    fn open(&self, headers: &[(&str, &str)], message: &Value) -> TcpStream {
        let body = message.to_string();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\nConnection: close\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
        stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
        stream
    }

    /// The memory of the process at its highest, in MiB.
    fn peak(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    fn count(&self, state: &str) -> usize {
        let listed = self
            .crib
            .run(&["operations", "list", "--json", "--limit", "1000", "--state", state])
            .json();
        listed["operations"].as_array().expect("a list").len()
    }

    fn wait_for(&self, count: usize, state: &str) {
        let end = Instant::now() + TIMEOUT;
        while self.count(state) != count {
            assert!(Instant::now() < end, "{} {state}, not {count}", self.count(state));
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The whole answer: its head, and the message in its body, be it plain or the last event of a
/// stream.
fn read_answer(mut stream: TcpStream) -> (String, Value) {
    let mut raw = String::new();
    stream.read_to_string(&mut raw).expect("an answer in time");
    let (head, body) = raw.split_once("\r\n\r\n").expect("a head");
    let message = body
        .lines()
        .map(|line| line.trim_start_matches("data:").trim())
        .rfind(|line| line.starts_with('{'));
    (
        head.to_owned(),
        message.map(|text| serde_json::from_str(text).expect("JSON")).unwrap_or_default(),
    )
}

/// One client over HTTP.
struct Client<'a> {
    site: &'a Site,
    session: Option<String>,
}

impl<'a> Client<'a> {
    fn modern(site: &'a Site) -> Self {
        Self { site, session: None }
    }

    fn legacy(site: &'a Site) -> Self {
        let hello = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let opened = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
        let (head, _) = read_answer(site.open(&[], &opened));
        let session = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .expect("a session")
            .to_owned();
        let client = Self { site, session: Some(session) };
        read_answer(
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), ""),
        );
        client
    }

    fn send(&self, message: &Value, name: &str) -> TcpStream {
        match &self.session {
            Some(session) => self
                .site
                .open(&[("Mcp-Session-Id", session), ("MCP-Protocol-Version", LEGACY)], message),
            None => {
                let headers = [
                    ("MCP-Protocol-Version", MODERN),
                    ("Mcp-Method", "tools/call"),
                    ("Mcp-Name", name),
                ];
                self.site.open(&headers, message)
            }
        }
    }

    fn start(&self, tool: &str, arguments: Value) -> TcpStream {
        let mut params = json!({"name": tool, "arguments": arguments});
        if self.session.is_none() {
            params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {}});
        }
        self.send(
            &json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}),
            tool,
        )
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        read_answer(self.start(tool, arguments)).1["result"]["structuredContent"].clone()
    }

    /// Calls a tool, starts an operation and waits for its result: all of it must be this client's
    /// own.
    fn work(&self, word: &str) {
        let said = self.call("say", json!({"word": word}));
        assert_eq!(said["stdout"], format!("{word}\n"), "{said}");
        let started = self.call("late", json!({"word": word}));
        let id = started["operation_id"].as_str().unwrap_or_else(|| panic!("{started}"));
        let ended = self.call("await", json!({"id": id, "timeout_seconds": 50}));
        let operations = ended["operations"].as_array().unwrap_or_else(|| panic!("{ended}"));
        assert_eq!((operations.len(), &operations[0]["id"]), (1, &json!(id)), "{ended}");
        assert_eq!(operations[0]["result"]["stdout"], format!("late {word}\n"), "{ended}");
    }
}

/// Sends a command to the control socket and returns the answer.
fn send_control_command(site: &Site, word: &str) -> String {
    let path = site.crib.state().join(format!("control-{}.sock", site.child.id()));
    let mut stream = UnixStream::connect(path).expect("a connection");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
    stream.write_all(format!("{word}\n").as_bytes()).expect("sent");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer in time");
    said
}

#[test]
fn a_hundred_clients_at_once_get_exactly_what_is_theirs() {
    const CLIENTS: usize = 100;
    let site = Site::new();
    let together = Arc::new(Barrier::new(2 * CLIENTS));
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (site, gate, other) = (&site, Arc::clone(&together), Arc::clone(&together));
            scope.spawn(move || {
                gate.wait();
                let client =
                    if number % 2 == 0 { Client::legacy(site) } else { Client::modern(site) };
                client.work(&format!("w{number}w"));
            });
            scope.spawn(move || {
                other.wait();
                assert_eq!(
                    send_control_command(site, &format!("v{number}")),
                    format!("error: unknown command `v{number}`")
                );
            });
        }
    });
    assert_eq!((site.count("completed"), site.count("running")), (CLIENTS, 0));
    assert!(site.peak() < 150, "{} MiB", site.peak());
}

#[test]
fn clients_that_vanish_in_a_call_take_their_own_work_with_them_and_no_other() {
    let site = Site::new();
    let client = Client::modern(&site);
    let call = |number: usize| client.start("late", json!({"word": format!("w{number}w")}));
    let stay: Vec<_> = (0..5).map(call).collect();
    let vanish: Vec<_> = (5..25).map(call).collect();
    site.wait_for(25, "running");
    drop(vanish);
    site.wait_for(20, "cancelled");
    for (number, stream) in stay.into_iter().enumerate() {
        let (_, reply) = read_answer(stream);
        let started = &reply["result"]["structuredContent"];
        let id = started["operation_id"].as_str().unwrap_or_else(|| panic!("{reply}"));
        let ended = client.call("await", json!({"id": id, "timeout_seconds": 50}));
        assert!(ended.to_string().contains(&format!("late w{number}w")), "{ended}");
    }
    site.wait_for(5, "completed");
}
