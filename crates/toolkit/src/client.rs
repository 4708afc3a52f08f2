//! The client of a call, as tools see it.

use serde_json::Value;

use crate::{Answer, BoxFuture, Capability, Interrupt, Question};

/// The client that made a call. Servers implement this; tools use [`Context`](crate::Context).
pub trait Client: Send + Sync {
    /// Reports progress, if the client requested it.
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()>;

    /// Sends a log message, if the client requested messages of this level.
    fn log(&self, level: Level, data: Value) -> BoxFuture<'_, ()>;

    /// Asks the client. Returns the answers, or an [`Interrupt`] after which the call is repeated
    /// with them: protocol revisions differ in whether a server can send requests.
    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>>;

    /// The state that the tool saved before the call was repeated.
    fn saved_state(&self) -> Option<Vec<u8>>;

    /// Whether the client declared this capability.
    fn supports(&self, capability: Capability) -> bool;

    /// Whether its answers can be taken for those of a person. Not if any program of the machine
    /// can be this client: a tool could then answer the question whether it may run.
    fn speaks_for_person(&self) -> bool {
        true
    }

    /// Notifies every subscribed client of a change.
    fn notify_changed(&self, change: Change) -> BoxFuture<'_, ()>;
}

/// Something that clients may have cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource, by its URI.
    Resource(String),
}

/// The severity of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for developers.
    Debug,
    /// Normal operation.
    Info,
    /// A possible problem; the call continues.
    Warning,
    /// A failure.
    Error,
}

/// The progress of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The work done so far, in any unit.
    pub done: f64,
    /// The total work in the same unit, if it is known.
    pub total: Option<f64>,
    /// The current step, for people.
    pub message: Option<String>,
}

/// The client of a detached call: ignores notifications and supports nothing.
pub(crate) struct NoClient;

impl Client for NoClient {
    fn report_progress(&self, _: Progress) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn log(&self, _: Level, _: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        _: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        let missing =
            questions.first().map_or(Capability::Forms, |(_, question)| question.capability());
        Box::pin(std::future::ready(Err(Interrupt::MissingCapability(missing))))
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        None
    }

    fn supports(&self, _: Capability) -> bool {
        false
    }

    fn notify_changed(&self, _: Change) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
