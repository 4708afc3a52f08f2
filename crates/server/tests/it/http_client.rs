//! A server on a port of its own, and raw HTTP requests to it.

use serde_json::{Value, json};
use server::{HttpOptions, ServeError, Server, serve_http};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::stdio_client::{MODERN, TIMEOUT, handshake, meta};

/// A server on a port of its own, and a client for it.
pub(crate) struct HttpClient {
    pub(crate) address: String,
    pub(crate) shutdown: CancellationToken,
    pub(crate) serving: JoinHandle<Result<(), ServeError>>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl HttpClient {
    pub(crate) async fn new(server: Server) -> Self {
        Self::with(server, |_| {}).await
    }

    pub(crate) async fn with(server: Server, change: impl FnOnce(&mut HttpOptions)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let mut options = HttpOptions::new(listener);
        change(&mut options);
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(serve_http(server, options, shutdown.clone()));
        Self { address, shutdown, serving }
    }

    /// The head of a request. `headers` replace the default ones.
    pub(crate) fn head(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let length = body.len().to_string();
        let mut all = vec![
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", &length),
            ("Connection", "close"),
        ];
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        all.extend(headers);
        let head: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{method} {path} HTTP/1.1\r\n{head}\r\n")
    }

    /// Opens a connection and sends a request.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).await.expect("a connection");
        stream.write_all(self.head(method, path, headers, body).as_bytes()).await.expect("sent");
        // A server that rejects the head may not read the body.
        let _ = stream.write_all(body.as_bytes()).await;
        BufReader::new(stream)
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut stream = self.open(method, path, headers, body).await;
        timeout(TIMEOUT, Response::read(&mut stream)).await.expect("a response in time")
    }

    /// Sends a self-contained request.
    pub(crate) async fn modern(
        &self,
        method: &str,
        mut params: Value,
        headers: &[(&str, &str)],
    ) -> Response {
        params["_meta"] = meta(json!({}));
        let name =
            params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let mut all = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        if !name.is_empty() {
            all.push(("Mcp-Name", &name));
        }
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        all.extend(headers);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send("POST", "/mcp", &all, &body.to_string()).await
    }

    pub(crate) async fn echo(&self, headers: &[(&str, &str)]) -> Response {
        self.modern("tools/call", json!({"name": "echo", "arguments": {"message": "hi"}}), headers)
            .await
    }

    /// Opens a session of a legacy client.
    pub(crate) async fn session(&self) -> Response {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake(json!({}))});
        self.send("POST", "/mcp", &[], &body.to_string()).await
    }
}

impl Response {
    pub(crate) async fn read(stream: &mut BufReader<TcpStream>) -> Self {
        let mut raw = Vec::new();
        let _ = stream.read_to_end(&mut raw).await;
        let raw = String::from_utf8_lossy(&raw).into_owned();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap_or((&raw, ""));
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status, headers: headers.collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The message in the body, which is JSON or an event stream; of a stream the last one.
    pub(crate) fn message(&self) -> Value {
        let mut events =
            self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let text = events.rfind(|event| event.starts_with('{')).unwrap_or(self.body.trim());
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
