//! What is logged of every call, whatever runs it: that it was made, and what came of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use catalog::{Mode, Outcome, Tool};
use toolkit::Interrupt;

/// What a log is filtered by to have calls, or to have everything else.
pub const CALLS: &str = "toolcrib::calls";

/// A call that was logged. It is held by the caller and, where the call becomes an operation, by
/// that; the first to know the end says it.
#[derive(Clone)]
pub(crate) struct Log(Arc<Entry>);

struct Entry {
    tool: Arc<Tool>,
    request: Option<String>,
    begun: Instant,
    is_over: AtomicBool,
}

impl Log {
    /// Says that a call was made. Its arguments are not the log's business.
    pub(crate) fn called(tool: &Arc<Tool>, request: Option<&str>) -> Self {
        tracing::trace!(target: CALLS, tool = tool.name, request, "Tool called: {}", tool.name);
        Self(Arc::new(Entry {
            tool: Arc::clone(tool),
            request: request.map(str::to_owned),
            begun: Instant::now(),
            is_over: AtomicBool::new(false),
        }))
    }

    /// Says what came of it, once. An operation that was started has not come to anything yet.
    pub(crate) fn ended(&self, result: Result<&Outcome, &Interrupt>) {
        let kind = result.map_or_else(|_| "interrupted".to_owned(), outcome_kind);
        if kind != "started" && !self.0.is_over.swap(true, Ordering::Relaxed) {
            self.0.say(result, &kind);
        }
    }
}

impl Entry {
    fn say(&self, result: Result<&Outcome, &Interrupt>, outcome: &str) {
        let Self { tool, request, begun, .. } = self;
        let name = &tool.name;
        let duration_ms = begun.elapsed().as_secs_f64() * 1000.0;
        match (result, tool.mode) {
            (Err(Interrupt::Ask { .. }), _) => {
                tracing::trace!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} has questions");
            }
            (Err(interrupt), _) => {
                tracing::error!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} failed: {interrupt:?}");
            }
            (Ok(ended), _) if ended.failed => {
                tracing::error!(target: CALLS, tool = name, request, duration_ms, outcome, "Tool {name} failed: {}", one_line(error(ended)));
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

/// What came of a call, in a word.
pub(crate) fn kind(result: &Result<Outcome, Interrupt>) -> String {
    match result {
        Ok(outcome) => outcome_kind(outcome),
        Err(_) => "interrupted".to_owned(),
    }
}

/// What came of a call that came to an outcome, in a word.
pub(crate) fn outcome_kind(outcome: &Outcome) -> String {
    match (outcome.failed, field(outcome, "error_type"), field(outcome, "status")) {
        (true, kind, _) => kind.unwrap_or("failed").to_owned(),
        (false, _, Some("started")) => "started".to_owned(),
        (false, _, _) => "ok".to_owned(),
    }
}

fn error(outcome: &Outcome) -> &str {
    field(outcome, "error_message")
        .or_else(|| field(outcome, "error"))
        .unwrap_or("it did not say why")
}

/// A text that stays in its line of the log.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn field<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a str> {
    outcome.structured.as_ref()?.get(name)?.as_str()
}
