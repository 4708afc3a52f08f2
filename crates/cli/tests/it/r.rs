//! R functions from a package to a client, with a real R: on the terminal, on standard input and
//! output, and over HTTP.

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testing::{
    HttpClient, HttpServer, StdioClient, TempCrib, count_programs, inner_pid, request,
    skip_without, wait_until_blocking,
};

const CODE: &str = "
mcp_tool_count <- function(by = 1L, .state_env = NULL) {
  n <- .state_env$get('n', missing = 0L) + by
  .state_env$set('n', n)
  n
}
mcp_tool_wipe <- function(what) paste('wiped', what)
mcp_tool_slow <- function() { message('half way'); Sys.sleep(3); list(done = TRUE, took = 'long') }
mcp_tool_draw <- function() { plot(1:3); invisible('drawn') }
";

const NONE: &str = "{type: object, properties: {}}";

fn yaml(name: &str, parameters: &str, rest: &str) -> String {
    format!(
        "name: {name}\ndescription: Does {name}\nparameters: {parameters}\nimplementation_example: f()\nmutates: no\n{rest}"
    )
}

fn crib_with_r_tools() -> TempCrib {
    let by = "{type: object, properties: {by: {type: integer, description: how far}}}";
    let what = "{type: object, properties: {what: {type: string, description: what goes}}, required: [what]}";
    let tools = [
        (
            "demo-mcp_tool_count",
            yaml("demo-mcp_tool_count", by, "returns: {type: integer, description: the count}\n"),
        ),
        ("demo-mcp_tool_wipe", yaml("demo-mcp_tool_wipe", what, "requires_approval: yes\n")),
        (
            "demo-mcp_tool_slow",
            yaml(
                "demo-mcp_tool_slow",
                NONE,
                "execution_time: 60\nreturns: {type: object, description: what came of it}\n",
            ),
        ),
        ("demo-mcp_tool_draw", yaml("demo-mcp_tool_draw", NONE, "")),
    ];
    let crib =
        TempCrib::new().file("DESCRIPTION", "Package: demo\nVersion: 1.0\n").file("R/all.R", CODE);
    tools
        .into_iter()
        .fold(crib, |crib, (name, text)| crib.file(&format!("inst/mcp/tools/{name}.yaml"), &text))
}

