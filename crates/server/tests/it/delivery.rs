//! Results of operations for clients without tasks: notices, delivery and shutdown.

use std::time::{Duration, Instant};

use runtime::{Viewer, operation::State};
use serde_json::{Value, json};
use testing::{initialize_params, wait_for};

use crate::{
    operations_fixture::{OperationsFixture, started_operation},
    pipe_client::{PipeClient, text},
};

fn texts(reply: &Value) -> Vec<String> {
    let content =
        reply["result"]["content"].as_array().unwrap_or_else(|| panic!("no content: {reply}"));
    content.iter().map(|block| block["text"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn echo(client: &mut PipeClient) -> Vec<String> {
    texts(&client.call("echo", json!({"message": "hi"})).await)
}

#[tokio::test]
async fn the_response_explains_how_the_result_is_delivered() {
    let fixture = OperationsFixture::new();
    let [mut legacy, mut modern] = PipeClient::each_era(&fixture.server).await;
    let said = texts(&legacy.call("work", json!({})).await).join("\n");
    assert!(
        said.contains("next call") && said.contains("`await`") && said.contains("log message"),
        "{said}"
    );
    let said = texts(&modern.call("work", json!({})).await).join("\n");
    assert!(said.contains("next call") && said.contains("`await`"), "{said}");
    assert!(!said.contains("log message"), "this client gets no log messages: {said}");
    legacy.request("logging/setLevel", json!({"level": "error"})).await;
    let said = texts(&legacy.call("work", json!({})).await).join("\n");
    assert!(!said.contains("log message"), "it does not want one: {said}");
}

#[tokio::test]
async fn the_instructions_explain_how_to_follow_operations() {
    let mut client = PipeClient::new(OperationsFixture::new().server);
    let reply = client.request("initialize", initialize_params(json!({}))).await;
    let said = reply["result"]["instructions"].as_str().expect("instructions");
    assert!(
        ["`await`", "`status`", "`cancel`", "next call"].iter().all(|word| said.contains(word)),
        "{said}"
    );
}

#[tokio::test]
async fn a_short_operation_returns_inline_and_is_not_delivered_again() {
    let fixture = OperationsFixture::with_answer_time(Duration::from_secs(20));
    fixture.release.add_permits(2);
    for mut client in PipeClient::each_era(&fixture.server).await {
        assert_eq!(texts(&client.call("work", json!({})).await), ["worked"]);
        assert_eq!(echo(&mut client).await, ["hi"]);
    }
}

#[tokio::test]
async fn a_result_is_delivered_once_with_the_next_call() {
    let fixture = OperationsFixture::new();
    for mut client in PipeClient::each_era(&fixture.server).await {
        let id = started_operation(&client.call("work", json!({})).await);
        assert_eq!(echo(&mut client).await, ["hi"], "nothing has ended");
        fixture.finish(&id).await;
        let status = texts(&client.call("status", json!({})).await).join("");
        assert!(!status.contains("Since your last call"), "{status}");
        assert_eq!(client.call("nonsense", json!({})).await["error"]["code"], -32602);
        let said = echo(&mut client).await;
        assert_eq!(said[0], "hi");
        assert!(
            said[1].starts_with("Since your last call:") && said[1].contains(id.as_str()),
            "{said:?}"
        );
        assert!(said[1].ends_with("worked"), "{said:?}");
        assert_eq!(echo(&mut client).await, ["hi"], "once");
    }
}

#[tokio::test]
async fn a_result_of_another_server_is_delivered_once_with_a_later_call() {
    let [here, there] = OperationsFixture::pair();
    let (mut near, mut far) =
        (PipeClient::legacy(here.server.clone()).await, PipeClient::modern(there.server.clone()));
    assert_eq!(echo(&mut near).await, ["hi"], "nothing has ended");
    let id = started_operation(&far.call("work", json!({})).await);
    there.finish(&id).await;
    let said = wait_for("the result of the other server", async || {
        let said = echo(&mut near).await;
        (said.len() > 1).then_some(said)
    })
    .await;
    assert!(
        said[1].starts_with("Since your last call:") && said[1].contains(id.as_str()),
        "{said:?}"
    );
    assert!(said[1].ends_with("worked"), "{said:?}");
    assert_eq!((echo(&mut near).await.len(), echo(&mut far).await.len()), (1, 1), "once");
}

#[tokio::test]
async fn an_awaited_result_is_not_delivered_again() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::legacy(fixture.server.clone()).await;
    let id = started_operation(&client.call("work", json!({})).await);
    fixture.finish(&id).await;
    let waited = client.call("await", json!({"id": id})).await;
    assert_eq!(waited["result"]["structuredContent"]["status"], "done", "{waited}");
    assert_eq!(echo(&mut client).await, ["hi"]);
}

#[tokio::test]
async fn many_long_results_are_truncated_and_continue_with_the_next_call() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(started_operation(&client.call("work", json!({"letters": 20_000})).await));
    }
    fixture.release.add_permits(5);
    for id in &ids {
        fixture.ended(id).await;
    }
    let said = echo(&mut client).await.remove(1);
    assert_eq!(said.matches("worked").count(), 3);
    assert!(said.len() < 4 * (8 << 10), "{}", said.len());
    assert!(said.contains("toolcrib://operation/"), "where the whole is");
    assert!(ids.iter().all(|id| said.contains(id.as_str())), "the rest is named");
    assert_eq!(echo(&mut client).await[1].matches("worked").count(), 2);
    assert_eq!(echo(&mut client).await, ["hi"]);
}

