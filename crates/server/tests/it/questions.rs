//! Tools that ask questions: written once, for legacy and modern clients.

use serde_json::{Value, json};
use toolkit::{Context, Interrupt, Outcome, Question};

use crate::{
    pipe_client::{PipeClient, text},
    test_server::{echo, server_with, tool},
};

fn form(field: &str) -> Question {
    let schema =
        json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    Question::Form { message: format!("Which {field}?"), schema }
}

fn accept(field: &str, value: &str) -> Value {
    json!({"action": "accept", "content": {field: value}})
}

/// Asks one thing after the other, and remembers where it was.
fn server_that_asks() -> server::Server {
    let handler = async |_, context: Context| {
        context.save_state("one");
        let name = context.ask("name", form("name")).await?;
        context.save_state("two");
        let color = context.ask("color", form("color")).await?;
        let kept = context.saved_state().map(|kept| String::from_utf8_lossy(&kept).into_owned());
        Ok(Outcome::text(format!(
            "{} {} {kept:?}",
            name.0["content"]["name"], color.0["content"]["color"]
        )))
    };
    let plain = async |_, context: Context| {
        let name = context.ask("name", form("name")).await?;
        Ok(Outcome::text(format!("{} {}", name.is_accepted(), name.0)))
    };
    server_with(vec![tool("ask", handler), tool("plain", plain), echo("other")])
}

async fn retry(client: &mut PipeClient, tool: &str, answers: Value, state: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": {}, "inputResponses": answers});
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    client.request("tools/call", params).await
}

