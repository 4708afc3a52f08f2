//! The camel-case methods without a handshake, on both transports.

use builtin::rmd::{RmdDocuments, RmdRenderer, Settings, renderer};
use catalog::ErrorType;
use render::{Preference, RenderSettings};
use runtime::Runtime;
use serde_json::{Value, json};
use server::Server;
use tempfile::TempDir;
use testing::initialize_params;
use toolkit::{Failure, Outcome};

use crate::{
    http_fixture::HttpFixture,
    pipe_client::{PipeClient, text},
    test_server::{echo, server_on, server_with, server_with_store, tool},
};

/// A server of documents in a folder, and of a tool that fails.
struct RmdServerFixture {
    server: Server,
    folder: TempDir,
}

impl RmdServerFixture {
    fn new() -> Self {
        Self::rendering(Preference::Docker)
    }

    /// Renders with the local R, or with a Docker that does not exist.
    fn rendering(backend: Preference) -> Self {
        let folder = TempDir::new().expect("a folder");
        let documents = RmdDocuments::new(Settings::new(folder.path().to_owned()));
        let mut settings = runtime::Settings::new(std::env::temp_dir());
        settings.environment = std::env::vars().collect();
        let runtime = Runtime::new(settings);
        let mut how = RenderSettings::new(folder.path().join(".renders"));
        how.backend = backend;
        how.allow_local = true;
        how.sockets = vec!["unix:///nowhere/docker.sock".to_owned()];
        let rendering = RmdRenderer::new(&documents, renderer(&runtime, how)).native();
        let failing = tool("fail", async |_, _| {
            Ok(Outcome::from(Failure::new(ErrorType::RenderFailed, "R said no")))
        });
        let natives =
            documents.natives().into_iter().chain([rendering, failing, echo("echo")]).collect();
        Self { server: server_on(runtime, natives).with_resources(documents.resources()), folder }
    }

    fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
        self
    }

    /// The response on stdio and over HTTP, each to a new client. Both must be the same.
    async fn ask(&self, request: &Value) -> Value {
        // The owner of HTTP clients without a token: the code of a request for approval differs by owner.
        let mut client = PipeClient::new(self.server.clone().with_owner("http"));
        client.send(request.clone()).await;
        let on_pipes = client.response(request["id"].clone()).await;
        let client = HttpFixture::new(self.server.clone()).await;
        let nothing = [("Accept", "*/*")];
        let over_http = client.send("POST", "/mcp", &nothing, &request.to_string()).await;
        assert_eq!((over_http.status, &over_http.message()), (200, &on_pipes));
        on_pipes
    }

    async fn method(&self, method: &str, params: Value) -> Value {
        self.ask(&json!({"jsonrpc": "2.0", "id": "request-id", "method": method, "params": params}))
            .await
    }

    async fn error(&self, method: &str, params: Value) -> (i64, String) {
        let reply = self.method(method, params).await;
        let error = &reply["error"];
        (
            error["code"].as_i64().expect("a code"),
            error["message"].as_str().expect("a message").to_owned(),
        )
    }
}

#[tokio::test]
async fn list_resources_returns_the_documented_response() {
    let fixture =
        RmdServerFixture::new().file("example.Rmd", "---\ntitle: \"Example R Markdown\"\n---\n");
    let request = json!({"jsonrpc": "2.0", "id": "1", "method": "listResources", "params": {}});
    let expected = json!({
        "jsonrpc": "2.0",
        "id": "1",
        "result": {"resources": [{
            "uri": "rmd:///example.Rmd",
            "mimeType": "text/markdown",
            "name": "Example R Markdown",
            "description": "R Markdown file: Example R Markdown",
        }]},
    });
    assert_eq!(fixture.ask(&request).await, expected);
}

