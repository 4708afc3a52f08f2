//! A server process that listens on a port.

use std::{
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
        Self { child, address }
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a connection and sends a request to `/mcp`.
    pub fn open(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let head = request_head(&self.address, method, "/mcp", headers, body);
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
