//! The gateway in front of the protocol library: checks the token, limits bodies and sessions,
//! translates camel-case requests, and answers bodies that are not messages with a JSON-RPC error
//! (the library sends plain text).

use std::{
    borrow::Cow, collections::HashSet, error::Error as _, hint::black_box, sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
    routing::{any, get},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http_body_util::LengthLimitError;
use rmcp::{
    model::RequestId,
    transport::{
        StreamableHttpService,
        streamable_http_server::session::{SessionManager, local::LocalSessionManager},
    },
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::Mutex, time::timeout};

use super::{
    HttpOptions, guarded_body::GuardedBody, hosts, priming::Priming,
    session_activity::SessionActivity,
};
use crate::{
    Server, camel_case,
    connection::Connection,
    task_subscriptions,
    transport::{TOO_MANY_VALUES, has_too_many_values},
};

const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The page at `/`, without scripts.
const LANDING_PAGE: &str = include_str!("landing_page.html");

/// The header with the session of a legacy client.
const SESSION_ID: &str = "mcp-session-id";

/// Timeout for a client to send the body of a request.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The gateway in front of the protocol library.
pub(super) struct Gateway {
    service: StreamableHttpService<Connection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    server: Server,
    token: Option<String>,
    /// The accepted values of `Host`.
    hosts: Vec<String>,
    max_sessions: usize,
    max_body: usize,
    /// Held while a session is opened, so that concurrent requests do not exceed the limit.
    opening: Mutex<()>,
    activity: SessionActivity,
}

/// The method of a message, read without parsing the rest.
#[derive(Deserialize)]
struct MethodOnly<'a> {
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
}

/// The id of a message, read without parsing the rest.
#[derive(Deserialize)]
struct IdOnly {
    id: Option<RequestId>,
}

/// The requested revision of an `initialize` request.
#[derive(Deserialize)]
struct Handshake {
    params: HandshakeParams,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HandshakeParams {
    protocol_version: String,
}

/// A camel-case request.
#[derive(Deserialize)]
struct CamelCaseBody {
    id: RequestId,
    method: String,
    #[serde(default)]
    params: Option<Value>,
}

impl Gateway {
    pub(super) fn new(
        service: StreamableHttpService<Connection, LocalSessionManager>,
        sessions: Arc<LocalSessionManager>,
        server: Server,
        options: &HttpOptions,
        hosts: Vec<String>,
    ) -> Self {
        let HttpOptions { max_sessions, max_body, .. } = *options;
        Self {
            service,
            sessions,
            server,
            token: options.token.clone(),
            hosts,
            max_sessions,
            max_body,
            opening: Mutex::default(),
            activity: SessionActivity::default(),
        }
    }

    pub(super) fn into_router(self) -> Router {
        Router::new()
            .route("/mcp", any(mcp))
            .route("/mcp/{*profile}", any(unknown_profile))
            .route("/healthz", get(health))
            .route("/", get(landing_page))
            .with_state(Arc::new(self))
    }

    /// Only the messages, at `/mcp/NAME`.
    pub(super) fn into_profile_router(self, name: &str) -> Router {
        Router::new().route(&format!("/mcp/{name}"), any(mcp)).with_state(Arc::new(self))
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        presented_token(headers).is_some_and(|presented| is_equal(presented, token.as_bytes()))
    }

