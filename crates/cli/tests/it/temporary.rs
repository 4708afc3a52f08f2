//! Temporary folders: each call has one, and none is left when the program has ended.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use testing::{
    StdioClient, TempCrib, definition, is_process_running, request, skip_without,
    wait_until_blocking,
};

const COUNT: &str = "demo-mcp_tool_count";

/// An R function, a Python function and a document, all of which report their temporary folder.
fn crib_with_every_backend() -> TempCrib {
    let page = "# M - MCP Tool Specification\n\n**Version**: 1.0.0\n\n## Tool: `shout`\n\nShout a word.\n\n\
                | Name | Type | Required | Description |\n|---|---|---|---|\n| `word` | `string` | Yes | The word |\n";
    let config = "[[bind]]\ntools = \"shout\"\npython = \"desk\"\nmutates = false\n\n\
                  [documents]\nenabled = true\nbackend = \"local\"\nallow_local = true\n";
    // With a state, closing a session also has to remove the state.
    let code = "mcp_tool_count <- function(.state_env = NULL) {\n  .state_env$set('n', 1L)\n  Sys.getenv('TMPDIR')\n}\n";
    TempCrib::new()
        .file("toolcrib.toml", config)
        .file("MCP_TOOL_SPECIFICATION.md", page)
        .file("desk.py", "import os\n\ndef shout(word):\n    return {word: os.environ['TMPDIR']}\n")
        .file("rmd/report.Rmd", "---\ntitle: T\n---\n\n`r Sys.getenv('TMPDIR')` `r getwd()`\n")
        .file("DESCRIPTION", "Package: demo\nVersion: 1.0\n")
        .file("R/all.R", code)
        .file(
            &format!("inst/mcp/tools/{COUNT}.yaml"),
            &format!(
                "name: {COUNT}\ndescription: Counts\nparameters: {{type: object, properties: {{}}}}\n\
                 implementation_example: f()\nmutates: no\n"
            ),
        )
}

/// The private folders that a text names.
fn folders(text: &str) -> BTreeSet<String> {
    const START: &str = "/tmp/toolcrib-";
    let ids = text.split(START).skip(1);
    ids.map(|rest| {
        let id = rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>();
        format!("{START}{id}")
    })
    .collect()
}

fn assert_removed(folders: &BTreeSet<String>) {
    let left: Vec<_> = folders.iter().filter(|folder| Path::new(folder).exists()).collect();
    assert!(left.is_empty(), "{left:?} are left");
}

#[test]
fn a_terminal_call_leaves_no_temporary_folders() {
    skip_without!("Rscript", "pandoc", "python3");
    let crib = crib_with_every_backend();
    let mut all = BTreeSet::new();
    for (tool, arguments) in
        [(COUNT, "{}"), ("shout", r#"{"word": "hi"}"#), ("render_rmd", r#"{"filename": "report"}"#)]
    {
        let output = crib.run(&["call", tool, "--args", arguments]);
        assert_eq!(output.code, 0, "{tool}: {}{}", output.stdout, output.stderr);
        let page = fs::read_to_string(crib.root().join("rmd/output/report.html"));
        let named = folders(&(output.stdout + &page.unwrap_or_default()));
        assert_removed(&named);
        all.extend(named);
    }
    assert_eq!(all.len(), 4, "one of R, one of Python, and a render has two: {all:?}");
}

#[test]
fn a_server_leaves_no_temporary_folders() {
    skip_without!("Rscript", "python3");
    let crib = crib_with_every_backend();
    let mut client = StdioClient::start(&crib, &[]);
    let mut call = |name: &str, arguments: Value| {
        let reply = client.request("tools/call", json!({"name": name, "arguments": arguments}));
        folders(&reply.to_string())
    };
    let mut all = call(COUNT, json!({}));
    all.extend(call("shout", json!({"word": "hi"})));
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.iter().all(|folder| Path::new(folder).exists()), "workers wait for more calls");
    client.close();
    assert_removed(&all);
}

/// The files and folders that a server should not leave: in its temporary folder, sockets in its
/// state folder, and hidden files beside documents.
fn leftovers(crib: &TempCrib, temp: &Path) -> Vec<PathBuf> {
    let list = |folder: PathBuf| {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let is_hidden = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let documents = ["rmd", "rmd/output"].map(|name| list(crib.root().join(name)));
    let documents = documents.into_iter().flatten().filter(is_hidden);
    list(temp.to_owned()).chain(list(crib.state()).filter(is_socket)).chain(documents).collect()
}

fn signal(pid: u32, signal: &str) {
    let status = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()), "{signal} is sent");
}