#[test]
fn a_package_is_called_from_the_terminal() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let output = crib.run(&["call", "demo-mcp_tool_count", "--args", r#"{"by": 3}"#]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "3\n"), "{}", output.stderr);
    let plan = crib
        .run(&["call", "demo-mcp_tool_count", "--args", r#"{"by": 3}"#, "--dry-run", "--json"])
        .json();
    assert_eq!(
        (&plan["program"], &plan["argv"]),
        (&json!("R"), &json!(["R", "-e", "demo::mcp_tool_count(by = 3L)"]))
    );
    let doctor = crib.run(&["doctor"]);
    assert!(doctor.code == 0 && doctor.stdout.contains("\n  R         /"), "{}", doctor.stdout);
}

#[test]
fn approval_shows_the_exact_call_and_lets_it_run() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let call =
        || crib.run(&["call", "demo-mcp_tool_wipe", "--args", r#"{"what": "all"}"#, "--json"]);
    let refused = call();
    assert_eq!(refused.code, 5);
    let details = &refused.json()["error_details"];
    assert_eq!(details["plan"]["argv"], json!(["R", "-e", "demo::mcp_tool_wipe(what = \"all\")"]));
    let id = details["approval"].as_str().expect("an id").to_owned();
    assert_eq!(crib.approve(&id).code, 0);
    assert_eq!(call().json()["text"], "[1] \"wiped all\"\n");
    assert_eq!(call().code, 5, "a yes counts once");
}

#[test]
fn each_stdio_client_has_its_own_session() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let mut one = StdioClient::start(&crib, &[]);
    let mut other = StdioClient::start(&crib, &[]);
    let count = |client: &mut StdioClient| {
        client.request("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {}}))["result"]
            ["structuredContent"]
            .clone()
    };
    assert_eq!(count(&mut one), json!({"result": 1}));
    assert_eq!(count(&mut one), json!({"result": 2}));
    assert_eq!(count(&mut other), json!({"result": 1}));
    let drawn = one.request("tools/call", json!({"name": "demo-mcp_tool_draw", "arguments": {}}));
    let blocks = drawn["result"]["content"].as_array().expect("content");
    assert_eq!(
        (&blocks[0]["text"], &blocks[1]["type"]),
        (&json!("[1] \"drawn\"\n"), &json!("image"))
    );
}

#[test]
fn await_returns_the_messages_of_a_slow_function() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let mut client = StdioClient::start(&crib, &[]);
    let answer =
        client.request("tools/call", json!({"name": "demo-mcp_tool_slow", "arguments": {}}));
    let id = answer["result"]["structuredContent"]["operation_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    let result =
        client.request("tools/call", json!({"name": "await", "arguments": {"id": id}}))["result"]
            .clone();
    assert!(result.to_string().contains("half way"), "{result}");
    assert!(result.to_string().contains("long"), "{result}");
}

#[test]
fn r_starts_on_the_first_valid_call() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let mut client = StdioClient::start(&crib, &[]);
    client.names();
    client
        .request("tools/call", json!({"name": "demo-mcp_tool_wipe", "arguments": {"what": "all"}}));
    client
        .request("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {"by": "much"}}));
    assert_eq!(count_programs(client.pid()), 0, "nothing was called");
    client.request("tools/call", json!({"name": "demo-mcp_tool_count", "arguments": {}}));
    assert_eq!(count_programs(client.pid()), 1);
}

#[test]
fn handle_state_survives_a_killed_server() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let count = |server: &HttpServer| {
        HttpClient::modern(server).call("demo-mcp_tool_count", json!({"session": "mine"}))
    };
    let server = HttpServer::start(&crib, &[]);
    assert_eq!(count(&server), json!(1));
    assert_eq!(count(&server), json!(2));
    drop(server);
    assert_eq!(count(&HttpServer::start(&crib, &[])), json!(3));
}

#[test]
fn a_long_result_of_a_dotted_package_is_read_in_parts() {
    skip_without!("R");
    let tool =
        yaml("my.own.pkg-mcp_tool_all", NONE, "returns: {type: array, description: numbers}\n");
    let crib = TempCrib::new()
        .file("DESCRIPTION", "Package: my.own.pkg\nVersion: 1.0\n")
        .file("R/all.R", "mcp_tool_all <- function() as.list(seq_len(300000))\n")
        .file("inst/mcp/tools/my.own.pkg-mcp_tool_all.yaml", &tool);
    let mut client = StdioClient::start(&crib, &[]);
    let answer =
        client.request("tools/call", json!({"name": "my.own.pkg-mcp_tool_all", "arguments": {}}));
    let blocks = answer["result"]["content"].as_array().expect("content");
    let link =
        blocks.iter().find(|block| block["type"] == "resource_link").expect("a link to the whole");
    let read = |client: &mut StdioClient, uri: &str| {
        client.request("resources/read", json!({"uri": uri}))["result"]["contents"][0].clone()
    };
    let first = read(&mut client, link["uri"].as_str().expect("where"));
    assert!(first["text"].as_str().expect("text").starts_with("[1,2,3,"), "{first}");
    let second = read(&mut client, &format!("{}/1", link["uri"].as_str().expect("where")));
    assert!(second["text"].as_str().expect("text").ends_with(",299999,300000]"), "{second}");
}

#[test]
fn http_sessions_are_connections_or_handles() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    let server = HttpServer::start(&crib, &[]);
    let count =
        |client: &HttpClient<'_>, arguments: Value| client.call("demo-mcp_tool_count", arguments);
    let modern = HttpClient::modern(&server);
    assert_eq!(count(&modern, json!({})), json!(1));
    assert_eq!(count(&modern, json!({})), json!(1), "without a handle, state is fresh");
    assert_eq!(count(&modern, json!({"session": "mine"})), json!(1));
    assert_eq!(count(&modern, json!({"session": "mine"})), json!(2));
    assert_eq!(count(&modern, json!({"session": "other"})), json!(1));
    let (one, other) = (HttpClient::legacy(&server), HttpClient::legacy(&server));
    assert_eq!(count(&one, json!({})), json!({"result": 1}));
    assert_eq!(count(&one, json!({})), json!({"result": 2}));
    assert_eq!(count(&other, json!({})), json!({"result": 1}));
    let before = count_programs(server.pid());
    one.end_session();
    wait_until_blocking("the worker of the session exits", || {
        count_programs(server.pid()) < before
    });
}

/// The processes whose working folder is a crib, as that of its workers is.
fn processes_in(crib: &TempCrib) -> Vec<String> {
    let root = crib.root().canonicalize().expect("a folder");
    let entries = fs::read_dir("/proc").expect("a list of processes").flatten();
    let is_inside = |entry: &fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|folder| folder.starts_with(&root))
    };
    entries.filter(is_inside).map(|entry| entry.path().display().to_string()).collect()
}

