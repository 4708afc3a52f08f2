//! Handshakes of legacy and modern clients, and of clients that deviate from the protocol.

use serde_json::json;
use testing::{LEGACY, MODERN, initialize_params, request_meta};

use crate::{
    pipe_client::{PipeClient, text},
    test_server::echo_server,
};

#[tokio::test]
async fn advertises_its_identity_and_only_available_capabilities() {
    let mut client = PipeClient::new(echo_server());
    let reply = client.request("initialize", initialize_params(json!({}))).await;
    assert_eq!(reply["result"]["serverInfo"], json!({"name": "workshop", "version": "1.2.3"}));
    assert_eq!(reply["result"]["instructions"], "Be careful.");
    let capabilities = json!({
        "extensions": {"io.modelcontextprotocol/tasks": {}},
        "logging": {},
        "resources": {"subscribe": true, "listChanged": true},
        "tools": {"listChanged": true},
    });
    assert_eq!(
        reply["result"]["capabilities"], capabilities,
        "no prompts and no completions without a provider"
    );
}

#[tokio::test]
async fn answers_discovery_and_then_serves_either_era() {
    for is_modern in [true, false] {
        let mut client = PipeClient::new(echo_server());
        let reply =
            client.request("server/discover", json!({"_meta": request_meta(json!({}))})).await;
        let versions = reply["result"]["supportedVersions"].as_array().expect("versions");
        assert!(versions.contains(&json!(MODERN)) && versions.contains(&json!(LEGACY)), "{reply}");
        let reply = match is_modern {
            true => {
                let params = json!({"name": "echo", "arguments": {"message": "hi"}, "_meta": request_meta(json!({}))});
                client.request("tools/call", params).await
            }
            false => {
                client.request("initialize", initialize_params(json!({}))).await;
                client.call("echo", json!({"message": "hi"})).await
            }
        };
        assert_eq!(text(&reply), "hi");
    }
}

#[tokio::test]
async fn tolerates_notifications_and_responses_before_initialization() {
    let mut client = PipeClient::new(echo_server());
    client.notify("notifications/cancelled", json!({"requestId": 9})).await;
    client.send(json!({"jsonrpc": "2.0", "id": 3, "result": {}})).await;
    client.request("server/discover", json!({"_meta": request_meta(json!({}))})).await;
    client.notify("notifications/cancelled", json!({"requestId": 1})).await;
    client.request("ping", json!({})).await;
    client.notify("notifications/progress", json!({"progressToken": 1, "progress": 1})).await;
    // A rejected request does not open the connection either.
    let mut unknown = request_meta(json!({}));
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let refused = client.request("tools/list", json!({"_meta": unknown})).await;
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(refused["error"]["data"]["requested"], "2099-01-01");
    client.notify("notifications/cancelled", json!({"requestId": 1})).await;
    let refused = client.request("tools/list", json!({})).await;
    assert_eq!(refused["error"]["code"], -32602, "metadata is missing: {refused}");
    client.notify("notifications/cancelled", json!({"requestId": 1})).await;
    let reply = client.request("tools/list", json!({"_meta": request_meta(json!({}))})).await;
    assert_eq!(reply["result"]["tools"][0]["name"], "echo");
}

#[tokio::test]
async fn refuses_a_handshake_on_a_modern_connection() {
    let mut client = PipeClient::modern(echo_server());
    client.request("tools/list", json!({})).await;
    let reply = client.request("initialize", initialize_params(json!({}))).await;
    assert_eq!(reply["error"]["code"], -32601, "{reply}");
    assert_eq!(text(&client.call("echo", json!({"message": "still here"})).await), "still here");
}

#[tokio::test]
async fn accepts_a_modern_request_after_a_legacy_handshake() {
    let mut client = PipeClient::legacy(echo_server()).await;
    let plain = client.request("tools/list", json!({})).await;
    assert!(
        plain["result"].get("ttlMs").is_none() && plain["result"].get("resultType").is_none(),
        "{plain}"
    );
    let modern = client.request("tools/list", json!({"_meta": request_meta(json!({}))})).await;
    assert!(modern["result"].get("ttlMs").is_some(), "{modern}");
}

#[tokio::test]
async fn answers_older_revisions_with_their_own_version() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut client = PipeClient::new(echo_server());
        let mut params = initialize_params(json!({}));
        params["protocolVersion"] = json!(version);
        let reply = client.request("initialize", params).await;
        assert_eq!(reply["result"]["protocolVersion"], version);
    }
}

#[tokio::test]
async fn rejects_methods_that_modern_revisions_removed() {
    let mut client = PipeClient::modern(echo_server());
    client.request("tools/list", json!({})).await;
    for method in
        ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "initialize"]
    {
        let reply = client.request(method, json!({"level": "info", "uri": "x:y"})).await;
        assert_eq!(reply["error"]["code"], -32601, "{method}: {reply}");
    }
}

#[tokio::test]
async fn reports_an_unknown_method_before_initialization() {
    let mut client = PipeClient::new(echo_server());
    let reply = client.request("no/such", json!({})).await;
    assert_eq!(
        (&reply["error"]["code"], &reply["error"]["message"]),
        (&json!(-32601), &json!("unknown method `no/such`"))
    );
    let reply = client.request("tools/list", json!({})).await;
    assert_eq!(reply["error"]["code"], -32602, "who asks is not known: {reply}");
    let reply = client.request("initialize", initialize_params(json!({}))).await;
    assert_eq!(reply["result"]["protocolVersion"], LEGACY, "{reply}");
}

#[tokio::test]
async fn rejected_requests_are_answered_after_end_of_input() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"listTools","params":[]}"#,
    ] {
        let mut client = PipeClient::new(echo_server());
        for _ in 0..50 {
            client.line(line).await;
        }
        client.close_input();
        for _ in 0..50 {
            assert!(client.response(1).await["error"]["code"].is_i64(), "{line}");
        }
    }
}
