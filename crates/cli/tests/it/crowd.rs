//! Many clients of one server process at once, over real connections, and some that vanish.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    sync::{Arc, Barrier},
    thread,
};

use serde_json::json;
use testing::{
    HttpClient, HttpServer, TIMEOUT, TempCrib, definition, peak_memory_mib, wait_until_blocking,
};

/// A crib with `say`, which prints a word, and `late`, which prints one after six seconds: long
/// enough to become an operation on a busy machine.
fn crib_with_say_and_late() -> TempCrib {
    let taking = |name: &str, command: &str, synchronous: bool| {
        let mut tool = definition(name, command);
        tool["synchronous"] = json!(synchronous);
        tool["subcommand"][0]["positional_args"] =
            json!([{"name": "word", "type": "string", "description": "What", "required": true}]);
        tool
    };
    TempCrib::new()
        .tool("say", taking("say", "echo", true))
        .tool("late", taking("late", "sh late.sh", false))
        .file("late.sh", "sleep 6; echo \"late $1\"")
        .file("toolcrib.toml", "[limits]\nconcurrency = 300\n")
}

fn count_operations(crib: &TempCrib, state: &str) -> usize {
    let arguments = ["operations", "list", "--json", "--limit", "1000", "--state", state];
    crib.run(&arguments).json()["operations"].as_array().expect("a list").len()
}

fn wait_for_operations(crib: &TempCrib, count: usize, state: &str) {
    wait_until_blocking(&format!("{count} operations are {state}"), || {
        count_operations(crib, state) == count
    });
}

/// Calls a tool, starts an operation and waits for its result: all of it must be this client's own.
fn work(client: &HttpClient<'_>, word: &str) {
    let said = client.call("say", json!({"word": word}));
    assert_eq!(said["stdout"], format!("{word}\n"), "{said}");
    let started = client.call("late", json!({"word": word}));
    let id = started["operation_id"].as_str().unwrap_or_else(|| panic!("{started}"));
    let ended = client.call("await", json!({"id": id, "timeout_seconds": 50}));
    let operations = ended["operations"].as_array().unwrap_or_else(|| panic!("{ended}"));
    assert_eq!((operations.len(), &operations[0]["id"]), (1, &json!(id)), "{ended}");
    assert_eq!(operations[0]["result"]["stdout"], format!("late {word}\n"), "{ended}");
}

/// Sends a command to the control socket and returns the reply.
fn send_control_command(crib: &TempCrib, server: &HttpServer, command: &str) -> String {
    let prefix = format!("control-{}-", server.pid());
    let entries = std::fs::read_dir(crib.state()).expect("a folder").flatten();
    let mut sockets =
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    let socket = sockets.next().expect("the socket of the server");
    let mut stream = UnixStream::connect(socket.path()).expect("a connection");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
    stream.write_all(format!("{command}\n").as_bytes()).expect("the server reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply before the deadline");
    reply
}

#[test]
fn a_hundred_concurrent_clients_get_their_own_results() {
    const CLIENTS: usize = 100;
    let crib = crib_with_say_and_late();
    let server = HttpServer::start(&crib, &[]);
    let together = Arc::new(Barrier::new(2 * CLIENTS));
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (crib, server) = (&crib, &server);
            let (gate, other) = (Arc::clone(&together), Arc::clone(&together));
            scope.spawn(move || {
                gate.wait();
                let client = if number % 2 == 0 {
                    HttpClient::legacy(server)
                } else {
                    HttpClient::modern(server)
                };
                work(&client, &format!("w{number}w"));
            });
            scope.spawn(move || {
                other.wait();
                assert_eq!(
                    send_control_command(crib, server, &format!("v{number}")),
                    format!("error: unknown command `v{number}`")
                );
            });
        }
    });
    let count = |state: &str| count_operations(&crib, state);
    assert_eq!((count("completed"), count("running")), (CLIENTS, 0));
    let peak = peak_memory_mib(server.pid());
    assert!(peak < 150, "{peak} MiB");
}

#[test]
fn a_disconnected_client_cancels_only_its_own_operations() {
    let crib = crib_with_say_and_late();
    let server = HttpServer::start(&crib, &[]);
    let client = HttpClient::modern(&server);
    let call = |number: usize| client.start("late", json!({"word": format!("w{number}w")}));
    let stay: Vec<_> = (0..5).map(call).collect();
    let vanish: Vec<_> = (5..25).map(call).collect();
    wait_for_operations(&crib, 25, "running");
    drop(vanish);
    wait_for_operations(&crib, 20, "cancelled");
    for (number, call) in stay.into_iter().enumerate() {
        let started = call.structured_content();
        let id = started["operation_id"].as_str().unwrap_or_else(|| panic!("{started}"));
        let ended = client.call("await", json!({"id": id, "timeout_seconds": 50}));
        assert!(ended.to_string().contains(&format!("late w{number}w")), "{ended}");
    }
    wait_for_operations(&crib, 5, "completed");
}
