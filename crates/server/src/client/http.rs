//! HTTP to a server on this machine: one connection for each request, without encryption, which nobody on
//! the way could read.

use std::{borrow::Cow, collections::HashMap, net::IpAddr, sync::Arc};

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

/// The longest answer that is taken.
const LONGEST: usize = 64 * 1024 * 1024;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// A client of servers on this machine.
#[derive(Clone)]
pub(super) struct Loopback;

/// Why a request came to nothing.
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
    #[error("the answer could not be read: {0}")]
    Body(String),
}

type Answer<T> = Result<T, StreamableHttpError<HttpError>>;

/// Whether a URL leads to this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_here =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() == Some("http") && is_here
}

impl StreamableHttpClient for Loopback {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<StreamableHttpPostResponse> {
        let body = serde_json::to_vec(&message)
            .map_err(|error| StreamableHttpError::Client(error.into()))?;
        let request =
            Asking { method: Method::POST, uri: &uri, session_id, auth_header, custom_headers };
        let response = request.send(body).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = text(&response, SESSION);
        let kind = text(&response, header::CONTENT_TYPE.as_str()).unwrap_or_default();
        if status.is_success() && kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(events(response), session));
        }
        let body = whole(response).await?;
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
    ) -> Answer<()> {
        let request = Asking {
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
    ) -> Answer<BoxStream<'static, Result<Sse, sse_stream::Error>>> {
        let request =
            Asking { method: Method::GET, uri: &uri, session_id, auth_header, custom_headers };
        let response = request.send(Vec::new()).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => {
                Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(status.to_string())))
            }
            _ => Ok(events(response)),
        }
    }
}

/// A request in the making.
struct Asking<'a> {
    method: Method,
    uri: &'a str,
    session_id: Option<Arc<str>>,
    auth_header: Option<String>,
    custom_headers: HashMap<HeaderName, HeaderValue>,
}

impl Asking<'_> {
    async fn send(self, body: Vec<u8>) -> Answer<Response<Incoming>> {
        self.sent(body).await.map_err(StreamableHttpError::Client)
    }

    async fn sent(self, body: Vec<u8>) -> Result<Response<Incoming>, HttpError> {
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
        tokio::spawn(connection);
        Ok(sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?)
    }
}

fn text(response: &Response<Incoming>, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn events(response: Response<Incoming>) -> BoxStream<'static, Result<Sse, sse_stream::Error>> {
    // Bounded by the time that the whole list may take.
    SseStream::new(response.into_body()).boxed()
}

async fn whole(response: Response<Incoming>) -> Answer<Bytes> {
    let body = Limited::new(response.into_body(), LONGEST).collect().await;
    body.map(|body| body.to_bytes())
        .map_err(|error| StreamableHttpError::Client(HttpError::Body(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_this_machine_is_asked() {
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
