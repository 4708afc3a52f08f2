//! The audit log: every call and decision, with the sandbox level that was applied.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition};

use crate::operations::{asynchronous_tool, dangerous_tool, request_approval};

/// Reads the lines of the crib's audit log.
fn read_audit(crib: &TempCrib) -> Vec<Value> {
    let text = std::fs::read_to_string(crib.state().join("audit.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The sandbox level that `doctor` reports.
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
