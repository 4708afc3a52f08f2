//! Flags from clients of both eras and from the terminal, and the tools that they switch.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, request_meta};

const SWITCHED: &str = "# mine\n[flags]\nstyle = \"plain\" # by hand\n\n[[switch]]\nflag = \"git-tools\"\ntools = \"git_*\"\n";

fn crib_with_git(config: &str) -> TempCrib {
    TempCrib::new()
        .file("toolcrib.toml", config)
        .tool(
            "git",
            json!({
                "name": "git", "description": "Version control", "command": "echo", "synchronous": true, "mutates": false,
                "subcommand": [{"name": "log", "description": "Shows commits"}, {"name": "tag", "description": "Lists tags"}],
            }),
        )
        .tool("ls", definition("ls", "true"))
}

fn call_guide_tool(client: &mut StdioClient, name: &str, arguments: Value) -> Value {
    let mut result = client.call(&format!("guide_{name}"), arguments);
    assert_eq!(
        result["isError"].as_bool().unwrap_or(false),
        result["structuredContent"]["success"] == false
    );
    result["structuredContent"].take()
}

/// The tools of definitions that a client sees.
fn defined_tools(client: &mut StdioClient) -> Vec<String> {
    client.names().into_iter().filter(|name| !name.starts_with("guide_")).collect()
}

/// The response of a fresh server to one request of a modern client.
fn request_from_fresh_server(crib: &TempCrib, method: &str, mut params: Value) -> Value {
    params["_meta"] = request_meta(json!({}));
    let mut command = crib.command(&["serve"]);
    command.stderr(Stdio::null());
    let mut client = StdioClient::spawn(command);
    let response = client.request(method, params);
    client.close();
    response
}

#[test]
fn legacy_and_modern_clients_share_flags_across_restarts() {
    let crib = crib_with_git("[flags]\nstyle = \"plain\"\n");
    let mut client = StdioClient::start(&crib, &[]);
    let set = call_guide_tool(
        &mut client,
        "set_project_flag",
        json!({"name": "languages", "value": ["rust", "r"]}),
    );
    assert_eq!(set["success"], true, "{set}");
    client.close();
    let get = |name: &str| {
        let reply = request_from_fresh_server(
            &crib,
            "tools/call",
            json!({"name": "guide_get_project_flag", "arguments": {"name": name}}),
        );
        reply["result"]["structuredContent"]["value"].clone()
    };
    assert_eq!(
        get("languages"),
        json!({"name": "languages", "is_set": true, "value": ["rust", "r"], "source": "project"})
    );
    assert_eq!(get("style")["source"], "config");
    let arguments = json!({"name": "languages", "value": 7});
    let refused = request_from_fresh_server(
        &crib,
        "tools/call",
        json!({"name": "guide_set_project_flag", "arguments": arguments}),
    );
    assert_eq!(refused["result"]["isError"], true);
    assert_eq!(refused["result"]["structuredContent"]["error_type"], "invalid_arguments");
}

#[test]
fn flag_tools_need_a_flags_section() {
    let six = |config: &str| {
        let output = crib_with_git(config).run(&["list", "--json"]).json();
        let names = output
            .as_array()
            .expect("tools")
            .iter()
            .filter(|tool| tool["name"].as_str().is_some_and(|name| name.contains("_flag")));
        names.count()
    };
    assert_eq!((six(""), six("[flags]\n")), (0, 6));
}

#[test]
fn the_user_store_is_opened_on_first_use() {
    let crib = crib_with_git("[flags]\n");
    let mut client = StdioClient::start(&crib, &[]);
    client.names();
    let store = crib.state().ancestors().nth(2).expect("the state folder").join("user.db");
    assert!(!store.exists());
    call_guide_tool(&mut client, "get_feature_flag", json!({"name": "x"}));
    assert!(store.exists());
}

/// Defect 5, from twenty processes.
#[test]
fn twenty_concurrent_processes_lose_no_flag() {
    let crib = crib_with_git("");
    let start = |number: usize| {
        crib.command(&["flags", "set", &format!("f{number}")])
            .stdout(Stdio::null())
            .spawn()
            .expect("a run")
    };
    for mut writer in (0..20).map(start).collect::<Vec<_>>() {
        assert!(writer.wait().expect("an end").success());
    }
    assert_eq!(
        crib.run(&["flags", "list", "--json"]).json()["flags"].as_object().expect("flags").len(),
        20
    );
}

/// Defect 6: edits by hand were not seen, then overwritten, and comments dropped.
#[test]
fn manual_edits_apply_at_once_and_are_never_overwritten() {
    let crib = crib_with_git(SWITCHED);
    let mut client = StdioClient::start(&crib, &[]);
    call_guide_tool(&mut client, "set_project_flag", json!({"name": "other"}));
    let edited = SWITCHED.replace("\"plain\"", "\"headings\"");
    crib.write("toolcrib.toml", &edited);
    assert_eq!(
        call_guide_tool(&mut client, "get_project_flag", json!({"name": "style"}))["value"]["value"],
        "headings"
    );
    call_guide_tool(&mut client, "set_project_flag", json!({"name": "style", "value": "full"}));
    call_guide_tool(&mut client, "set_feature_flag", json!({"name": "style", "value": "none"}));
    assert_eq!(
        call_guide_tool(&mut client, "get_project_flag", json!({"name": "style"}))["value"]["value"],
        "full"
    );
    assert_eq!(fs::read_to_string(crib.root().join("toolcrib.toml")).expect("the config"), edited);
}

