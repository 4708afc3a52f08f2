//! The context of a handler during one call.

mod services;

use std::{future::Future, sync::Arc};

use catalog::{ErrorType, Failure, Outcome, Tool};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use services::Services;

use crate::{
    Answer, Arguments, Capability, Change, Client, Interrupt, Level, Progress, Question,
    ToolStorage, client::NoClient,
};

/// The surroundings of one call: its client, its owner, its cancellation and the server's services.
/// Cloning is cheap, and clones share the saved state.
#[derive(Clone)]
pub struct Context {
    client: Arc<dyn Client>,
    cancel: CancellationToken,
    saved_state: Arc<Mutex<Option<Vec<u8>>>>,
    owner: Arc<str>,
    services: Option<Arc<dyn Services>>,
}

impl Context {
    /// A context for one call, owned by the local user.
    pub fn new(client: Arc<dyn Client>, cancel: CancellationToken) -> Self {
        Self { client, cancel, saved_state: Arc::default(), owner: "local".into(), services: None }
    }

    /// A context without a client, for a call from a terminal or a test.
    pub fn detached(cancel: CancellationToken) -> Self {
        Self::new(Arc::new(NoClient), cancel)
    }

    /// The same context with another cancellation token.
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// The same context for another owner.
    pub fn with_owner(self, owner: impl Into<Arc<str>>) -> Self {
        Self { owner: owner.into(), ..self }
    }

    /// The same context with the services of a server.
    pub fn with_services(self, services: Arc<dyn Services>) -> Self {
        Self { services: Some(services), ..self }
    }

    /// The owner of the call, who may see its operations and whose state it works on.
    pub fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    /// Completes when the call is cancelled.
    pub fn cancelled(&self) -> impl Future<Output = ()> + '_ {
        self.cancel.cancelled()
    }

    /// The token that is cancelled together with the call.
    pub fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Reports that `done` of `total` is done.
    pub async fn report_progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let message = message.map(str::to_owned);
        self.client.report_progress(Progress { done, total, message }).await;
    }

    /// Sends a log message to the client.
    pub async fn log(&self, level: Level, data: impl Into<Value>) {
        self.client.log(level, data.into()).await;
    }

    /// Asks one question. The key identifies it among the questions of the call.
    ///
    /// With `?` the handler may stop here and be called again once the answer is known, so do
    /// nothing before this that must not happen twice.
    pub async fn ask(&self, key: &str, question: Question) -> Result<Answer, Interrupt> {
        let answers = self.ask_all(vec![(key.to_owned(), question)]).await?;
        answers
            .into_iter()
            .next()
            .ok_or_else(|| Interrupt::Invalid(format!("no answer to `{key}`")))
    }

    /// Asks several questions at once. Answers are in the order of the questions.
    pub async fn ask_all(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<Answer>, Interrupt> {
        // Cloned and not taken: a call may ask several times.
        let state = self.saved_state.lock().clone();
        self.client.ask(questions, state).await
    }

    /// Saves state for the repeated call, which reads it with [`Context::saved_state`].
    pub fn save_state(&self, state: impl Into<Vec<u8>>) {
        *self.saved_state.lock() = Some(state.into());
    }

    /// The state that was saved before the call was repeated.
    pub fn saved_state(&self) -> Option<Vec<u8>> {
        self.client.saved_state()
    }

    /// Whether the client declared this capability.
    pub fn supports(&self, capability: Capability) -> bool {
        self.client.supports(capability)
    }

    /// Whether answers of the client can be taken for those of a person.
    pub fn speaks_for_person(&self) -> bool {
        self.client.speaks_for_person()
    }

    /// Notifies every subscribed client of a change.
    pub async fn notify_changed(&self, change: Change) {
        self.client.notify_changed(change).await;
    }

    /// Calls another tool, by its served or its bare name. The call is validated, approved and
    /// recorded like any call of the same owner. A typed function of the same program can also be
    /// called directly.
    pub async fn call(&self, name: &str, arguments: Arguments) -> Result<Outcome, Interrupt> {
        match &self.services {
            Some(services) => services.call(name, arguments, self.clone()).await,
            None => Err(Interrupt::Invalid(format!(
                "`{name}` cannot be called: this call runs without a server"
            ))),
        }
    }

    /// Another tool that can be called here, by its served or its bare name.
    pub fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        self.services.as_ref()?.tool(name)
    }

    /// The name under which a tool is served here; `name` itself if it is not known.
    pub fn served_name(&self, name: &str) -> String {
        self.services
            .as_ref()
            .and_then(|services| services.served_name(name))
            .unwrap_or_else(|| name.to_owned())
    }

    /// The values that this tool stores for this owner. Fails if the server has no store.
    pub fn storage(&self) -> Result<ToolStorage, Failure> {
        let storage = self.services.as_ref().and_then(|services| services.storage());
        storage.ok_or_else(|| Failure::new(ErrorType::NotKept, "this server stores nothing"))
    }
}
