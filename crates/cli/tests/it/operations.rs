//! `operations` and `approve`: stored operations, and decisions about calls.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
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
fn asynchronous_tool(name: &str, command: &str) -> Value {
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

/// A plan without the paths that its sandbox allows and its level: they depend on the machine.
fn without_sandbox(transcript: &str) -> String {
    let is_portable = |line: &&str| {
        !["program ", "variables ", "reads ", "sandbox "].iter().any(|name| line.starts_with(name))
    };
    transcript.lines().filter(is_portable).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_approval_is_valid_for_the_same_call_once() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let list = crib.transcript(&["approve"]).replace(&id[3..9], "CODE");
    insta::assert_snapshot!(list, @r"
    exit code 0
    --- stdout
    CODE    WAITS  TOOL  RUNS
    CODE DURATION  wipe  echo wiped a
    ");
    crib.approve("ap_nonsense");
    let transcript = crib.transcript(&["approve", &id[3..9], "--yes"]);
    insta::assert_snapshot!(without_sandbox(&transcript), @r"
    exit code 0
    --- stderr
    runs       echo wiped a

    `wipe` asks for your approval: it is marked as dangerous
    in         CRIB
    input      none
    at most    300 seconds
    writes     CRIB
    network    no
    approved; repeat the same call to run it
    ");
    insta::assert_snapshot!(crib.transcript(&["approve"]), @r"
    exit code 0
    --- stderr
    no calls are waiting for approval
    ");
    assert_eq!(
        crib.run(&["call", "wipe", "--args", r#"{"what": "b"}"#]).code,
        5,
        "a different call needs its own approval"
    );
    let output = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "wiped a\n"), "{}", output.stderr);
    assert_eq!(
        crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code,
        5,
        "an approval is used up"
    );
}

#[test]
fn only_a_person_at_a_terminal_is_shown_how_to_approve() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let call = ["call", "wipe", "--args", r#"{"what": "a"}"#];
    let piped = crib.transcript(&call).replace(&id[3..9], "CODE");
    insta::assert_snapshot!(piped, @r"
    exit code 5
    --- stderr
    error: `wipe` needs your user's approval: it is marked as dangerous; nothing was run. Ask your user to approve request `CODE`, then make the same call again
    ");
    let (code, shown) = run_at_terminal(&crib, &call, &[""]);
    let shown = shown.replace(&id[3..9], "CODE");
    assert_eq!(code, 5, "{shown}");
    assert!(shown.contains("`wipe` needs your approval: it is marked as dangerous"), "{shown}");
    assert!(shown.contains("approve CODE`, then repeat the call"), "{shown}");
    assert!(!shown.contains("Ask your user"), "{shown}");
}

#[test]
fn a_denial_is_final() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    assert_eq!(crib.run(&["approve", &id, "--deny"]).code, 0);
    insta::assert_snapshot!(crib.transcript(&["approve", &id, "--yes"]), @r"
    exit code 2
    --- stderr
    error: ap_ID was denied DURATION ago by terminal
     |
     = help: repeat the call to request a new approval
    ");
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 5);
    insta::assert_snapshot!(crib.transcript(&["approve", "ap_nonsense", "--yes"]), @r"
    exit code 3
    --- stderr
    error: there is no request `ap_nonsense`
     |
     = help: run `toolcrib approve` to list the calls that are waiting
    ");
}

#[test]
fn always_prints_a_rule_to_add() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    crib.approve("ap_nonsense");
    let approved = crib.run(&["approve", &id, "--yes", "--always"]);
    assert!(approved.stdout.starts_with("[[policy]]"), "{}{}", approved.stdout, approved.stderr);
    assert!(approved.stderr.contains("to allow this call for 30 days, add"), "{}", approved.stderr);
    crib.write("toolcrib.toml", &approved.stdout);
    for _ in 0..2 {
        let output = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "b"}"#]).code, 5);
}

#[test]
fn deny_overrides_allow() {
    let rules = "[[policy]]\ntools = \"*\"\ndo = \"allow\"\nuntil = 2999-01-01\n[[policy]]\ntools = \"wipe\"\nwhen = \"args.what == 'all'\"\ndo = \"deny\"\n";
    let crib = TempCrib::new().tool("wipe", dangerous_tool()).file("toolcrib.toml", rules);
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 0);
    let denied = crib.run(&["call", "wipe", "--json", "--args", r#"{"what": "all"}"#]);
    assert_eq!((denied.code, &denied.json()["error_type"]), (1, &json!("denied")));
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
    ID        STATE      TAKES      BEGUN  TOOL   PROGRESS
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

/// The lines of the crib's audit.
fn read_audit(crib: &TempCrib) -> Vec<Value> {
    let text = std::fs::read_to_string(crib.state().join("audit.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The level that `doctor` reports.
fn level_in_doctor(crib: &TempCrib) -> String {
    let report = crib.run(&["doctor"]).stdout;
    let level = report.lines().find_map(|line| line.trim().strip_prefix("level "));
    level.unwrap_or_else(|| panic!("{report}")).trim().to_owned()
}

#[test]
fn plan_show_and_audit_name_the_sandbox_level_that_is_applied() {
    let crib = TempCrib::new()
        .tool("ok", definition("ok", "true"))
        .tool("late", asynchronous_tool("late", "true"))
        .tool("absent", definition("absent", "no-such-program"));
    let level = level_in_doctor(&crib);
    let plan = crib.run(&["call", "ok", "--dry-run", "--json"]).json();
    assert_eq!(plan["confinement"]["level"], level.as_str(), "{plan}");
    let plan = crib.run(&["call", "ok", "--dry-run"]).stdout;
    assert!(plan.contains(&format!("\nsandbox    {level}\n")), "{plan}");
    let shown = crib.run(&["show", "ok"]).stdout;
    assert!(shown.ends_with(&format!("\nSandbox\n  {level}\n")), "{shown}");
    let shown = crib.run(&["show", "ok", "--json"]).json();
    assert_eq!((&shown["sandbox"], &shown["tool"]["name"]), (&json!(level), &json!("ok")));
    let native = crib.run(&["show", "status", "--json"]).json();
    assert_eq!((&native["sandbox"], &native["name"]), (&Value::Null, &json!("status")));
    for tool in ["ok", "late", "absent", "status"] {
        crib.run(&["call", tool]);
    }
    let lines = read_audit(&crib);
    let sandboxes = |is_start: bool| {
        let lines = lines.iter().filter(|line| (line["outcome"] == "started") == is_start);
        lines.map(|line| line["sandbox"].clone()).collect::<Vec<_>>()
    };
    // The third was never started, the fourth is a function of the server.
    assert_eq!(sandboxes(false), [json!(level), json!(level), Value::Null, Value::Null]);
    assert_eq!(sandboxes(true), [json!(level), json!(level), json!(level)], "what it will be");
    crib.write("toolcrib.toml", "[confine]\nenabled = false\n");
    crib.run(&["call", "ok"]);
    assert_eq!(read_audit(&crib).last().expect("a line")["sandbox"], "none");
    assert!(crib.run(&["show", "ok"]).stdout.contains("\nSandbox\n  none: "));
}

#[test]
fn every_call_and_decision_is_in_the_audit_log() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool()).tool("ok", definition("ok", "true"));
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    assert_eq!(read_audit(&crib).len(), 1, "the refusal");
    assert_eq!(crib.approve(&id).code, 0);
    assert_eq!(read_audit(&crib).len(), 2, "the approval");
    assert_eq!(crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code, 0);
    let mut client = StdioClient::start(&crib, &[]);
    for _ in 0..3 {
        client.request("tools/call", json!({"name": "ok", "arguments": {}}));
    }
    client.close();
    let lines = read_audit(&crib);
    let count = |outcome: &str| lines.iter().filter(|line| line["outcome"] == outcome).count();
    assert_eq!((count("started"), count("ok")), (4, 4), "{lines:?}");
    assert_eq!(lines.len(), 10, "nothing is lost when a server ends: {lines:?}");
    assert!(
        lines.iter().all(|line| line["tool"].is_string() && line["decision"].is_string()),
        "{lines:?}"
    );
    let with_arguments = |line: &&Value| line["arguments"] == json!({"what": "a"});
    assert_eq!(lines.iter().filter(with_arguments).count(), 2, "once for each call: {lines:?}");
}

#[test]
fn a_crib_whose_tools_reach_the_state_folder_is_refused() {
    for key in ["[crib]\nroots", "[confine]\nread", "[confine]\nwrite"] {
        let crib = TempCrib::new().tool("wipe", dangerous_tool());
        request_approval(&crib, r#"{"what": "a"}"#);
        // The state of another crib is as secret as its own.
        let others = crib.state().parent().expect("the state of all cribs").to_path_buf();
        for folder in [Path::new(".."), &others] {
            crib.write("toolcrib.toml", &format!("{key} = [{folder:?}]\n"));
            let output = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
            assert_eq!(output.code, 2, "{}", output.stderr);
            assert!(output.stderr.contains("where approvals are stored"), "{}", output.stderr);
        }
    }
}

#[test]
fn a_path_that_leads_to_the_state_folder_is_refused() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    request_approval(&crib, r#"{"what": "a"}"#);
    let link = crib.root().parent().expect("a parent").join("programs");
    std::os::unix::fs::symlink(crib.state(), &link).expect("a link");
    let around = crib.state().parent().expect("a parent").to_owned();
    let inside = crib.state().join("new");
    for (variable, folder) in
        [("PATH", &link), ("PATH", &around), ("PATH", &inside), ("R_LIBS", &link)]
    {
        let mut command = crib.command(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
        let output = command.env(variable, format!("/usr/bin:/bin:{}", folder.display())).output();
        let output = output.expect("the program runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable} {folder:?}: {stderr}");
        assert!(stderr.contains("where approvals are stored"), "{stderr}");
    }
}

#[test]
fn a_tool_cannot_overwrite_the_files_that_permit_it() {
    let copy = json!({"name": "copy", "description": "Copy", "command": "cp", "synchronous": true, "mutates": true,
        "subcommand": [{"name": "default", "description": "Copy a file", "positional_args": [
            {"name": "from", "type": "string", "format": "path", "description": "From", "required": true},
            {"name": "to", "type": "string", "format": "path", "description": "To", "required": true}]}]});
    let crib = TempCrib::new()
        .tool("copy", copy)
        // A program that is not in the crib, with the name of a script that is.
        .tool("named", definition("named", "run.sh"))
        .tool("run", definition("run", "sh run.sh"))
        .tool("run_again", definition("run_again", "sh run.sh twice.sh"))
        .file("run.sh", "true")
        .file("twice.sh", "true")
        .file("definitions/linked.json", &definition("linked", "true").to_string())
        .file("rule", "[[policy]]\ntools = \"*\"\ndo = \"allow\"\n");
    std::os::unix::fs::symlink("../definitions/linked.json", crib.root().join("tools/linked.json"))
        .expect("a link");
    for to in [
        "toolcrib.toml",
        "toolcrib.lock",
        "tools/new.json",
        "tools/copy.json",
        "tools/linked.json",
        "definitions/linked.json",
        "tools/../toolcrib.toml",
        "MCP_TOOL_SPECIFICATION.md",
        "sub/mcp_tool_specification.md",
        "inst/mcp/tools/new.yaml",
        "prompts/new.md",
        ".venv/bin/python",
        "run.sh",
        "twice.sh",
    ] {
        let output = crib.run(&[
            "call",
            "copy",
            "--json",
            "--args",
            &json!({"from": "rule", "to": to}).to_string(),
        ]);
        assert_ne!(output.code, 0, "{to}");
        assert_eq!(output.json()["error_type"], "path_protected", "{to}");
    }
    assert_eq!(
        crib.run(&["call", "copy", "--args", r#"{"from": "rule", "to": "elsewhere"}"#]).code,
        0
    );
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
        .tool("flood", asynchronous_tool("flood", "head -c 1048576 /dev/zero"));
    let mut client = StdioClient::start(&crib, &[]);
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
    wait_until_blocking("old output is removed", || size() <= 5 * MIB);
}
