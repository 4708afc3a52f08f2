//! A state folder that cannot be used, is removed, or is shared with a server in a container.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testing::{
    StdioClient, TempCrib, definition, initialize_params, notification, request, skip_without,
    wait_until_blocking,
};

use crate::operations::dangerous_tool;

fn crib() -> TempCrib {
    let mut job = definition("job", "sleep");
    job["synchronous"] = json!(false);
    job["subcommand"][0]["positional_args"] = json!([
        {"name": "seconds", "type": "string", "description": "How long", "required": true}]);
    let mut big = definition("big", "seq 30000");
    big["output_bytes"] = json!(1 << 20);
    TempCrib::new()
        .file("toolcrib.toml", "[flags]\n")
        .tool("hello", definition("hello", "echo hello"))
        .tool("big", big)
        .tool("job", job)
        .tool("wipe", dangerous_tool())
}

fn set_flag(client: &mut StdioClient) -> Value {
    client.call("guide_set_project_flag", json!({"name": "verbose"}))["structuredContent"].clone()
}

fn job(client: &mut StdioClient, seconds: &str) -> Value {
    client.call("job", json!({"seconds": seconds}))["structuredContent"].clone()
}

fn listed(crib: &TempCrib) -> Vec<Value> {
    let output = crib.run(&["operations", "list", "--json"]);
    output.json()["operations"].as_array().unwrap_or_else(|| panic!("{}", output.stdout)).clone()
}

#[test]
fn without_a_store_what_needs_it_is_refused_until_it_is_there() {
    let crib = crib();
    let blocked = crib.root().parent().expect("a folder").join("state");
    fs::write(&blocked, "a file where the state folder belongs").expect("a file");
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(client.call("hello", json!({}))["structuredContent"]["stdout"], "hello\n");
    let refused = job(&mut client, "0");
    assert_eq!(refused["error_type"], "store_failed", "{refused}");
    let message = refused["error_message"].as_str().unwrap_or_default();
    assert!(message.contains("the store is unavailable"), "{message}");
    let asked = client.call("wipe", json!({"what": "a"}))["structuredContent"].clone();
    assert_eq!(asked["error_type"], "store_failed", "no approval can be given: {asked}");
    assert_eq!(set_flag(&mut client)["error_type"], "store_failed");
    fs::remove_file(&blocked).expect("the file is removed");
    wait_until_blocking("the store is used", || job(&mut client, "0")["exit_code"] == 0);
    assert_eq!(set_flag(&mut client)["success"], true);
    assert_eq!(listed(&crib).len(), 1, "it is on disk");
}

