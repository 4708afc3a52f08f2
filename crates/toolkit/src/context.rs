//! What a call knows of its services: its client, and whether it has been cancelled.

use std::{future::Future, sync::Arc};

use catalog::{ErrorType, Failure, Outcome, Tool};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Answer, Arguments, BoxFuture, Interrupt, Question, Services, ToolStorage};

/// The other side of a call, as a tool sees it. Servers implement this; tools use [`Context`].
pub trait Client: Send + Sync {
    /// Reports progress, if the client asked for it.
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()>;

    /// Sends a log message, if the client asked for it.
    fn log(&self, level: Level, data: Value) -> BoxFuture<'_, ()>;

    /// Answers questions: at once, or by an [`Interrupt`] that has the call made again.
    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>>;

    /// What the tool left for itself when the call was made before.
    fn saved_state(&self) -> Option<Vec<u8>>;

    /// Whether the client says that it can do this.
    fn supports(&self, capability: Capability) -> bool;

    /// Tells every client that something changed.
    fn notify_changed(&self, change: Change) -> BoxFuture<'_, ()>;
}

/// What a client may be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Show a form to its user.
    Forms,
    /// Let its model continue a text.
    Sampling,
    /// Name the folders it works on.
    Roots,
    /// Follow work that goes on after its answer, and answer what that work asks.
    Tasks,
}

/// Something a client may have cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource, by its address.
    Resource(String),
}

/// The weight of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For developers.
    Debug,
    /// For the record.
    Info,
    /// Worth a look.
    Warning,
    /// Something failed.
    Error,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Of how much, where that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// What a call knows of its services.
#[derive(Clone)]
pub struct Context {
    client: Arc<dyn Client>,
    cancel: CancellationToken,
    kept: Arc<Mutex<Option<Vec<u8>>>>,
    owner: Arc<str>,
    host: Option<Arc<dyn Services>>,
}

impl Context {
    /// A context for one call, made by the user of this machine.
    pub fn new(client: Arc<dyn Client>, cancel: CancellationToken) -> Self {
        Self { client, cancel, kept: Arc::default(), owner: "local".into(), host: None }
    }

    /// A context with nobody on the other side: a call from a terminal or a test.
    pub fn detached(cancel: CancellationToken) -> Self {
        Self::new(Arc::new(Nobody), cancel)
    }

    /// The same services, ended by something else.
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// The same services, for somebody else.
    pub fn with_owner(self, owner: impl Into<Arc<str>>) -> Self {
        Self { owner: owner.into(), ..self }
    }

    /// The same services, in a server.
    pub fn with_services(self, host: Arc<dyn Services>) -> Self {
        Self { host: Some(host), ..self }
    }

    /// Who calls: whose operations and state are meant.
    pub fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    /// Ends when the call is cancelled.
    pub fn cancelled(&self) -> impl Future<Output = ()> + '_ {
        self.cancel.cancelled()
    }

    /// Cancelled when the call is.
    pub fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Reports that `done` of `total` is done.
    pub async fn report_progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.client
            .report_progress(Progress { done, total, message: message.map(str::to_owned) })
            .await;
    }

    /// Sends a log message to the client.
    pub async fn log(&self, level: Level, data: impl Into<Value>) {
        self.client.log(level, data.into()).await;
    }

    /// Asks one question. With `?` the call ends here and is made again once the answer is known:
    /// do nothing before it that must not happen twice. Keys tell the questions of a call apart.
    pub async fn ask(&self, key: &str, question: Question) -> Result<Answer, Interrupt> {
        let answers = self.ask_all(vec![(key.to_owned(), question)]).await?;
        answers
            .into_iter()
            .next()
            .ok_or_else(|| Interrupt::Invalid(format!("no answer to `{key}`")))
    }

    /// Asks several questions at once; answers come in their order.
    pub async fn ask_all(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<Answer>, Interrupt> {
        let state = self.kept.lock().clone();
        self.client.ask(questions, state).await
    }

    /// Leaves something for the repeated call, which finds it with [`Context::saved_state`].
    pub fn save_state(&self, state: impl Into<Vec<u8>>) {
        *self.kept.lock() = Some(state.into());
    }

    /// What was kept when the call was made before.
    pub fn saved_state(&self) -> Option<Vec<u8>> {
        self.client.saved_state()
    }

    /// Whether the client says that it can do this.
    pub fn supports(&self, capability: Capability) -> bool {
        self.client.supports(capability)
    }

    /// Tells every client that something changed.
    pub async fn notify_changed(&self, change: Change) {
        self.client.notify_changed(change).await;
    }

    /// Calls another tool, by its served or its bare name: checked, decided about and recorded as any
    /// call of the same owner. A typed function of the same program can simply be called.
    pub async fn call(&self, name: &str, arguments: Arguments) -> Result<Outcome, Interrupt> {
        match &self.host {
            Some(host) => host.call(name, arguments, self.clone()).await,
            None => Err(Interrupt::Invalid(format!(
                "there is no server around this call to call `{name}`"
            ))),
        }
    }

    /// Another tool that can be called here, by its served or its bare name.
    pub fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        self.host.as_ref()?.tool(name)
    }

    /// The name under which a tool is served here; its own where that is not known.
    pub fn served_name(&self, name: &str) -> String {
        self.host
            .as_ref()
            .and_then(|host| host.served_name(name))
            .unwrap_or_else(|| name.to_owned())
    }

    /// Where this tool keeps things for this owner, if this server keeps anything.
    pub fn storage(&self) -> Result<ToolStorage, Failure> {
        let storage = self.host.as_ref().and_then(|host| host.storage());
        storage.ok_or_else(|| Failure::new(ErrorType::NotKept, "nothing is kept here"))
    }
}

/// The client of a call that has none.
struct Nobody;

impl Client for Nobody {
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
        let lacking = match questions.first() {
            Some((_, Question::Sample { .. })) => Capability::Sampling,
            Some((_, Question::Roots)) => Capability::Roots,
            _ => Capability::Forms,
        };
        Box::pin(std::future::ready(Err(Interrupt::MissingCapability(lacking))))
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
