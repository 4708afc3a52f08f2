//! Streamable HTTP: authentication, rejected requests, and legacy and modern clients.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use server::Server;
use testing::{LEGACY, MODERN, TIMEOUT, initialize_params, request_head, request_meta};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::Semaphore,
    time::timeout,
};
use toolkit::{Arguments, Context, Outcome};

use crate::{
    http_fixture::{HttpFixture, read_response},
    pipe_client::text,
    test_server::{echo, echo_server, server_with, server_with_store, tool},
};

#[tokio::test]
async fn serves_modern_requests() {
    let client = HttpFixture::new(echo_server()).await;
    let reply = client.echo(&[]).await;
    assert_eq!((reply.status, text(&reply.message())), (200, "hi"));
    assert_eq!(
        client.echo(&[("Mcp-Name", "other")]).await.status,
        400,
        "header and body must agree"
    );
    assert_eq!(client.modern("no/such", json!({}), &[]).await.status, 404);
    let malformed = client.modern("tools/call", json!({"name": 5}), &[("Mcp-Name", "5")]).await;
    assert_ne!(malformed.status, 404, "{malformed:?}");
    assert_eq!(
        client.send("GET", "/mcp", &[("MCP-Protocol-Version", MODERN)], "").await.status,
        405
    );
}

#[tokio::test]
async fn the_audit_is_complete_when_serving_ends() {
    let place = tempfile::tempdir().expect("a folder");
    // Held until after the check: dropping it would flush it.
    let server = server_with_store(place.path());
    let client = HttpFixture::new(server.clone()).await;
    assert_eq!(client.echo(&[]).await.status, 200);
    client.shutdown.cancel();
    client.serving.await.expect("no panic").expect("an orderly end");
    let audit = std::fs::read_to_string(place.path().join("audit.jsonl")).expect("the audit");
    assert_eq!(audit.lines().count(), 1, "{audit}");
    drop(server);
}

#[tokio::test]
async fn serves_sessions_of_legacy_clients() {
    let client = HttpFixture::new(echo_server()).await;
    let opened = client.session().await;
    let session = opened.header("mcp-session-id").expect("a session").to_owned();
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(client.send("POST", "/mcp", &headers, &initialized).await.status, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "hi"}}});
    assert_eq!(
        text(&client.send("POST", "/mcp", &headers, &call.to_string()).await.message()),
        "hi"
    );
    assert_eq!(client.send("DELETE", "/mcp", &headers, "").await.status, 204);
    assert_eq!(
        client.send("POST", "/mcp", &headers, &call.to_string()).await.status,
        404,
        "the session is gone"
    );
}

#[tokio::test]
async fn primes_streams_only_if_the_revision_requires_it() {
    for (revision, is_primed) in
        [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)]
    {
        let client = HttpFixture::new(echo_server()).await;
        let mut params = initialize_params(json!({}));
        params["protocolVersion"] = json!(revision);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let opened = client.send("POST", "/mcp", &[], &body.to_string()).await;
        assert_eq!(opened.message()["result"]["protocolVersion"], revision);
        let session = opened.header("mcp-session-id").expect("a session").to_owned();
        let mut headers = vec![("Mcp-Session-Id", session.as_str())];
        // The header is younger than the oldest of these revisions.
        headers.extend((revision != "2025-03-26").then_some(("MCP-Protocol-Version", revision)));
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send("POST", "/mcp", &headers, &initialized.to_string()).await;
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "hi"}}});
        let called = client.send("POST", "/mcp", &headers, &call.to_string()).await;
        assert_eq!(text(&called.message()), "hi", "{revision}");
        let mut stream = client.open("GET", "/mcp", &headers, "").await;
        let listening = tokio::spawn(async move { read_response(&mut stream).await });
        client.send("GET", "/healthz", &[], "").await;
        client.shutdown.cancel();
        let listened = timeout(TIMEOUT, listening).await.expect("in time").expect("no panic");
        assert_eq!(listened.status, 200, "{revision}: {listened:?}");
        for response in [opened, called, listened] {
            let is_priming =
                |line: &str| line.strip_prefix("data:").is_some_and(|data| data.trim().is_empty());
            assert_eq!(
                response.body.lines().any(is_priming),
                is_primed,
                "{revision}: {response:?}"
            );
        }
    }
}

