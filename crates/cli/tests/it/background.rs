//! `up` and `down`: a background server that stdio servers join.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixListener},
};

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, wait_until_blocking};

/// A crib whose background server is stopped on drop.
struct BackgroundCrib(TempCrib);

impl Drop for BackgroundCrib {
    fn drop(&mut self) {
        self.0.run(&["down"]);
    }
}

fn crib() -> BackgroundCrib {
    let mut job = definition("job", "sleep 600");
    job["synchronous"] = json!(false);
    let crib = TempCrib::new().tool("job", job).tool("hello", definition("hello", "echo hello"));
    BackgroundCrib(crib)
}

fn up(crib: &TempCrib) -> u32 {
    let started = crib.run(&["up"]);
    assert_eq!(started.code, 0, "{}{}", started.stdout, started.stderr);
    let process = started.stdout.split("process ").nth(1).expect("a process id");
    process.split(',').next().and_then(|pid| pid.parse().ok()).expect("a number")
}

fn states(crib: &TempCrib) -> Vec<String> {
    let listed = crib.run(&["operations", "list", "--json"]).json();
    let operations = listed["operations"].as_array().cloned().unwrap_or_default();
    operations.iter().map(|one| one["state"].as_str().unwrap_or_default().to_owned()).collect()
}

fn start_job(client: &mut StdioClient) -> String {
    let started = client.call("job", json!({}));
    assert_eq!(started["structuredContent"]["status"], "started", "{started}");
    started["content"].to_string()
}

#[test]
fn operations_survive_their_client() {
    let BackgroundCrib(crib) = &crib();
    up(crib);
    let mut client = StdioClient::start(crib, &[]);
    let text = start_job(&mut client);
    assert!(!text.contains("if your client disconnects"), "{text}");
    client.close();
    assert_eq!(states(crib), ["running"]);
    let mut next = StdioClient::start(crib, &[]);
    let status = next.call("status", json!({})).to_string();
    assert!(status.contains("job"), "the owner is the same: {status}");
    next.close();
    let stopped = crib.run(&["down"]);
    assert!(stopped.stdout.starts_with("stopped: "), "{}", stopped.stdout);
    assert_eq!(states(crib), ["cancelled"]);
}

#[test]
fn without_a_background_server_operations_end_with_their_client() {
    let BackgroundCrib(crib) = &crib();
    let mut client = StdioClient::start(crib, &[]);
    let text = start_job(&mut client);
    assert!(text.contains("It is cancelled if your client disconnects."), "{text}");
    client.close();
    assert_eq!(states(crib), ["cancelled"]);
}

#[test]
fn starting_and_stopping_twice_is_fine() {
    let BackgroundCrib(crib) = &crib();
    assert_eq!(crib.run(&["up", "--status"]).code, 1);
    let pid = up(crib);
    assert_eq!(up(crib), pid, "the same server");
    assert_eq!(crib.run(&["up", "--status"]).code, 0);
    let report = crib.run(&["doctor"]).stdout;
    assert!(report.contains(&format!("background    process {pid}\n")), "{report}");
    let mode = |name: &str| {
        fs::metadata(crib.state().join(name)).expect("it exists").permissions().mode() & 0o777
    };
    assert_eq!(
        (mode("background.socket"), mode("."), mode("background.log")),
        (0o600, 0o700, 0o600)
    );
    assert!(crib.run(&["down"]).stdout.starts_with("stopped: `crib` in process "));
    assert!(crib.run(&["down"]).stdout.starts_with("not running: "));
}

#[test]
fn joined_clients_are_separate() {
    let BackgroundCrib(crib) = &crib();
    up(crib);
    let mut clients = [StdioClient::start(crib, &[]), StdioClient::start(crib, &[])];
    for client in &mut clients {
        assert_eq!(client.call("hello", json!({}))["structuredContent"]["stdout"], "hello\n");
    }
    let [first, mut second] = clients;
    first.close();
    assert_eq!(second.call("hello", json!({}))["structuredContent"]["stdout"], "hello\n");
    let callers: Vec<Value> = crib
        .run(&["log", "--json"])
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object")["caller"].take())
        .collect();
    assert_ne!(callers[0], callers[1], "{callers:?}");
    second.close();
}

#[test]
fn a_killed_background_server_is_not_in_the_way() {
    let BackgroundCrib(crib) = &crib();
    let pid = up(crib);
    let pid = rustix::process::Pid::from_raw(pid.try_into().expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
    wait_until_blocking("it is gone", || crib.run(&["up", "--status"]).code == 1);
    let mut client = StdioClient::start(crib, &[]);
    assert_eq!(client.call("hello", json!({}))["structuredContent"]["stdout"], "hello\n");
    client.close();
    up(crib);
}

#[test]
fn a_server_of_another_version_is_not_joined() {
    let BackgroundCrib(crib) = &crib();
    crib.run(&["call", "hello"]);
    let path = crib.state().join("background.socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = (&stream).write_all(b"{\"version\":\"9.9.9\",\"pid\":1,\"clients\":0}\n");
        }
    });
    let mut client = StdioClient::start(crib, &[]);
    assert_eq!(client.call("hello", json!({}))["structuredContent"]["stdout"], "hello\n");
    client.close();
    insta::assert_snapshot!(crib.transcript(&["up"]), @r"
    exit code 2
    --- stderr
    error: version 9.9.9 runs in process 1, this is version 0.1.0
     |
     = help: run `toolcrib down`, then `toolcrib up`
    ");
    fs::remove_file(path).expect("removed");
}

#[test]
fn tools_cannot_reach_the_background_server() {
    let BackgroundCrib(crib) = &crib();
    up(crib);
    let script = format!(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect({:?})\nprint('connected')\n",
        crib.state().join("background.socket")
    );
    crib.write("reach.py", &script);
    let mut reach = definition("reach", "python3 reach.py");
    reach["network"] = json!(true);
    crib.write("tools/reach.json", &reach.to_string());
    let output = crib.run(&["call", "reach"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(!output.stdout.contains("connected"), "{}", output.stdout);
    assert!(output.stderr.contains("Error"), "Python ran: {}", output.stderr);
}
