//! A client on a pair of pipes that speaks plain JSON, one message a line.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use server::{ServeError, Server, serve_pipes};
use testing::{LEGACY, TIMEOUT, initialize_params, request_meta};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// A client on a pair of pipes.
pub(crate) struct PipeClient {
    output: Option<DuplexStream>,
    input: Lines<BufReader<DuplexStream>>,
    /// Messages that came before the one that was waited for.
    passed_over: VecDeque<Value>,
    meta: Option<Value>,
    next: i64,
    serving: JoinHandle<Result<(), ServeError>>,
    pub(crate) shutdown: CancellationToken,
}

impl PipeClient {
    /// A client that has sent nothing.
    pub(crate) fn new(server: Server) -> Self {
        let (output, far_input) = tokio::io::duplex(1 << 16);
        let (far_output, input) = tokio::io::duplex(1 << 16);
        let shutdown = CancellationToken::new();
        Self {
            output: Some(output),
            input: BufReader::new(input).lines(),
            passed_over: VecDeque::new(),
            meta: None,
            next: 100,
            serving: tokio::spawn(serve_pipes(server, far_input, far_output, shutdown.clone())),
            shutdown,
        }
    }

    /// A client after the handshake, which can answer all kinds of questions.
    pub(crate) async fn legacy(server: Server) -> Self {
        Self::legacy_with(server, json!({"elicitation": {}, "sampling": {}, "roots": {}})).await
    }

    pub(crate) async fn legacy_with(server: Server, capabilities: Value) -> Self {
        let mut client = Self::new(server);
        let reply = client.request("initialize", initialize_params(capabilities)).await;
        assert_eq!(reply["result"]["protocolVersion"], LEGACY, "{reply}");
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    /// A client whose requests are self-contained, and that can answer all kinds of questions.
    pub(crate) fn modern(server: Server) -> Self {
        Self::modern_with(server, json!({"elicitation": {}, "sampling": {}, "roots": {}}))
    }

    pub(crate) fn modern_with(server: Server, capabilities: Value) -> Self {
        Self { meta: Some(request_meta(capabilities)), ..Self::new(server) }
    }

    /// One client of each era.
    pub(crate) async fn each_era(server: &Server) -> [Self; 2] {
        [Self::legacy(server.clone()).await, Self::modern(server.clone())]
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.meta.is_some()
    }

    /// Adds to the metadata of each request.
    pub(crate) fn with_meta(mut self, key: &str, value: Value) -> Self {
        self.meta.get_or_insert_with(|| json!({}))[key] = value;
        self
    }

    pub(crate) async fn line(&mut self, line: &str) {
        let output = self.output.as_mut().expect("the input is open");
        output.write_all(format!("{line}\n").as_bytes()).await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.line(&message.to_string()).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Sends a request and returns its id without waiting.
    pub(crate) async fn start(&mut self, method: &str, mut params: Value) -> i64 {
        self.next += 1;
        if let Some(meta) = &self.meta {
            let members = params.as_object_mut().expect("parameters are an object");
            let own = members.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            for (key, value) in meta.as_object().expect("metadata is an object") {
                own[key] = value.clone();
            }
        }
        self.send(json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))
            .await;
        self.next
    }

    /// Sends a request and waits for its response.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.response(id).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The response to a request.
    pub(crate) async fn response(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.find(move |message| message["id"] == id && message.get("method").is_none()).await
    }

    /// The next message with this method.
    pub(crate) async fn message(&mut self, method: &str) -> Value {
        let method = method.to_owned();
        self.find(move |message| message["method"] == method.as_str()).await
    }

    /// The next message that matches; others are kept for later.
    pub(crate) async fn find(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.passed_over.iter().position(&matches) {
            return self.passed_over.remove(index).expect("it is there");
        }
        loop {
            let message = self.next().await.expect("a message before EOF");
            if matches(&message) {
                return message;
            }
            self.passed_over.push_back(message);
        }
    }

    /// The next message, or `None` at EOF.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = timeout(TIMEOUT, self.input.next_line())
            .await
            .expect("a message before the deadline")
            .expect("readable");
        line.map(|line| serde_json::from_str(&line).expect("one JSON message a line"))
    }

    /// The messages that are no response to a request, once a further response proves that no other is on
    /// its way.
    pub(crate) async fn unsolicited(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({})).await;
        self.passed_over.drain(..).collect()
    }

    /// Closes the input of the server.
    pub(crate) fn close_input(&mut self) {
        self.output = None;
    }

    /// Closes the input and waits until the server has stopped.
    pub(crate) async fn close(self) -> Result<(), ServeError> {
        drop(self.output);
        // A full pipe would block the server.
        let mut input = self.input;
        let reading =
            tokio::spawn(async move { while let Ok(Some(_)) = input.next_line().await {} });
        let served = timeout(TIMEOUT, self.serving)
            .await
            .expect("an end before the deadline")
            .expect("no panic");
        reading.abort();
        served
    }
}

/// The text of a tool's result.
pub(crate) fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {reply}"))
}