#[tokio::test]
async fn accepts_only_known_origins_and_hosts() {
    let client = HttpFixture::with(echo_server(), |options| {
        options.origins = vec!["https://app.example:443".into()];
        options.hosts = vec!["crib.example".into()];
    })
    .await;
    for origin in ["http://localhost:3000", "http://127.0.0.1", "https://app.example"] {
        assert_eq!(client.echo(&[("Origin", origin)]).await.status, 200, "{origin}");
    }
    for origin in [
        "http://evil.example",
        "https://app.example.evil.example",
        "http://localhost.evil.example",
        "http://[::1].evil.example",
        "http://127.0.0.1:80.evil.example",
        "http://localhost:80.evil.example",
        "http://evil.example@localhost",
        "http://localhost/x",
        "null",
    ] {
        assert_eq!(client.echo(&[("Origin", origin)]).await.status, 403, "{origin}");
    }
    for host in ["localhost:1", "crib.example", "[::1]:80"] {
        assert_eq!(client.echo(&[("Host", host)]).await.status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "[::1].evil.example",
        "127.0.0.1:80.evil.example",
        "evil.example@localhost",
    ] {
        assert_eq!(client.echo(&[("Host", host)]).await.status, 403, "{host}");
        let health = client.send("GET", "/healthz", &[("Host", host)], "").await;
        assert_eq!(health.status, 403, "{host}");
    }
    // A proxy in front may have checked the other one.
    let hosts = [("Host", "localhost"), ("Host", "evil.example")];
    let origins = [("Origin", "http://localhost"), ("Origin", "http://evil.example")];
    for repeated in [hosts, origins] {
        assert_eq!(client.echo(&repeated).await.status, 403, "{repeated:?}");
        assert_eq!(client.send("GET", "/healthz", &repeated, "").await.status, 403, "{repeated:?}");
    }
    // Probes of containers use the address.
    for host in ["localhost:1", "crib.example:80", "[::1]", "10.1.2.3:8080"] {
        let health = client.send("GET", "/healthz", &[("Host", host)], "").await;
        assert_eq!(health.status, 200, "{host}");
    }
}

#[tokio::test]
async fn requires_the_configured_token() {
    let client =
        HttpFixture::with(echo_server(), |options| options.token = Some("s3cret".into())).await;
    for (wrong, challenge) in [
        (vec![], "Bearer"),
        (vec![("Authorization", "Bearer s3creT")], r#"Bearer error="invalid_token""#),
        (vec![("Authorization", "Basic s3cret")], "Bearer"),
    ] {
        let reply = client.echo(&wrong).await;
        assert_eq!(
            (reply.status, reply.header("www-authenticate")),
            (401, Some(challenge)),
            "{wrong:?}"
        );
    }
    for right in ["Bearer s3cret", "bearer s3cret"] {
        assert_eq!(client.echo(&[("Authorization", right)]).await.status, 200);
    }
    assert_eq!(
        client.send("GET", "/healthz", &[], "").await.status,
        200,
        "health is for everybody"
    );
}

#[tokio::test]
async fn health_check_reports_name_version_and_tool_count() {
    let set = |options: &mut server::HttpOptions| options.token = Some("s3cret".to_owned());
    let client = HttpFixture::with(echo_server(), set).await;
    let bearer = ("Authorization", "Bearer s3cret");
    let reply = client.send("GET", "/healthz", &[bearer], "").await;
    assert_eq!(
        reply.message(),
        json!({"status": "ok", "name": "workshop", "version": "1.2.3", "tools": 1})
    );
    let open = HttpFixture::new(echo_server()).await;
    for (client, header) in [(&client, ("Authorization", "Bearer wrong")), (&open, bearer)] {
        let reply = client.send("GET", "/healthz", &[header], "").await;
        assert_eq!(
            reply.message(),
            json!({"status": "ok"}),
            "{header:?}: only for holders of the token"
        );
    }
    for client in [&client, &open] {
        let reply = client.send("GET", "/healthz", &[("Host", "rebound.example")], "").await;
        assert_eq!(reply.message()["error"]["message"], "this `Host` is not accepted");
    }
}

#[tokio::test]
async fn invalid_bodies_get_json_rpc_errors() {
    let client = HttpFixture::with(echo_server(), |options| options.max_body = 1_000).await;
    for (body, status, code) in [
        ("{nonsense".to_owned(), 400, -32700),
        (String::new(), 400, -32700),
        (json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).to_string(), 400, -32600),
        (json!({"jsonrpc": "2.0", "x": "y".repeat(1_000)}).to_string(), 413, -32600),
    ] {
        let reply = client.send("POST", "/mcp", &[], &body).await;
        assert_eq!(
            (reply.status, &reply.message()["error"]["code"]),
            (status, &json!(code)),
            "{body}"
        );
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    assert_eq!(client.echo(&[("Accept", "*/*")]).await.status, 200, "any type is both types");
}

#[tokio::test]
async fn limits_a_body_without_a_declared_length() {
    let client = HttpFixture::with(echo_server(), |options| options.max_body = 1_000).await;
    let headers = [("Transfer-Encoding", "chunked")];
    let head = request_head(&client.address, "POST", "/mcp", &headers, "")
        .replace("Content-Length: 0\r\n", "");
    let mut stream = TcpStream::connect(&client.address).await.expect("a connection");
    let body = format!("7d0\r\n{}\r\n0\r\n\r\n", " ".repeat(2_000));
    stream.write_all((head + &body).as_bytes()).await.expect("sent");
    assert_eq!(read_response(&mut BufReader::new(stream)).await.status, 413);
}

#[tokio::test]
async fn reports_a_malformed_body_as_such_and_not_as_too_long() {
    let client = HttpFixture::new(echo_server()).await;
    let headers = [("Transfer-Encoding", "chunked")];
    let head = request_head(&client.address, "POST", "/mcp", &headers, "")
        .replace("Content-Length: 0\r\n", "");
    for body in ["zz\r\n", "-1\r\n\r\n", "ffffffffffffffffff\r\n"] {
        let mut stream = TcpStream::connect(&client.address).await.expect("a connection");
        stream.write_all(format!("{head}{body}").as_bytes()).await.expect("sent");
        let reply = read_response(&mut BufReader::new(stream)).await;
        assert_eq!(reply.status, 400, "{body:?}");
        let message = &reply.message()["error"]["message"];
        assert!(message.to_string().contains("not encoded as its headers declare"), "{message}");
    }
}

#[tokio::test]
async fn rejects_a_number_that_is_too_large() {
    let client = HttpFixture::new(echo_server()).await;
    let digits = "9".repeat(100_000);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"echo","arguments":{{"message":{digits}}}}}}}"#
    );
    let answer = client.send("POST", "/mcp", &[], &body).await;
    let message = answer.message();
    assert_eq!((answer.status, &message["id"]), (400, &json!(7)), "{message}");
    assert!(message["error"]["message"].to_string().contains("number out of range"), "{message}");
}