    async fn post(&self, request: Request) -> Response {
        let (mut parts, body) = request.into_parts();
        // The declared length is checked first, so that a body that is too long is not read.
        if declared_length(&parts.headers).is_some_and(|length| length > self.max_body) {
            return self.body_too_long();
        }
        let body = match timeout(BODY_TIME, to_bytes(body, self.max_body)).await {
            Ok(Ok(body)) => body,
            Ok(Err(error)) => return self.unreadable_body(&error),
            Err(_) => {
                let message = "the body of the request did not arrive in time";
                return error_response(StatusCode::REQUEST_TIMEOUT, -32600, message);
            }
        };
        if has_too_many_values(&body) {
            return error_response(StatusCode::PAYLOAD_TOO_LARGE, -32600, TOO_MANY_VALUES);
        }
        let method = match serde_json::from_slice::<MethodOnly<'_>>(&body) {
            Ok(message) => message.method.unwrap_or_default(),
            Err(error) => return invalid_message(&error),
        };
        if camel_case::is_camel_case(&method) {
            return self.handle_camel_case(parts, &body).await;
        }
        let is_handshake = method == "initialize";
        // Modern requests have no session, so the limit does not concern them.
        let opens_session = is_handshake && !parts.headers.contains_key(SESSION_ID);
        let priming = if is_handshake {
            requested_priming(&body)
        } else {
            Priming::of_headers(&parts.headers)
        };
        let is_listen = method == "subscriptions/listen";
        let reroute = || task_subscriptions::reroute(serde_json::from_slice(&body).ok()?);
        let body = match is_listen.then(reroute).flatten() {
            Some(message) => {
                // The body has another length now.
                parts.headers.remove(header::CONTENT_LENGTH);
                Bytes::from(message.to_string())
            }
            None => body,
        };
        // The library answers 406 to `*/*`, which simple clients such as curl send.
        if parts.headers.get(header::ACCEPT).is_some_and(|accepted| accepted == "*/*") {
            parts.headers.insert(header::ACCEPT, BOTH_TYPES);
        }
        let request = Request::from_parts(parts, Body::from(body.clone()));
        let response = if opens_session {
            self.open_session(request).await
        } else {
            self.forward_in_session(request).await
        };
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return explain_unreadable(response, &body);
        }
        priming.filter(response)
    }

    /// Answers a camel-case request by a modern request, which needs no session.
    async fn handle_camel_case(&self, mut parts: Parts, body: &[u8]) -> Response {
        let Ok(CamelCaseBody { id, method, params }) = serde_json::from_slice(body) else {
            return error_response(StatusCode::BAD_REQUEST, -32600, "not a JSON-RPC 2.0 request");
        };
        let (request, message) = match camel_case::translate(&id, &method, params) {
            Ok(translated) => translated,
            Err(error) => {
                return respond(
                    StatusCode::OK,
                    &json!({"jsonrpc": "2.0", "id": id, "error": error}),
                );
            }
        };
        // Header values that may not be plain ASCII are sent in this form (2026-07-28, transports).
        let name = request.subject().map(|name| format!("=?base64?{}?=", STANDARD.encode(name)));
        let headers = [
            ("mcp-protocol-version", Some(camel_case::REVISION.to_owned())),
            ("mcp-method", Some(request.protocol_method().to_owned())),
            ("mcp-name", name),
            // Removed, because the translated request is a modern one.
            (SESSION_ID, None),
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
        // The response is our own, so its size needs no limit.
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            return error_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                -32603,
                "could not read the response",
            );
        };
        match serde_json::from_slice::<Value>(&body) {
            Ok(response) if response["id"] == json!(id) => respond(
                StatusCode::OK,
                &request.translate_response(response, &self.server.snapshot()),
            ),
            // Rejected before the message was read, for example because of its `Host`.
            _ => Response::from_parts(parts, Body::from(body)),
        }
    }

    async fn open_session(&self, request: Request) -> Response {
        // The count and the new session must be one step, or concurrent handshakes would exceed the
        // limit together.
        let _opening = self.opening.lock().await;
        if !self.make_room_for_session().await {
            let mut response = error_response(
                StatusCode::SERVICE_UNAVAILABLE,
                -32603,
                "too many sessions are in use; try again later",
            );
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
            return response;
        }
        let response = self.forward(request).await;
        let opened = response.headers().get(SESSION_ID).map(HeaderValue::to_str);
        match opened.and_then(Result::ok).map(|session| self.activity.begin(session)) {
            Some(used) => response.map(|body| Body::new(GuardedBody::new(body, used))),
            None => response,
        }
    }

    /// Closes the session that is unused for the longest time if there are too many: the library has
    /// no cap, and each costs about 50 KiB. Returns false if all are in use.
    async fn make_room_for_session(&self) -> bool {
        let existing: HashSet<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        if existing.len() < self.max_sessions {
            return true;
        }
        let Some(unused) = self.activity.longest_unused(&existing) else {
            return false;
        };
        tracing::info!("the session that was unused for the longest time is closed");
        // Its client gets 404 for the next request and opens another one, as the protocol asks for.
        self.sessions.close_session(&unused).await.is_ok()
    }

    /// Forwards a request and counts its session as used until the response is sent.
    async fn forward_in_session(&self, request: Request) -> Response {
        let session = request.headers().get(SESSION_ID).map(HeaderValue::to_str);
        match session.and_then(Result::ok).map(|session| self.activity.begin(session)) {
            Some(used) => {
                let response = self.forward(request).await;
                response.map(|body| Body::new(GuardedBody::new(body, used)))
            }
            None => self.forward(request).await,
        }
    }

    async fn forward(&self, request: Request) -> Response {
        self.service.handle(request).await.map(Body::new)
    }

    fn unreadable_body(&self, error: &axum::Error) -> Response {
        if error.source().is_some_and(|source| source.is::<LengthLimitError>()) {
            return self.body_too_long();
        }
        let message = "the body of the request is incomplete or not encoded as its headers declare";
        error_response(StatusCode::BAD_REQUEST, -32600, message)
    }

    fn body_too_long(&self) -> Response {
        error_response(
            StatusCode::PAYLOAD_TOO_LARGE,
            -32600,
            &format!("a message may have at most {} bytes", self.max_body),
        )
    }
}