#[tokio::test]
async fn asks_legacy_clients_during_the_call() {
    let mut client = PipeClient::legacy(server_that_asks()).await;
    let id = client.start("tools/call", json!({"name": "ask"})).await;
    for (field, value) in [("name", "Ada"), ("color", "red")] {
        let asked = client.message("elicitation/create").await;
        assert_eq!(asked["params"]["message"], format!("Which {field}?"));
        client
            .send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": accept(field, value)}))
            .await;
    }
    assert_eq!(text(&client.response(id).await), r#""Ada" "red" Some("two")"#);
}

#[tokio::test]
async fn asks_modern_clients_through_results_and_carries_state() {
    let mut client = PipeClient::modern(server_that_asks());
    let first = client.call("ask", json!({})).await["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["name"]["method"], "elicitation/create");
    assert!(first["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    let second =
        retry(&mut client, "ask", json!({"name": accept("name", "Ada")}), &first["requestState"])
            .await["result"]
            .clone();
    assert_eq!(second["resultType"], "input_required");
    assert!(
        second["inputRequests"].get("name").is_none(),
        "what is known is not asked again: {second}"
    );
    assert_ne!(second["requestState"], first["requestState"]);
    let third = retry(
        &mut client,
        "ask",
        json!({"color": accept("color", "red")}),
        &second["requestState"],
    )
    .await;
    assert_eq!(text(&third), r#""Ada" "red" Some("two")"#);
}

#[tokio::test]
async fn asks_again_if_an_answer_is_missing_or_invalid() {
    let mut client = PipeClient::modern(server_that_asks());
    for answers in [
        json!({}),
        json!({"wrong_key": accept("name", "Ada")}),
        json!({"name": 12345}),
        json!({"name": {"action": "accept", "content": {"name": 5}}}),
    ] {
        let reply = retry(&mut client, "plain", answers.clone(), &Value::Null).await;
        assert_eq!(reply["result"]["resultType"], "input_required", "{answers}: {reply}");
    }
    let answers = json!({"name": accept("name", "Ada"), "extra": {"action": "accept"}});
    assert!(text(&retry(&mut client, "plain", answers, &Value::Null).await).starts_with("true"));
    let answers = json!({"name": {"action": "decline"}});
    assert!(text(&retry(&mut client, "plain", answers, &Value::Null).await).starts_with("false"));
}

#[tokio::test]
async fn refuses_state_that_was_tampered_with_or_belongs_to_another_request() {
    let mut client = PipeClient::modern(server_that_asks());
    let first = client.call("ask", json!({})).await["result"].clone();
    let state = first["requestState"].as_str().expect("state").to_owned();
    let answers = json!({"name": accept("name", "Ada")});
    for (tool, state) in
        [("ask", format!("{state}x")), ("ask", "nonsense".into()), ("plain", state.clone())]
    {
        let reply = retry(&mut client, tool, answers.clone(), &json!(state)).await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
    }
    let params = json!({"name": "ask", "arguments": {"more": 1}, "inputResponses": answers, "requestState": state});
    assert_eq!(
        client.request("tools/call", params).await["error"]["code"],
        -32602,
        "other arguments"
    );
}

#[tokio::test]
async fn reports_the_missing_capability() {
    let needs = [
        ("form", form("name"), json!({"elicitation": {}})),
        (
            "sample",
            Question::Sample { prompt: "go on".into(), max_tokens: 9 },
            json!({"sampling": {}}),
        ),
        ("roots", Question::Roots, json!({"roots": {}})),
    ];
    for (name, question, required) in needs {
        let handler = move |_: toolkit::Arguments, context: Context| {
            let question = question.clone();
            async move {
                context.ask("key", question).await.map(|answer| Outcome::text(answer.0.to_string()))
            }
        };
        let server = server_with(vec![tool(name, handler)]);
        let reply = PipeClient::modern_with(server.clone(), json!({})).call(name, json!({})).await;
        assert_eq!(reply["error"]["code"], -32021, "{reply}");
        assert_eq!(reply["error"]["data"]["requiredCapabilities"], required);
        let reply = PipeClient::legacy_with(server, json!({})).await.call(name, json!({})).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert_eq!(reply["result"]["structuredContent"]["error_type"], "missing_capability");
    }
}

#[tokio::test]
async fn sends_forms_only_to_clients_that_support_them() {
    let reply = PipeClient::modern_with(server_that_asks(), json!({"elicitation": {"url": {}}}))
        .call("plain", json!({}))
        .await;
    assert_eq!(reply["error"]["code"], -32021, "{reply}");
    let reply = PipeClient::modern_with(server_that_asks(), json!({"elicitation": {"form": {}}}))
        .call("plain", json!({}))
        .await;
    assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
}

#[tokio::test]
async fn asks_legacy_clients_for_samples_and_roots() {
    let server = server_with(vec![tool("both", async |_, context: Context| {
        let questions = [
            ("said", Question::Sample { prompt: "go on".into(), max_tokens: 9 }),
            ("where", Question::Roots),
        ];
        let answers = context
            .ask_all(questions.map(|(key, question)| (key.to_owned(), question)).into())
            .await?;
        Ok(Outcome::text(format!(
            "{} {}",
            answers[0].0["content"]["text"], answers[1].0["roots"][0]["uri"]
        )))
    })]);
    let mut client = PipeClient::legacy(server).await;
    let id = client.start("tools/call", json!({"name": "both"})).await;
    let asked = client.message("sampling/createMessage").await;
    assert_eq!(asked["params"]["maxTokens"], 9);
    let said = json!({"role": "assistant", "content": {"type": "text", "text": "on and on"}, "model": "m"});
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": said})).await;
    let asked = client.message("roots/list").await;
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///x"}]}})).await;
    assert_eq!(text(&client.response(id).await), r#""on and on" "file:///x""#);
}

#[tokio::test]
async fn a_client_that_refuses_to_answer_fails_the_call() {
    let mut client = PipeClient::legacy(server_that_asks()).await;
    let id = client.start("tools/call", json!({"name": "plain"})).await;
    let asked = client.message("elicitation/create").await;
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "no way"}})).await;
    let reply = client.response(id).await;
    assert_eq!(reply["result"]["structuredContent"]["error_type"], "unanswered", "{reply}");
    assert!(text(&reply).contains("no way"));
}

#[tokio::test]
async fn a_tool_may_reject_a_request_as_invalid() {
    let server = server_with(vec![tool("no", async |_, _| {
        Err::<Outcome, _>(Interrupt::Invalid("makes no sense".into()))
    })]);
    for mut client in PipeClient::each_era(&server).await {
        let reply = client.call("no", json!({})).await;
        assert_eq!(
            (&reply["error"]["code"], &reply["error"]["message"]),
            (&json!(-32602), &json!("makes no sense"))
        );
    }
}