#[tokio::test]
async fn a_new_session_replaces_the_least_recently_used_one() {
    let client = HttpFixture::with(echo_server(), |options| options.max_sessions = 2).await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let opened = client.session().await;
        assert_eq!(opened.status, 200, "{opened:?}");
        sessions.push(opened.header("mcp-session-id").expect("a session").to_owned());
    }
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    for (session, status) in sessions.iter().zip([404, 202, 202]) {
        let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", LEGACY)];
        assert_eq!(client.send("POST", "/mcp", &headers, &initialized).await.status, status);
    }
}

#[tokio::test]
async fn refuses_a_session_while_all_are_in_use() {
    let client = HttpFixture::with(echo_server(), |options| options.max_sessions = 1).await;
    let session = client.session().await.header("mcp-session-id").expect("a session").to_owned();
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", LEGACY)];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(client.send("POST", "/mcp", &headers, &initialized).await.status, 202);
    let mut stream = client.open("GET", "/mcp", &headers, "").await;
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("the stream is open");
    let refused = client.session().await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("30")));
    assert_eq!(client.echo(&[]).await.status, 200, "modern clients need none");
    client.send("DELETE", "/mcp", &headers, "").await;
    assert_eq!(client.session().await.status, 200, "there is room again");
}

/// A server whose tool waits until it is released or cancelled, and counters of starts and cancellations.
fn server_with_waiting_tool() -> (Server, Arc<Semaphore>, Arc<Semaphore>, Arc<Semaphore>) {
    let [started, go, cancelled] = [(); 3].map(|()| Arc::new(Semaphore::new(0)));
    let native = tool("wait", {
        let (started, go, cancelled) = (started.clone(), go.clone(), cancelled.clone());
        move |_: Arguments, context: Context| {
            let (started, go, cancelled) = (started.clone(), go.clone(), cancelled.clone());
            async move {
                started.add_permits(1);
                tokio::select! {
                    turn = go.acquire() => turn.expect("open").forget(),
                    () = context.cancelled() => cancelled.add_permits(1),
                }
                Ok(Outcome::text("went on"))
            }
        }
    });
    (server_with(vec![native, echo("echo")]), started, go, cancelled)
}

