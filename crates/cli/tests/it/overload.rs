//! Callers that send too much, or read too little. Others must not notice.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};
use testing::{
    HttpServer, MODERN, StdioClient, TIMEOUT, TempCrib, definition, initialize_params,
    peak_memory_mib, request, request_head, request_meta, wait_until_blocking,
};

/// A tool that takes a list of strings.
fn tool_with_list() -> Value {
    let mut tool = definition("join", "echo");
    tool["subcommand"][0]["positional_args"] = json!([
        {"name": "words", "type": "array", "items": {"type": "string"}, "description": "Words", "required": true},
    ]);
    tool
}

fn memory_mib(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("a field");
    let kib: u64 = line.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
    kib / 1024
}

#[test]
fn summarizes_a_million_argument_errors() {
    let crib =
        TempCrib::new().tool("join", tool_with_list()).tool("say", definition("say", "echo hi"));
    let mut client = StdioClient::start(&crib, &[]);
    let words = vec![1; 1_000_000];
    let answer =
        client.request("tools/call", json!({"name": "join", "arguments": {"words": words}}));
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("words/0: Expected string, received integer"), "{text}");
    assert!(text.ends_with("- and at least 950 more errors"), "{text}");
    assert!(answer.to_string().len() < 40_000, "{}", answer.to_string().len());
    let called = client.request("tools/call", json!({"name": "say", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "hi\n");
    assert!(memory_mib(client.pid(), "VmRSS:") < 200, "memory is given back");
}

#[test]
fn a_message_of_many_small_values_takes_bounded_memory() {
    let crib = TempCrib::new().tool("join", tool_with_list());
    let mut client = StdioClient::start(&crib, &[]);
    let lists = vec!["[]"; 5_000_000].join(",");
    client.send_line(&format!(
        r#"{{"jsonrpc":"2.0","id":"many","method":"tools/call","params":{{"name":"join","arguments":{{"words":[{lists}]}}}}}}"#
    ));
    let answer = client.wait(|message| message["id"] == "many");
    let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(message.starts_with("the message has too many values"), "{message}");
    let peak = peak_memory_mib(client.pid());
    assert!(peak < 200, "{peak} MiB");
}

#[test]
fn errors_about_a_large_schema_take_bounded_memory() {
    let choices: Vec<_> = (0..50_000).map(|number| format!("choice-{number}")).collect();
    let alternatives: Vec<_> = (0..200)
        .map(|number| json!({"type": "object", "properties": {format!("p{number}"): {}}, "additionalProperties": false}))
        .collect();
    let tool = |name: &str, items: Value| {
        json!({
            "name": name, "description": "Takes a list", "command": "true", "synchronous": true, "mutates": false,
            "inputSchema": {"type": "object", "properties": {"list": {"type": "array", "items": items}}},
            "argv": {"list": {"positional": true}},
        })
    };
    let unknown: serde_json::Map<_, _> =
        (0..100_000).map(|number| (format!("name-{number}"), json!(1))).collect();
    let cases = [
        ("choose", json!({"enum": choices}), json!(vec!["none"; 40])),
        ("match", json!({"const": choices}), json!(vec!["none"; 1_000])),
        (
            "pattern",
            json!({"type": "string", "pattern": choices[..5_000].join("|")}),
            json!(vec!["none"; 60]),
        ),
        ("object", json!({"anyOf": alternatives}), json!([unknown])),
    ];
    for (name, items, list) in cases {
        let crib = TempCrib::new().tool(name, tool(name, items));
        let mut client = StdioClient::start(&crib, &[]);
        // Compiles the schema.
        client.call(name, json!({"list": []}));
        let before = peak_memory_mib(client.pid());
        let answer = client.call(name, json!({"list": list}));
        assert_eq!(answer["isError"], true, "{name}: {answer}");
        let length = answer.to_string().len();
        assert!(length < 500_000, "{name}: {length} bytes");
        let used = peak_memory_mib(client.pid()) - before;
        assert!(used < 64, "{name}: {used} MiB");
    }
}

#[test]
fn rejects_a_number_with_too_many_digits() {
    let crib = TempCrib::new().tool("join", tool_with_list());
    let mut client = StdioClient::start(&crib, &[]);
    let digits = "9".repeat(100_000);
    client.send_line(&format!(
        r#"{{"jsonrpc":"2.0","id":"large","method":"tools/call","params":{{"name":"join","arguments":{{"words":{digits}}}}}}}"#
    ));
    let answer = client.wait(|message| message["id"] == "large");
    let message = answer["error"]["message"].as_str().expect("an error");
    assert!(message.contains("number out of range"), "{message}");
}

/// A specification whose example has two to the power of `depth` reasons not to match.
fn nested_specification(depth: usize) -> String {
    let definitions: String = (1..=depth)
        .map(|level| {
            let inner = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, level - 1);
            format!(r#", "d{level}": {{"anyOf": [{inner}, {inner}]}}"#)
        })
        .collect();
    format!(
        "# Deep - MCP Tool Specification\n\n## Tool: `deep`\n\n### 1. Tool Purpose and Description\n\nDeep.\n\n\
         ### 2. Invocation Name\n\n`deep`\n\n### 3. Input Schema (Parameters)\n\n```json\n\
         {{\"type\": \"object\", \"properties\": {{\"a\": {{\"$ref\": \"#/$defs/d{depth}\"}}}}, \
         \"$defs\": {{\"d0\": {{\"type\": \"string\"}}{definitions}}}}}\n```\n\n\
         ### 4. Usage Examples\n\n```json\n{{\"tool_name\": \"deep\", \"arguments\": {{\"a\": 5}}}}\n```\n"
    )
}

#[test]
fn checking_a_hostile_definition_terminates() {
    let crib = TempCrib::new()
        .tool("say", definition("say", "echo hi"))
        .file("toolcrib.toml", "[crib]\ncheck_definition = true\n");
    let mut client = StdioClient::start(&crib, &[]);
    let patterns: String = (0..2_000)
        .map(|index| {
            format!(r#""p{index}": {{"type": "string", "pattern": "^(a{{1,50}}|b{index})+$"}},"#)
        })
        .collect();
    for (name, text) in [
        ("MCP_TOOL_SPECIFICATION.md", nested_specification(24)),
        ("MCP_TOOL_SPECIFICATION.md", "/*".repeat(250_000)),
        ("tools/a.json", "/*".repeat(250_000)),
        ("tools/a.json", format!(r#"{{"name": "a", "properties": {{{patterns} "q": {{}}}}}}"#)),
    ] {
        let begun = Instant::now();
        let answer = client.request(
            "tools/call",
            json!({"name": "check_definition", "arguments": {"file": name, "text": text}}),
        );
        assert!(answer.get("error").is_none(), "{answer}");
        // A build without optimizations gets ten times the time.
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
        assert!(memory_mib(client.pid(), "VmHWM:") < 400, "{name}");
    }
    let called = client.request("tools/call", json!({"name": "say", "arguments": {}}));
    assert_eq!(called["result"]["content"][0]["text"], "hi\n");
}

#[test]
fn writes_of_a_flag_apply_in_the_order_sent() {
    let crib = TempCrib::new().file("toolcrib.toml", "[flags]\n");
    let mut client = StdioClient::start(&crib, &[]);
    for round in 0..5 {
        for turn in 0..40 {
            let arguments = json!({"name": "style", "value": format!("{round}-{turn}")});
            let params = json!({"name": "guide_set_project_flag", "arguments": arguments});
            let id = format!("{round}-{turn}");
            client.send(
                &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}),
            );
        }
        for _ in 0..40 {
            client.wait(|message| message["id"].as_str().is_some_and(|id| id.contains('-')));
        }
        let read = client.request(
            "tools/call",
            json!({"name": "guide_get_project_flag", "arguments": {"name": "style"}}),
        );
        assert!(read.to_string().contains(&format!("{round}-39")), "{read}");
    }
}

#[test]
fn stops_reading_requests_of_a_client_that_reads_no_responses() {
    let crib = TempCrib::new().tool("say", definition("say", "echo hi"));
    let mut child = crib
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let mut input = child.stdin.take().expect("its input");
    let hello = request(0, "initialize", initialize_params(json!({})));
    let writing = thread::spawn(move || {
        writeln!(input, "{hello}").expect("the server reads");
        // About 400 MB of responses, which must not be kept.
        (1..200_000_u32)
            .take_while(|id| {
                writeln!(input, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#).is_ok()
            })
            .count()
    });
    let end = Instant::now() + Duration::from_secs(8);
    while Instant::now() < end && !writing.is_finished() {
        thread::sleep(Duration::from_millis(100));
    }
    assert!(!writing.is_finished(), "the server keeps reading");
    assert!(memory_mib(child.id(), "VmRSS:") < 150, "{}", memory_mib(child.id(), "VmRSS:"));
    let _ = child.kill();
    let _ = child.wait();
    assert!(writing.join().expect("no panic") < 199_999);
}

/// A definition with 10 subcommands, each of which is served with a warning.
fn ten_tools(name: &str) -> Value {
    let subcommand = |index| {
        json!({
            "name": format!("sub{index}"), "description": "Runs a variant on the given word",
            "options": [{"name": "count", "type": "integer", "description": "How many times"}],
            "positional_args": [{"name": "word", "type": "string", "description": "The word", "required": true}],
        })
    };
    let subcommands: Vec<_> = (0..10).map(subcommand).collect();
    json!({"name": name, "description": "Does things", "command": "echo", "synchronous": true, "subcommand": subcommands})
}

#[test]
fn reloading_thousands_of_tools_does_not_grow_the_memory() {
    let crib = (0..250).map(|index| format!("tool{index}"));
    let crib = crib.fold(TempCrib::new(), |crib, name| crib.tool(&name, ten_tools(&name)));
    let mut client = StdioClient::start(&crib, &[]);
    let list = client.request("tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(2_000));
    let before = memory_mib(client.pid(), "VmRSS:");
    for round in 0..5 {
        // Every file differs, so that no definition is shared with the previous version.
        for index in 0..250 {
            let mut changed = ten_tools(&format!("tool{index}"));
            changed["description"] = json!(format!("Does things {round}"));
            crib.write(&format!("tools/tool{index}.json"), &changed.to_string());
        }
        assert_eq!(crib.run(&["reload"]).code, 0);
    }
    let limit = before * 13 / 10;
    // Memory is given back after the answer.
    let memory = || memory_mib(client.pid(), "VmRSS:");
    wait_until_blocking("memory is given back", || memory() < limit);
}

#[test]
fn reload_does_not_wait_for_a_stopped_server() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let (running, stopped) = (StdioClient::start(&crib, &[]), StdioClient::start(&crib, &[]));
    let signal = |name: &str| {
        let process = stopped.pid().to_string();
        assert!(Command::new("kill").args([name, &process]).status().is_ok_and(|s| s.success()));
    };
    signal("-STOP");
    let begun = Instant::now();
    let reloaded = crib.run(&["reload"]);
    signal("-CONT");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!((reloaded.code, reloaded.stdout.as_str()), (2, "reloaded: 1 tool, 0 errors\n"));
    let expected =
        format!("no answer within 10 s from the server with process id {}", stopped.pid());
    assert!(reloaded.stderr.contains(&expected), "{}", reloaded.stderr);
    drop(running);
}

/// A server over HTTP with the tools `nap`, which takes long, and `say`.
struct Site {
    server: HttpServer,
    _crib: TempCrib,
}

impl Site {
    fn new(config: &str, nap: &str) -> Self {
        let crib = TempCrib::new()
            .tool("nap", definition("nap", nap))
            .tool("say", definition("say", "echo hi"))
            .file("toolcrib.toml", config);
        Self { server: HttpServer::start(&crib, &[]), _crib: crib }
    }

    /// Calls a tool as a modern client of this name, and does not wait.
    fn call(&self, tool: &str, client: &str) -> TcpStream {
        let mut meta = request_meta(json!({}));
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": client, "version": "1"});
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        let headers =
            [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
        self.server.open("POST", &headers, &request(1, "tools/call", params).to_string())
    }

    fn open(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.server.address).expect("the server accepts");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
        stream.write_all(text.as_bytes()).expect("the server reads");
        stream
    }

    fn is_healthy(&self) -> bool {
        let head = request_head(&self.server.address, "GET", "/healthz", &[], "");
        read(self.open(&head)).starts_with("HTTP/1.1 200")
    }
}

fn read(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("a response before the deadline");
    text
}

#[test]
fn schedules_clients_fairly() {
    let site = Site::new("[limits]\nconcurrency = 2\n", "sleep 1");
    let _naps: Vec<_> = (0..50).map(|_| site.call("nap", "greedy")).collect();
    thread::sleep(Duration::from_millis(300));
    for (client, tool) in [("modest", "say"), ("greedy", "say"), ("modest", "nap")] {
        let begun = Instant::now();
        let answer = read(site.call(tool, client));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        // 50 naps of a second, two at a time, take 25 s.
        assert!(begun.elapsed() < Duration::from_secs(8), "{client} {tool}: {:?}", begun.elapsed());
    }
}

#[test]
fn control_calls_and_health_checks_do_not_wait_for_other_calls() {
    let site = Site::new("[limits]\nconcurrency = 2\n[http]\nmax_calls = 4\n", "sleep 20");
    let _naps: Vec<_> = (0..30).map(|_| site.call("nap", "greedy")).collect();
    thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    let answer = read(site.call("status", "modest"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(site.is_healthy());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn incomplete_requests_do_not_block_other_clients() {
    let site = Site::new("", "sleep 1");
    let half: Vec<_> = (0..1_200)
        .map(|_| site.open("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le"))
        .collect();
    let begun = Instant::now();
    assert!(site.is_healthy());
    assert!(read(site.call("say", "modest")).starts_with("HTTP/1.1 200"));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(half);
}

#[test]
fn incomplete_requests_leave_descriptors_for_others() {
    let site = Site::new("", "sleep 1");
    let files = Rlimit { current: Some(300), maximum: Some(300) };
    let pid = Pid::from_raw(site.server.pid().cast_signed());
    prlimit(pid, Resource::Nofile, files).expect("a limit");
    let body = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        site.server.authorization()
    );
    for half in ["", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le", &body] {
        let half: Vec<_> = (0..290).map(|_| site.open(half)).collect();
        let begun = Instant::now();
        assert!(site.is_healthy());
        assert!(read(site.call("say", "modest")).starts_with("HTTP/1.1 200"));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        drop(half);
    }
}
