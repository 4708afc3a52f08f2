//! Renders in containers, with a Docker engine that is for tests alone.

use std::{
    env,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, skip, skip_without};

use super::pdf_text;

/// Sends requests to a new server without a handshake, and returns the responses.
fn exchange(crib: &TempCrib, socket: &str, requests: &[String]) -> Vec<Value> {
    let mut command = crib.command(&["serve"]);
    command.env("DOCKER_HOST", socket).stderr(Stdio::null());
    let mut client = StdioClient::spawn(command);
    let respond = |request: &String| {
        client.send_line(&request.replace('\n', " "));
        client.wait(|message| message.get("id").is_some())
    };
    let responses = requests.iter().map(respond).collect();
    client.close();
    responses
}

/// The socket and the image of a Docker engine for tests. Skips the test without one.
fn engine() -> Option<(String, String)> {
    let found = env::var("TOOLCRIB_TEST_DOCKER").ok().zip(env::var("TOOLCRIB_TEST_IMAGE").ok());
    if found.is_none() {
        skip("there is no Docker engine for tests; `scripts/engine` starts one");
    }
    found
}

/// Starts a server with an endless render in a container.
fn start_slow_render(socket: &str, image: &str) -> (TempCrib, StdioClient) {
    let config =
        format!("[documents]\nenabled = true\nbackend = \"docker\"\nimage = \"{image}\"\n");
    let crib = TempCrib::new().file("toolcrib.toml", &config).file("rmd/a.Rmd", "Text.\n");
    crib.write("rmd/slow.Rmd", "```{r}\nSys.sleep(9630)\n```\n");
    let mut client = StdioClient::start_with(&crib, &[], &[("DOCKER_HOST", socket)]);
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {"name": "render_rmd",
        "arguments": {"filename": "slow"}, "_meta": {"progressToken": "p"}}}));
    client.wait(|message| message["params"]["message"] == "chunk `unnamed-chunk-1`");
    (crib, client)
}

/// Counts the containers of a server.
fn containers(socket: &str, server: u32) -> usize {
    let words = [
        "ps",
        "-a",
        "--filter",
        "label=io.toolcrib.render",
        "--format",
        "{{.Label \"io.toolcrib.render\"}}",
    ];
    let output =
        Command::new("docker").args(words).env("DOCKER_HOST", socket).output().expect("docker");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.contains(&format!("\"pid\":{server},")))
        .count()
}

#[test]
fn containers_of_a_killed_server_are_removed_by_the_next_one() {
    let Some((socket, image)) = engine() else {
        return;
    };
    let (crib, first) = start_slow_render(&socket, &image);
    let server = first.pid();
    // The server is killed, so that it cannot clean up.
    drop(first);
    assert_eq!(containers(&socket, server), 1);
    let mut next = StdioClient::start_with(&crib, &[], &[("DOCKER_HOST", &socket)]);
    let rendered = next.call("render_rmd", json!({"filename": "a"}));
    assert_eq!(
        rendered["content"][0]["text"], "Successfully rendered a.Rmd to a.html",
        "{rendered}"
    );
    assert_eq!(containers(&socket, server), 0);
}

#[test]
fn end_of_input_removes_the_render_container() {
    let Some((socket, image)) = engine() else {
        return;
    };
    let (_crib, client) = start_slow_render(&socket, &image);
    let server = client.pid();
    client.close();
    assert_eq!(containers(&socket, server), 0);
}

/// The usage examples of the interface's document, word for word, with an engine and an image for
/// tests alone.
#[test]
fn the_documented_usage_examples_produce_a_readable_pdf() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext", "docker-compose", "dockerd");
    let Some((socket, image)) = engine() else {
        return;
    };
    let crib = TempCrib::new()
        .file("toolcrib.toml", &format!("[documents]\nenabled = true\nimage = \"{image}\"\n"));
    let request = |id: u32, method: &str, params: &str| {
        format!(r#"{{"jsonrpc": "2.0", "id": "{id}", "method": "{method}", "params": {params}}}"#)
    };
    let requests = [
        request(1, "callTool", CREATE),
        request(2, "callTool", RENDER),
        request(3, "readResource", r#"{"uri": "rmd-output:///example.html"}"#),
        request(4, "callTool", COMPOSE),
        request(5, "callTool", r#"{"name": "render_rmd", "arguments": {}}"#),
        request(6, "callTool", r#"{"name": "render_rmd", "arguments": {"filename": "broken"}}"#),
    ];
    crib.write("rmd/broken.Rmd", "```{r}\nstop('oops')\n```\n");
    let answers = exchange(&crib, &socket, &requests);
    let text = |index: usize| {
        answers[index]["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{}", answers[index]))
    };
    assert_eq!(text(0), "Created R Markdown file: example.Rmd");
    assert_eq!(text(1), "Successfully rendered example.Rmd to example.html");
    assert_eq!(answers[2]["result"]["contents"][0]["mimeType"], "text/html");
    assert!(
        answers[2]["result"]["contents"][0]["text"]
            .as_str()
            .is_some_and(|page| page.contains("Summary Statistics"))
    );
    assert_eq!(text(3), "Successfully rendered example.Rmd to example.pdf");
    assert!(pdf_text(&crib.root().join("rmd/output/example.pdf")).contains("Summary Statistics"));
    let error = |index: usize| {
        (answers[index]["error"]["code"].clone(), answers[index]["error"]["message"].clone())
    };
    assert_eq!(error(4), (json!(-32602), json!("Invalid params: filename is required")));
    assert_eq!(answers[5]["error"]["code"], -32603, "{}", answers[5]);
}

const CREATE: &str = r###"{
  "name": "create_rmd",
  "arguments": {
    "filename": "example",
    "title": "Example R Markdown",
    "content": "---\ntitle: \"Example R Markdown\"\nauthor: \"R-Server\"\ndate: \"`r Sys.Date()`\"\noutput: html_document\n---\n\n## R Markdown Example\n\nThis is an example R Markdown file.\n\n```{r}\nplot(cars)\n```\n\n## Summary Statistics\n\n```{r}\nsummary(cars)\n```"
  }
}"###;

const RENDER: &str = r#"{
  "name": "render_rmd",
  "arguments": {
    "filename": "example",
    "format": "html"
  }
}"#;

const COMPOSE: &str = r#"{
  "name": "render_rmd",
  "arguments": {
    "filename": "example",
    "format": "pdf",
    "use_docker_compose": true
  }
}"#;
