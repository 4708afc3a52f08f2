//! Approval through the client, for legacy and modern clients: it shows the plan and is valid once.

use serde_json::{Value, json};
use testing::{MODERN, request_meta};

use crate::{
    http_fixture::HttpFixture,
    operations_fixture::OperationsFixture,
    pipe_client::{PipeClient, text},
};

const YES: &str = r#"{"action": "accept", "content": {"approve": true}}"#;

fn yes() -> Value {
    serde_json::from_str(YES).expect("JSON")
}

async fn retry_with_answer(
    client: &mut PipeClient,
    what: &str,
    answer: Value,
    state: &Value,
) -> Value {
    let mut params = json!({"name": "dangerous", "arguments": {"what": what}, "inputResponses": {"approval": answer}});
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    client.request("tools/call", params).await
}

#[tokio::test]
async fn legacy_clients_approve_a_single_call_by_form() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::legacy(fixture.server.clone()).await;
    for (answer, is_error, runs) in [
        (yes(), false, 1),
        (json!({"action": "decline"}), true, 1),
        (json!({"action": "accept", "content": {"approve": false}}), true, 1),
        (yes(), false, 2),
    ] {
        let id = client
            .start("tools/call", json!({"name": "dangerous", "arguments": {"what": "all"}}))
            .await;
        let asked = client.message("elicitation/create").await;
        let shown = asked["params"]["message"].as_str().expect("a message");
        assert!(
            shown.contains("`dangerous`") && shown.contains("all"),
            "the plan is shown: {shown}"
        );
        client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        let reply = client.response(id).await;
        assert_eq!(reply["result"]["isError"].as_bool().unwrap_or(false), is_error, "{reply}");
        assert_eq!(fixture.runs(), runs, "{reply}");
    }
}

#[tokio::test]
async fn modern_clients_approve_a_single_call_by_input_request() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let asked = client.call("dangerous", json!({"what": "all"})).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(
        asked["inputRequests"]["approval"]["params"]["message"]
            .as_str()
            .is_some_and(|shown| shown.contains("all"))
    );
    assert_eq!(fixture.runs(), 0);
    let reply = retry_with_answer(&mut client, "all", yes(), &asked["requestState"]).await;
    assert_eq!((text(&reply), fixture.runs()), ("done", 1), "{reply}");
    let replayed = retry_with_answer(&mut client, "all", yes(), &asked["requestState"]).await;
    assert_eq!(
        replayed["result"]["resultType"], "input_required",
        "the same yes is not good twice: {replayed}"
    );
    assert_eq!(fixture.runs(), 1);
    let refused = retry_with_answer(
        &mut client,
        "all",
        json!({"action": "decline"}),
        &replayed["result"]["requestState"],
    )
    .await;
    assert_eq!(refused["result"]["structuredContent"]["error_type"], "denied", "{refused}");
    assert_eq!(fixture.runs(), 1);
}

/// Calls the dangerous tool over HTTP as a client that shows forms.
async fn call_over_http(client: &HttpFixture, token: Option<&str>) -> Value {
    let forms = request_meta(json!({"elicitation": {}}));
    let params = json!({"name": "dangerous", "arguments": {"what": "all"}, "_meta": forms});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let token = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "dangerous"),
    ];
    headers.extend(token.as_deref().map(|token| ("Authorization", token)));
    client.send("POST", "/mcp", &headers, &body.to_string()).await.message()
}

#[tokio::test]
async fn a_form_over_http_can_approve_only_with_a_token() {
    let fixture = OperationsFixture::new();
    let open = HttpFixture::new(fixture.server.clone()).await;
    let reply = call_over_http(&open, None).await;
    let error = &reply["result"]["structuredContent"]["error_type"];
    assert_eq!(error, "approval_required", "any program could answer: {reply}");
    let set = |options: &mut server::HttpOptions| options.token = Some("s3cret".to_owned());
    let authenticated = HttpFixture::with(fixture.server.clone(), set).await;
    let reply = call_over_http(&authenticated, Some("s3cret")).await;
    assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
    assert_eq!(fixture.runs(), 0);
}

#[tokio::test]
async fn an_unrequested_or_mismatched_approval_runs_nothing() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let unasked = retry_with_answer(&mut client, "all", yes(), &Value::Null).await;
    assert_eq!(
        unasked["result"]["resultType"], "input_required",
        "nothing was shown to the user: {unasked}"
    );
    let state = unasked["result"]["requestState"].as_str().expect("state").to_owned();
    for (what, state) in [("all", format!("{state}x")), ("more", state)] {
        let reply = retry_with_answer(&mut client, what, yes(), &json!(state)).await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
    }
    assert_eq!(fixture.runs(), 0);
}

#[tokio::test]
async fn a_client_without_forms_gets_an_approval_code_but_no_command() {
    let fixture = OperationsFixture::new();
    let legacy = PipeClient::legacy_with(fixture.server.clone(), json!({})).await;
    for mut client in [legacy, PipeClient::modern_with(fixture.server.clone(), json!({}))] {
        let reply = client.call("dangerous", json!({})).await;
        let failure = &reply["result"]["structuredContent"];
        assert_eq!(failure["error_type"], "approval_required", "{reply}");
        let id = failure["error_details"]["approval"].as_str().expect("an id");
        let code = failure["error_details"]["code"].as_str().expect("a code");
        assert!(id.starts_with(&format!("ap_{code}")), "{reply}");
        assert!(text(&reply).contains(&format!("Ask your user to approve request `{code}`")));
        assert!(!reply.to_string().contains("toolcrib approve"), "a model could run it: {reply}");
    }
    assert_eq!(fixture.runs(), 0);
}

/// Sends a request retry_with_answer with one answer, as a modern client does.
async fn answer(
    client: &mut PipeClient,
    tool: &str,
    key: &str,
    with: Value,
    asked: &Value,
) -> Value {
    let mut params = json!({"name": tool, "arguments": {}, "inputResponses": {key: with}});
    params["requestState"] = asked["result"]["requestState"].clone();
    client.request("tools/call", params).await
}

fn shown(reply: &Value) -> &str {
    let question = &reply["result"]["inputRequests"]["approval"]["params"]["message"];
    question.as_str().unwrap_or_else(|| panic!("nothing was asked: {reply}"))
}

#[tokio::test]
async fn a_yes_to_one_nested_call_is_not_good_for_the_next() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let asked = client.call("twice", json!({})).await;
    assert!(shown(&asked).contains("first"), "{asked}");
    let asked = answer(&mut client, "twice", "approval", yes(), &asked).await;
    assert!(shown(&asked).contains("second"), "{asked}");
    assert_eq!(fixture.runs(), 1, "only what was shown has run");
}

#[tokio::test]
async fn a_dangerous_tool_may_ask_and_still_runs_once_for_one_yes() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let asked = client.call("careful", json!({})).await;
    let asked = answer(&mut client, "careful", "approval", yes(), &asked).await;
    assert!(asked["result"]["inputRequests"]["who"].is_object(), "{asked}");
    let name = json!({"action": "accept", "content": {"name": "Ada"}});
    let done = answer(&mut client, "careful", "who", name.clone(), &asked).await;
    assert_eq!((text(&done), fixture.runs()), ("done", 1), "{done}");
    let replayed = answer(&mut client, "careful", "who", name, &asked).await;
    assert!(shown(&replayed).contains("`careful`"), "{replayed}");
    assert_eq!(fixture.runs(), 1, "the same yes is not good twice");
}
