//! The state of one client's connection: a stdio process, the session of a legacy HTTP client, or a
//! single modern HTTP request.

#![expect(deprecated, reason = "logging is deprecated, but legacy clients use it")]

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::http::{header::USER_AGENT, request::Parts};
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer,
    model::{LoggingLevel, PaginatedRequestParams},
    service::RequestContext,
};
use runtime::{Session, operation::Owner};
use serde_json::Value;

use crate::{
    Server,
    active_request::{ActiveRequest, Answers},
    era::Era,
    request_limiter::RequestLimiter,
    request_state::InvalidState,
    shutdown::ShutdownSignals,
    subscribers::{LogThreshold, WatchedUris},
};

/// The metadata key of a modern request with the name and version of the client.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Maximum length of a client's name and version in the log, in bytes.
const MAX_CLIENT_NAME: usize = 80;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// The state of one client's connection.
pub(crate) struct Connection {
    pub(crate) server: Server,
    pub(crate) limiter: Arc<RequestLimiter>,
    pub(crate) shutdown: ShutdownSignals,
    /// The owner of its calls and operations.
    pub(crate) owner: Arc<str>,
    /// Whether its client was authenticated, so that its answers are those of a person.
    pub(crate) speaks_for_person: bool,
    /// Whether the end of the connection cancels the operations that it started.
    pub(crate) ends_operations: bool,
    /// The R and Python state that its calls work on.
    pub(crate) session: Session,
    /// Tells connections apart.
    id: u64,
    pub(crate) log_threshold: LogThreshold,
    pub(crate) watched: WatchedUris,
}

impl Connection {
    pub(crate) fn new(
        server: Server,
        owner: Arc<str>,
        limiter: Arc<RequestLimiter>,
        shutdown: ShutdownSignals,
    ) -> Self {
        Self {
            server,
            limiter,
            shutdown,
            owner,
            speaks_for_person: true,
            ends_operations: false,
            session: Session::default(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            log_threshold: Arc::new(Mutex::new(LoggingLevel::Info)),
            watched: WatchedUris::default(),
        }
    }

    /// The client that made a request, as far as clients can be told apart. A modern HTTP request
    /// belongs to no connection, so that only the client's own description is left.
    pub(crate) fn caller(&self, cx: &RequestContext<RoleServer>) -> Arc<str> {
        if Era::of(cx) == Era::Legacy {
            return format!("{} {}", self.owner, self.id).into();
        }
        let info = cx.meta.get(CLIENT_INFO);
        let field = |name| info.and_then(|info| info[name].as_str()).unwrap_or_default();
        let agent = cx.extensions.get::<Parts>().and_then(|parts| parts.headers.get(USER_AGENT));
        let agent = agent.and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        format!("{} {}/{} {agent}", self.owner, field("name"), field("version")).into()
    }

    /// The client's name and version from `clientInfo`, for the log.
    pub(crate) fn client(&self, cx: &RequestContext<RoleServer>) -> Option<Arc<str>> {
        let own = match Era::of(cx) {
            Era::Legacy => {
                let info = cx.peer.peer_info()?;
                format!("{} {}", info.client_info.name, info.client_info.version)
            }
            Era::Modern => {
                let info = cx.meta.get(CLIENT_INFO)?;
                let field = |name: &str| info[name].as_str().unwrap_or_default();
                format!("{} {}", field("name"), field("version"))
            }
        };
        let own = own.trim();
        // The text is chosen by the client, so its length is bounded.
        (!own.is_empty()).then(|| own[..own.floor_char_boundary(MAX_CLIENT_NAME)].into())
    }

    /// The owner as operations take it.
    pub(crate) fn owner(&self) -> Owner {
        Owner(self.owner.to_string())
    }

    /// Starts to answer a request that may ask the client. `state` and `answers` come from earlier
    /// round trips; `binding` is what the state must have been sealed for.
    pub(crate) fn open_request(
        &self,
        cx: RequestContext<RoleServer>,
        state: Option<&str>,
        answers: Option<BTreeMap<String, Value>>,
        binding: impl Fn() -> Vec<u8>,
    ) -> Result<Arc<ActiveRequest>, ErrorData> {
        // 2026-07-28 requires -32602 for an unknown level; the library reads it as absent.
        if cx.meta.contains_key("io.modelcontextprotocol/logLevel") && cx.meta.log_level().is_none()
        {
            return Err(ErrorData::invalid_params("unknown log level", None));
        }
        // Opened with the binding of this request: state that was sealed for other arguments fails
        // here.
        let accepted = state.map(|sealed| self.server.sealer.open(sealed, &binding())).transpose();
        let accepted = accepted.map_err(|InvalidState| {
            let message = "the request state is invalid, expired or belongs to another request; \
                           repeat the request without it";
            ErrorData::invalid_params(message, None)
        })?;
        let answers = Answers {
            received: answers.unwrap_or_default(),
            accepted: accepted.unwrap_or_default(),
        };
        let log_threshold = *self.log_threshold.lock();
        let subscribers = self.server.subscribers.clone();
        let request = ActiveRequest::new(cx, subscribers, log_threshold, answers);
        Ok(Arc::new(request.speaking_for_person(self.speaks_for_person)))
    }
}

/// Rejects a cursor for a list that is never split into pages. An empty one is valid and means the
/// start.
pub(crate) fn reject_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        // -32602, as both revisions ask for.
        Some(cursor) if !cursor.is_empty() => Err(unknown_cursor()),
        _ => Ok(()),
    }
}

/// The error for a cursor that no page ended with.
pub(crate) fn unknown_cursor() -> ErrorData {
    ErrorData::invalid_params("unknown cursor; list again from the start", None)
}