#[tokio::test]
async fn limits_concurrent_calls_and_queues_the_others() {
    let (server, started, go, _) = server_with_waiting_tool();
    let client = Arc::new(HttpFixture::with(server, |options| options.max_calls = 1).await);
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.modern("tools/call", json!({"name": "wait"}), &[]).await }
    });
    started.acquire().await.expect("the first runs").forget();
    let second = tokio::spawn({
        let client = client.clone();
        async move { client.echo(&[]).await }
    });
    assert_eq!(client.modern("tools/list", json!({}), &[]).await.status, 200, "lists are no calls");
    assert!(!second.is_finished(), "the second waits");
    go.add_permits(1);
    assert_eq!(text(&first.await.expect("no panic").message()), "went on");
    assert_eq!(text(&second.await.expect("no panic").message()), "hi");
}

#[tokio::test]
async fn a_disconnected_modern_client_cancels_its_call() {
    let (server, started, _, cancelled) = server_with_waiting_tool();
    let client = HttpFixture::new(server).await;
    let params = json!({"name": "wait", "_meta": request_meta(json!({}))});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers =
        [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "wait")];
    let stream = client.open("POST", "/mcp", &headers, &body.to_string()).await;
    started.acquire().await.expect("it runs").forget();
    drop(stream);
    timeout(TIMEOUT, cancelled.acquire()).await.expect("in time").expect("cancelled").forget();
}

#[tokio::test]
async fn shutdown_answers_running_calls_and_closes_streams() {
    let (server, started, go, _) = server_with_waiting_tool();
    let client = Arc::new(HttpFixture::new(server).await);
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.modern("tools/call", json!({"name": "wait"}), &[]).await }
    });
    started.acquire().await.expect("it runs").forget();
    let params =
        json!({"notifications": {"toolsListChanged": true}, "_meta": request_meta(json!({}))});
    let body =
        json!({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params});
    let headers = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "subscriptions/listen")];
    let mut stream = client.open("POST", "/mcp", &headers, &body.to_string()).await;
    let mut seen = String::new();
    while !seen.contains("acknowledged") {
        assert_ne!(stream.read_line(&mut seen).await.expect("readable"), 0, "{seen}");
    }
    let start = Instant::now();
    client.shutdown.cancel();
    go.add_permits(1);
    assert_eq!(
        text(&call.await.expect("no panic").message()),
        "went on",
        "a call in flight is answered"
    );
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.expect("readable");
    assert!(rest.contains(r#""id":7"#), "the stream is closed with its result: {rest}");
    let client = Arc::into_inner(client).expect("no other owner");
    timeout(TIMEOUT, client.serving)
        .await
        .expect("in time")
        .expect("no panic")
        .expect("an orderly end");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

/// Reads one chunked response of a connection that stays open.
async fn chunked(stream: &mut BufReader<TcpStream>) -> String {
    let mut raw = String::new();
    while !raw.ends_with("\r\n0\r\n\r\n") {
        assert_ne!(stream.read_line(&mut raw).await.expect("readable"), 0, "{raw}");
    }
    raw
}

#[tokio::test]
async fn streams_small_messages_without_the_stall_of_delayed_acknowledgements() {
    let server = server_with(vec![tool("work", async |_, context: Context| {
        for done in 1..4 {
            context.report_progress(f64::from(done), None, None).await;
        }
        Ok(Outcome::text("done"))
    })]);
    let client = HttpFixture::new(server).await;
    let mut meta = request_meta(json!({}));
    meta["progressToken"] = json!(1);
    let params = json!({"name": "work", "_meta": meta});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [
        ("Connection", "keep-alive"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "work"),
    ];
    let mut stream = client.open("POST", "/mcp", &headers, &body).await;
    let first = chunked(&mut stream).await;
    assert!(first.contains("notifications/progress") && first.contains("done"), "{first}");
    let head = request_head(&client.address, "POST", "/mcp", &headers, &body);
    let mut times = Vec::new();
    for _ in 0..40 {
        let start = Instant::now();
        stream.write_all(format!("{head}{body}").as_bytes()).await.expect("sent");
        chunked(&mut stream).await;
        times.push(start.elapsed());
    }
    times.sort();
    assert!(times[30] < Duration::from_millis(35), "{times:?}");
}
