//! `operations` and `approve`: stored operations, and decisions about calls.

use std::{
    fs::{self, File},
    io::Read,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use rustix::pty;
use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, is_command_running, wait_until_blocking};

use crate::approve::run_at_terminal;

/// A tool that changes something, marked as dangerous, and takes one word.
pub(crate) fn dangerous_tool() -> Value {
    json!({"name": "wipe", "description": "Wipes", "command": "echo wiped", "synchronous": true, "mutates": true, "dangerous": true,
        "subcommand": [{"name": "default", "description": "Wipes it",
            "positional_args": [{"name": "what", "type": "string", "description": "What", "required": true}]}]})
}

/// A tool that becomes an operation.
pub(crate) fn asynchronous_tool(name: &str, command: &str) -> Value {
    let mut tool = definition(name, command);
    tool["synchronous"] = json!(false);
    tool
}

/// The id of the approval that a refused call names.
pub(crate) fn request_approval(crib: &TempCrib, arguments: &str) -> String {
    let refused = crib.run(&["call", "wipe", "--json", "--args", arguments]);
    assert_eq!(refused.code, 5, "{}{}", refused.stdout, refused.stderr);
    refused.json()["error_details"]["approval"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", refused.stdout))
        .to_owned()
}

#[test]
fn a_finished_operation_can_be_inspected() {
    let crib = TempCrib::new().tool("greet", asynchronous_tool("greet", "echo hello"));
    assert_eq!(crib.run(&["call", "greet"]).stdout, "hello\n", "a person waits for the result");
    let list = crib.run(&["operations", "list", "--json"]).json();
    let operation = &list["operations"][0];
    assert_eq!(
        (&operation["tool"], &operation["state"]),
        (&json!("greet"), &json!("completed")),
        "{list}"
    );
    let id = operation["id"].as_str().expect("an id");
    let list = crib.transcript(&["operations", "list"]).replace(&id[3..11], "SHORT_ID");
    insta::assert_snapshot!(list, @r"
    exit code 0
    --- stdout
    ID        STATE       TAKES       BEGUN  TOOL   PROGRESS
    SHORT_ID  completed DURATION DURATION ago  greet
    ");
    insta::assert_snapshot!(crib.transcript(&["operations", "show", id]), @r"
    exit code 0
    --- stdout
    operation  op_ID
    tool       greet
    arguments  {}
    begun DURATION ago
    takes DURATION
    state      completed

    hello
    ");
    assert_eq!(crib.run(&["operations", "logs", id]).stdout, "hello\n");
    insta::assert_snapshot!(crib.transcript(&["operations", "show", "op_nonsense"]), @r"
    exit code 3
    --- stderr
    error: no operation id starts with `op_nonsense`
     |
     = help: run `toolcrib operations list` to see the operations
    ");
    insta::assert_snapshot!(crib.transcript(&["operations", "list", "--state", "done"]), @r"
    exit code 2
    --- stderr
    error: `done` is not a state
     |
     = help: use one of pending, running, waiting_for_input, completed, failed, cancelled, timed_out, lost
    ");
    let pruned = crib.run(&["operations", "prune", "--days", "0"]);
    assert_eq!(pruned.stdout, "deleted 1 operation\n");
    insta::assert_snapshot!(crib.transcript(&["operations", "show", id]), @r"
    exit code 3
    --- stderr
    error: there is no operation `op_ID`
     |
     = help: run `toolcrib operations list` to see the operations
    ");
}

#[test]
fn an_operation_can_be_named_by_the_start_of_its_id() {
    let crib = TempCrib::new().tool("greet", asynchronous_tool("greet", "echo hello"));
    // Of 33 ids, two start with the same of 32 characters.
    for _ in 0..33 {
        crib.run(&["call", "greet"]);
    }
    let list = crib.run(&["operations", "list", "--json", "--limit", "100"]).json();
    let operations = list["operations"].as_array().expect("operations");
    let ids: Vec<_> = operations.iter().map(|one| one["id"].as_str().expect("an id")).collect();
    let id = ids[0];
    for unique in [&id[..15], &id[3..15]] {
        let shown = crib.run(&["operations", "show", "--json", unique]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        assert_eq!(shown.json()["id"], id, "{unique}");
    }
    assert!(crib.run(&["operations", "cancel", &id[..15]]).stdout.starts_with(id));
    let starts = |letter: &str| ids.iter().filter(|id| id[3..].starts_with(letter)).count();
    let shared = ids.iter().map(|id| &id[3..4]).find(|letter| starts(letter) > 1).expect("two");
    let refused = crib.run(&["operations", "cancel", shared]);
    assert_eq!(refused.code, 3);
    let expected = format!("error: `{shared}` matches {} operations:\n", starts(shared));
    assert!(refused.stderr.starts_with(&expected), "{}", refused.stderr);
    let listed = ids.iter().filter(|id| refused.stderr.contains(*id)).count();
    assert_eq!(listed, starts(shared).min(5), "{}", refused.stderr);
    assert_eq!(crib.run(&["operations", "show", "op_"]).code, 3, "no letter names none");
}

#[test]
fn logs_can_be_followed_to_the_end() {
    let crib = TempCrib::new()
        .tool("talk", asynchronous_tool("talk", "sh talk.sh"))
        .file("talk.sh", "echo one; sleep 3; echo two");
    let mut client = StdioClient::start(&crib, &[]);
    let started = client.request("tools/call", json!({"name": "talk", "arguments": {}}));
    let id = started["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"));
    assert_eq!(crib.run(&["operations", "logs", id]).stdout, "one\n", "so far");
    assert_eq!(crib.run(&["operations", "logs", id, "--follow"]).stdout, "one\ntwo\n");
    assert_eq!(crib.run(&["operations", "show", id, "--json"]).json()["state"], "completed");
}

#[test]
fn a_started_operation_and_its_result_are_in_the_structured_content_too() {
    let mut nap = asynchronous_tool("nap", "sleep 3");
    nap["hints"] = json!({"default": "Read the code meanwhile."});
    let crib = TempCrib::new().tool("nap", nap).tool("now", definition("now", "echo now"));
    let mut client = StdioClient::start(&crib, &[]);
    let started = client.call("nap", json!({}))["structuredContent"].clone();
    assert_eq!(started["hint"], "Read the code meanwhile.");
    assert!(
        started["instruction"].as_str().is_some_and(|text| text.contains("`await`")),
        "{started}"
    );
    let mut since = Value::Null;
    testing::wait_until_blocking("the result is delivered", || {
        since = client.call("now", json!({}))["structuredContent"]["since_last_call"].clone();
        since.is_string()
    });
    assert!(
        since.as_str().is_some_and(|text| text.starts_with("Since your last call:")),
        "{since}"
    );
}

#[test]
fn descriptions_of_asynchronous_tools_do_not_repeat_the_instructions() {
    let crib = TempCrib::new().tool("nap", asynchronous_tool("nap", "sleep 1"));
    let listed = crib.run(&["list", "--json"]).stdout;
    assert!(!listed.contains("`await`"), "{listed}");
    let client = StdioClient::start(&crib, &[]);
    let instructions = client.initialized["result"]["instructions"].as_str().expect("instructions");
    assert!(instructions.contains("`await`"), "{instructions}");
}

#[test]
fn cancel_reaches_an_operation_of_a_running_server() {
    let crib = TempCrib::new().tool("nap", asynchronous_tool("nap", "sleep 4712"));
    let mut client = StdioClient::start(&crib, &[]);
    let started = client.request("tools/call", json!({"name": "nap", "arguments": {}}));
    let id = started["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "running");
    let cancelled = crib.run(&["operations", "cancel", &id]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.stderr);
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "cancelled");
    insta::assert_snapshot!(crib.transcript(&["operations", "cancel", &id]), @r"
    exit code 0
    --- stdout
    op_ID had already ended: cancelled
    ");
    wait_until_blocking("its process is killed", || !is_command_running("sleep 4712"));
}

#[test]
fn operations_of_a_killed_server_are_lost() {
    let crib = TempCrib::new().tool("nap", asynchronous_tool("nap", "sleep 4713"));
    let mut client = StdioClient::start(&crib, &[]);
    let started = client.request("tools/call", json!({"name": "nap", "arguments": {}}));
    let id =
        started["result"]["structuredContent"]["operation_id"].as_str().expect("an id").to_owned();
    drop(client);
    let next = StdioClient::start(&crib, &[]);
    assert_eq!(crib.run(&["operations", "show", &id, "--json"]).json()["state"], "lost");
    assert!(!is_command_running("sleep 4713"));
    drop(next);
}

#[test]
fn the_queue_position_is_shown_everywhere() {
    let nap = |name: &str| asynchronous_tool(name, "sleep 4714");
    let crib = TempCrib::new()
        .tool("nap", nap("nap"))
        .file("toolcrib.toml", "[limits]\nconcurrency = 1\n");
    let mut client = StdioClient::start(&crib, &[]);
    let mut start = || {
        let started = client.request("tools/call", json!({"name": "nap", "arguments": {}}));
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
            .find(|line| line.starts_with(&id[3..11]))
            .unwrap_or_else(|| panic!("{listed}"))
            .to_owned()
    };
    assert!(
        !line(&first).contains("queue") && line(&second).contains("queued at place 1"),
        "{listed}"
    );
    assert!(line(&third).contains("queued at place 2"), "{listed}");
    assert!(crib.run(&["operations", "show", &third]).stdout.contains("queued at place 2"));
    let shown = crib.run(&["operations", "show", &second, "--json"]).json();
    assert_eq!(shown["progress"]["message"], "queued at place 1");
    let status =
        client.request("tools/call", json!({"name": "status", "arguments": {"state": "pending"}}));
    assert!(status.to_string().contains("queued at place 2"), "{status}");
    assert_eq!(crib.run(&["operations", "cancel", &second]).code, 0);
    wait_until_blocking("the next one moves up", || {
        crib.run(&["operations", "show", &third]).stdout.contains("queued at place 1")
    });
}

/// Runs the program on a pseudo-terminal, and returns its output as it comes.
pub(crate) fn run_on_terminal(
    crib: &TempCrib,
    arguments: &[&str],
) -> (std::process::Child, Receiver<String>) {
    let near = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&near).expect("ours");
    pty::unlockpt(&near).expect("open");
    let name = pty::ptsname(&near, Vec::new()).expect("a name").into_string().expect("text");
    let far = || File::options().read(true).write(true).open(&name).expect("its other end");
    let child = crib
        .command(arguments)
        .stdin(far())
        .stdout(far())
        .stderr(far())
        .spawn()
        .expect("the program runs");
    let (sender, drawn) = channel();
    let mut near = File::from(near);
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        // Reading fails when the other end is closed.
        while let Ok(read @ 1..) = near.read(&mut chunk) {
            let _ = sender.send(String::from_utf8_lossy(&chunk[..read]).into_owned());
        }
    });
    (child, drawn)
}

#[test]
fn watch_shows_progress_until_the_operation_ends() {
    let mut build = asynchronous_tool("build", "sh build.sh");
    build["progress_regex"] = json!(r"(\d+)%");
    let script = "echo 25%; until [ -e half ]; do sleep 0.05; done; echo 75%; until [ -e done ]; do sleep 0.05; done";
    let crib = TempCrib::new().tool("build", build).file("build.sh", script);
    let mut client = StdioClient::start(&crib, &[]);
    client.request("tools/call", json!({"name": "build", "arguments": {}}));
    let (mut watching, drawn) = run_on_terminal(&crib, &["operations", "list", "--watch"]);
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
        see("[###############-----]  75%").contains("\u{1b}[2A\u{1b}[J"),
        "the previous list is overwritten"
    );
    crib.write("done", "");
    see("completed");
    assert!(watching.wait().expect("an end").success(), "it ends when nothing runs");
}

#[test]
fn output_of_others_cannot_control_a_terminal_and_is_exact_in_a_pipe() {
    const TEXT: &str = "a\x1b[2K\tb\u{9b}\rc\n";
    let crib = TempCrib::new()
        .file("text", TEXT)
        .tool("now", definition("now", "cat text"))
        .tool("later", asynchronous_tool("later", "cat text"));
    let started = crib.run(&["call", "later", "--json"]);
    assert_eq!(started.code, 0, "{}", started.stderr);
    let list = crib.run(&["operations", "list", "--json"]).json();
    let id = list["operations"][0]["id"].as_str().expect("an id").to_owned();
    for arguments in [vec!["call", "now"], vec!["operations", "logs", &id]] {
        let piped = crib.run(&arguments);
        assert_eq!(piped.stdout, TEXT, "{arguments:?}");
        let (_, seen) = run_at_terminal(&crib, &arguments, &[]);
        assert!(seen.starts_with("a\\u{1b}[2K\tb\\u{9b}\\rc\n"), "{arguments:?}: {seen:?}");
    }
}

#[test]
fn the_limit_of_kept_bytes_counts_output_files() {
    const MIB: u64 = 1 << 20;
    let crib = TempCrib::new()
        .file("toolcrib.toml", &format!("[limits]\nkeep_bytes = {}\n", 4 * MIB))
        .tool("flood", asynchronous_tool("flood", "head -c 1048576 /dev/zero"))
        .tool("torrent", definition("torrent", "head -c 20971520 /dev/zero"));
    let mut client = StdioClient::start(&crib, &[]);
    let reply = client.request("tools/call", json!({"name": "torrent", "arguments": {}}));
    assert!(reply.to_string().contains("toolcrib://output/"), "{reply}");
    for _ in 0..12 {
        let reply = client.request("tools/call", json!({"name": "flood", "arguments": {}}));
        assert!(reply.get("result").is_some(), "{reply}");
    }
    let size = || -> u64 {
        let folder = fs::read_dir(crib.state().join("output")).expect("output files").flatten();
        folder.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
    };
    // The last operations may not have ended yet.
    wait_until_blocking("all have ended", || {
        let list = crib.run(&["operations", "list", "--json"]).json();
        let all = list["operations"].as_array().expect("a list").clone();
        all.iter().all(|operation| operation["state"] == "completed")
    });
    // The output of the plain call, which has a limit of the same size, and those of the
    // operations.
    wait_until_blocking("old output is removed", || size() <= 4 * MIB + 5 * MIB);
}