/// Starts a server and calls every backend.
fn start_and_call(crib: &TempCrib, temp: &Path) -> StdioClient {
    let temp_text = temp.to_str().expect("UTF-8");
    let mut client = StdioClient::start_with(crib, &[], &[("TMPDIR", temp_text)]);
    for (tool, arguments) in [
        (COUNT, json!({})),
        ("shout", json!({"word": "hi"})),
        ("render_rmd", json!({"filename": "report"})),
        ("count", json!({})),
    ] {
        let result = client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
    }
    assert_eq!(crib.run(&["flags", "set", "a"]).code, 0);
    let page = crib.read("rmd/output/report.html");
    assert!(page.contains(temp_text), "TMPDIR is used");
    client
}

#[test]
fn nothing_is_left_of_a_server_that_exits_and_the_next_one_removes_what_a_killed_one_left() {
    skip_without!("Rscript", "pandoc", "python3");
    let crib = crib_with_every_backend()
        .tool("count", definition("count", "pwd"))
        .file("rmd/slow.Rmd", "---\ntitle: T\n---\n\n```{r}\nSys.sleep(60)\n```\n");
    let temp = tempfile::tempdir().expect("a folder");
    let temp = temp.path();
    start_and_call(&crib, temp).close();
    assert_eq!(leftovers(&crib, temp), [""; 0].map(PathBuf::from), "after EOF");
    let client = start_and_call(&crib, temp);
    signal(client.pid(), "-TERM");
    wait_until_blocking("the server exits", || !is_process_running(&client.pid().to_string()));
    drop(client);
    assert_eq!(leftovers(&crib, temp), [""; 0].map(PathBuf::from), "after SIGTERM");
    let mut client = start_and_call(&crib, temp);
    client.send(&request(
        99,
        "tools/call",
        json!({"name": "render_rmd", "arguments": {"filename": "slow"}}),
    ));
    let has_copy = |path: PathBuf| path.join("source/slow.Rmd").exists();
    wait_until_blocking("a render runs", || leftovers(&crib, temp).into_iter().any(has_copy));
    drop(client);
    crib.write("rmd/output/.report.html.toolcrib", "half");
    assert!(!leftovers(&crib, temp).is_empty(), "a killed server cannot clean up");
    start_and_call(&crib, temp).close();
    assert_eq!(leftovers(&crib, temp), [""; 0].map(PathBuf::from), "after the next server");
}

#[test]
fn sockets_of_killed_servers_are_removed() {
    let crib = TempCrib::new().tool("count", definition("count", "pwd"));
    StdioClient::start(&crib, &[]).close();
    let leave_sockets = || {
        for number in 0..20 {
            let path = crib.state().join(format!("control-{}.sock", 4_000_000 + number));
            drop(UnixListener::bind(path).expect("a socket"));
        }
    };
    let none = Path::new("/nonexistent");
    leave_sockets();
    assert_eq!(crib.run(&["flags", "set", "a"]).code, 0);
    assert_eq!(leftovers(&crib, none), [""; 0].map(PathBuf::from), "after a changed flag");
    leave_sockets();
    let client = StdioClient::start(&crib, &[]);
    assert_eq!(leftovers(&crib, none).len(), 1, "only that of the server");
    client.close();
}

#[test]
fn a_missing_folder_is_named() {
    let crib = TempCrib::new().tool("count", definition("count", "pwd"));
    let fail_with = |temp: &Path| {
        let mut command = crib.command(&["call", "count"]);
        let output = command.env("TMPDIR", temp).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (stderr + &String::from_utf8_lossy(&output.stdout))
            .replace(temp.to_str().expect("UTF-8"), "TEMP")
    };
    insta::assert_snapshot!(fail_with(Path::new("/nonexistent/tmp")), @r"
    error: `/usr/bin/pwd` could not be started: cannot create a folder for temporary files in `TEMP`: No such file or directory (os error 2); make sure that you can write to it, or set `TMPDIR` to another folder
    ");
}
