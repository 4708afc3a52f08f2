//! Closing a connection: prompt, orderly, and with nothing left running.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::Semaphore;
use toolkit::{Arguments, Context, Outcome, Question};

use crate::{
    pipe_client::{PipeClient, text},
    test_server::{echo, echo_server, server_with, server_with_store, tool},
};

/// A server whose tool waits until it is cancelled, and counters of its starts and ends.
fn server_with_waiting_tool() -> (server::Server, Arc<Semaphore>, Arc<Semaphore>) {
    let (started, ended) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let native = tool("wait", {
        let (started, ended) = (started.clone(), ended.clone());
        move |_: Arguments, context: Context| {
            let (started, ended) = (started.clone(), ended.clone());
            async move {
                started.add_permits(1);
                context.cancelled().await;
                ended.add_permits(1);
                Ok(Outcome::text("cancelled"))
            }
        }
    });
    (server_with(vec![native, echo("echo")]), started, ended)
}

#[tokio::test]
async fn stops_at_once_after_end_of_input() {
    for client in PipeClient::each_era(&echo_server()).await {
        let start = Instant::now();
        client.close().await.expect("an orderly end");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
    PipeClient::new(echo_server()).close().await.expect("also without a single message");
}

#[tokio::test]
async fn the_audit_is_complete_when_serving_ends() {
    let place = tempfile::tempdir().expect("a folder");
    // Held until after the check: dropping it would flush it.
    let server = server_with_store(place.path());
    let mut client = PipeClient::modern(server.clone());
    client.call("echo", json!({"message": "x"})).await;
    client.close().await.expect("an orderly end");
    let audit = std::fs::read_to_string(place.path().join("audit.jsonl")).expect("the audit");
    assert_eq!(audit.lines().count(), 1, "{audit}");
    drop(server);
}

#[tokio::test]
async fn closes_an_open_stream_without_delay() {
    let mut client = PipeClient::modern(echo_server());
    let id = client
        .start("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
        .await;
    client.message("notifications/subscriptions/acknowledged").await;
    let start = Instant::now();
    client.close_input();
    assert!(client.response(id).await["result"].is_object(), "the closing result");
    client.close().await.expect("an orderly end");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn running_calls_are_cancelled_when_the_input_ends() {
    let (server, started, ended) = server_with_waiting_tool();
    for mut client in PipeClient::each_era(&server).await {
        client.start("tools/call", json!({"name": "wait"})).await;
        started.acquire().await.expect("it runs").forget();
        let start = Instant::now();
        client.close_input();
        client.close().await.expect("an orderly end");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        ended.acquire().await.expect("it was cancelled").forget();
    }
}

#[tokio::test]
async fn answers_requests_sent_before_end_of_input() {
    let mut client = PipeClient::legacy(echo_server()).await;
    let id = client
        .start("tools/call", json!({"name": "echo", "arguments": {"message": "last words"}}))
        .await;
    client.close_input();
    assert_eq!(text(&client.response(id).await), "last words");
    client.close().await.expect("an orderly end");
}

#[tokio::test]
async fn shutdown_cancels_calls_and_closes_the_connection() {
    let (server, started, ended) = server_with_waiting_tool();
    let mut client = PipeClient::legacy(server).await;
    client.start("tools/call", json!({"name": "wait"})).await;
    started.acquire().await.expect("it runs").forget();
    let start = Instant::now();
    client.shutdown.cancel();
    while client.next().await.is_some() {}
    ended.acquire().await.expect("it was cancelled").forget();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_unanswered_question_does_not_delay_shutdown() {
    let server = server_with(vec![tool("ask", async |_, context: Context| {
        context
            .ask("where", Question::Roots)
            .await
            .map(|answer| Outcome::text(answer.0.to_string()))
    })]);
    let mut client = PipeClient::legacy(server).await;
    client.start("tools/call", json!({"name": "ask"})).await;
    client.message("roots/list").await;
    let start = Instant::now();
    client.close().await.expect("an orderly end");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}
