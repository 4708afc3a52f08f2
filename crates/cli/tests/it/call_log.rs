//! `log`: every call, with arguments, outcome and caller.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, normalize};

use crate::operations::{dangerous_tool, request_approval};

fn login_tool() -> Value {
    let mut login = definition("login", "true");
    login["subcommand"][0]["options"] = json!([
        {"name": "user", "type": "string", "description": "Who"},
        {"name": "token", "type": "string", "format": "password", "description": "A secret"}]);
    login
}

fn crib() -> TempCrib {
    let mut job = definition("job", "echo done");
    job["synchronous"] = json!(false);
    TempCrib::new()
        .tool("wipe", dangerous_tool())
        .tool("ok", definition("ok", "true"))
        .tool("fails", definition("fails", "false"))
        .tool("job", job)
        .tool("login", login_tool())
}

/// The records of `log --json`, without fields that differ from run to run.
fn records(crib: &TempCrib, arguments: &[&str]) -> Vec<Value> {
    let output = crib.run(&[&["log", "--json"], arguments].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn every_call_operation_and_decision_is_one_object() {
    let crib = crib();
    crib.run(&["call", "login", "--args", r#"{"user": "ann", "token": "hunter22"}"#]);
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    assert_eq!(crib.approve(&id).code, 0);
    crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
    crib.run(&["call", "fails"]);
    crib.run(&["call", "ok", "--args", r#"{"extra": 1}"#]);
    let mut client = StdioClient::start(&crib, &[]);
    client.call("job", json!({}));
    client.close();
    let mut found = records(&crib, &[]);
    for record in &mut found {
        assert!(record["duration_ms"].take().is_u64(), "{record}");
        assert!(record["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{record}");
    }
    let text: Vec<_> = found.iter().map(|record| normalize(&record.to_string())).collect();
    let text = text.join("\n").replace(",\"duration_ms\":null", "");
    insta::assert_snapshot!(text, @r#"
    {"version":1,"time":"TIME","event":"call","tool":"login","arguments":{"user":"ann","token":"***"},"outcome":"ok","owner":"terminal","source":"tools/login.json"}
    {"version":1,"time":"TIME","event":"call","tool":"wipe","arguments":{"what":"a"},"outcome":"refused","error_type":"approval_required","owner":"terminal","approval_id":"ap_ID","source":"tools/wipe.json"}
    {"version":1,"time":"TIME","event":"approval","tool":"wipe","outcome":"ok","owner":"terminal","caller":"credential","approval_id":"ap_ID"}
    {"version":1,"time":"TIME","event":"call","tool":"wipe","arguments":{"what":"a"},"outcome":"ok","owner":"terminal","approval_id":"ap_ID","source":"tools/wipe.json"}
    {"version":1,"time":"TIME","event":"call","tool":"fails","arguments":{},"outcome":"error","error_type":"nonzero_exit","owner":"terminal","source":"tools/fails.json"}
    {"version":1,"time":"TIME","event":"call","tool":"ok","arguments":{"extra":1},"outcome":"error","error_type":"invalid_arguments","owner":"terminal","source":"tools/ok.json"}
    {"version":1,"time":"TIME","event":"operation","tool":"job","arguments":{},"outcome":"ok","owner":"stdio","caller":"stdio 0","client":"test 1","operation_id":"op_ID","source":"tools/job.json"}
    "#);
    assert!(!text.contains("hunter22"));
    let failed = |arguments: &[&str]| records(&crib, arguments).len();
    assert_eq!((failed(&["--failed"]), failed(&["--tool", "{ok,fail*}"])), (3, 2));
    assert_eq!((failed(&["-n", "2"]), failed(&["--since", "2h"])), (2, 7));
    assert_eq!(failed(&["--since", "2100-01-01"]), 0);
}

#[test]
fn people_see_aligned_lines_in_local_time() {
    let crib = crib();
    insta::assert_snapshot!(crib.transcript(&["log"]), @r"
    exit code 0
    --- stderr
    no calls are recorded for CRIB
    ");
    crib.run(&["call", "login", "--args", r#"{"user": "ann lee", "token": "hunter22"}"#]);
    crib.run(&["call", "fails"]);
    request_approval(&crib, r#"{"what": "a"}"#);
    let output = crib.command(&["log"]).env("TZ", "UTC").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mask = |text: &str| {
        let times = regex::Regex::new(r"\d\d-\d\d \d\d:\d\d:\d\d|\([a-z2-7]{6}\)").expect("valid");
        normalize(&times.replace_all(text, "MASKED"))
    };
    insta::assert_snapshot!(mask(&text), @r#"
    TIME            OUTCOME             TAKES  BY        TOOL          ARGUMENTS
    MASKED  ok DURATION  terminal  login         user="ann lee" token=***
    MASKED  nonzero_exit DURATION  terminal  fails
    MASKED  approval_required DURATION  terminal  wipe          what=a MASKED
    "#);
    let hour = |zone: &str| {
        let output = crib.command(&["log", "-n", "1"]).env("TZ", zone).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().last().expect("a line")[6..8].parse::<u32>().expect("an hour")
    };
    assert_eq!((hour("UTC") + 9) % 24, hour("JST-9"));
    insta::assert_snapshot!(crib.transcript(&["log", "--tool", "x*"]), @r"
    exit code 0
    --- stderr
    no calls match
    ");
    insta::assert_snapshot!(crib.transcript(&["log", "--since", "soon"]), @r"
    exit code 2
    --- stderr
    error: `soon` is not a time
     |
     = help: use `2h`, `30m`, `3d`, `today`, `14:30`, `2026-11-18` or `TIME`
    ");
}

#[test]
fn watching_shows_calls_as_they_end() {
    let crib = crib();
    crib.run(&["call", "ok"]);
    let mut command = crib.command(&["log", "--watch", "--json"]);
    let mut watching = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("stdout is piped")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("readable");
        serde_json::from_str(&line).expect("an object")
    };
    assert_eq!(next()["tool"], "ok", "the latest calls come first");
    crib.run(&["call", "fails"]);
    assert_eq!(next()["error_type"], "nonzero_exit");
    crib.run(&["call", "job"]);
    let (started, ended) = (next(), next());
    assert_eq!((&started["event"], &started["outcome"]), (&json!("operation"), &Value::Null));
    assert_eq!(
        (&ended["operation_id"], &ended["outcome"]),
        (&started["operation_id"], &json!("ok"))
    );
    watching.kill().and_then(|()| watching.wait()).expect("it is stopped");
}

#[test]
fn the_client_names_itself() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &[]);
    client.call("ok", json!({}));
    client.close();
    let record = &records(&crib, &[])[0];
    assert_eq!((&record["owner"], &record["source"]), (&json!("stdio"), &json!("tools/ok.json")));
    assert!(record["client"].as_str().is_some_and(|client| client.contains(' ')), "{record}");
}
