//! A client of either era of a server process that listens on a port.

use std::net::TcpStream;

use serde_json::{Value, json};

use crate::{
    HttpServer, LEGACY, MODERN, http_server::read_response, initialize_params, notification,
    request, request_meta,
};

/// A client over HTTP: legacy with a session, modern without.
pub struct HttpClient<'a> {
    server: &'a HttpServer,
    session: Option<String>,
}

/// A call whose response has not been read. Dropping it closes the connection.
pub struct PendingCall(TcpStream);

impl<'a> HttpClient<'a> {
    /// A client whose requests are self-contained.
    pub fn modern(server: &'a HttpServer) -> Self {
        Self { server, session: None }
    }

    /// A client that opens a session.
    pub fn legacy(server: &'a HttpServer) -> Self {
        let initialize = request(1, "initialize", initialize_params(json!({})));
        let opened = server.send("POST", &[], &initialize.to_string());
        let session = opened.header("mcp-session-id").expect("the server opens a session");
        let client = Self { server, session: Some(session.to_owned()) };
        let initialized = notification("notifications/initialized").to_string();
        server.send("POST", &client.headers(""), &initialized);
        client
    }

    /// Calls a tool, and returns without waiting for its result.
    pub fn start(&self, tool: &str, arguments: Value) -> PendingCall {
        let mut params = json!({"name": tool, "arguments": arguments});
        if self.session.is_none() {
            params["_meta"] = request_meta(json!({}));
        }
        let body = request(2, "tools/call", params).to_string();
        PendingCall(self.server.open("POST", &self.headers(tool), &body))
    }

    /// Calls a tool and returns the structured content of its result.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.start(tool, arguments).structured_content()
    }

    /// Ends the session of a legacy client.
    pub fn end_session(&self) {
        self.server.send("DELETE", &self.headers(""), "");
    }

    fn headers<'b>(&'b self, tool: &'b str) -> Vec<(&'b str, &'b str)> {
        match &self.session {
            Some(session) => vec![("Mcp-Session-Id", session), ("MCP-Protocol-Version", LEGACY)],
            None => vec![
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", tool),
            ],
        }
    }
}

impl PendingCall {
    /// Waits for the result and returns its structured content. Panics on a protocol error.
    pub fn structured_content(self) -> Value {
        let response = read_response(self.0);
        let mut message = response.message();
        assert!(message["result"].is_object(), "{response:?}");
        message["result"]["structuredContent"].take()
    }
}