#[tokio::test]
async fn other_owners_get_no_results_or_notifications() {
    let fixture = OperationsFixture::new();
    let mut owner = PipeClient::legacy(fixture.server.clone()).await;
    let mut other = PipeClient::legacy(fixture.server.clone().with_owner("other")).await;
    let id = started_operation(&owner.call("work", json!({})).await);
    fixture.finish(&id).await;
    assert_eq!(
        owner.message("notifications/message").await["params"]["data"]["operation_id"],
        id.as_str()
    );
    assert_eq!(echo(&mut other).await, ["hi"]);
    assert_eq!(other.unsolicited().await, Vec::<Value>::new());
    for (tool, arguments) in
        [("status", json!({"id": id})), ("await", json!({"id": id})), ("cancel", json!({"id": id}))]
    {
        let foreign = other.call(tool, arguments).await["result"].clone();
        let unknown =
            other.call(tool, json!({"id": "op_aaaaaaaaaaaaaaaaaaaaaaaaaa"})).await["result"]
                .clone();
        assert_eq!(foreign["isError"], true, "{tool}: {foreign}");
        assert_eq!(
            foreign["structuredContent"]["error_type"], "unknown_operation",
            "{tool}: {foreign}"
        );
        let same = foreign.to_string().replace(id.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa");
        assert_eq!(same, unknown.to_string(), "{tool} does not tell which exist");
    }
    let uri = format!("toolcrib://operation/{id}");
    assert!(other.request("resources/read", json!({"uri": uri})).await["error"].is_object());
    assert!(
        owner.request("resources/read", json!({"uri": uri})).await["result"]
            .to_string()
            .contains("worked")
    );
}

#[tokio::test]
async fn legacy_clients_are_notified_when_an_operation_ends() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::legacy(fixture.server.clone()).await;
    let id = started_operation(&client.call("work", json!({})).await);
    let uri = format!("toolcrib://operation/{id}");
    client.request("resources/subscribe", json!({"uri": uri})).await;
    fixture.finish(&id).await;
    let told = client.message("notifications/message").await;
    assert_eq!(
        (&told["params"]["level"], &told["params"]["data"]["state"]),
        (&json!("info"), &json!("completed"))
    );
    assert_eq!(client.message("notifications/resources/updated").await["params"]["uri"], uri);
    client.request("logging/setLevel", json!({"level": "warning"})).await;
    let id = started_operation(&client.call("work", json!({})).await);
    client
        .request("resources/subscribe", json!({"uri": format!("toolcrib://operation/{id}")}))
        .await;
    fixture.finish(&id).await;
    client.message("notifications/resources/updated").await;
    let unasked = client.unsolicited().await;
    assert!(
        !unasked.iter().any(|message| message["method"] == "notifications/message"),
        "{unasked:?}"
    );
}

#[tokio::test]
async fn modern_clients_can_subscribe_to_the_result() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let id = started_operation(&client.call("work", json!({})).await);
    let uri = format!("toolcrib://operation/{id}");
    client
        .start("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [uri]}}))
        .await;
    client.message("notifications/subscriptions/acknowledged").await;
    fixture.finish(&id).await;
    assert_eq!(client.message("notifications/resources/updated").await["params"]["uri"], uri);
}

