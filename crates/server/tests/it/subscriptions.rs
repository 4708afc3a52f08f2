//! Changes are sent to subscribed clients, as their protocol revision requires.

use serde_json::{Value, json};
use toolkit::{Change, Context, Outcome};

use crate::{
    pipe_client::PipeClient,
    test_server::{echo, echo_server, server_with, snapshot, tool},
};

async fn listen(client: &mut PipeClient, filter: Value) -> i64 {
    let id = client.start("subscriptions/listen", json!({"notifications": filter})).await;
    let acknowledged = client.message("notifications/subscriptions/acknowledged").await;
    assert_eq!(
        acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id,
        "{acknowledged}"
    );
    id
}

fn server_with_changes() -> server::Server {
    let changes = [
        ("tools", Change::Tools),
        ("resources", Change::Resources),
        ("one", Change::Resource("a:1".into())),
    ];
    let mut natives: Vec<_> = changes
        .into_iter()
        .map(|(name, change)| {
            tool(name, move |_: toolkit::Arguments, context: Context| {
                let change = change.clone();
                async move {
                    context.notify_changed(change).await;
                    Ok(Outcome::text("told"))
                }
            })
        })
        .collect();
    natives.push(echo("echo"));
    server_with(natives)
}

#[tokio::test]
async fn a_changed_tool_list_is_announced_to_clients_of_both_eras() {
    let server = echo_server();
    let [mut legacy, mut modern] = PipeClient::each_era(&server).await;
    let id = listen(&mut modern, json!({"toolsListChanged": true})).await;
    legacy.request("tools/list", json!({})).await;
    server.replace(snapshot([echo("echo").tool, echo("echo2").tool])).await;
    legacy.message("notifications/tools/list_changed").await;
    let told = modern.message("notifications/tools/list_changed").await;
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    assert_eq!(
        legacy.request("tools/list", json!({})).await["result"]["tools"].as_array().map(Vec::len),
        Some(2)
    );
}

#[tokio::test]
async fn an_unchanged_tool_list_is_not_announced() {
    let server = echo_server();
    let [mut legacy, mut modern] = PipeClient::each_era(&server).await;
    listen(&mut modern, json!({"toolsListChanged": true})).await;
    legacy.request("tools/list", json!({})).await;
    server.replace(snapshot([echo("echo").tool])).await;
    assert_eq!(legacy.unsolicited().await, Vec::<Value>::new());
    assert_eq!(modern.unsolicited().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_stream_carries_only_subscribed_notifications() {
    let mut client = PipeClient::modern(server_with_changes());
    let first = listen(&mut client, json!({"resourceSubscriptions": ["a:1", "a:2"]})).await;
    let second =
        listen(&mut client, json!({"resourcesListChanged": true, "promptsListChanged": true}))
            .await;
    for name in ["tools", "resources", "one"] {
        client.call(name, json!({})).await;
    }
    let updated = client.message("notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "a:1");
    assert_eq!(updated["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], first);
    let changed = client.message("notifications/resources/list_changed").await;
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], second);
    assert_eq!(client.unsolicited().await, Vec::<Value>::new(), "no subscriber listens for tools");
}

#[tokio::test]
async fn a_stream_ends_when_it_is_cancelled() {
    let server = server_with_changes();
    let mut client = PipeClient::modern(server.clone());
    let id = listen(&mut client, json!({"toolsListChanged": true})).await;
    client.notify("notifications/cancelled", json!({"requestId": id})).await;
    client.request("tools/list", json!({})).await;
    server.replace(snapshot([])).await;
    assert_eq!(client.unsolicited().await, Vec::<Value>::new());
}

#[tokio::test]
async fn legacy_clients_subscribe_to_one_resource_and_unsubscribe() {
    let mut client = PipeClient::legacy(server_with_changes()).await;
    client.call("one", json!({})).await;
    assert_eq!(client.unsolicited().await, Vec::<Value>::new(), "not subscribed");
    client.request("resources/subscribe", json!({"uri": "a:1"})).await;
    client.call("one", json!({})).await;
    assert_eq!(client.message("notifications/resources/updated").await["params"]["uri"], "a:1");
    client.request("resources/unsubscribe", json!({"uri": "a:1"})).await;
    client.call("one", json!({})).await;
    assert_eq!(client.unsolicited().await, Vec::<Value>::new());
}

#[tokio::test]
async fn concurrent_changes_are_coalesced() {
    let server = echo_server();
    let mut client = PipeClient::legacy(server.clone()).await;
    client.request("tools/list", json!({})).await;
    let replacing = (0..500).map(|number| {
        let server = server.clone();
        async move { server.replace(snapshot([echo(&format!("t{number}")).tool])).await }
    });
    futures_util::future::join_all(replacing).await;
    client.message("notifications/tools/list_changed").await;
    let more = client.unsolicited().await.len();
    assert!(more < 50, "{more} more notifications for 500 changes");
}