#[test]
fn a_server_that_is_terminated_while_r_starts_leaves_no_process() {
    skip_without!("R");
    let crib = crib_with_r_tools();
    for round in 0..20_u64 {
        let (http, mut stdio);
        let server = if round % 2 == 0 {
            http = HttpServer::start(&crib, &[]);
            // Starts a worker, and a spare one for the next session.
            HttpClient::modern(&http)
                .call("demo-mcp_tool_count", json!({"session": round.to_string()}));
            http.pid()
        } else {
            stdio = StdioClient::start(&crib, &[]);
            let call = json!({"name": "demo-mcp_tool_count", "arguments": {}});
            stdio.send(&request(99, "tools/call", call));
            stdio.pid()
        };
        // R takes about half a second to start.
        thread::sleep(Duration::from_millis(round * 37 % 600));
        let killed = Command::new("kill").args(["-TERM", &server.to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        wait_until_blocking("the server exits", || inner_pid(server).is_none());
        let exited = Instant::now();
        while !processes_in(&crib).is_empty() {
            assert!(
                exited.elapsed() < Duration::from_secs(2),
                "{round}: {:?}",
                processes_in(&crib)
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_package_that_is_not_installed_is_named_before_and_in_a_call() {
    skip_without!("R");
    let crib = TempCrib::new()
        .file("demo/DESCRIPTION", "Package: demo\nVersion: 0.1\nImports: nopackage (>= 1.0),\n    stats\n")
        .file("demo/R/a.R", "#' Add\n#'\n#' @description Adds one to a number.\n#' @param n Number, the number\n#' @examples 1\n#' @keywords mcp-tool mcp-read-only\nadd <- function(n) nopackage::add(n, 1)\n");
    let built = crib.run(&["build", "demo", "--out", "tools", "--no-examples"]);
    assert_eq!(built.code, 0, "{}", built.stderr);
    let doctor = crib.run(&["doctor"]);
    let missing = "missing  demo-add: R packages are not installed: nopackage; run install.packages(c(\"nopackage\")) in R";
    assert!(doctor.code == 1 && doctor.stdout.contains(missing), "{}", doctor.stdout);
    let called = crib.run(&["call", "demo-add", "--args", r#"{"n": 1}"#]);
    assert_eq!(called.code, 1);
    assert!(
        called.stderr.contains(
            "there is no package called ‘nopackage’; run install.packages(\"nopackage\") in R"
        ),
        "{}",
        called.stderr
    );
}
