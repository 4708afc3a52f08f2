//! Resources and prompts come from providers; completions, too.

use std::{collections::HashMap, sync::Arc};

use serde_json::json;
use server::Server;
use testing::initialize_params;
use toolkit::{
    Arguments, Body, BoxFuture, Content, Context, Interrupt, Message, Prompt, PromptArgument,
    Prompts, Question, Resource, ResourceContent, ResourceTemplate, Resources, Role,
};

use crate::{pipe_client::PipeClient, test_server::echo_server};

struct ToolStorage;

impl Resources for ToolStorage {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        let book = Resource {
            uri: "storage:book".into(),
            name: "Book".into(),
            description: Some("A book".into()),
            mime_type: "text/plain".into(),
            size: Some(4),
        };
        Box::pin(std::future::ready(vec![book]))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let name = "Page".to_owned();
        vec![ResourceTemplate {
            uri_template: "storage:{n}".into(),
            name,
            description: None,
            mime_type: "text/plain".into(),
        }]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        Box::pin(async move {
            let body = match uri {
                "storage:book" => Body::Text("text".into()),
                "storage:picture" => Body::Bytes(vec![1, 2]),
                "storage:locked" => {
                    Body::Text(context.ask("where", Question::Roots).await?.0.to_string())
                }
                "storage:broken" => panic!("on purpose"),
                _ => return Ok(None),
            };
            Ok(Some(ResourceContent { uri: uri.into(), mime_type: "text/plain".into(), body }))
        })
    }

    fn complete<'a>(
        &'a self,
        template: &'a str,
        _: &'a str,
        value: &'a str,
        _: &'a HashMap<String, String>,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        let pages = (0..150).map(move |page| format!("{value}{page}"));
        Box::pin(std::future::ready((template == "storage:{n}").then(|| pages.collect())))
    }
}

/// Documents whose number no client wants in one message.
struct Library(usize);

impl Resources for Library {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        let document = |number: usize| Resource {
            uri: format!("library:{number:06}"),
            name: "Document".into(),
            description: None,
            mime_type: "text/plain".into(),
            size: None,
        };
        // Not in the order of their URIs.
        Box::pin(std::future::ready((0..self.0).rev().map(document).collect()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    fn read<'a>(
        &'a self,
        _: &'a str,
        _: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

#[tokio::test]
async fn long_lists_of_resources_come_in_pages() {
    let server = server().with_resources(Arc::new(Library(4500)));
    for mut client in PipeClient::each_era(&server).await {
        let (mut params, mut uris, mut pages) = (json!({}), Vec::new(), 0);
        loop {
            let listed = client.request("resources/list", params).await["result"].clone();
            let page = listed["resources"].as_array().expect("a list").clone();
            assert!(page.len() <= 2000);
            uris.extend(page.iter().map(|resource| resource["uri"].to_string()));
            pages += 1;
            let Some(cursor) = listed["nextCursor"].as_str() else { break };
            params = json!({"cursor": cursor});
        }
        uris.sort();
        uris.dedup();
        assert_eq!((pages, uris.len()), (3, 4501));
        let unknown = client.request("resources/list", json!({"cursor": "nonsense"})).await;
        assert_eq!(unknown["error"]["code"], -32602);
    }
}

struct Lines;

impl Prompts for Lines {
    fn list(&self) -> BoxFuture<'_, Vec<Prompt>> {
        let argument = |name: &str, required| PromptArgument {
            name: name.into(),
            description: None,
            required,
        };
        let greet = Prompt {
            name: "greet".into(),
            description: "Greets".into(),
            arguments: vec![argument("whom", true), argument("how", false)],
        };
        Box::pin(std::future::ready(vec![greet]))
    }

    fn get<'a>(
        &'a self,
        _: &'a str,
        arguments: Arguments,
        _: Context,
    ) -> BoxFuture<'a, Result<Option<Vec<Message>>, Interrupt>> {
        let text = Content::Text(format!("Hello {}", arguments["whom"]));
        Box::pin(std::future::ready(Ok(Some(vec![Message {
            role: Role::Assistant,
            content: text,
        }]))))
    }

    fn complete<'a>(
        &'a self,
        name: &'a str,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        Box::pin(std::future::ready((name == "greet").then(|| vec!["world".to_owned()])))
    }
}

fn server() -> Server {
    echo_server().with_resources(Arc::new(ToolStorage)).with_prompts(Arc::new(Lines))
}

