//! Tasks of modern clients over HTTP: ownership, notifications, and cancellation.

use runtime::{Viewer, operation::State};
use serde_json::{Value, json};
use testing::{MODERN, TIMEOUT, request_meta};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
    time::timeout,
};

use crate::{
    http_fixture::{HttpFixture, read_response},
    operations_fixture::OperationsFixture,
};

/// The metadata of a client that supports tasks.
fn task_client_meta() -> Value {
    request_meta(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
}

/// Sends a request of a client that supports tasks, about the task or tool `name`.
async fn follow(
    client: &HttpFixture,
    method: &str,
    name: &str,
    mut params: Value,
) -> BufReader<TcpStream> {
    params["_meta"] = task_client_meta();
    let body = json!({"jsonrpc": "2.0", "id": 9, "method": method, "params": params});
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", method),
        ("Authorization", "Bearer secret"),
    ];
    if !name.is_empty() {
        headers.push(("Mcp-Name", name));
    }
    client.open("POST", "/mcp", &headers, &body.to_string()).await
}

async fn request_as_task_client(
    client: &HttpFixture,
    method: &str,
    name: &str,
    params: Value,
) -> Value {
    let mut stream = follow(client, method, name, params).await;
    timeout(TIMEOUT, read_response(&mut stream)).await.expect("a response in time").message()
}

#[tokio::test]
async fn tasks_belong_to_the_token_and_are_pushed_to_subscribers() {
    let fixture = OperationsFixture::new();
    let client =
        HttpFixture::with(fixture.server.clone(), |options| options.token = Some("secret".into()))
            .await;
    let created = request_as_task_client(&client, "tools/call", "work", json!({"name": "work"}))
        .await["result"]
        .clone();
    assert_eq!(created["resultType"], "task", "{created}");
    let id = created["taskId"].as_str().expect("an id").to_owned();
    let known =
        fixture.operations.get(Viewer::Operator, &id.parse().expect("an id")).await.expect("known");
    assert!(known.owner.0.starts_with("token "), "{:?}", known.owner);
    let working = request_as_task_client(&client, "tasks/get", &id, json!({"taskId": id})).await;
    assert_eq!(working["result"]["status"], "working", "{working}");
    let mut stream =
        follow(&client, "subscriptions/listen", "", json!({"notifications": {"taskIds": [id]}}))
            .await;
    let mut seen = String::new();
    while !seen.contains("acknowledged") {
        assert_ne!(stream.read_line(&mut seen).await.expect("readable"), 0, "{seen}");
    }
    assert!(seen.contains(&id), "{seen}");
    fixture.release.add_permits(1);
    while !seen.contains("notifications/tasks") {
        assert_ne!(stream.read_line(&mut seen).await.expect("readable"), 0, "{seen}");
    }
    assert!(seen.contains("completed") && seen.contains("worked"), "{seen}");
}

#[tokio::test]
async fn a_disconnected_modern_client_cancels_only_its_awaited_operation() {
    let fixture = OperationsFixture::with_answer_time(TIMEOUT);
    let client = HttpFixture::new(fixture.server.clone()).await;
    let mut events = fixture.operations.subscribe();
    let mut started = Vec::new();
    for _ in 0..2 {
        let stream = follow(&client, "tools/call", "work", json!({"name": "work"})).await;
        let id = loop {
            let id = events.recv().await.expect("it begins").operation.id.clone();
            if started.iter().all(|(other, _)| *other != id) {
                break id;
            }
        };
        started.push((id, stream));
    }
    let (gone, stream) = started.remove(0);
    drop(stream);
    assert_eq!(fixture.ended(&gone).await.state, State::Cancelled);
    assert_eq!(fixture.finish(&started[0].0).await.state, State::Completed);
}

#[tokio::test]
async fn shutdown_cancels_and_records_operations() {
    let fixture = OperationsFixture::new();
    let client = HttpFixture::new(fixture.server.clone()).await;
    let created =
        request_as_task_client(&client, "tools/call", "work", json!({"name": "work"})).await;
    client.shutdown.cancel();
    timeout(TIMEOUT, client.serving)
        .await
        .expect("in time")
        .expect("no panic")
        .expect("an orderly end");
    let id = created["result"]["taskId"].as_str().expect("an id").parse().expect("an id");
    let operation = fixture.operations.get(Viewer::Operator, &id).await.expect("known");
    let outcome = operation.outcome.expect("an outcome").structured.expect("structured");
    assert_eq!(
        (operation.state, &outcome["reason"]),
        (State::Cancelled, &json!("the server was shut down"))
    );
}
