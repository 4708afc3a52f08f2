//! The other names of methods, as the first thing a client says, on both transports.

use builtin::documents::{Documents, Settings};
use serde_json::{Value, json};
use server::Server;
use tempfile::TempDir;
use toolkit::{Failure, Outcome};

use crate::{
    http::Site,
    pipes::{Client, handshake, text},
    workshop::{echo, keeping, serving, tool},
};

/// A server of documents in a folder, and of a tool that fails.
struct Study {
    server: Server,
    folder: TempDir,
}

impl Study {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let documents = Documents::new(Settings::new(folder.path().to_owned()));
        let failing = tool("fail", async |_, _| Ok(Outcome::from(Failure::new("render_failed", "R said no"))));
        let natives = documents.natives().into_iter().chain([failing, echo("echo")]).collect();
        Self { server: serving(natives).with_resources(documents.resources()), folder }
    }

    fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
        self
    }

    /// The answer on pipes and the one over HTTP, each to a client that has said nothing else; they must be the same.
    async fn ask(&self, request: &Value) -> Value {
        let mut client = Client::new(self.server.clone());
        client.send(request.clone()).await;
        let on_pipes = client.response(request["id"].clone()).await;
        let site = Site::new(self.server.clone()).await;
        let nothing = [("Accept", "*/*")];
        let over_http = site.send("POST", "/mcp", &nothing, &request.to_string()).await;
        assert_eq!((over_http.status, &over_http.message()), (200, &on_pipes));
        on_pipes
    }

    async fn method(&self, method: &str, params: Value) -> Value {
        self.ask(&json!({"jsonrpc": "2.0", "id": "request-id", "method": method, "params": params})).await
    }

    async fn error(&self, method: &str, params: Value) -> (i64, String) {
        let reply = self.method(method, params).await;
        let error = &reply["error"];
        (error["code"].as_i64().expect("a code"), error["message"].as_str().expect("a message").to_owned())
    }
}

#[tokio::test]
async fn the_documented_list_is_answered_word_for_word() {
    let study = Study::new().file("example.Rmd", "---\ntitle: \"Example R Markdown\"\n---\n");
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
    assert_eq!(study.ask(&request).await, expected);
}

#[tokio::test]
async fn a_call_is_answered_as_documented_and_nothing_more() {
    let study = Study::new();
    let content = "This is an example R Markdown file.\n\n```{r}\nplot(cars)\n```";
    let arguments = json!({"filename": "example", "title": "Example R Markdown", "content": content});
    let mut client = Client::new(study.server.clone());
    client
        .send(
            json!({"jsonrpc": "2.0", "id": "2", "method": "callTool", "params": {"name": "create_rmd", "arguments": arguments}}),
        )
        .await;
    let reply = client.response("2").await;
    let said = json!([{"type": "text", "text": "Created R Markdown file: example.Rmd"}]);
    assert_eq!(reply, json!({"jsonrpc": "2.0", "id": "2", "result": {"content": said}}));
    let read = study.method("readResource", json!({"uri": "rmd:///example.Rmd"})).await;
    let text = format!("---\ntitle: Example R Markdown\n---\n\n{content}");
    let contents = json!([{"uri": "rmd:///example.Rmd", "mimeType": "text/markdown", "text": text}]);
    assert_eq!(read["result"], json!({"contents": contents}));
}

#[tokio::test]
async fn tools_and_templates_are_listed() {
    let study = Study::new();
    let tools = study.method("listTools", json!({})).await;
    let create = &tools["result"]["tools"][0];
    assert_eq!(create["name"], "create_rmd");
    assert_eq!(create["inputSchema"]["required"], json!(["filename", "title", "content"]));
    assert_eq!(create.as_object().map(serde_json::Map::len), Some(3), "{create}");
    let templates = study.ask(&json!({"jsonrpc": "2.0", "id": 7, "method": "listResourceTemplates"})).await;
    let patterns = templates["result"]["resourceTemplates"].as_array().expect("without parameters as well").iter();
    assert!(patterns.clone().any(|one| one["uriTemplate"] == "rmd:///{name}"), "{templates}");
    assert!(templates["result"].get("resultType").is_none() && templates["result"].get("_meta").is_none(), "{templates}");
}

#[tokio::test]
async fn outputs_are_read_byte_for_byte() {
    let study = Study::new().file("output/example.pdf", b"%PDF\xff\x00").file("output/example.html", "<p>");
    let pdf = study.method("readResource", json!({"uri": "rmd-output:///example.pdf"})).await;
    let contents = json!([{"uri": "rmd-output:///example.pdf", "mimeType": "application/pdf", "blob": "JVBERv8A"}]);
    assert_eq!(pdf["result"], json!({"contents": contents}));
    let html = study.method("readResource", json!({"uri": "rmd-output:///example.html"})).await;
    assert_eq!(html["result"]["contents"][0]["text"], "<p>");
}

