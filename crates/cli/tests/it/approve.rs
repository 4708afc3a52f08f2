//! `approve`: only a person approves, at a terminal, with the passphrase if there is one.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Stdio},
};

use rustix::pty;
use serde_json::json;
use testing::{CommandOutput, StdioClient, TempCrib, definition};

use crate::operations::{dangerous_tool, request_approval};

/// Runs the program with a terminal as its input, types lines, and returns exit code and output.
fn type_at_terminal(crib: &TempCrib, arguments: &[&str], lines: &[&str]) -> (i32, String) {
    let near = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&near).expect("ours");
    pty::unlockpt(&near).expect("open");
    let name = pty::ptsname(&near, Vec::new()).expect("a name").into_string().expect("text");
    let far = File::options().read(true).write(true).open(&name).expect("its other end");
    let mut command = crib.command(arguments);
    let child: Child =
        command.stdin(far).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    let mut near = File::from(near);
    for line in lines {
        near.write_all(format!("{line}\n").as_bytes()).expect("typed");
    }
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
}

/// Runs the program on a terminal, types lines, and returns exit code and output.
pub(crate) fn run_at_terminal(
    crib: &TempCrib,
    arguments: &[&str],
    lines: &[&str],
) -> (i32, String) {
    let near = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&near).expect("ours");
    pty::unlockpt(&near).expect("open");
    let name = pty::ptsname(&near, Vec::new()).expect("a name").into_string().expect("text");
    let far = || File::options().read(true).write(true).open(&name).expect("its other end");
    let mut command = crib.command(arguments);
    let mut child = command.stdin(far()).stdout(far()).stderr(far()).spawn().expect("a child");
    let mut near = File::from(near);
    for line in lines {
        near.write_all(format!("{line}\n").as_bytes()).expect("typed");
    }
    // Read while the program runs, until EOF.
    drop(command);
    let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = near.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..read]);
    }
    let code = child.wait().expect("an end").code().unwrap_or(-1);
    (code, String::from_utf8_lossy(&seen).replace("\r\n", "\n"))
}

/// Runs the program in a folder outside of every crib, with the state of this crib's user.
fn run_outside(crib: &TempCrib, arguments: &[&str]) -> CommandOutput {
    run_in(tempfile::tempdir().expect("a folder").path(), crib, arguments)
}

fn run_in(folder: &Path, crib: &TempCrib, arguments: &[&str]) -> CommandOutput {
    let state = crib.state().ancestors().nth(3).expect("the state folder").to_owned();
    let mut command = std::process::Command::new(testing::toolcrib_path());
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("XDG_STATE_HOME", state).env("NO_COLOR", "1");
    CommandOutput::from(&command.output().expect("it runs"))
}

