//! Errors of the camel-case methods, and of their standard equivalents.

use serde_json::{Value, json};

use super::RmdServerFixture;

#[tokio::test]
async fn errors_have_the_documented_codes() {
    let fixture = RmdServerFixture::new();
    let create = |arguments: Value| json!({"name": "create_rmd", "arguments": arguments});
    let missing = fixture.error("callTool", create(json!({"title": "t", "content": "c"}))).await;
    assert_eq!(missing, (-32602, "Invalid params: filename is required".to_owned()));
    let nothing = fixture.error("callTool", create(json!({}))).await;
    assert_eq!(nothing, (-32602, "Invalid params: filename is required".to_owned()));
    let wrong = fixture
        .error("callTool", create(json!({"filename": 5, "title": "t", "content": "c"})))
        .await;
    assert_eq!(
        wrong,
        (-32602, "Invalid params: filename: Expected string, received integer".to_owned())
    );
    let name = fixture
        .error("callTool", create(json!({"filename": "../x", "title": "t", "content": "c"})))
        .await;
    assert_eq!(name.0, -32602, "{name:?}");
    assert_eq!(
        fixture.error("callTool", json!({"name": "no_such", "arguments": {}})).await.0,
        -32601
    );
    assert_eq!(
        fixture.error("callTool", json!({})).await,
        (-32602, "Invalid params: name is required".to_owned())
    );
    assert_eq!(
        fixture.error("callTool", json!({"name": "fail"})).await,
        (-32603, "R said no".to_owned())
    );
    assert_eq!(fixture.error("readResource", json!({"uri": "rmd:///none.Rmd"})).await.0, -32002);
    assert_eq!(
        fixture.error("readResource", json!({"uri": "rmd-output:///none.pdf"})).await.0,
        -32002
    );
    assert_eq!(
        fixture.error("readResource", json!({"uri": "rmd:///../../etc/passwd"})).await.0,
        -32002
    );
    for uri in ["file:///etc/passwd", "rmd://x.Rmd", "rmd:///", "", "x"] {
        let (code, message) = fixture.error("readResource", json!({"uri": uri})).await;
        assert_eq!(code, -32600, "{uri}: {message}");
    }
    assert_eq!(
        fixture.error("readResource", json!({})).await,
        (-32602, "Invalid params: uri is required".to_owned())
    );
    assert_eq!(
        fixture
            .error("callTool", json!({"name": "read_rmd", "arguments": {"filename": "none"}}))
            .await
            .0,
        -32002
    );
}

