//! A call that outlives its request, as plain data. [`Operations`](crate::Operations) runs operations,
//! a [`Journal`](crate::journal::Journal) records them.

mod id;

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use catalog::{Content, ErrorType, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::Arguments;

pub use id::{ApprovalId, NotAnId, OperationId};
pub use process::{ProcessId, ServerId};

/// The URI prefix of results; the id of the operation follows.
pub const RESULTS: &str = "toolcrib://operation/";

/// The owner of an operation, who may see and cancel it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owner(pub String);

/// The state of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is queued.
    Pending,
    /// It runs.
    Running,
    /// It has asked its owner and waits for the answer.
    WaitingForInput,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled on request, or because its server stopped.
    Cancelled,
    /// It was stopped at its timeout.
    TimedOut,
    /// Its server died before it ended.
    Lost,
}

impl State {
    /// All states, in the order in which they occur.
    pub const ALL: [Self; 8] = [
        Self::Pending,
        Self::Running,
        Self::WaitingForInput,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
        Self::Lost,
    ];

    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::WaitingForInput => "waiting_for_input",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
            Self::Lost => "lost",
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether the state will not change any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::WaitingForInput)
    }

    /// The final state that an outcome means.
    pub(crate) fn from_outcome(outcome: &Outcome) -> Self {
        if !outcome.failed {
            return Self::Completed;
        }
        match outcome.error_type() {
            Some(ErrorType::Cancelled) => Self::Cancelled,
            Some(ErrorType::TimedOut) => Self::TimedOut,
            Some(ErrorType::Lost) => Self::Lost,
            _ => Self::Failed,
        }
    }
}

/// The progress of an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// From 0 to 1, where it is known.
    pub fraction: Option<f64>,
    /// The current activity, or the position in the queue.
    pub message: Option<String>,
}

/// A call that outlives its request.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// A random id.
    pub id: OperationId,
    /// Its owner, who may see and cancel it.
    pub owner: Owner,
    /// The name of its tool.
    pub tool: String,
    /// Its arguments, with secrets redacted.
    pub arguments: Arguments,
    /// Its current state.
    pub state: State,
    /// When it was requested.
    pub created: SystemTime,
    /// When it left the queue.
    pub started: Option<SystemTime>,
    /// When it ended.
    pub ended: Option<SystemTime>,
    /// Run time, measured by a monotonic clock.
    pub elapsed: Duration,
    /// The server that runs it.
    pub server: ServerId,
    /// The private folder in the environment of its processes, by which recovery finds them.
    pub folder: PathBuf,
    /// The leader of its process group, once it has one.
    pub leader: Option<ProcessId>,
    /// Its latest progress.
    pub progress: Progress,
    /// The last line that it printed.
    pub last_line: Option<String>,
    /// The tool's hint on what to do meanwhile.
    pub hint: Option<String>,
    /// Its outcome once it has ended. Lists leave it out.
    pub outcome: Option<Outcome>,
    /// Whether its owner has received the outcome.
    pub collected: bool,
    /// The size of its output files, set when it ends. Journals add it up for pruning, but do not
    /// return it.
    pub output_bytes: u64,
}

impl Operation {
    /// The answer to the call that started it: a notice, then the tool's hint. The server adds how the
    /// client gets the result.
    pub fn started_outcome(&self) -> Outcome {
        let started =
            format!("`{}` was started as operation {}. It is not done yet.", self.tool, self.id);
        let texts = [Some(started), self.hint.clone()].into_iter().flatten();
        let mut structured = json!({"status": "started", "operation_id": self.id});
        // Some clients show a model only the structured content.
        if let Some(hint) = &self.hint {
            structured["hint"] = json!(hint);
        }
        Outcome::structured(texts.map(Content::Text).collect(), structured)
    }

    /// The operation that such an answer names.
    pub fn started_by(outcome: &Outcome) -> Option<OperationId> {
        let structured = outcome.structured.as_ref()?;
        let id = structured.get("operation_id").and_then(Value::as_str)?;
        (structured.get("status").and_then(Value::as_str) == Some("started"))
            .then(|| id.parse().ok())
            .flatten()
    }
}