#[tokio::test]
async fn call_tool_returns_only_the_documented_response() {
    let fixture = RmdServerFixture::new();
    let content = "This is an example R Markdown file.\n\n```{r}\nplot(cars)\n```";
    let arguments =
        json!({"filename": "example", "title": "Example R Markdown", "content": content});
    let mut client = PipeClient::new(fixture.server.clone());
    client
        .send(
            json!({"jsonrpc": "2.0", "id": "2", "method": "callTool", "params": {"name": "create_rmd", "arguments": arguments}}),
        )
        .await;
    let reply = client.response("2").await;
    let said = json!([{"type": "text", "text": "Created R Markdown file: example.Rmd"}]);
    assert_eq!(reply, json!({"jsonrpc": "2.0", "id": "2", "result": {"content": said}}));
    let read = fixture.method("readResource", json!({"uri": "rmd:///example.Rmd"})).await;
    let text = format!("---\ntitle: Example R Markdown\n---\n\n{content}");
    let contents =
        json!([{"uri": "rmd:///example.Rmd", "mimeType": "text/markdown", "text": text}]);
    assert_eq!(read["result"], json!({"contents": contents}));
}

#[tokio::test]
async fn tools_and_templates_are_listed() {
    let fixture = RmdServerFixture::new();
    let tools = fixture.method("listTools", json!({})).await;
    let create = &tools["result"]["tools"][0];
    assert_eq!(create["name"], "create_rmd");
    assert_eq!(create["inputSchema"]["required"], json!(["filename", "title", "content"]));
    assert_eq!(create.as_object().map(serde_json::Map::len), Some(3), "{create}");
    let templates =
        fixture.ask(&json!({"jsonrpc": "2.0", "id": 7, "method": "listResourceTemplates"})).await;
    let patterns = templates["result"]["resourceTemplates"]
        .as_array()
        .expect("without parameters as well")
        .iter();
    assert!(patterns.clone().any(|one| one["uriTemplate"] == "rmd:///{name}"), "{templates}");
    assert!(
        templates["result"].get("resultType").is_none()
            && templates["result"].get("_meta").is_none(),
        "{templates}"
    );
}

#[tokio::test]
async fn outputs_are_read_byte_for_byte() {
    let fixture = RmdServerFixture::new()
        .file("output/example.pdf", b"%PDF\xff\x00")
        .file("output/example.html", "<p>");
    let pdf = fixture.method("readResource", json!({"uri": "rmd-output:///example.pdf"})).await;
    let contents = json!([{"uri": "rmd-output:///example.pdf", "mimeType": "application/pdf", "blob": "JVBERv8A"}]);
    assert_eq!(pdf["result"], json!({"contents": contents}));
    let html = fixture.method("readResource", json!({"uri": "rmd-output:///example.html"})).await;
    assert_eq!(html["result"]["contents"][0]["text"], "<p>");
}

