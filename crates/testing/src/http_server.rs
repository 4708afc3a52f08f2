//! A server process that listens on a port.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    thread,
};

use crate::{HttpResponse, TIMEOUT, TempCrib, request_head};

/// A `toolcrib serve --http` process on a free port, which is killed on drop.
pub struct HttpServer {
    child: Child,
    /// The host and port.
    pub address: String,
    /// The header with the crib's own token, if the server created one.
    authorization: Option<String>,
}

impl HttpServer {
    /// Starts a server with these further arguments, and waits until it listens.
    pub fn start(crib: &TempCrib, arguments: &[&str]) -> Self {
        let mut command = crib.command(&["serve", "--http", "127.0.0.1:0"]);
        command.args(arguments).env("TOOLCRIB_LOG", "info").stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the server starts");
        let log = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let mut log = log.lines().map_while(Result::ok);
        let address = log
            .find_map(|line| Some(line.split_once("http://")?.1.split('/').next()?.to_owned()))
            .expect("the server logs its address");
        // A full pipe would block the server.
        thread::spawn(move || log.for_each(drop));
        let token = fs::read_to_string(crib.state().join("http-token")).ok();
        let authorization = token.map(|token| format!("Bearer {token}"));
        Self { child, address, authorization }
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The value of the header `Authorization` with the crib's own token. Panics without one.
    pub fn authorization(&self) -> &str {
        self.authorization.as_deref().expect("the server created a token")
    }

    /// Opens a connection and sends a request to `/mcp`, with the crib's own token unless `headers`
    /// have `Authorization`.
    pub fn open(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let is_given = headers.iter().any(|(name, _)| *name == "Authorization");
        let own = self.authorization.as_deref().filter(|_| !is_given);
        let own = own.map(|authorization| ("Authorization", authorization));
        let headers: Vec<_> = own.into_iter().chain(headers.iter().copied()).collect();
        let head = request_head(&self.address, method, "/mcp", &headers, body);
        let mut stream = TcpStream::connect(&self.address).expect("the server accepts");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
        stream.write_all(format!("{head}{body}").as_bytes()).expect("the server reads");
        stream
    }

    /// Sends a request to `/mcp` and waits for the whole response.
    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> HttpResponse {
        read_response(self.open(method, headers, body))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // Both fail if the server has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a response to the end of the connection.
pub(crate) fn read_response(mut stream: TcpStream) -> HttpResponse {
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).expect("a response before the deadline");
    HttpResponse::parse(&raw)
}