/// The bearer token of a request, if it has one.
fn presented_token(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    // The scheme is case-insensitive (RFC 9110, section 11.1), the token is not.
    let (scheme, rest) = value.split_at_checked("Bearer ".len())?;
    let token = rest.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"Bearer ") && !token.is_empty()).then_some(token)
}

/// Rejects a request without the token, or from a web page.
fn reject(gateway: &Gateway, headers: &HeaderMap) -> Option<Response> {
    if !hosts::are_well_formed(headers) {
        let message = "`Host` or `Origin` is malformed";
        return Some(error_response(StatusCode::FORBIDDEN, -32600, message));
    }
    if gateway.is_authorized(headers) {
        return None;
    }
    // RFC 6750, section 3.1: a request without a token gets no error code.
    let (message, challenge) = if presented_token(headers).is_some() {
        ("the bearer token is wrong", r#"Bearer error="invalid_token""#)
    } else {
        ("this server needs a bearer token", "Bearer")
    };
    let mut response = error_response(StatusCode::UNAUTHORIZED, -32600, message);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    Some(response)
}

/// Answers requests to a profile that is not served. Only holders of the token learn that.
async fn unknown_profile(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Response {
    let message = "there is no such profile; the address of all tools is `/mcp`";
    reject(&gateway, &headers)
        .unwrap_or_else(|| error_response(StatusCode::NOT_FOUND, -32600, message))
}

async fn mcp(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    if let Some(rejection) = reject(&gateway, request.headers()) {
        return rejection;
    }
    match *request.method() {
        Method::POST => gateway.post(request).await,
        Method::DELETE => {
            let mut response = gateway.forward(request).await;
            // The session is already closed. The Python client logs a warning for 202.
            if response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            response
        }
        _ => {
            let priming = Priming::of_headers(request.headers());
            priming.filter(gateway.forward_in_session(request).await)
        }
    }
}

/// Explains the server to a person with a browser. The page is static and reveals nothing about the
/// crib.
async fn landing_page() -> Response {
    let mut response = Response::new(Body::from(LANDING_PAGE));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'"),
    );
    response
}

/// Answers a health check. Only holders of the token learn what is served: the check is outside of the
/// validation of `Host`, so that a web page could ask as well.
async fn health(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Response {
    if !hosts::are_well_formed(&headers) || !hosts::is_known(&headers, &gateway.hosts) {
        return error_response(StatusCode::FORBIDDEN, -32600, "this `Host` is not accepted");
    }
    if gateway.token.is_none() || !gateway.is_authorized(&headers) {
        return respond(StatusCode::OK, &json!({"status": "ok"}));
    }
    let identity = gateway.server.identity();
    let tools = gateway.server.snapshot().len();
    respond(
        StatusCode::OK,
        &json!({"status": "ok", "name": identity.name, "version": identity.version, "tools": tools}),
    )
}

/// Answers a message that the library cannot read, for example because a number is too large for any
/// type, with a JSON-RPC error. The library sends plain text, without the id of the request.
fn explain_unreadable(response: Response, body: &[u8]) -> Response {
    let Err(problem) = serde_json::from_slice::<Value>(body) else {
        return response;
    };
    let id = serde_json::from_slice::<IdOnly>(body).ok().and_then(|only| only.id);
    let message = format!("cannot be read as JSON: {problem}");
    respond(
        StatusCode::BAD_REQUEST,
        &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32700, "message": message}}),
    )
}

/// Whether the client expects priming events in the session that this handshake opens.
fn requested_priming(body: &[u8]) -> Priming {
    let revision = serde_json::from_slice(body)
        .map_or_else(|_| String::new(), |Handshake { params }| params.protocol_version);
    Priming::of_revision(&revision)
}

fn invalid_message(problem: &serde_json::Error) -> Response {
    // Valid JSON of another shape is -32600 (invalid request), anything else -32700 (parse error).
    if problem.is_data() {
        let message = "not a JSON-RPC 2.0 message; batches are not part of the protocol";
        return error_response(StatusCode::BAD_REQUEST, -32600, message);
    }
    error_response(StatusCode::BAD_REQUEST, -32700, &format!("not JSON: {problem}"))
}

fn error_response(status: StatusCode, code: i32, message: &str) -> Response {
    respond(
        status,
        // `id` is null, because the message was not read and its id is unknown.
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

/// Compares in constant time, so that the response time does not reveal a prefix of the token.
fn is_equal(presented: &[u8], expected: &[u8]) -> bool {
    let differences =
        presented.iter().zip(expected).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
    // `zip` stops at the shorter one. The length of the token is no secret.
    presented.len() == expected.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::is_equal;

    #[test]
    fn compares_whole_tokens() {
        assert!(is_equal(b"secret", b"secret"));
        for wrong in [&b"secreT"[..], b"secre", b"secret2", b""] {
            assert!(!is_equal(wrong, b"secret"));
        }
    }
}
