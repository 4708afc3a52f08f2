//! What stands before the protocol library: the token, the size of bodies, the number of
//! sessions, and answers in the protocol's own form to bodies that are not messages.

use std::{borrow::Cow, hint::black_box, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
    routing::{any, get},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::{
    model::RequestId,
    transport::{
        StreamableHttpService, streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{HttpOptions, priming::Priming};
use crate::{Server, connection::Connection, dialect, listening};

const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// What stands before the protocol library.
pub(super) struct Front {
    service: StreamableHttpService<Connection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    server: Server,
    token: Option<String>,
    max_sessions: usize,
    max_body: usize,
    /// Held while a session is opened, so that the count is right for the next one.
    opening: Mutex<()>,
}

/// The one member of a message that matters here.
#[derive(Deserialize)]
struct Peek<'a> {
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
}

/// An `initialize` request, as far as it says which revision the client wants.
#[derive(Deserialize)]
struct Handshake {
    params: HandshakeParams,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandshakeParams {
    protocol_version: String,
}

/// A request in the dialect.
#[derive(Deserialize)]
struct InDialect {
    id: RequestId,
    method: String,
    #[serde(default)]
    params: Option<Value>,
}

impl Front {
    pub(super) fn new(
        service: StreamableHttpService<Connection, LocalSessionManager>,
        sessions: Arc<LocalSessionManager>,
        server: Server,
        options: &HttpOptions,
    ) -> Self {
        let HttpOptions { max_sessions, max_body, .. } = *options;
        Self {
            service,
            sessions,
            server,
            token: options.token.clone(),
            max_sessions,
            max_body,
            opening: Mutex::default(),
        }
    }

    pub(super) fn router(self) -> Router {
        Router::new()
            .route("/mcp", any(mcp))
            .route("/healthz", get(health))
            .with_state(Arc::new(self))
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let presented =
            headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
        let (scheme, rest) = presented.split_at(presented.len().min("Bearer ".len()));
        scheme.eq_ignore_ascii_case(b"Bearer ") && is_same(rest.trim_ascii(), token.as_bytes())
    }

    async fn post(&self, request: Request) -> Response {
        let (mut parts, body) = request.into_parts();
        if declared_length(&parts.headers).is_some_and(|length| length > self.max_body) {
            return self.too_long();
        }
        let Ok(body) = to_bytes(body, self.max_body).await else {
            return self.too_long();
        };
        let method = match serde_json::from_slice::<Peek<'_>>(&body) {
            Ok(peek) => peek.method.unwrap_or_default(),
            Err(error) => return not_a_message(&error),
        };
        if dialect::speaks(&method) {
            return self.aside(parts, &body).await;
        }
        let is_handshake = method == "initialize";
        let opens_session = is_handshake && !parts.headers.contains_key("mcp-session-id");
        let priming = match is_handshake {
            true => requested_priming(&body),
            false => Priming::of_headers(&parts.headers),
        };
        let listens = method == "subscriptions/listen";
        let detoured = || listening::detour(serde_json::from_slice(&body).ok()?);
        let body = match listens.then(detoured).flatten() {
            Some(message) => {
                parts.headers.remove(header::CONTENT_LENGTH);
                Bytes::from(message.to_string())
            }
            None => body,
        };
        if parts.headers.get(header::ACCEPT).is_some_and(|accepted| accepted == "*/*") {
            parts.headers.insert(header::ACCEPT, BOTH_TYPES);
        }
        let request = Request::from_parts(parts, Body::from(body));
        let response = match opens_session {
            true => self.open_session(request).await,
            false => self.forward(request).await,
        };
        priming.filter(response)
    }

    /// Answers a request in the dialect: as one of the protocol, which needs no session.
    async fn aside(&self, mut parts: Parts, body: &[u8]) -> Response {
        let Ok(InDialect { id, method, params }) = serde_json::from_slice(body) else {
            return error(StatusCode::BAD_REQUEST, -32600, "not a JSON-RPC 2.0 request");
        };
        let (asked, message) = match dialect::translate(&id, &method, params) {
            Ok(translated) => translated,
            Err(error) => {
                return respond(
                    StatusCode::OK,
                    &json!({"jsonrpc": "2.0", "id": id, "error": error}),
                );
            }
        };
        let name = asked.about().map(|about| format!("=?base64?{}?=", STANDARD.encode(about)));
        let headers = [
            ("mcp-protocol-version", Some(dialect::REVISION.to_owned())),
            ("mcp-method", Some(asked.standard().to_owned())),
            ("mcp-name", name),
            ("mcp-session-id", None),
            ("content-length", None),
        ];
        for (header, value) in headers {
            parts.headers.remove(header);
            parts
                .headers
                .extend(value.and_then(|value| {
                    Some((HeaderName::from_static(header), value.parse().ok()?))
                }));
        }
        parts.headers.insert(header::ACCEPT, BOTH_TYPES);
        parts.headers.entry(header::CONTENT_TYPE).or_insert(JSON_TYPE);
        let response =
            self.forward(Request::from_parts(parts, Body::from(message.to_string()))).await;
        let (parts, body) = response.into_parts();
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            return error(StatusCode::INTERNAL_SERVER_ERROR, -32603, "the answer was lost");
        };
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer["id"] == json!(id) => {
                respond(StatusCode::OK, &asked.answer(answer, &self.server.snapshot()))
            }
            // StorageFuture out before it was looked at.
            _ => Response::from_parts(parts, Body::from(body)),
        }
    }

    async fn open_session(&self, request: Request) -> Response {
        let _opening = self.opening.lock().await;
        if self.sessions.sessions.read().await.len() >= self.max_sessions {
            let mut refusal = error(
                StatusCode::SERVICE_UNAVAILABLE,
                -32603,
                "too many sessions are open; try again later",
            );
            refusal.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
            return refusal;
        }
        self.forward(request).await
    }

    async fn forward(&self, request: Request) -> Response {
        self.service.handle(request).await.map(Body::new)
    }

    fn too_long(&self) -> Response {
        error(
            StatusCode::PAYLOAD_TOO_LARGE,
            -32600,
            &format!("a message may have at most {} bytes", self.max_body),
        )
    }
}

