//! Operations as tasks, for modern clients that declare them.

use runtime::operation::State;
use serde_json::{Value, json};

use crate::{
    operations_fixture::OperationsFixture,
    pipe_client::{PipeClient, text},
};

async fn get(client: &mut PipeClient, id: &Value) -> Value {
    client.request("tasks/get", json!({"taskId": id})).await
}

/// Starts a task and returns its id.
async fn start(client: &mut PipeClient, tool: &str) -> Value {
    let reply = client.call(tool, json!({})).await;
    assert_eq!(reply["result"]["resultType"], "task", "{reply}");
    reply["result"]["taskId"].clone()
}

#[tokio::test]
async fn tasks_are_advertised() {
    let mut client = OperationsFixture::new().task_client();
    let reply = client.request("server/discover", json!({})).await;
    assert!(
        reply["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object(),
        "{reply}"
    );
}

#[tokio::test]
async fn an_operation_becomes_a_task_whose_result_can_be_read() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let reply = client.call("work", json!({})).await["result"].clone();
    assert_eq!((&reply["resultType"], &reply["status"]), (&json!("task"), &json!("working")));
    assert!(reply["createdAt"].is_string() && reply["lastUpdatedAt"].is_string(), "{reply}");
    const MONTH: u64 = 30 * 86_400_000;
    assert_eq!(reply["ttlMs"], MONTH, "it is kept for as long as the settings say");
    assert_eq!(get(&mut client, &reply["taskId"]).await["result"]["status"], "working");
    fixture.finish(&reply["taskId"].as_str().expect("an id").parse().expect("an id")).await;
    let done = get(&mut client, &reply["taskId"]).await["result"].clone();
    assert_eq!(
        (&done["resultType"], &done["status"]),
        (&json!("complete"), &json!("completed")),
        "{done}"
    );
    assert_eq!(done["result"]["content"][0]["text"], "worked");
    let life = done["ttlMs"].as_u64().expect("a number");
    assert!((MONTH..MONTH + 60_000).contains(&life), "it is kept from its end on: {life}");
    let echoed = client.call("echo", json!({"message": "hi"})).await;
    assert_eq!(
        echoed["result"]["content"].as_array().map(Vec::len),
        Some(1),
        "tasks are not delivered otherwise"
    );
}

#[tokio::test]
async fn a_client_without_the_extension_gets_no_task() {
    let fixture = OperationsFixture::new();
    let mut client = PipeClient::modern(fixture.server.clone());
    let reply = client.call("work", json!({})).await;
    assert_eq!(reply["result"]["structuredContent"]["status"], "started", "{reply}");
    let id = reply["result"]["structuredContent"]["operation_id"].clone();
    assert_eq!(get(&mut client, &id).await["error"]["code"], -32021);
}

#[tokio::test]
async fn a_tool_that_requires_tasks_rejects_clients_without_them() {
    let fixture = OperationsFixture::new();
    let reply = PipeClient::modern(fixture.server.clone()).call("needing", json!({})).await;
    assert_eq!(reply["error"]["code"], -32021, "{reply}");
    assert!(reply["error"]["data"]["requiredCapabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object());
}

#[tokio::test]
async fn asks_required_questions_before_creating_the_task() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let asked = client.call("needing", json!({})).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    let params = json!({"name": "needing", "arguments": {}, "inputResponses": answers});
    let reply = client.request("tools/call", params).await;
    assert_eq!(reply["result"]["resultType"], "task", "{reply}");
}

#[tokio::test]
async fn tasks_of_other_owners_are_unknown() {
    let fixture = OperationsFixture::new();
    let mut owner = fixture.task_client();
    let id = start(&mut owner, "work").await;
    let server = fixture.server.clone().with_owner("other");
    let mut other = PipeClient::modern_with(
        server,
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
    );
    for id in [id, json!("op_aaaaaaaaaaaaaaaaaaaaaaaaaa"), json!("nonsense")] {
        for (method, params) in [
            ("tasks/get", json!({"taskId": id})),
            ("tasks/update", json!({"taskId": id, "inputResponses": {}})),
            ("tasks/cancel", json!({"taskId": id})),
        ] {
            let reply = other.request(method, params).await;
            assert_eq!(reply["error"]["code"], -32602, "{method} {id}: {reply}");
        }
    }
}

#[tokio::test]
async fn cancelling_a_task_is_idempotent() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let id = start(&mut client, "work").await;
    for _ in 0..2 {
        let reply = client.request("tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        assert_eq!(get(&mut client, &id).await["result"]["status"], "cancelled");
    }
}

#[tokio::test]
async fn a_task_asks_and_continues_after_the_answer() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let id = start(&mut client, "asking").await;
    let asked = get(&mut client, &id).await["result"].clone();
    assert_eq!(asked["status"], "input_required", "{asked}");
    assert_eq!(asked["inputRequests"]["who"]["method"], "elicitation/create");
    let answer = |answers: Value| json!({"taskId": id, "inputResponses": answers});
    let nonsense = json!({"who": {"action": "accept", "content": {"name": 5}}, "what": {}});
    assert!(client.request("tasks/update", answer(nonsense)).await["result"].is_object());
    assert_eq!(
        get(&mut client, &id).await["result"]["status"],
        "input_required",
        "that was no answer"
    );
    let good = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    client.request("tasks/update", answer(good.clone())).await;
    fixture.ended(&id.as_str().expect("an id").parse().expect("an id")).await;
    let done = get(&mut client, &id).await;
    assert_eq!(done["result"]["result"]["content"][0]["text"], "hello Ada", "{done}");
    assert!(
        client.request("tasks/update", answer(good)).await["result"].is_object(),
        "too late, and no error"
    );
}

