//! `tools/call`: answers, refusals, failures, progress, logs, limits and cancellation.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use toolkit::{Arguments, Content, Context, Level, Outcome};

use crate::{
    pipe_client::{PipeClient, text},
    test_server::{echo, echo_server, server_with, tool},
};

#[tokio::test]
async fn calls_a_tool_in_both_eras() {
    for mut client in PipeClient::each_era(&echo_server()).await {
        let reply = client.call("echo", json!({"message": "hi"})).await;
        assert_eq!(text(&reply), "hi");
        assert!(reply["result"].get("isError").is_none(), "{reply}");
        assert_eq!(reply["result"].get("resultType").is_some(), client.is_modern());
    }
}

#[tokio::test]
async fn reports_all_invalid_arguments_at_once() {
    for mut client in PipeClient::each_era(&echo_server()).await {
        let reply = client.call("echo", json!({"message": 1, "mesage": "x"})).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        let said = text(&reply);
        assert!(
            said.contains("Expected string, received integer")
                && said.contains("Unknown parameter 'mesage'"),
            "{said}"
        );
        let reply = client.call("echo", json!({})).await;
        assert!(text(&reply).contains("Missing required parameter 'message'"), "{reply}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_with_a_suggestion() {
    for mut client in PipeClient::each_era(&echo_server()).await {
        let reply = client.call("ecco", json!({})).await;
        assert_eq!(reply["error"]["code"], -32602);
        assert_eq!(reply["error"]["message"], "unknown tool `ecco`; did you mean `echo`?");
    }
}

#[tokio::test]
async fn a_panic_fails_the_call_and_keeps_the_server_running() {
    let server = server_with(vec![echo("echo"), tool("panic", async |_, _| panic!("on purpose"))]);
    for mut client in PipeClient::each_era(&server).await {
        let reply = client.call("panic", json!({})).await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert_eq!(text(&client.call("echo", json!({"message": "alive"})).await), "alive");
    }
}

#[tokio::test]
async fn returns_every_kind_of_content() {
    let server = server_with(vec![tool("all", async |_, _| {
        let content = vec![
            Content::Text("t".into()),
            Content::Image { data: vec![1, 2], mime_type: "image/png".into() },
            Content::Audio { data: vec![3], mime_type: "audio/wav".into() },
            Content::Resource {
                uri: "a:b".into(),
                mime_type: "text/plain".into(),
                text: "r".into(),
            },
            Content::Link { uri: "c:d".into(), name: "n".into(), mime_type: "text/plain".into() },
        ];
        Ok(Outcome { content, ..Outcome::default() })
    })]);
    let reply = PipeClient::modern(server).call("all", json!({})).await;
    let expected = json!([
        {"type": "text", "text": "t"},
        {"type": "image", "data": "AQI=", "mimeType": "image/png"},
        {"type": "audio", "data": "Aw==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "r"}},
        {"type": "resource_link", "uri": "c:d", "name": "n", "mimeType": "text/plain"},
        // For clients that show the model no links.
        {"type": "text", "text": "n: c:d"},
    ]);
    assert_eq!(reply["result"]["content"], expected);
}

#[tokio::test]
async fn reports_increasing_progress_only_on_request() {
    let server = server_with(vec![tool("work", async |_, context: Context| {
        for done in [1.0, 1.0, f64::NAN, 0.5, 4.0 / 3.0, 1.333_4, 2.0] {
            context.report_progress(done, Some(2.0), Some("working")).await;
        }
        Ok(Outcome::text("done"))
    })]);
    for mut client in PipeClient::each_era(&server).await {
        client.call("work", json!({})).await;
        assert_eq!(
            client.unsolicited().await,
            Vec::<Value>::new(),
            "no notification was requested"
        );
        let params = json!({"name": "work", "_meta": {"progressToken": "p"}});
        let id = client.start("tools/call", params).await;
        for done in [1.0, 1.333, 2.0] {
            let params = client.next().await.expect("progress")["params"].clone();
            assert_eq!(params["progressToken"], "p");
            assert_eq!(
                (params["progress"].as_f64(), params["total"].as_f64()),
                (Some(done), Some(2.0))
            );
            assert_eq!(params["message"], "working");
        }
        assert_eq!(client.next().await.expect("the answer")["id"], id);
    }
}

fn logging() -> server::Server {
    server_with(vec![tool("log", async |_, context: Context| {
        for level in [Level::Debug, Level::Info, Level::Warning, Level::Error] {
            context.log(level, format!("{level:?}")).await;
        }
        Ok(Outcome::text("done"))
    })])
}

async fn call_and_collect_logs(client: &mut PipeClient) -> Vec<Value> {
    client.call("log", json!({})).await;
    client
        .unsolicited()
        .await
        .into_iter()
        .map(|message| message["params"]["data"].clone())
        .collect()
}

#[tokio::test]
async fn logs_from_the_level_that_a_legacy_client_sets() {
    let mut client = PipeClient::legacy(logging()).await;
    assert_eq!(
        call_and_collect_logs(&mut client).await,
        ["Info", "Warning", "Error"],
        "before it is set"
    );
    client.request("logging/setLevel", json!({"level": "notice"})).await;
    assert_eq!(call_and_collect_logs(&mut client).await, ["Warning", "Error"]);
    client.request("logging/setLevel", json!({"level": "debug"})).await;
    assert_eq!(call_and_collect_logs(&mut client).await, ["Debug", "Info", "Warning", "Error"]);
}

#[tokio::test]
async fn logs_to_a_modern_client_only_if_the_request_asks_for_it() {
    let level = "io.modelcontextprotocol/logLevel";
    assert_eq!(
        call_and_collect_logs(&mut PipeClient::modern(logging())).await,
        Vec::<Value>::new()
    );
    assert_eq!(
        call_and_collect_logs(&mut PipeClient::modern(logging()).with_meta(level, json!("error")))
            .await,
        ["Error"]
    );
    let reply =
        PipeClient::modern(logging()).with_meta(level, json!("loud")).call("log", json!({})).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn the_caller_can_shorten_the_timeout() {
    let server = server_with(vec![tool("wait", async |_, context: Context| {
        std::future::pending::<()>().await;
        drop(context);
        Ok(Outcome::text("never"))
    })]);
    let mut client = PipeClient::modern(server);
    let params = json!({"name": "wait", "_meta": {"toolcrib/timeoutSeconds": 0.05}});
    let reply = client.request("tools/call", params).await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    for wrong in [json!(0), json!(-1), json!("5"), json!(1e300)] {
        let params = json!({"name": "wait", "_meta": {"toolcrib/timeoutSeconds": wrong}});
        assert_eq!(client.request("tools/call", params).await["error"]["code"], -32602, "{wrong}");
    }
}

#[tokio::test]
async fn cancelling_stops_only_that_call() {
    let ended = Arc::new(Semaphore::new(0));
    let started = Arc::new(Semaphore::new(0));
    let server = server_with(vec![tool("wait", {
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
    })]);
    for mut client in PipeClient::each_era(&server).await {
        let first = client.start("tools/call", json!({"name": "wait"})).await;
        let second = client.start("tools/call", json!({"name": "wait"})).await;
        started.acquire_many(2).await.expect("both run").forget();
        client.notify("notifications/cancelled", json!({"requestId": first})).await;
        ended.acquire().await.expect("one ends").forget();
        assert_eq!(
            client.unsolicited().await,
            Vec::<Value>::new(),
            "a cancelled call is not answered"
        );
        assert_eq!(ended.available_permits(), 0, "the other continues");
        client.notify("notifications/cancelled", json!({"requestId": second})).await;
        ended.acquire().await.expect("the other ends").forget();
    }
}

#[tokio::test]
async fn concurrent_calls_get_their_own_responses() {
    let mut client = PipeClient::legacy(echo_server()).await;
    let mut ids = Vec::new();
    for number in 0..200 {
        let params = json!({"name": "echo", "arguments": {"message": number.to_string()}});
        ids.push((number, client.start("tools/call", params).await));
    }
    for (number, id) in ids {
        assert_eq!(text(&client.response(id).await), number.to_string());
    }
}

#[tokio::test]
async fn a_running_call_keeps_its_tool_when_the_tools_are_replaced() {
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let server = server_with(vec![tool("wait", {
        let (started, go) = (started.clone(), go.clone());
        move |_: Arguments, _: Context| {
            let (started, go) = (started.clone(), go.clone());
            async move {
                started.notify_one();
                go.notified().await;
                Ok(Outcome::text("as it was"))
            }
        }
    })]);
    let mut client = PipeClient::modern(server.clone());
    let id = client.start("tools/call", json!({"name": "wait"})).await;
    tokio::time::timeout(Duration::from_secs(10), started.notified()).await.expect("the call runs");
    server.replace(crate::test_server::snapshot([])).await;
    go.notify_one();
    assert_eq!(text(&client.response(id).await), "as it was");
    assert_eq!(
        client.call("wait", json!({})).await["error"]["code"],
        -32602,
        "and is gone for new ones"
    );
}
