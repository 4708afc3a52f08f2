//! Logs every call twice: when it is made, and its outcome.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use catalog::{ErrorType, Mode, Outcome, Tool};
use toolkit::{Arguments, Interrupt};

use crate::redaction::Redaction;

/// The log target of calls, by which logs are filtered.
pub const CALLS: &str = "toolcrib::calls";

/// The log entry of a call. The caller and the operation that the call may become share it; whichever
/// learns the outcome first logs it.
#[derive(Clone)]
pub(crate) struct CallLog(Arc<Entry>);

struct Entry {
    tool: Arc<Tool>,
    request: Option<String>,
    begun: Instant,
    is_logged: AtomicBool,
    redaction: Redaction,
}

impl CallLog {
    /// Logs that a call was made, without its arguments, which may be secret.
    pub(crate) fn start(tool: &Arc<Tool>, arguments: &Arguments, request: Option<&str>) -> Self {
        tracing::trace!(target: CALLS, tool = tool.name, request, "Tool called: {}", tool.name);
        Self(Arc::new(Entry {
            tool: Arc::clone(tool),
            request: request.map(str::to_owned),
            begun: Instant::now(),
            is_logged: AtomicBool::new(false),
            redaction: Redaction::new(tool, arguments),
        }))
    }

    /// Removes the secrets of the call from texts.
    pub(crate) fn redaction(&self) -> &Redaction {
        &self.0.redaction
    }

    /// Logs the outcome, once. The notice that an operation was started is not an outcome.
    pub(crate) fn finish(&self, result: Result<&Outcome, &Interrupt>) {
        let kind = result.map_or_else(|_| "interrupted".to_owned(), outcome_kind);
        // The operation ends in another task, which holds a clone; the flag decides which of the
        // two logs.
        if kind != "started" && !self.0.is_logged.swap(true, Ordering::Relaxed) {
            self.0.write(result, &kind);
        }
    }
}

impl Entry {
    fn write(&self, result: Result<&Outcome, &Interrupt>, outcome: &str) {
        let Self { tool, request, begun, .. } = self;
        let name = &tool.name;
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        match (result, tool.mode) {
            (Err(Interrupt::Ask { .. }), _) => {
                tracing::trace!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} has questions");
            }
            (Err(interrupt), _) => {
                tracing::error!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} failed: {interrupt:?}");
            }
            // Neither is a fault: a person has yet to decide, or the caller changed its mind. How to
            // approve was logged when the request was recorded.
            (Ok(ended), _) if ended.error_type() == Some(ErrorType::ApprovalRequired) => {
                tracing::info!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} was not run: it needs approval");
            }
            (Ok(ended), _) if ended.error_type() == Some(ErrorType::Cancelled) => {
                tracing::info!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} was cancelled");
            }
            (Ok(ended), _) if ended.failed => {
                let mut message = to_one_line(error_message(ended));
                self.redaction.redact(&mut message);
                tracing::error!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} failed: {message}");
            }
            (Ok(_), Mode::Asynchronous) => {
                tracing::trace!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} completed successfully");
            }
            (Ok(_), Mode::Synchronous) => {
                tracing::debug!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} completed successfully");
            }
        }
    }
}

/// The outcome of a call in one word, as audit lines have it.
pub(crate) fn result_kind(result: &Result<Outcome, Interrupt>) -> String {
    match result {
        Ok(outcome) => outcome_kind(outcome),
        Err(_) => "interrupted".to_owned(),
    }
}

/// `ok`, `started`, or the error type of a failure.
pub(crate) fn outcome_kind(outcome: &Outcome) -> String {
    match (outcome.failed, field(outcome, "error_type"), field(outcome, "status")) {
        (true, kind, _) => kind.unwrap_or("failed").to_owned(),
        (false, _, Some("started")) => "started".to_owned(),
        (false, _, _) => "ok".to_owned(),
    }
}

fn error_message(outcome: &Outcome) -> &str {
    field(outcome, "error_message")
        .or_else(|| field(outcome, "error"))
        .unwrap_or("no error message")
}

/// Removes line breaks and other control characters, so that a text cannot forge log lines.
fn to_one_line(text: &str) -> String {
    text.split(|c: char| c.is_control())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn field<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a str> {
    outcome.structured.as_ref()?.get(name)?.as_str()
}
