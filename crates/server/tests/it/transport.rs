//! Lines that are not messages, and messages that must not reach the handler.

use serde_json::json;
use tokio::sync::mpsc;
use toolkit::{Context, Outcome};

use crate::{
    pipe_client::{PipeClient, text},
    test_server::{echo, echo_server, server_with, tool},
};

#[tokio::test]
async fn reports_invalid_json() {
    let mut client = PipeClient::legacy(echo_server()).await;
    client.line("{not json").await;
    let reply = client.find(|message| message.get("error").is_some()).await;
    assert_eq!(reply["error"]["code"], -32700, "{reply}");
    client.line("[]").await;
    let reply = client.find(|message| message.get("error").is_some()).await;
    assert_eq!(reply["error"]["code"], -32600, "{reply}");
    assert_eq!(text(&client.call("echo", json!({"message": "fine"})).await), "fine");
}

#[tokio::test]
async fn rejects_a_message_over_the_size_limit_and_continues() {
    let mut client = PipeClient::legacy(echo_server()).await;
    let message = "x".repeat(16 << 20);
    client.send(json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"message": message}})).await;
    let reply = client.find(|message| message.get("error").is_some()).await;
    let error = json!({"code": -32600, "message": "a message may have at most 16777216 bytes"});
    assert_eq!(reply, json!({"jsonrpc": "2.0", "error": error}));
    assert_eq!(text(&client.call("echo", json!({"message": "fine"})).await), "fine");
}

#[tokio::test]
async fn refuses_a_second_request_with_an_id_in_use() {
    let (release, mut released) = mpsc::channel::<()>(1);
    let server = server_with(vec![
        echo("echo"),
        tool("wait", {
            let release = release.clone();
            move |_: toolkit::Arguments, context: Context| {
                let release = release.clone();
                async move {
                    release.send(()).await.expect("the tool waits for it");
                    context.cancelled().await;
                    Ok(Outcome::text("ended"))
                }
            }
        }),
    ]);
    let mut client = PipeClient::legacy(server).await;
    client.send(json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "wait"}})).await;
    released.recv().await.expect("the call runs");
    client.send(json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"})).await;
    let reply = client.response("a").await;
    assert_eq!(reply["error"]["code"], -32600, "{reply}");
    // The end of a cancelled call must not be mistaken for the response to another request.
    client.notify("notifications/cancelled", json!({"requestId": "a"})).await;
    client.send(json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"})).await;
    assert_eq!(client.response("a").await["error"]["code"], -32600);
    for _ in 0..2 {
        client.send(json!({"jsonrpc": "2.0", "id": "b", "method": "tools/list"})).await;
        assert!(
            client.response("b").await["result"]["tools"].is_array(),
            "an answered request gives its id free"
        );
    }
}

#[tokio::test]
async fn malformed_parameters_of_known_methods_are_not_unknown_methods() {
    for mut client in PipeClient::each_era(&echo_server()).await {
        for (method, params) in [
            ("tools/call", json!({"name": 5})),
            ("tools/call", json!({"name": "echo", "arguments": ["hi"]})),
            ("resources/read", json!({"uri": 1})),
            ("prompts/get", json!({})),
            ("completion/complete", json!({"ref": 1})),
        ] {
            let reply = client.request(method, params.clone()).await;
            assert_eq!(reply["error"]["code"], -32602, "{method} {params}: {reply}");
        }
        assert_eq!(client.request("no/such", json!({})).await["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn never_sends_a_request_to_a_modern_client() {
    // A tool that returns its question itself, rather than through its context, changes nothing.
    let server = server_with(vec![tool("ask", async |_, context: Context| {
        let answer = context.ask("roots", toolkit::Question::Roots).await?;
        Ok(Outcome::text(answer.0.to_string()))
    })]);
    let mut client = PipeClient::modern(server);
    let reply = client.call("ask", json!({})).await;
    assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
    assert_eq!(client.unsolicited().await, Vec::<serde_json::Value>::new());
}