#[tokio::test]
async fn providers_are_advertised() {
    let reply = PipeClient::new(server()).request("initialize", initialize_params(json!({}))).await;
    assert_eq!(reply["result"]["capabilities"]["prompts"], json!({"listChanged": true}));
    assert_eq!(reply["result"]["capabilities"]["completions"], json!({}));
}

#[tokio::test]
async fn lists_and_reads_resources() {
    for mut client in PipeClient::each_era(&server()).await {
        let listed = client.request("resources/list", json!({})).await;
        let book = json!({"uri": "storage:book", "name": "Book", "description": "A book", "mimeType": "text/plain", "size": 4});
        assert_eq!(listed["result"]["resources"], json!([book]));
        let listed = client.request("resources/templates/list", json!({})).await;
        assert!(
            listed["result"]["resourceTemplates"]
                .as_array()
                .expect("templates")
                .iter()
                .any(|t| t["uriTemplate"] == "storage:{n}")
        );
        let read = client.request("resources/read", json!({"uri": "storage:book"})).await;
        assert_eq!(
            read["result"]["contents"],
            json!([{"uri": "storage:book", "mimeType": "text/plain", "text": "text"}])
        );
        let read = client.request("resources/read", json!({"uri": "storage:picture"})).await;
        assert_eq!(read["result"]["contents"][0]["blob"], "AQI=");
    }
}

#[tokio::test]
async fn a_missing_resource_has_the_error_code_of_the_era() {
    for mut client in PipeClient::each_era(&server()).await {
        let reply = client.request("resources/read", json!({"uri": "storage:nothing"})).await;
        let code = if client.is_modern() { -32602 } else { -32002 };
        assert_eq!(reply["error"]["code"], code, "{reply}");
        assert_eq!(reply["error"]["data"]["uri"], "storage:nothing");
    }
}

#[tokio::test]
async fn reading_a_resource_may_ask_and_a_panic_is_an_error() {
    let [mut legacy, mut modern] = PipeClient::each_era(&server()).await;
    let asked = modern.request("resources/read", json!({"uri": "storage:locked"})).await;
    assert_eq!(asked["result"]["inputRequests"]["where"]["method"], "roots/list", "{asked}");
    let params = json!({"uri": "storage:locked", "inputResponses": {"where": {"roots": []}}});
    assert_eq!(
        modern.request("resources/read", params).await["result"]["contents"][0]["text"],
        r#"{"roots":[]}"#
    );
    let id = legacy.start("resources/read", json!({"uri": "storage:locked"})).await;
    let asked = legacy.message("roots/list").await;
    legacy.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})).await;
    assert_eq!(legacy.response(id).await["result"]["contents"][0]["text"], r#"{"roots":[]}"#);
    for mut client in [legacy, modern] {
        let reply = client.request("resources/read", json!({"uri": "storage:broken"})).await;
        assert_eq!(reply["error"]["code"], -32603, "{reply}");
    }
}

#[tokio::test]
async fn lists_and_gets_prompts() {
    for mut client in PipeClient::each_era(&server()).await {
        let listed = client.request("prompts/list", json!({})).await;
        assert_eq!(
            listed["result"]["prompts"][0]["arguments"][0],
            json!({"name": "whom", "required": true})
        );
        let got = client
            .request("prompts/get", json!({"name": "greet", "arguments": {"whom": "you"}}))
            .await;
        let message =
            json!({"role": "assistant", "content": {"type": "text", "text": "Hello \"you\""}});
        assert_eq!(got["result"]["messages"], json!([message]));
        assert_eq!(got["result"]["description"], "Greets");
        for (params, said) in [
            (json!({"name": "greet"}), "prompt `greet` needs the argument `whom`"),
            (json!({"name": "insult"}), "unknown prompt `insult`"),
        ] {
            let reply = client.request("prompts/get", params).await;
            assert_eq!(
                (&reply["error"]["code"], &reply["error"]["message"]),
                (&json!(-32602), &json!(said))
            );
        }
    }
}

#[tokio::test]
async fn completes_arguments_and_variables_with_at_most_a_hundred_values() {
    for mut client in PipeClient::each_era(&server()).await {
        let params = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "whom", "value": "w"}});
        let reply = client.request("completion/complete", params).await;
        assert_eq!(reply["result"]["completion"]["values"], json!(["world"]), "{reply}");
        let params = json!({"ref": {"type": "ref/resource", "uri": "storage:{n}"}, "argument": {"name": "n", "value": "p"}});
        let completion =
            client.request("completion/complete", params).await["result"]["completion"].clone();
        assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));
        let params = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}});
        assert_eq!(client.request("completion/complete", params).await["error"]["code"], -32602);
    }
}