#[tokio::test]
async fn task_changes_are_pushed_to_subscribers() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let id = start(&mut client, "work").await;
    let mut other = PipeClient::modern_with(
        fixture.server.clone().with_owner("other"),
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
    );
    let foreign = start(&mut other, "work").await;
    let filter = json!({"taskIds": [id, foreign], "toolsListChanged": true});
    let stream = client.start("subscriptions/listen", json!({"notifications": filter})).await;
    let acknowledged = client.message("notifications/subscriptions/acknowledged").await;
    let accepted = json!({"toolsListChanged": true, "taskIds": [id]});
    assert_eq!(acknowledged["params"]["notifications"], accepted, "{acknowledged}");
    fixture.release.add_permits(2);
    let told = client.message("notifications/tasks").await["params"].clone();
    assert_eq!((&told["taskId"], &told["status"]), (&id, &json!("completed")), "{told}");
    assert_eq!(told["result"]["content"][0]["text"], "worked");
    assert_eq!(told["_meta"]["io.modelcontextprotocol/subscriptionId"], stream);
    fixture.server.replace(crate::test_server::snapshot([])).await;
    client.message("notifications/tools/list_changed").await;
    assert_eq!(client.unsolicited().await, Vec::<Value>::new(), "nothing of others");
    client.close_input();
    assert!(client.response(stream).await["result"].is_object(), "the closing result");
    client.close().await.expect("an orderly end");
}

#[tokio::test]
async fn a_finished_task_is_reported_to_a_new_subscriber_at_once() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let id = start(&mut client, "work").await;
    let ended = fixture.finish(&id.as_str().expect("an id").parse().expect("an id")).await;
    assert_eq!(ended.state, State::Completed);
    client.start("subscriptions/listen", json!({"notifications": {"taskIds": [id]}})).await;
    client.message("notifications/subscriptions/acknowledged").await;
    assert_eq!(client.message("notifications/tasks").await["params"]["status"], "completed");
}

#[tokio::test]
async fn subscribing_to_tasks_needs_the_extension_and_valid_parameters() {
    let fixture = OperationsFixture::new();
    let listen = json!({"notifications": {"taskIds": []}});
    let reply =
        PipeClient::modern(fixture.server.clone()).request("subscriptions/listen", listen).await;
    assert_eq!(reply["error"]["code"], -32021, "{reply}");
    let reply = fixture
        .task_client()
        .request("subscriptions/listen", json!({"notifications": {"taskIds": 3}}))
        .await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn built_in_tools_work_for_task_clients() {
    let fixture = OperationsFixture::new();
    let mut client = fixture.task_client();
    let id = start(&mut client, "work").await;
    let reply = client.call("cancel", json!({"id": id})).await;
    assert!(text(&reply).contains("was cancelled at"), "{reply}");
}
