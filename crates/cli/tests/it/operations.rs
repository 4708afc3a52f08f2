//! `operations` and `approve`: what is kept, and what a person says to it.

use std::{
    fs::File,
    io::Read,
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use rustix::pty;
use serde_json::{Value, json};

use crate::{
    crib::{Crib, definition},
    serve::Client,
};

/// A tool that changes something, marked as dangerous, and takes one word.
fn dangerous() -> Value {
    json!({"name": "wipe", "description": "Wipes", "command": "echo wiped", "synchronous": true, "mutates": true, "dangerous": true,
        "subcommand": [{"name": "default", "description": "Wipes it",
            "positional_args": [{"name": "what", "type": "string", "description": "What", "required": true}]}]})
}

/// A tool that becomes an operation.
fn asynchronous(name: &str, command: &str) -> Value {
    let mut tool = definition(name, command);
    tool["synchronous"] = json!(false);
    tool
}

/// The id of the approval that a refused call names.
fn approval_of(crib: &Crib, arguments: &str) -> String {
    let refused = crib.run(&["call", "wipe", "--json", "--args", arguments]);
    assert_eq!(refused.code, 5, "{}{}", refused.stdout, refused.stderr);
    refused.json()["error_details"]["approval"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", refused.stdout))
        .to_owned()
}

#[test]
fn a_yes_is_good_for_the_same_call_once() {
    let crib = Crib::new().tool("wipe", dangerous());
    let id = approval_of(&crib, r#"{"what": "a"}"#);
    assert!(crib.run(&["approve"]).stdout.contains(&id));
    let approved = crib.run(&["approve", &id, "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    assert!(approved.stderr.contains("echo wiped a"), "the plan is shown: {}", approved.stderr);
    assert_eq!(
        crib.run(&["call", "wipe", "--args", r#"{"what": "b"}"#]).code,
        5,
        "another call is another question"
    );
    let ran = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "wiped a\n"), "{}", ran.stderr);
    assert_eq!(
        crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code,
        5,
        "a yes is used up"
    );
}

#[test]
fn a_no_runs_nothing_and_stands() {
    let crib = Crib::new().tool("wipe", dangerous());
    let id = approval_of(&crib, r#"{"what": "a"}"#);
    assert_eq!(crib.run(&["approve", &id, "--deny"]).code, 0);
    assert_eq!(crib.run(&["approve", &id, "--yes"]).code, 2, "it has been decided");
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 5);
    assert_eq!(crib.run(&["approve", "ap_nonsense", "--yes"]).code, 3);
}

#[test]
fn always_is_a_rule_that_a_person_writes_down() {
    let crib = Crib::new().tool("wipe", dangerous());
    let id = approval_of(&crib, r#"{"what": "a"}"#);
    let approved = crib.run(&["approve", &id, "--yes", "--always"]);
    assert!(approved.stdout.starts_with("[[policy]]"), "{}{}", approved.stdout, approved.stderr);
    crib.write("toolcrib.toml", &approved.stdout);
    for _ in 0..2 {
        let ran = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "b"}"#]).code, 5);
}

#[test]
fn deny_wins_over_everything() {
    let rules = "[[policy]]\ntools = \"*\"\ndo = \"allow\"\nuntil = 2999-01-01\n[[policy]]\ntools = \"wipe\"\nwhen = \"args.what == 'all'\"\ndo = \"deny\"\n";
    let crib = Crib::new().tool("wipe", dangerous()).file("toolcrib.toml", rules);
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 0);
    let denied = crib.run(&["call", "wipe", "--json", "--args", r#"{"what": "all"}"#]);
    assert_eq!((denied.code, &denied.json()["error_type"]), (1, &json!("denied")));
}

#[test]
fn a_finished_operation_can_be_seen_from_the_terminal() {
    let crib = Crib::new().tool("greet", asynchronous("greet", "echo hello"));
    assert_eq!(crib.run(&["call", "greet"]).stdout, "hello\n", "a person waits for the result");
    let list = crib.run(&["operations", "list", "--json"]).json();
    let operation = &list["operations"][0];
    assert_eq!(
        (&operation["tool"], &operation["state"]),
        (&json!("greet"), &json!("completed")),
        "{list}"
    );
    let id = operation["id"].as_str().expect("an id");
    assert!(crib.run(&["operations", "list"]).stdout.contains(id));
    assert!(crib.run(&["operations", "show", id]).stdout.contains("hello"));
    assert_eq!(crib.run(&["operations", "logs", id]).stdout, "hello\n");
    assert_eq!(crib.run(&["operations", "show", "op_nonsense"]).code, 3);
    assert_eq!(crib.run(&["operations", "list", "--state", "done"]).code, 2);
    let pruned = crib.run(&["operations", "prune", "--days", "0"]);
    assert_eq!(pruned.stdout, "1 operation deleted\n");
    assert_eq!(crib.run(&["operations", "show", id]).code, 3);
}

#[test]
fn logs_can_be_followed_to_the_end() {
    let crib = Crib::new()
        .tool("talk", asynchronous("talk", "sh talk.sh"))
        .file("talk.sh", "echo one; sleep 3; echo two");
    let mut client = Client::start(&crib, &[]);
    let started = client.ask("tools/call", json!({"name": "talk", "arguments": {}}));
    let id = started["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"));
    assert_eq!(crib.run(&["operations", "logs", id]).stdout, "one\n", "so far");
    assert_eq!(crib.run(&["operations", "logs", id, "--follow"]).stdout, "one\ntwo\n");
    assert_eq!(crib.run(&["operations", "show", id, "--json"]).json()["state"], "completed");
}

#[test]
fn the_description_says_how_every_client_gets_a_late_result() {
    let crib = Crib::new()
        .tool("nap", asynchronous("nap", "sleep 1"))
        .tool("now", definition("now", "true"));
    let tools = crib.run(&["list", "--json"]).json();
    let of = |name: &str| {
        tools
            .as_array()
            .expect("tools")
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("it")["description"]
            .to_string()
    };
    assert!(of("nap").contains("`await`"), "{tools}");
    assert!(!of("now").contains("`await`"), "{tools}");
}

#[test]
fn cancel_reaches_an_operation_of_a_running_server() {
    let crib = Crib::new().tool("nap", asynchronous("nap", "sleep 4712"));
    let mut client = Client::start(&crib, &[]);
    let started = client.ask("tools/call", json!({"name": "nap", "arguments": {}}));
    let id = started["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "running");
    let cancelled = crib.run(&["operations", "cancel", &id]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.stderr);
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "cancelled");
    assert!(
        crib.run(&["operations", "cancel", &id]).stdout.contains("had already ended: cancelled"),
        "a second time changes nothing"
    );
    let end = Instant::now() + Duration::from_secs(10);
    while crate::serve::is_running("sleep 4712") {
        assert!(Instant::now() < end, "its process ends");
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_server_leaves_neither_a_process_nor_a_lie() {
    let crib = Crib::new().tool("nap", asynchronous("nap", "sleep 4713"));
    let mut client = Client::start(&crib, &[]);
    let started = client.ask("tools/call", json!({"name": "nap", "arguments": {}}));
    let id =
        started["result"]["structuredContent"]["operation_id"].as_str().expect("an id").to_owned();
    drop(client);
    let next = Client::start(&crib, &[]);
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "lost");
    assert!(!crate::serve::is_running("sleep 4713"));
    drop(next);
}

#[test]
fn the_place_in_the_queue_is_told_wherever_one_asks() {
    let nap = |name: &str| asynchronous(name, "sleep 4714");
    let crib =
        Crib::new().tool("nap", nap("nap")).file("toolcrib.toml", "[limits]\nconcurrency = 1\n");
    let mut client = Client::start(&crib, &[]);
    let mut start = || {
        let started = client.ask("tools/call", json!({"name": "nap", "arguments": {}}));
        started["result"]["structuredContent"]["operation_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{started}"))
            .to_owned()
    };
    let (first, second, third) = (start(), start(), start());
    let listed = crib.run(&["operations", "list"]).stdout;
    let line = |id: &str| {
        listed
            .lines()
            .find(|line| line.starts_with(id))
            .unwrap_or_else(|| panic!("{listed}"))
            .to_owned()
    };
    assert!(
        !line(&first).contains("queue") && line(&second).contains("place 1 in the queue"),
        "{listed}"
    );
    assert!(line(&third).contains("place 2 in the queue"), "{listed}");
    assert!(crib.run(&["operations", "show", &third]).stdout.contains("place 2 in the queue"));
    let shown = crib.run(&["operations", "show", &second, "--json"]).json();
    assert_eq!(shown["progress"]["message"], "waits for its turn: place 1 in the queue");
    let status =
        client.ask("tools/call", json!({"name": "status", "arguments": {"state": "pending"}}));
    assert!(status.to_string().contains("place 2 in the queue"), "{status}");
    assert_eq!(crib.run(&["operations", "cancel", &second]).code, 0);
    let end = Instant::now() + Duration::from_secs(10);
    while !crib.run(&["operations", "show", &third]).stdout.contains("place 1 in the queue") {
        assert!(Instant::now() < end, "who leaves makes way");
    }
}

/// Runs the program on a terminal of its own, and gives what it draws while it runs.
fn on_a_terminal(crib: &Crib, arguments: &[&str]) -> (std::process::Child, Receiver<String>) {
    let near = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&near).expect("ours");
    pty::unlockpt(&near).expect("open");
    let name = pty::ptsname(&near, Vec::new()).expect("a name").into_string().expect("text");
    let far = || File::options().read(true).write(true).open(&name).expect("its other end");
    let child =
        crib.command(arguments).stdout(far()).stderr(far()).spawn().expect("the program runs");
    let (sender, drawn) = channel();
    let mut near = File::from(near);
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        // When nobody holds its other end any more, reading fails.
        while let Ok(read @ 1..) = near.read(&mut chunk) {
            let _ = sender.send(String::from_utf8_lossy(&chunk[..read]).into_owned());
        }
    });
    (child, drawn)
}

#[test]
fn a_watched_list_shows_progress_and_then_the_end() {
    let mut build = asynchronous("build", "sh build.sh");
    build["progress_regex"] = json!(r"(\d+)%");
    let script = "echo 25%; until [ -e half ]; do sleep 0.05; done; echo 75%; until [ -e done ]; do sleep 0.05; done";
    let crib = Crib::new().tool("build", build).file("build.sh", script);
    let mut client = Client::start(&crib, &[]);
    client.ask("tools/call", json!({"name": "build", "arguments": {}}));
    let (mut watching, drawn) = on_a_terminal(&crib, &["operations", "list", "--watch"]);
    let mut seen = String::new();
    let mut see = |wanted: &str| {
        while !seen.contains(wanted) {
            seen += &drawn
                .recv_timeout(Duration::from_secs(20))
                .unwrap_or_else(|_| panic!("no {wanted} in {seen:?}"));
        }
        seen.clone()
    };
    let first = see("[#####---------------]  25%");
    assert!(first.contains("running") && first.contains("build"), "{first:?}");
    crib.write("half", "");
    assert!(
        see("[###############-----]  75%").contains("\u{1b}[1A\u{1b}[J"),
        "it is drawn over the last one"
    );
    crib.write("done", "");
    see("completed");
    assert!(watching.wait().expect("an end").success(), "it ends when nothing runs");
}

/// The lines of the crib's audit.
fn audit(crib: &Crib) -> Vec<Value> {
    let text = std::fs::read_to_string(crib.state().join("audit.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn every_call_and_every_decision_leaves_a_line_in_the_audit() {
    let crib = Crib::new().tool("wipe", dangerous()).tool("ok", definition("ok", "true"));
    let id = approval_of(&crib, r#"{"what": "a"}"#);
    assert_eq!(audit(&crib).len(), 1, "the refusal");
    assert_eq!(crib.run(&["approve", &id]).code, 0, "without a terminal the command is the yes");
    assert_eq!(audit(&crib).len(), 2, "the yes");
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 0);
    let mut client = Client::start(&crib, &[]);
    for _ in 0..3 {
        client.ask("tools/call", json!({"name": "ok", "arguments": {}}));
    }
    client.close();
    let lines = audit(&crib);
    assert_eq!(lines.len(), 6, "nothing is lost when a server ends: {lines:?}");
    assert!(
        lines.iter().all(|line| line["tool"].is_string() && line["decision"].is_string()),
        "{lines:?}"
    );
    assert!(
        !lines.iter().any(|line| line.to_string().contains("\"a\"")),
        "arguments are digests: {lines:?}"
    );
}

#[test]
fn a_tool_cannot_be_told_to_write_its_own_permission() {
    let copy = json!({"name": "copy", "description": "Copy", "command": "cp", "synchronous": true, "mutates": true,
        "subcommand": [{"name": "default", "description": "Copy a file", "positional_args": [
            {"name": "from", "type": "string", "format": "path", "description": "From", "required": true},
            {"name": "to", "type": "string", "format": "path", "description": "To", "required": true}]}]});
    let crib =
        Crib::new().tool("copy", copy).file("rule", "[[policy]]\ntools = \"*\"\ndo = \"allow\"\n");
    for to in ["toolcrib.toml", "tools/new.json", "tools/../toolcrib.toml"] {
        let ran = crib.run(&[
            "call",
            "copy",
            "--json",
            "--args",
            &json!({"from": "rule", "to": to}).to_string(),
        ]);
        assert_ne!(ran.code, 0, "{to}");
        assert_eq!(ran.json()["error_type"], "path_protected", "{to}");
    }
    assert_eq!(
        crib.run(&["call", "copy", "--args", r#"{"from": "rule", "to": "elsewhere"}"#]).code,
        0
    );
}