async fn mcp(State(front): State<Arc<Front>>, request: Request) -> Response {
    if !front.is_authorized(request.headers()) {
        let mut refusal =
            error(StatusCode::UNAUTHORIZED, -32600, "this server needs a bearer token");
        refusal.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return refusal;
    }
    match *request.method() {
        Method::POST => front.post(request).await,
        Method::DELETE => {
            let mut response = front.forward(request).await;
            // The session is gone when the answer comes: nothing is left to be accepted for.
            if response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            response
        }
        _ => {
            let priming = Priming::of_headers(request.headers());
            priming.filter(front.forward(request).await)
        }
    }
}

async fn health(State(front): State<Arc<Front>>) -> Response {
    let identity = front.server.identity();
    let tools = front.server.snapshot().len();
    respond(
        StatusCode::OK,
        &json!({"name": identity.name, "version": identity.version, "tools": tools}),
    )
}

/// Whether the client expects priming events in the session that this handshake opens.
fn requested_priming(body: &[u8]) -> Priming {
    let revision = serde_json::from_slice(body)
        .map_or_else(|_| String::new(), |Handshake { params }| params.protocol_version);
    Priming::of_revision(&revision)
}

fn not_a_message(problem: &serde_json::Error) -> Response {
    match problem.is_data() {
        true => error(
            StatusCode::BAD_REQUEST,
            -32600,
            "not a JSON-RPC 2.0 message; batches are not part of the protocol",
        ),
        false => error(StatusCode::BAD_REQUEST, -32700, &format!("not JSON: {problem}")),
    }
}

fn error(status: StatusCode, code: i32, message: &str) -> Response {
    respond(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}}),
    )
}

fn respond(status: StatusCode, body: &Value) -> Response {
    let mut response = Response::new(Body::from(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON_TYPE);
    response
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Compares in a time that does not tell how much of a guess was right.
fn is_same(presented: &[u8], expected: &[u8]) -> bool {
    let differences =
        presented.iter().zip(expected).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
    presented.len() == expected.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn compares_whole_tokens() {
        assert!(is_same(b"secret", b"secret"));
        for wrong in [&b"secreT"[..], b"secre", b"secret2", b""] {
            assert!(!is_same(wrong, b"secret"));
        }
    }
}