#[test]
fn a_call_at_a_terminal_asks_and_then_runs() {
    let crib = crib();
    let arguments = ["call", "wipe", "--args", r#"{"what": "a"}"#];
    let (code, seen) = run_at_terminal(&crib, &arguments, &["y"]);
    assert!(code == 0 && seen.ends_with("wiped a\n"), "{code} {seen}");
    assert!(seen.contains("runs       echo wiped a\n\n`wipe` asks for your approval"), "{seen}");
    let (code, seen) = run_at_terminal(&crib, &arguments, &["n"]);
    assert!(code == 5 && seen.ends_with("denied; nothing was run\n"), "{code} {seen}");
    let (code, seen) = run_at_terminal(&crib, &arguments, &[""]);
    assert!(code == 5 && seen.contains(", then repeat the call"), "{code} {seen}");
    let ephemeral = [&arguments[..], &["--ephemeral"]].concat();
    let (code, seen) = run_at_terminal(&crib, &ephemeral, &["y"]);
    assert!(code == 0 && seen.ends_with("wiped a\n"), "{code} {seen}");
    let log = crib.run(&["log", "--json"]).stdout;
    let events = |event: &str| log.matches(&format!("\"event\":\"{event}\"")).count();
    assert_eq!((events("approval"), events("denial")), (1, 1), "Enter decides nothing: {log}");
}

#[test]
fn a_call_at_a_terminal_needs_the_passphrase_if_there_is_one() {
    let crib = crib();
    request_approval(&crib, r#"{"what": "b"}"#);
    let set = ["approve", "--set-passphrase"];
    assert_eq!(type_at_terminal(&crib, &set, &["one two", "one two"]).0, 0);
    let arguments = ["call", "wipe", "--args", r#"{"what": "a"}"#];
    let (code, seen) = run_at_terminal(&crib, &arguments, &["y"]);
    assert!(code == 2 && seen.contains("the passphrase is wrong"), "{code} {seen}");
    let (code, seen) = run_at_terminal(&crib, &arguments, &["one two"]);
    assert!(code == 0 && seen.ends_with("wiped a\n"), "{code} {seen}");
}

#[test]
fn enter_decides_later() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let (code, seen) = type_at_terminal(&crib, &["approve", &id[3..5]], &[""]);
    assert!(code == 0 && seen.ends_with("the call still waits\n"), "{seen}");
    assert!(crib.run(&["approve"]).stdout.contains(&id[3..9]), "it can still be approved");
    let (code, seen) = type_at_terminal(&crib, &["approve", &id[3..5]], &["y"]);
    assert!(code == 0 && seen.contains("approved;"), "{seen}");
    assert_eq!(call(&crib), 0);
}

#[test]
fn outside_of_a_crib_the_calls_of_all_cribs_are_listed() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a b"}"#);
    let listed = run_outside(&crib, &["approve"]).stdout.replace(&id[3..9], "CODE..");
    insta::assert_snapshot!(testing::normalize(&listed), @r"
    CODE     WAITS  CRIB  TOOL  RUNS
    CODE.. DURATION  crib  wipe  echo wiped 'a b'
    ");
    assert!(crib.run(&["approve", "--all-cribs"]).stdout.contains("CRIB"));
    let sibling = crib.root().with_file_name("sibling");
    fs::create_dir_all(sibling.join("tools")).expect("a folder");
    let note = run_in(&sibling, &crib, &["approve"]).stderr;
    assert_eq!(
        note,
        "no calls are waiting for approval\n1 call of other cribs: `toolcrib approve --all-cribs`\n"
    );
    // The home folder of most people contains the state folder.
    let home = crib.root().parent().expect("a folder").to_owned();
    assert!(run_in(&home, &crib, &["approve"]).stdout.contains("echo wiped 'a b'"));
    let elsewhere = run_in(&home, &crib, &["list"]);
    assert!(elsewhere.stderr.starts_with("error: there is no crib in "), "{}", elsewhere.stderr);
    let denied = run_outside(&crib, &["approve", &id[3..9], "--deny"]);
    assert!(denied.code == 0 && denied.stderr.ends_with("denied\n"), "{}", denied.stderr);
    assert_eq!(run_outside(&crib, &["approve", "zz"]).code, 3);
}

#[test]
fn the_operators_command_is_run_once_when_a_call_waits() {
    let crib = crib();
    let script = crib.root().with_file_name("notify.sh");
    let out = crib.root().with_file_name("notified");
    let text = format!(
        "#!/bin/sh\nfor word; do echo \"[$word]\"; done >>{0}\necho \"$TOOLCRIB_TOOL $TOOLCRIB_RUNS\" >>{0}\n",
        out.display()
    );
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
    crib.write("toolcrib.toml", &format!("[approval]\nnotify = [{script:?}, \"first\"]\n"));
    let mut client = StdioClient::start(&crib, &[]);
    let refused = client.call("wipe", json!({"what": "$(touch x); `y`"}));
    client.call("wipe", json!({"what": "$(touch x); `y`"}));
    let code = refused["structuredContent"]["error_details"]["code"].as_str().expect("a code");
    testing::wait_until_blocking("it is run", || {
        fs::read_to_string(&out).is_ok_and(|text| text.contains("wipe echo"))
    });
    let notified = fs::read_to_string(&out).expect("it was run").replace(code, "CODE");
    insta::assert_snapshot!(notified, @r"
    [first]
    [Approval needed: wipe]
    [Request CODE: echo wiped '$(touch x); `y`'
    it is marked as dangerous]
    wipe echo wiped '$(touch x); `y`'
    ");
    assert!(!refused.to_string().contains("toolcrib approve"), "{refused}");
    crib.write("toolcrib.toml", "[approval]\nnotify = [\"no-such-program\"]\n");
    assert_eq!(call(&crib), 5, "a command that fails changes nothing");
}

fn crib() -> TempCrib {
    TempCrib::new().tool("wipe", dangerous_tool())
}

fn call(crib: &TempCrib) -> i32 {
    crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]).code
}

#[test]
fn without_a_terminal_nothing_is_approved() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    for arguments in [vec!["approve", &id], vec!["approve", &id, "--yes"]] {
        let refused = crib.run(&arguments);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("terminal"), "{}", refused.stderr);
    }
    for setting in ["--set-passphrase", "--create-credential"] {
        assert_eq!(crib.run(&["approve", setting]).code, 2);
    }
    assert_eq!(call(&crib), 5);
}

#[test]
fn a_person_at_a_terminal_approves_by_code() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let (code, seen) = type_at_terminal(&crib, &["approve", &id[3..9]], &["y"]);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.starts_with("runs       echo wiped a\n\n"), "{seen}");
    assert_eq!(call(&crib), 0);
}

#[test]
fn a_person_at_a_terminal_can_deny() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let (code, seen) = type_at_terminal(&crib, &["approve", &id], &["n"]);
    assert!(code == 0 && seen.ends_with("denied\n"), "{seen}");
    assert_eq!(call(&crib), 5);
}