#[tokio::test]
async fn the_standard_methods_follow_the_protocol() {
    let fixture = RmdServerFixture::new();
    for mut client in PipeClient::each_era(&fixture.server).await {
        let code = if client.is_modern() { -32602 } else { -32002 };
        let unknown = client.request("resources/read", json!({"uri": "rmd:///none.Rmd"})).await;
        assert_eq!(unknown["error"]["code"], code, "{unknown}");
        let failed = client.call("fail", json!({})).await;
        assert_eq!((&failed["result"]["isError"], text(&failed)), (&json!(true), "R said no"));
        let bad = client.call("create_rmd", json!({"title": "t"})).await;
        assert_eq!(bad["result"]["isError"], true, "{bad}");
        let unknown = client.call("no_such", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[tokio::test]
async fn positional_parameters_are_rejected_on_both_transports() {
    let fixture = RmdServerFixture::new();
    for params in [json!([]), json!(["rmd:///a.Rmd"]), json!("x")] {
        let refused = fixture.error("readResource", params).await;
        assert_eq!(refused, (-32602, "Invalid params: params must be an object".to_owned()));
    }
}

#[tokio::test]
async fn a_connection_can_be_initialized_later_and_mix_both_dialects() {
    let fixture = RmdServerFixture::new();
    let mut client = PipeClient::new(fixture.server.clone());
    client.send(json!({"jsonrpc": "2.0", "id": "a", "method": "listTools"})).await;
    assert!(client.response("a").await["result"]["tools"].is_array());
    let hello = client.request("initialize", initialize_params(json!({}))).await;
    assert!(hello["result"]["serverInfo"].is_object(), "{hello}");
    client.notify("notifications/initialized", json!({})).await;
    let params = json!({"name": "echo", "arguments": {"message": "hi"}});
    client.send(json!({"jsonrpc": "2.0", "id": "b", "method": "callTool", "params": params})).await;
    assert_eq!(text(&client.response("b").await), "hi");
    assert_eq!(text(&client.call("echo", json!({"message": "still"})).await), "still");
}

#[tokio::test]
async fn pending_requests_are_answered_after_end_of_input() {
    let fixture = RmdServerFixture::new();
    let mut client = PipeClient::new(fixture.server.clone());
    for n in 0..20 {
        let params = json!({"name": "echo", "arguments": {"message": "hi"}});
        client
            .send(json!({"jsonrpc": "2.0", "id": n, "method": "callTool", "params": params}))
            .await;
    }
    client.close_input();
    for n in 0..20 {
        assert_eq!(text(&client.response(n).await), "hi");
    }
    client.close().await.expect("an orderly end");
}

#[tokio::test]
async fn rejects_an_id_in_use_and_does_not_answer_a_cancelled_call() {
    let endless = tool("wait", async |_, context: toolkit::Context| {
        context.cancelled().await;
        Ok(Outcome::text("cancelled"))
    });
    let mut client = PipeClient::new(server_with(vec![endless, echo("echo")]));
    let call =
        json!({"jsonrpc": "2.0", "id": "x", "method": "callTool", "params": {"name": "wait"}});
    client.send(call.clone()).await;
    client.send(call).await;
    assert_eq!(client.response("x").await["error"]["code"], -32600);
    client.notify("notifications/cancelled", json!({"requestId": "x"})).await;
    let params = json!({"name": "echo", "arguments": {"message": "hi"}});
    client.send(json!({"jsonrpc": "2.0", "id": "y", "method": "callTool", "params": params})).await;
    let next = client.next().await.expect("an answer");
    assert_eq!(next["id"], "y", "{next}");
}

#[tokio::test]
async fn http_requires_the_token_and_audits_calls() {
    let place = tempfile::tempdir().expect("a folder");
    let server = server_with_store(place.path());
    let client =
        HttpFixture::with(server.clone(), |options| options.token = Some("secret".to_owned()))
            .await;
    let params = json!({"name": "echo", "arguments": {"message": "hi"}});
    let call =
        json!({"jsonrpc": "2.0", "id": "x", "method": "callTool", "params": params}).to_string();
    assert_eq!(client.send("POST", "/mcp", &[], &call).await.status, 401);
    let token = ("Authorization", "Bearer secret");
    let foreign =
        client.send("POST", "/mcp", &[token, ("Origin", "https://evil.example")], &call).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");
    let foreign = client.send("POST", "/mcp", &[token, ("Host", "evil.example")], &call).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");
    assert_eq!(text(&client.send("POST", "/mcp", &[token], &call).await.message()), "hi");
    client.shutdown.cancel();
    client.serving.await.expect("no panic").expect("an orderly end");
    let audit = std::fs::read_to_string(place.path().join("audit.jsonl")).expect("the audit");
    assert_eq!(audit.lines().count(), 1, "{audit}");
    drop(server);
}

#[tokio::test]
async fn a_dangerous_tool_is_not_called_without_approval() {
    let fixture = RmdServerFixture::new().file("a.Rmd", "a");
    let refused = fixture
        .error("callTool", json!({"name": "delete_rmd", "arguments": {"filename": "a"}}))
        .await;
    assert_eq!(refused.0, -32603, "{refused:?}");
    assert!(fixture.folder.path().join("a.Rmd").exists());
}
