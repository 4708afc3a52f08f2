//! A server on a port of its own, and raw HTTP requests to it.

use serde_json::{Value, json};
use server::{HttpOptions, ServeError, Server, serve_http};
use testing::{
    HttpResponse, MODERN, TIMEOUT, initialize_params, request, request_head, request_meta,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// A server on a port of its own, and a client for it.
pub(crate) struct HttpFixture {
    pub(crate) address: String,
    pub(crate) shutdown: CancellationToken,
    pub(crate) serving: JoinHandle<Result<(), ServeError>>,
}

impl HttpFixture {
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

    /// Opens a connection and sends a request.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> BufReader<TcpStream> {
        let head = request_head(&self.address, method, path, headers, body);
        let mut stream = TcpStream::connect(&self.address).await.expect("a connection");
        stream.write_all(head.as_bytes()).await.expect("sent");
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
    ) -> HttpResponse {
        let mut stream = self.open(method, path, headers, body).await;
        timeout(TIMEOUT, read_response(&mut stream)).await.expect("a response before the deadline")
    }

    /// Sends a self-contained request.
    pub(crate) async fn modern(
        &self,
        method: &str,
        mut params: Value,
        headers: &[(&str, &str)],
    ) -> HttpResponse {
        params["_meta"] = request_meta(json!({}));
        let name =
            params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let mut all = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        if !name.is_empty() {
            all.push(("Mcp-Name", &name));
        }
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        all.extend(headers);
        let body = request(1, method, params);
        self.send("POST", "/mcp", &all, &body.to_string()).await
    }

    pub(crate) async fn echo(&self, headers: &[(&str, &str)]) -> HttpResponse {
        self.modern("tools/call", json!({"name": "echo", "arguments": {"message": "hi"}}), headers)
            .await
    }

    /// Opens a session of a legacy client.
    pub(crate) async fn session(&self) -> HttpResponse {
        let body = request(1, "initialize", initialize_params(json!({})));
        self.send("POST", "/mcp", &[], &body.to_string()).await
    }
}

/// Reads a response to the end of the connection.
pub(crate) async fn read_response(stream: &mut BufReader<TcpStream>) -> HttpResponse {
    let mut raw = Vec::new();
    // A connection that is reset has no further bytes.
    let _ = stream.read_to_end(&mut raw).await;
    HttpResponse::parse(&raw)
}