#[tokio::test]
async fn a_waiting_request_gets_progress_under_its_own_token() {
    let fixture = OperationsFixture::with_answer_time(Duration::from_secs(20));
    for mut client in PipeClient::each_era(&fixture.server).await {
        let params = json!({"name": "work", "arguments": {"halfway": true}, "_meta": {"progressToken": "mine"}});
        let id = client.start("tools/call", params).await;
        let told = client.message("notifications/progress").await;
        assert_eq!(told["params"]["progressToken"], "mine");
        assert_eq!(
            (&told["params"]["progress"], &told["params"]["total"]),
            (&json!(50.0), &json!(100.0)),
            "{told}"
        );
        fixture.release.add_permits(1);
        assert_eq!(text(&client.response(id).await), "worked");
    }
}

#[tokio::test]
async fn await_reports_the_progress_of_operations() {
    let fixture = OperationsFixture::new();
    for mut client in PipeClient::each_era(&fixture.server).await {
        let operation = started_operation(&client.call("work", json!({"halfway": true})).await);
        let params =
            json!({"name": "await", "arguments": {"id": operation}, "_meta": {"progressToken": 7}});
        let id = client.start("tools/call", params).await;
        assert_eq!(client.message("notifications/progress").await["params"]["progressToken"], 7);
        fixture.release.add_permits(1);
        assert!(client.response(id).await["result"].to_string().contains("worked"));
    }
}

#[tokio::test]
async fn cancelling_a_waiting_request_cancels_only_its_operation() {
    let fixture = OperationsFixture::with_answer_time(Duration::from_secs(20));
    for mut client in PipeClient::each_era(&fixture.server).await {
        let mut events = fixture.operations.subscribe();
        let first = client.start("tools/call", json!({"name": "work"})).await;
        let cancelled = events.recv().await.expect("it begins").operation.id.clone();
        let second = client.start("tools/call", json!({"name": "work"})).await;
        while events.recv().await.expect("it begins").operation.id == cancelled {}
        client.notify("notifications/cancelled", json!({"requestId": first})).await;
        let ended = loop {
            let event = events.recv().await.expect("an end");
            if event.operation.state.is_final() {
                break event.operation;
            }
        };
        assert_eq!((&ended.id, ended.state), (&cancelled, State::Cancelled));
        fixture.release.add_permits(1);
        assert_eq!(text(&client.response(second).await), "worked");
    }
}

#[tokio::test]
async fn cancelling_an_answered_request_does_nothing() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::legacy(fixture.server.clone()).await;
    let request = client.start("tools/call", json!({"name": "work"})).await;
    let id = started_operation(&client.response(request).await);
    client.notify("notifications/cancelled", json!({"requestId": request})).await;
    client.request("tools/list", json!({})).await;
    assert_eq!(fixture.finish(&id).await.state, State::Completed);
}

#[tokio::test]
async fn shutdown_records_operations_as_cancelled_by_the_server() {
    for patience in [Duration::from_millis(20), Duration::from_secs(20)] {
        let fixture = OperationsFixture::with_answer_time(patience);
        let mut client = PipeClient::legacy(fixture.server.clone()).await;
        let mut events = fixture.operations.subscribe();
        let request = client.start("tools/call", json!({"name": "work"})).await;
        let id = events.recv().await.expect("it begins").operation.id.clone();
        if patience < Duration::from_secs(1) {
            client.response(request).await;
        }
        let start = Instant::now();
        client.close().await.expect("an orderly end");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        let operation = fixture.operations.get(Viewer::Operator, &id).await.expect("known");
        assert_eq!(operation.state, State::Cancelled);
        let outcome = operation.outcome.expect("an outcome").structured.expect("structured");
        assert_eq!(outcome["reason"], "the server was shut down", "{outcome}");
    }
}

#[tokio::test]
async fn an_operation_with_a_question_fails_without_task_support() {
    let fixture = OperationsFixture::with_answer_time(Duration::from_secs(20));
    for mut client in PipeClient::each_era(&fixture.server).await {
        let reply = client.call("asking", json!({})).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
    }
}