/// Defect 7: the lock of a server that was killed blocked everyone for minutes.
#[test]
fn a_killed_server_leaves_no_lock() {
    let crib = crib_with_git("[flags]\n");
    let mut client = StdioClient::start(&crib, &[]);
    call_guide_tool(&mut client, "set_feature_flag", json!({"name": "x", "value": "kept"}));
    drop(client); // By a signal that cannot be caught.
    let begun = Instant::now();
    assert_eq!(crib.run(&["flags", "get", "x"]).stdout, "kept\n");
    assert_eq!(crib.run(&["flags", "set", "y"]).code, 0);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_flag_switches_tools_of_a_running_server() {
    let crib = crib_with_git(SWITCHED);
    let mut client = StdioClient::start(&crib, &[]);
    assert_eq!(defined_tools(&mut client), ["ls"]);
    let refused = client.request("tools/call", json!({"name": "git_log", "arguments": {}}));
    assert_eq!(
        refused["error"]["message"],
        "`git_log` is not served now: it is switched off until the flag `git-tools` is true"
    );
    call_guide_tool(&mut client, "set_project_flag", json!({"name": "git-tools"}));
    assert_eq!(
        defined_tools(&mut client),
        ["git_log", "git_tag", "ls"],
        "before the change is answered"
    );
    let output = client.request("tools/call", json!({"name": "git_log", "arguments": {}}));
    assert_eq!(output["result"]["structuredContent"]["stdout"], "log\n", "{output}");
    call_guide_tool(&mut client, "set_feature_flag", json!({"name": "git-tools", "value": false}));
    assert_eq!(defined_tools(&mut client).len(), 3, "the project's own value counts");
    assert_eq!(crib.run(&["flags", "unset", "git-tools"]).code, 0);
    assert_eq!(defined_tools(&mut client), ["ls"], "from the terminal");
    crib.run(&["flags", "set", "git-tools", "--global"]);
    client.wait_for_change();
    assert_eq!(defined_tools(&mut client).len(), 3);
}

#[test]
fn a_flag_set_through_one_server_reaches_the_others() {
    let crib = crib_with_git(SWITCHED);
    let (mut one, mut other) = (StdioClient::start(&crib, &[]), StdioClient::start(&crib, &[]));
    assert_eq!(defined_tools(&mut other), ["ls"]);
    call_guide_tool(&mut one, "set_project_flag", json!({"name": "git-tools"}));
    other.wait_for_change();
    assert_eq!(defined_tools(&mut other).len(), 3);
}

#[test]
fn list_and_call_respect_switches() {
    let crib = crib_with_git(SWITCHED);
    let listed = crib.run(&["list"]).stdout;
    let (_, switched_off) = listed.split_once("\n\n").expect("two parts");
    insta::assert_snapshot!(switched_off, @r"
    Built in
    guide_get_feature_flag    Gets a global flag.
    guide_get_project_flag    Gets the effective value of a project flag.
    guide_list_feature_flags  Lists the global flags.
    guide_list_project_flags  Lists the effective flags of a project.
    guide_set_feature_flag    Sets or removes a global flag.
    guide_set_project_flag    Sets or removes a flag of a project.
    read_output               Reads lines of a long output that a result shows in part.

    Switched off (see `[[switch]]` in toolcrib.toml)
    git_log                   until the flag `git-tools` is true
    git_tag                   until the flag `git-tools` is true
    ");
    insta::assert_snapshot!(crib.transcript(&["call", "git_log"]), @r"
    exit code 3
    --- stderr
    error: `git_log` is switched off until the flag `git-tools` is true
     |
     = help: run `toolcrib flags set git-tools 'true'` to turn it on
    ");
    crib.run(&["call", "set_project_flag", "--args", r#"{"name": "git-tools"}"#]);
    assert_eq!(crib.run(&["call", "git_log"]).stdout, "log\n");
    assert!(!crib.run(&["list"]).stdout.contains("Switched off"));
}

#[test]
fn manages_flags_from_the_terminal() {
    let crib = crib_with_git("[flags]\nstyle = \"plain\"\n");
    let transcript = |arguments: &[&str]| crib.transcript(&[&["flags"], arguments].concat());
    insta::assert_snapshot!(transcript(&["list", "--global"]), @r"
    exit code 0
    --- stderr
    no flags are set
    ");
    insta::assert_snapshot!(transcript(&["set", "verbose"]), @r"
    exit code 0
    --- stdout
    `verbose` is now true for this project (previously unset)
    ");
    insta::assert_snapshot!(transcript(&["set", "verbose", "false", "--global"]), @r"
    exit code 0
    --- stdout
    `verbose` is now false for every project (previously unset)
    ");
    insta::assert_snapshot!(transcript(&["set", "langs", r#"["rust", "r"]"#, "--project", ".."]), @r#"
    exit code 0
    --- stdout
    `langs` is now ["rust","r"] for that project (previously unset)
    "#);
    insta::assert_snapshot!(transcript(&["list"]), @r#"
    exit code 0
    --- stdout
    style    config   "plain"
    verbose  project  true
    "#);
    insta::assert_snapshot!(transcript(&["list", "--global"]), @r"
    exit code 0
    --- stdout
    verbose  global   false
    ");
    insta::assert_snapshot!(transcript(&["get", "style"]), @r"
    exit code 0
    --- stdout
    plain
    ");
    insta::assert_snapshot!(transcript(&["get", "langs", "--project", "..", "--json"]), @r#"
    exit code 0
    --- stdout
    {"version":1,"name":"langs","is_set":true,"value":["rust","r"],"source":"project"}
    "#);
    insta::assert_snapshot!(transcript(&["get", "langs"]), @r"
    exit code 1
    --- stderr
    `langs` is not set
    ");
    insta::assert_snapshot!(transcript(&["unset", "verbose"]), @r"
    exit code 0
    --- stdout
    `verbose` is unset for this project (previously true)
    ");
    insta::assert_snapshot!(transcript(&["unset", "verbose"]), @r"
    exit code 0
    --- stdout
    `verbose` was already unset for this project
    ");
    insta::assert_snapshot!(transcript(&["get", "verbose"]), @r"
    exit code 0
    --- stdout
    false
    ");
    insta::assert_snapshot!(transcript(&["set", "a b"]), @r"
    exit code 4
    --- stderr
    error: `a b` is not a valid flag name: ' ' is not allowed; use letters, digits, `_`, `-` and `.`
    ");
    insta::assert_snapshot!(transcript(&["set", "x", "[1]"]), @r"
    exit code 4
    --- stderr
    error: invalid flag value: `[0]` is an integer, not a text
    ");
    insta::assert_snapshot!(transcript(&["set", "x", "yes"]), @r#"
    exit code 0
    --- stdout
    `x` is now "yes" for this project (previously unset)

    --- stderr
    note: the value is stored as text; use `true` or `false` to turn a flag on or off
    "#);
    insta::assert_snapshot!(transcript(&["list", "[a-"]), @r"
    exit code 4
    --- stderr
    error: invalid pattern: '[' cannot occur in a tool name; the only wildcards are `*` and `?`
    ");
    insta::assert_snapshot!(transcript(&["set", "port", "8080"]), @r#"
    exit code 0
    --- stdout
    `port` is now "8080" for this project (previously unset)
    "#);
}

#[test]
fn a_corrupt_store_is_moved_aside_and_reported_once() {
    let crib = crib_with_git("[flags]\n");
    crib.run(&["flags", "set", "x"]);
    let state = crib.root().parent().expect("a folder").join("state/toolcrib");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(state.join(format!("user.db{suffix}")));
    }
    fs::write(state.join("user.db"), "this is no database ".repeat(500)).expect("a file");
    let mut client = StdioClient::start(&crib, &[]);
    let reply = call_guide_tool(&mut client, "get_project_flag", json!({"name": "x"}));
    assert_eq!((&reply["success"], &reply["error_type"]), (&json!(false), &json!("store_failed")));
    assert!(reply["error"].as_str().expect("an error").contains("moved aside"), "{reply}");
    let state_path = state.to_string_lossy().into_owned();
    assert!(!reply.to_string().contains(&state_path), "clients do not see the path");
    assert_eq!(
        call_guide_tool(&mut client, "set_project_flag", json!({"name": "x"}))["success"],
        true,
        "and then work continues"
    );
    let names = fs::read_dir(&state)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string());
    assert!(names.flatten().any(|name| name.starts_with("user.db.broken")));
}

#[test]
fn reports_an_unwritable_state_folder() {
    let crib = crib_with_git(SWITCHED);
    let blocked = crib.root().with_file_name("blocked");
    fs::write(&blocked, "a file, where a folder should be").expect("a file");
    let run = |arguments: &[&str]| {
        crib.command(arguments).env("XDG_STATE_HOME", &blocked).output().expect("a run")
    };
    let set = run(&["flags", "set", "x"]);
    assert_eq!(set.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&set.stderr).contains("cannot be opened"), "{set:?}");
    let called = run(&["call", "set_feature_flag", "--args", r#"{"name": "x"}"#, "--json"]);
    let envelope: Value = serde_json::from_slice(&called.stdout).expect("an envelope");
    assert_eq!(envelope["error_type"], "store_failed");
    let listed = run(&["list"]);
    assert!(listed.status.success(), "the configured values are used");
    assert!(
        String::from_utf8_lossy(&listed.stderr)
            .contains("cannot read flags; using those in toolcrib.toml"),
        "{listed:?}"
    );
}