#[test]
fn ephemeral_works_without_a_store_and_leaves_nothing() {
    let crib = crib();
    let state = crib.root().parent().expect("a folder").join("state");
    let mut client = StdioClient::start(&crib, &["--ephemeral"]);
    assert_eq!(job(&mut client, "0")["exit_code"], 0);
    assert_eq!(set_flag(&mut client)["success"], true);
    let flag = client.call("guide_get_project_flag", json!({"name": "verbose"}));
    assert_eq!(flag["structuredContent"]["value"]["value"], true);
    assert!(!state.join("toolcrib/user.db").exists());
    assert!(!crib.state().join("store.db").exists(), "only the control socket is there");
    client.close();
    let called = crib.run(&["call", "job", "--ephemeral", "--args", r#"{"seconds": "0"}"#]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(listed(&crib).is_empty());
}

#[test]
fn a_removed_state_folder_loses_nothing_that_was_acknowledged() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(set_flag(&mut client)["success"], true);
    assert_eq!(job(&mut client, "0")["exit_code"], 0);
    let state = crib.root().parent().expect("a folder").join("state");
    fs::remove_dir_all(state).expect("the folder is removed");
    assert_eq!(set_flag(&mut client)["success"], true);
    assert_eq!(job(&mut client, "0")["exit_code"], 0);
    let asked = client.call("wipe", json!({"what": "a"}))["structuredContent"].clone();
    let id = asked["error_details"]["approval"].as_str().unwrap_or_else(|| panic!("{asked}"));
    assert_eq!(crib.run(&["flags", "get", "verbose"]).stdout.trim(), "true");
    assert_eq!(listed(&crib).len(), 1);
    assert!(crib.run(&["approve"]).stdout.contains(&id[3..9]), "it can be approved");
}

/// Starts a server that is the first process of its own PID namespace, as in a container.
fn start_in_pid_namespace(crib: &TempCrib) -> StdioClient {
    let serve = crib.command(&["serve"]);
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", "--mount-proc"]).arg(serve.get_program());
    command.args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stderr(Stdio::null());
    let mut client = StdioClient::spawn(command);
    client.request("initialize", initialize_params(json!({})));
    client.send(&notification("notifications/initialized"));
    client
}

#[test]
fn servers_with_the_same_pid_in_different_namespaces_are_all_reachable() {
    skip_without!("unshare");
    let crib = crib();
    let servers = [start_in_pid_namespace(&crib), start_in_pid_namespace(&crib)];
    let reloaded = crib.run(&["reload"]);
    assert_eq!(reloaded.stdout, "reloaded: 4 tools, 0 errors\n".repeat(2), "{}", reloaded.stderr);
    servers.into_iter().for_each(|server| _ = server.close());
}

#[test]
fn a_server_in_another_pid_namespace_is_left_alone_while_it_runs() {
    skip_without!("unshare");
    let crib = crib();
    let mut inside = start_in_pid_namespace(&crib);
    let started = job(&mut inside, "600");
    let id = json!({"id": started["operation_id"]});
    let mut outside = StdioClient::start(&crib, &[]);
    let state = |client: &mut StdioClient| {
        client.call("status", id.clone())["structuredContent"]["operations"][0]["state"].clone()
    };
    assert_eq!(state(&mut outside), "running");
    // Longer than the interval in which a server looks for operations that others have ended.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!((state(&mut inside), state(&mut outside)), ("running".into(), "running".into()));
    outside.close();
    // `--kill-child` takes the server along.
    drop(inside);
    let mut next = StdioClient::start(&crib, &[]);
    wait_until_blocking("its death is noticed", || state(&mut next) == "lost");
}

#[test]
fn an_answered_call_is_in_the_audit_log_even_if_the_server_is_killed_right_after() {
    let crib = crib();
    for round in 1..=5 {
        let mut client = StdioClient::start(&crib, &[]);
        for _ in 0..3 {
            client.call("hello", json!({}));
        }
        // Kills the server.
        drop(client);
        let log = fs::read_to_string(crib.state().join("audit.jsonl")).expect("an audit log");
        let answered = log.lines().filter(|line| line.contains("\"outcome\":\"ok\""));
        assert_eq!(answered.count(), round * 3);
    }
}

#[test]
fn a_running_call_is_in_the_audit_log_even_if_the_server_is_killed() {
    let crib = crib().tool("nap", definition("nap", "sleep 600"));
    let mut client = StdioClient::start(&crib, &[]);
    let before = testing::count_programs(client.pid());
    client.send(&request(7, "tools/call", json!({"name": "nap", "arguments": {}})));
    wait_until_blocking("it runs", || testing::count_programs(client.pid()) > before);
    // Kills the server.
    drop(client);
    let log = fs::read_to_string(crib.state().join("audit.jsonl")).expect("an audit log");
    let line: Value = serde_json::from_str(log.trim()).unwrap_or_else(|_| panic!("{log}"));
    assert_eq!((&line["tool"], &line["outcome"]), (&json!("nap"), &json!("started")));
}

#[test]
fn a_result_is_delivered_again_if_the_server_is_killed_before_its_response_is_sent() {
    let crib = crib();
    let mut serve = crib.command(&["serve"]);
    serve.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = serve.spawn().expect("the server starts");
    let mut input = server.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(server.stdout.take().expect("stdout is piped")).lines();
    let mut send = |message: &Value| writeln!(input, "{message}").expect("the server reads");
    send(&request(1, "initialize", initialize_params(json!({}))));
    send(&notification("notifications/initialized"));
    send(&request(2, "tools/call", json!({"name": "job", "arguments": {"seconds": "2.5"}})));
    let started = output.by_ref().map_while(Result::ok).find(|line| line.contains("\"id\":2"));
    assert!(started.expect("a response").contains("operation_id"));
    wait_until_blocking("the operation has ended", || listed(&crib)[0]["state"] == "completed");
    // Longer than the buffer of a pipe that is not read.
    send(&request(3, "tools/call", json!({"name": "big", "arguments": {}})));
    let log = crib.state().join("audit.jsonl");
    wait_until_blocking("the call has ended", || {
        let ends = |line: &str| line.contains("\"big\"") && line.contains("\"ok\"");
        fs::read_to_string(&log).is_ok_and(|text| text.lines().any(ends))
    });
    // Time enough for a server that does not wait until the response is sent.
    std::thread::sleep(std::time::Duration::from_millis(500));
    server.kill().and_then(|()| server.wait()).expect("the server dies");
    let mut next = StdioClient::start(&crib, &[]);
    let told = |client: &mut StdioClient| client.call("hello", json!({}))["content"].to_string();
    assert!(told(&mut next).contains("Since your last call"));
    assert!(!told(&mut next).contains("Since your last call"), "once");
}