#[test]
fn a_script_approves_with_the_credential_that_a_person_created() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let (code, seen) = type_at_terminal(&crib, &["approve", "--create-credential"], &[]);
    assert_eq!(code, 0, "{seen}");
    assert_eq!(crib.run(&["approve", &id, "--yes"]).code, 0);
    assert_eq!(call(&crib), 0);
    let audit = std::fs::read_to_string(crib.state().join("audit.jsonl")).expect("an audit");
    assert!(audit.contains(r#""by":"credential""#), "{audit}");
}

#[test]
fn a_passphrase_replaces_every_other_way_to_approve() {
    let crib = crib();
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let set = ["approve", "--set-passphrase"];
    let (code, seen) = type_at_terminal(&crib, &set, &["one two", "one two"]);
    assert_eq!(code, 0, "{seen}");
    assert_eq!(crib.approve(&id).code, 2, "the credential is not enough");
    for (typed, expected) in [("three", 2), ("one two", 0)] {
        let (code, seen) = type_at_terminal(&crib, &["approve", &id, "--yes"], &[typed]);
        assert_eq!(code, expected, "{seen}");
        assert!(!seen.contains(typed), "it is not shown: {seen}");
    }
    assert_eq!(call(&crib), 0);
    let (code, _) = type_at_terminal(&crib, &set, &["wrong", "", ""]);
    assert_eq!(code, 2, "a change needs the current one");
    let (code, seen) = type_at_terminal(&crib, &set, &["one two", "", ""]);
    assert!(code == 0 && seen.contains("no passphrase"), "{seen}");
}

#[test]
fn a_credential_that_tools_can_read_does_not_count() {
    let crib = crib().file("toolcrib.toml", "[confine]\nenabled = false\n");
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    let refused = crib.approve(&id);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("tools of this crib can read"), "{}", refused.stderr);
    assert_eq!(call(&crib), 5);
}

#[test]
fn a_program_in_a_parent_of_the_state_folder_cannot_read_it() {
    let crib = TempCrib::new();
    let program = crib.root().with_file_name("peek");
    let script =
        "#!/bin/sh\ncat \"$(dirname \"$0\")\"/state/toolcrib/cribs/*/operator-credential\n";
    fs::write(&program, script).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    crib.write(
        "tools/peek.json",
        &definition("peek", program.to_str().expect("a path")).to_string(),
    );
    crib.write("tools/wipe.json", &dangerous_tool().to_string());
    let id = request_approval(&crib, r#"{"what": "a"}"#);
    assert_eq!(crib.approve(&id).code, 0, "the credential is out of reach");
    let peeked = crib.run(&["call", "peek"]);
    assert_ne!(peeked.code, 0, "{}", peeked.stdout);
    assert!(!peeked.stdout.contains("credential\n"), "{}", peeked.stdout);
}

#[test]
fn policies_see_paths_without_links_and_parent_folders() {
    let policy = |name: &str, when: &str, r#do: &str| {
        format!("[[policy]]\ntools = \"{name}\"\nwhen = \"{when}\"\ndo = \"{do}\"\n")
    };
    let tool = |name: &str, dangerous: bool| {
        json!({
            "name": name, "description": "Prints a file", "command": "cat", "mutates": dangerous, "dangerous": dangerous,
            "subcommand": [{"name": "default", "description": "Prints it", "positional_args": [
                {"name": "path", "type": "string", "format": "path", "description": "A file", "required": true}]}],
        })
    };
    let config = policy("show", "args.path.startsWith('sub/')", "allow")
        + &policy("read", "args.path.startsWith('sub/secret')", "deny");
    let crib = TempCrib::new()
        .tool("show", tool("show", true))
        .tool("read", tool("read", false))
        .file("toolcrib.toml", &config)
        .file("data", "data")
        .file("sub/one", "one")
        .file("sub/secret/x", "x");
    std::os::unix::fs::symlink("..", crib.root().join("sub/up")).expect("a link");
    let code = |name: &str, path: &str| {
        crib.run(&["call", name, "--args", &json!({"path": path}).to_string()]).code
    };
    assert_eq!(code("show", "sub/one"), 0, "allowed");
    for path in ["sub/../data", "sub/up/data", "data"] {
        assert_ne!(code("show", path), 0, "{path} needs approval");
    }
    assert_eq!(code("read", "data"), 0);
    let absolute = crib.root().join("sub/secret/x");
    for path in [
        "sub/secret/x",
        "./sub/secret/x",
        "sub//secret/x",
        "sub/up/sub/secret/x",
        absolute.to_str().expect("UTF-8"),
    ] {
        assert_ne!(code("read", path), 0, "{path} is denied");
    }
}

/// Removes the sandbox level and the allowed paths from a plan, because they depend on the machine.
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
    CODE     WAITS  TOOL  RUNS
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
