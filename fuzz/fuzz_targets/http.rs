//! For any bytes that a client sends over HTTP, the server keeps running.
#![no_main]

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{LazyLock, mpsc},
    thread,
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use server::{HttpOptions, Identity, Server, serve_http};
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_util::sync::CancellationToken;

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let (sender, address) = mpsc::channel();
    thread::spawn(move || {
        Runtime::new().expect("a runtime").block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            sender.send(listener.local_addr().expect("an address")).expect("a receiver");
            let identity =
                Identity { name: "fuzz".into(), version: "1".into(), instructions: None };
            let server = Server::of(identity, Vec::new(), |tool| tool.description.text.clone());
            serve_http(server, HttpOptions::new(listener), CancellationToken::new()).await
        })
    });
    address.recv().expect("an address")
});

/// Sends bytes that may be incomplete: closing the sending side ends them.
fn send_any(bytes: &[u8]) {
    let mut stream = connect();
    // The server may close the connection before it has read everything.
    if stream.write_all(bytes).is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

/// Sends a complete request. The sending side stays open, because a client that closes it has left
/// and gets no response.
fn request(bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect();
    let mut response = Vec::new();
    if stream.write_all(bytes).is_ok() {
        let _ = stream.read_to_end(&mut response);
    }
    response
}

fn connect() -> TcpStream {
    let stream = TcpStream::connect(*ADDRESS).expect("the server accepts");
    stream.set_read_timeout(Some(Duration::from_secs(1))).expect("a limit");
    stream
}

fuzz_target!(|bytes: &[u8]| {
    send_any(bytes);
    // The body of a request that is otherwise right, so that the fuzzer gets past the head.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n",
        bytes.len()
    );
    let response = request(&[head.as_bytes(), bytes].concat());
    assert!(response.starts_with(b"HTTP/1.1 "));
    let health = request(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(health.starts_with(b"HTTP/1.1 200"));
});