#[tokio::test]
async fn errors_have_the_documented_codes() {
    let study = Study::new();
    let create = |arguments: Value| json!({"name": "create_rmd", "arguments": arguments});
    let missing = study.error("callTool", create(json!({"title": "t", "content": "c"}))).await;
    assert_eq!(missing, (-32602, "Invalid params: filename is required".to_owned()));
    let nothing = study.error("callTool", create(json!({}))).await;
    assert_eq!(nothing, (-32602, "Invalid params: filename is required".to_owned()));
    let wrong = study.error("callTool", create(json!({"filename": 5, "title": "t", "content": "c"}))).await;
    assert_eq!(wrong, (-32602, "Invalid params: filename: Expected string, received integer".to_owned()));
    let name = study.error("callTool", create(json!({"filename": "../x", "title": "t", "content": "c"}))).await;
    assert_eq!(name.0, -32602, "{name:?}");
    assert_eq!(study.error("callTool", json!({"name": "no_such", "arguments": {}})).await.0, -32601);
    assert_eq!(study.error("callTool", json!({})).await, (-32602, "Invalid params: name is required".to_owned()));
    assert_eq!(study.error("callTool", json!({"name": "fail"})).await, (-32603, "R said no".to_owned()));
    assert_eq!(study.error("readResource", json!({"uri": "rmd:///none.Rmd"})).await.0, -32002);
    assert_eq!(study.error("readResource", json!({"uri": "rmd-output:///none.pdf"})).await.0, -32002);
    assert_eq!(study.error("readResource", json!({"uri": "rmd:///../../etc/passwd"})).await.0, -32002);
    for uri in ["file:///etc/passwd", "rmd://x.Rmd", "rmd:///", "", "x"] {
        let (code, message) = study.error("readResource", json!({"uri": uri})).await;
        assert_eq!(code, -32600, "{uri}: {message}");
    }
    assert_eq!(study.error("readResource", json!({})).await, (-32602, "Invalid params: uri is required".to_owned()));
    assert_eq!(study.error("callTool", json!({"name": "read_rmd", "arguments": {"filename": "none"}})).await.0, -32002);
}

#[tokio::test]
async fn the_standard_methods_keep_the_protocol_s_rules() {
    let study = Study::new();
    for mut client in Client::both(&study.server).await {
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
async fn a_connection_can_still_be_opened_afterwards_and_both_ways_of_talking_mixed() {
    let study = Study::new();
    let mut client = Client::new(study.server.clone());
    client.send(json!({"jsonrpc": "2.0", "id": "a", "method": "listTools"})).await;
    assert!(client.response("a").await["result"]["tools"].is_array());
    let hello = client.request("initialize", handshake(json!({}))).await;
    assert!(hello["result"]["serverInfo"].is_object(), "{hello}");
    client.notify("notifications/initialized", json!({})).await;
    let params = json!({"name": "echo", "arguments": {"message": "hi"}});
    client.send(json!({"jsonrpc": "2.0", "id": "b", "method": "callTool", "params": params})).await;
    assert_eq!(text(&client.response("b").await), "hi");
    assert_eq!(text(&client.call("echo", json!({"message": "still"})).await), "still");
}

#[tokio::test]
async fn what_was_asked_is_answered_when_the_input_ends_at_once() {
    let study = Study::new();
    let mut client = Client::new(study.server.clone());
    for n in 0..20 {
        let params = json!({"name": "echo", "arguments": {"message": "hi"}});
        client.send(json!({"jsonrpc": "2.0", "id": n, "method": "callTool", "params": params})).await;
    }
    client.end();
    for n in 0..20 {
        assert_eq!(text(&client.response(n).await), "hi");
    }
    client.served().await.expect("an orderly end");
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_a_cancelled_call_is_not_answered() {
    let endless = tool("wait", async |_, context: toolkit::Context| {
        context.cancelled().await;
        Ok(Outcome::text("cancelled"))
    });
    let mut client = Client::new(serving(vec![endless, echo("echo")]));
    let call = json!({"jsonrpc": "2.0", "id": "x", "method": "callTool", "params": {"name": "wait"}});
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
async fn the_door_of_http_stays_shut_and_calls_are_in_the_audit() {
    let place = tempfile::tempdir().expect("a folder");
    let server = keeping(place.path());
    let site = Site::with(server.clone(), |options| options.token = Some("secret".to_owned())).await;
    let params = json!({"name": "echo", "arguments": {"message": "hi"}});
    let call = json!({"jsonrpc": "2.0", "id": "x", "method": "callTool", "params": params}).to_string();
    assert_eq!(site.send("POST", "/mcp", &[], &call).await.status, 401);
    let token = ("Authorization", "Bearer secret");
    let foreign = site.send("POST", "/mcp", &[token, ("Origin", "https://evil.example")], &call).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");
    let foreign = site.send("POST", "/mcp", &[token, ("Host", "evil.example")], &call).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");
    assert_eq!(text(&site.send("POST", "/mcp", &[token], &call).await.message()), "hi");
    site.shutdown.cancel();
    site.serving.await.expect("no panic").expect("an orderly end");
    let audit = std::fs::read_to_string(place.path().join("audit.jsonl")).expect("the audit");
    assert_eq!(audit.lines().count(), 1, "{audit}");
    drop(server);
}

#[tokio::test]
async fn a_dangerous_tool_is_not_called_without_approval() {
    let study = Study::new().file("a.Rmd", "a");
    let refused = study.error("callTool", json!({"name": "delete_rmd", "arguments": {"filename": "a"}})).await;
    assert_eq!(refused.0, -32603, "{refused:?}");
    assert!(study.folder.path().join("a.Rmd").exists());
}
