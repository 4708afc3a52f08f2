//! A call that outlives its request: what is known and kept about it.
//!
//! This is plain data. [`Operations`](crate::Operations) runs operations, a
//! [`Journal`](crate::journal::Journal) keeps them.

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

/// Where results can be read as resources; the id of the operation follows.
pub const RESULTS: &str = "toolcrib://operation/";

/// Who may see and end an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owner(pub String);

/// How far an operation has come in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for its turn.
    Pending,
    /// It runs.
    Running,
    /// It has a question and waits for the answer.
    WaitingForInput,
    /// It ended well.
    Completed,
    /// It ended badly.
    Failed,
    /// It was ended on request, or because its server ended.
    Cancelled,
    /// It was ended when its time was over.
    TimedOut,
    /// Its server died under it.
    Lost,
}

impl State {
    /// All of them, in the order of a life.
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

    /// Its name for programs.
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

    /// The state of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether nothing more will happen.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::WaitingForInput)
    }

    /// What an outcome says about how its call ended.
    pub(crate) fn of_outcome(outcome: &Outcome) -> Self {
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

/// What an operation says about how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// From 0 to 1, where it is known.
    pub fraction: Option<f64>,
    /// What is being done, or the place in the queue.
    pub message: Option<String>,
}

/// A call that outlives its request.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its id, unique for ever.
    pub id: OperationId,
    /// Who may see and end it.
    pub owner: Owner,
    /// The name of its tool.
    pub tool: String,
    /// Its arguments; secret ones are blacked out.
    pub arguments: Arguments,
    /// How far it is in its life.
    pub state: State,
    /// When it was asked for.
    pub created: SystemTime,
    /// When it got its turn.
    pub started: Option<SystemTime>,
    /// When it ended.
    pub ended: Option<SystemTime>,
    /// How long it ran; by a clock that does not jump.
    pub elapsed: Duration,
    /// The server that runs it.
    pub server: ServerId,
    /// The private folder in the environment of each of its processes, by which they are found.
    pub folder: PathBuf,
    /// The leader of its process group, once it has one.
    pub leader: Option<ProcessId>,
    /// How far it is.
    pub progress: Progress,
    /// The last line that it printed.
    pub last_line: Option<String>,
    /// What its tool says to do meanwhile.
    pub hint: Option<String>,
    /// What came of it. Lists leave it out.
    pub outcome: Option<Outcome>,
    /// Whether its owner has been given the outcome.
    pub collected: bool,
}

impl Operation {
    /// The answer to a call that became this operation: what was started, then the tool's hint. How
    /// the result reaches the client is for the server to add.
    pub fn started_outcome(&self) -> Outcome {
        let started =
            format!("`{}` was started as operation {}. It is not done yet.", self.tool, self.id);
        let texts = [Some(started), self.hint.clone()].into_iter().flatten();
        let structured = json!({"status": "started", "operation_id": self.id});
        Outcome::structured(texts.map(Content::Text).collect(), structured)
    }

    /// The operation that an answer says was started.
    pub fn started_by(outcome: &Outcome) -> Option<OperationId> {
        let structured = outcome.structured.as_ref()?;
        let id = structured.get("operation_id").and_then(Value::as_str)?;
        (structured.get("status").and_then(Value::as_str) == Some("started"))
            .then(|| id.parse().ok())
            .flatten()
    }
}
