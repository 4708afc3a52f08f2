//! A plain HTTP client for loopback servers: TLS is unnecessary there, and the build needs no TLS
//! library. Each request has a connection of its own.

use std::{
    borrow::Cow,
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header},
};
use futures_util::{StreamExt, stream::BoxStream};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::{Sse, SseStream};
use tokio::net::TcpStream;

/// Maximum length of a response body, in bytes.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// A client for servers on this machine.
#[derive(Clone, Default)]
pub(super) struct LoopbackClient {
    /// Kept here, because the errors of the protocol library do not lead back to the response.
    is_unauthorized: Arc<AtomicBool>,
}

impl LoopbackClient {
    /// Whether the server has answered a message with status 401.
    pub(super) fn is_unauthorized(&self) -> bool {
        self.is_unauthorized.load(Ordering::Relaxed)
    }
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Hyper(#[from] hyper::Error),
    #[error(transparent)]
    Request(#[from] axum::http::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("could not read the response: {0}")]
    Body(String),
}

type HttpResult<T> = Result<T, StreamableHttpError<HttpError>>;

/// Whether a URL is plain HTTP to a loopback address.
pub(super) fn is_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    // `Uri` keeps the brackets of an IPv6 address, which `IpAddr` does not parse.
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_local =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() == Some("http") && is_local
}

impl StreamableHttpClient for LoopbackClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let body = serde_json::to_vec(&message)
            .map_err(|error| StreamableHttpError::Client(error.into()))?;
        let request = OutgoingRequest {
            method: Method::POST,
            uri: &uri,
            session_id,
            auth_header,
            custom_headers,
        };
        let response = request.send(body).await?;
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            self.is_unauthorized.store(true, Ordering::Relaxed);
        }
        // 202 is what the protocol asks for after a notification; some servers send 204.
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = header_text(&response, SESSION);
        let kind = header_text(&response, header::CONTENT_TYPE.as_str()).unwrap_or_default();
        if status.is_success() && kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(into_events(response), session));
        }
        let body = read_body(response).await?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(message) if kind.starts_with(JSON) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => {
                let shown: String = String::from_utf8_lossy(&body).chars().take(200).collect();
                Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!(
                    "{status} {shown}"
                ))))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<()> {
        let request = OutgoingRequest {
            method: Method::DELETE,
            uri: &uri,
            session_id: Some(session_id),
            auth_header,
            custom_headers,
        };
        request.send(Vec::new()).await.map(|_| ())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<BoxStream<'static, Result<Sse, sse_stream::Error>>> {
        let request = OutgoingRequest {
            method: Method::GET,
            uri: &uri,
            session_id,
            auth_header,
            custom_headers,
        };
        let response = request.send(Vec::new()).await?;
        match response.status() {
            // The usual answer of servers without a GET stream, and no error.
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => {
                Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(status.to_string())))
            }
            _ => Ok(into_events(response)),
        }
    }
}

struct OutgoingRequest<'a> {
    method: Method,
    uri: &'a str,
    session_id: Option<Arc<str>>,
    auth_header: Option<String>,
    custom_headers: HashMap<HeaderName, HeaderValue>,
}

impl OutgoingRequest<'_> {
    async fn send(self, body: Vec<u8>) -> HttpResult<Response<Incoming>> {
        self.try_send(body).await.map_err(StreamableHttpError::Client)
    }

    async fn try_send(self, body: Vec<u8>) -> Result<Response<Incoming>, HttpError> {
        let uri: Uri = self.uri.parse().map_err(axum::http::Error::from)?;
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = uri.port_u16().unwrap_or(80);
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let accept = if self.method == Method::GET {
            EVENTS.to_owned()
        } else {
            format!("{JSON}, {EVENTS}")
        };
        let authority =
            uri.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
        let mut request = Request::builder().method(self.method).uri(path);
        request = request
            .header(header::HOST, authority)
            .header(header::ACCEPT, accept)
            .header(header::CONTENT_TYPE, JSON);
        if let Some(token) = self.auth_header {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(session) = self.session_id {
            request = request.header(SESSION, &*session);
        }
        for (name, value) in self.custom_headers {
            request = request.header(name, value);
        }
        let stream = TcpStream::connect((host, port)).await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // hyper drives the connection in a task; it ends when the response has been read.
        tokio::spawn(connection);
        Ok(sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?)
    }
}

fn header_text(response: &Response<Incoming>, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn into_events(response: Response<Incoming>) -> BoxStream<'static, Result<Sse, sse_stream::Error>> {
    // Not limited in size: the timeout of the list bounds it.
    SseStream::new(response.into_body()).boxed()
}

async fn read_body(response: Response<Incoming>) -> HttpResult<Bytes> {
    let body = Limited::new(response.into_body(), MAX_BODY_BYTES).collect().await;
    body.map(|body| body.to_bytes())
        .map_err(|error| StreamableHttpError::Client(HttpError::Body(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn accepts_only_loopback_urls() {
        for here in ["http://127.0.0.1:8080/mcp", "http://localhost:1/mcp", "http://[::1]:9/mcp"] {
            assert!(is_loopback(here), "{here}");
        }
        for away in [
            "http://example.org/mcp",
            "https://127.0.0.1/mcp",
            "http://127.0.0.1.example.org/",
            "file:///etc",
            "x",
        ] {
            assert!(!is_loopback(away), "{away}");
        }
    }
}