/// Requests in both dialects: methods, parameters, the error code of the alias, and the start of its message.
type Case = ((&'static str, &'static str), Value, i64, &'static str);

const CALL: (&str, &str) = ("callTool", "tools/call");
const READ: (&str, &str) = ("readResource", "resources/read");

fn cases() -> Vec<Case> {
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let create = |arguments: Value| call("create_rmd", arguments);
    let render = |arguments: Value| call("render_rmd", arguments);
    let read = |uri: &str| json!({"uri": uri});
    vec![
        (CALL, create(json!({})), -32602, "Invalid params: filename is required"),
        (
            CALL,
            create(json!({"filename": "a", "content": "c"})),
            -32602,
            "Invalid params: title is required",
        ),
        (
            CALL,
            create(json!({"filename": "a", "title": "t"})),
            -32602,
            "Invalid params: content is required",
        ),
        (
            CALL,
            create(json!({"filename": 5, "title": "t", "content": "c"})),
            -32602,
            "Invalid params: filename: Expected string",
        ),
        (
            CALL,
            create(json!({"filename": "../a", "title": "t", "content": "c"})),
            -32602,
            "`../a` cannot name a document",
        ),
        (
            CALL,
            create(json!({"filename": "there", "title": "t", "content": "c"})),
            -32602,
            "`there.Rmd` already exists",
        ),
        (CALL, render(json!({"format": "pdf"})), -32602, "Invalid params: filename is required"),
        (
            CALL,
            render(json!({"filename": "there", "format": "epub"})),
            -32602,
            "Invalid params: format: Value must be one of",
        ),
        (
            CALL,
            render(json!({"filename": "there", "use_docker_compose": "yes"})),
            -32602,
            "Invalid params: use_docker_compose: ",
        ),
        (
            CALL,
            render(json!({"filename": "there", "colour": 1})),
            -32602,
            "Invalid params: colour: Unknown parameter 'colour'",
        ),
        (
            CALL,
            render(json!({"filename": "there", "params": {"n": 1}})),
            -32602,
            "`there.Rmd` does not declare the parameter",
        ),
        (CALL, render(json!({"filename": "none"})), -32002, "R Markdown file not found: none.Rmd"),
        (
            CALL,
            call("read_rmd", json!({"filename": "none"})),
            -32002,
            "R Markdown file not found: none.Rmd",
        ),
        (
            CALL,
            render(json!({"filename": "there"})),
            -32603,
            "Docker does not answer: tried unix:///nowhere/docker.sock",
        ),
        (CALL, call("fail", json!({})), -32603, "R said no"),
        (
            CALL,
            call("render_rmx", json!({})),
            -32601,
            "unknown tool `render_rmx`; did you mean `render_rmd`?",
        ),
        (READ, read("rmd:///none.Rmd"), -32002, "R Markdown file not found: none.Rmd"),
        (
            READ,
            read("rmd:///../../etc/passwd"),
            -32002,
            "R Markdown file not found: ../../etc/passwd",
        ),
        (READ, read("rmd-output:///none%20.pdf"), -32002, "Rendered output not found: none .pdf"),
        (
            READ,
            read("file:///etc/passwd"),
            -32600,
            "Invalid URI format: `file:///etc/passwd` does not begin with `rmd:///`",
        ),
        (READ, read("rmd:///"), -32600, "Invalid URI format: `rmd:///` names nothing"),
        (READ, read("toolcrib://output/none"), -32002, "unknown resource `toolcrib://output/none`"),
    ]
}

#[tokio::test]
async fn both_dialects_report_the_same_errors_in_their_own_format() {
    // A client's operations are cancelled when it disconnects, so each has its own server.
    let fixture = || RmdServerFixture::new().file("there.Rmd", "text");
    let (first, second) = (fixture(), fixture());
    let mut clients =
        [PipeClient::legacy(first.server.clone()).await, PipeClient::modern(second.server.clone())];
    for ((alias, standard), params, code, begin) in cases() {
        let (said, message) = fixture().error(alias, params.clone()).await;
        assert_eq!((said, message.starts_with(begin)), (code, true), "{params}: {message}");
        for client in &mut clients {
            let reply = client.request(standard, params.clone()).await;
            let not_there = if client.is_modern() { -32602 } else { -32002 };
            let (expected, told) = match (standard, code) {
                ("resources/read", _) => (not_there.into(), reply["error"]["message"].as_str()),
                (_, -32601) => ((-32602).into(), reply["error"]["message"].as_str()),
                _ => (Value::Null, Some(text(&reply))),
            };
            assert_eq!(
                (told, &reply["error"]["code"]),
                (Some(message.as_str()), &expected),
                "{params}: {reply}"
            );
            assert_eq!(reply["result"]["isError"] == true, expected.is_null(), "{params}: {reply}");
        }
    }
}

#[tokio::test]
async fn a_failed_render_has_the_same_message_in_both_dialects() {
    skip_without!("Rscript", "pandoc");
    let fixture = || {
        RmdServerFixture::rendering(Preference::Local)
            .file("a.Rmd", "```{r broken}\nstop('boom')\n```\n")
    };
    let params = json!({"name": "render_rmd", "arguments": {"filename": "a"}});
    let (code, message) = fixture().error("callTool", params.clone()).await;
    assert_eq!(code, -32603);
    assert!(
        message.starts_with("`a.Rmd` could not be rendered (chunk `broken`, lines ")
            && message.ends_with("): boom"),
        "{message}"
    );
    let (first, second) = (fixture(), fixture());
    for mut client in
        [PipeClient::legacy(first.server.clone()).await, PipeClient::modern(second.server.clone())]
    {
        let reply = client.request("tools/call", params.clone()).await;
        assert_eq!((&reply["result"]["isError"], text(&reply)), (&json!(true), message.as_str()));
    }
}

#[tokio::test]
async fn argument_errors_of_other_tools_use_the_wording_of_each_dialect() {
    let fixture = RmdServerFixture::new();
    let params = json!({"name": "echo", "arguments": {}});
    assert_eq!(
        fixture.error("callTool", params.clone()).await.1,
        "Invalid params: message is required"
    );
    for mut client in PipeClient::each_era(&fixture.server).await {
        let reply = client.request("tools/call", params.clone()).await;
        assert_eq!(
            text(&reply),
            "Invalid arguments for `echo`:\n- message: Missing required parameter 'message'"
        );
    }
}
