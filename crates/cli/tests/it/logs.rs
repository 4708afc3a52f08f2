//! What is logged to standard error, and never to standard output.

use std::fs::File;

use serde_json::json;
use testing::{StdioClient, TempCrib, definition, initialize_params, notification};

/// A crib with a good tool and a broken file.
fn crib_with_broken_file() -> TempCrib {
    TempCrib::new()
        .tool("good", definition("good", "true"))
        .file("tools/bad.json", "{\n  \"name\": \"bad\",\n  \"command\" \"true\"\n}")
}

#[test]
fn problems_are_logged_at_load_with_their_position() {
    // Standard input is at its end, so the server starts, logs and stops.
    let output = crib_with_broken_file().transcript(&["serve"]);
    insta::assert_snapshot!(output, @r#"
    exit code 0
    --- stderr
    TIME ERROR tools/bad.json:3:13: expected `:`, found `\"` [TC004]
    TIME  INFO 1 tool from 2 files in CRIB
    "#);
}

#[test]
fn many_problems_are_logged_in_part_with_errors_first() {
    let mut risky = definition("risky", "true");
    risky.as_object_mut().expect("an object").remove("mutates");
    let names = (0..103).map(|index| format!("a{index:03}"));
    let crib = names.fold(crib_with_broken_file(), |crib, name| {
        risky["name"] = json!(name);
        crib.tool(&name, risky.clone())
    });
    let log = crib.run(&["serve"]).stderr;
    let lines = |level: &str| log.lines().filter(|line| line.contains(level)).count();
    assert_eq!((lines(" ERROR "), lines("[TC501]")), (1, 99), "{log}");
    assert!(log.contains("4 more diagnostics not logged; `toolcrib check` prints all"), "{log}");
}

#[test]
fn the_level_is_set_by_flag_and_by_variable() {
    let crib = crib_with_broken_file();
    assert!(!crib.run(&["serve", "--log-level", "error"]).stderr.contains(" from 2 files"));
    let quiet = crib.command(&["serve"]).env("TOOLCRIB_LOG", "error").output().expect("a run");
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains(" from 2 files"));
    insta::assert_snapshot!(crib.transcript(&["serve", "--log-level", "loud"]), @r"
    exit code 2
    --- stderr
    error: `loud` is not a log level
     |
     = help: use error, warn, info, debug or trace
    ");
}

#[test]
fn logs_can_be_json() {
    let output = crib_with_broken_file().run(&["serve", "--log-json"]);
    assert!(!output.stderr.is_empty());
    for line in output.stderr.lines() {
        let entry: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert!(entry["level"].is_string() && entry["fields"]["message"].is_string(), "{entry}");
    }
}

#[test]
fn trace_logs_contain_no_client_messages() {
    let mut say = definition("say", "echo");
    say["subcommand"][0]["positional_args"] =
        json!([{"name": "word", "type": "string", "description": "What"}]);
    let crib = TempCrib::new().tool("say", say);
    let log = crib.root().join("log");
    let mut command = crib.command(&["serve", "--log-level", "trace"]);
    command.stderr(File::create(&log).expect("a file for the log"));
    let mut client = StdioClient::spawn(command);
    client.request("initialize", initialize_params(json!({})));
    client.send(&notification("notifications/initialized"));
    let result = client.call("say", json!({"word": "xyzzy-4711"}));
    assert!(result.to_string().contains("xyzzy-4711"), "{result}");
    client.close();
    let log = crib.read("log");
    assert!(!log.is_empty() && !log.contains("xyzzy-4711"), "{log}");
}
