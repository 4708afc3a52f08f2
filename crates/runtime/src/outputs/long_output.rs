//! Files for the long outputs of one call.

use std::sync::{Arc, OnceLock};

use process::{OutputFile, OutputSink, OutputStream, random_id};
use tokio::task::spawn_blocking;
use toolkit::BoxFuture;
use workers::results::ResultSink;

use super::{OutputKind, OutputStore, SCHEME, tag_id};
use crate::operation::Owner;

/// Creates the files for the long outputs of one call. Costs nothing until an output is long.
pub(crate) struct LongOutput<'a> {
    outputs: &'a Arc<OutputStore>,
    id: OnceLock<String>,
    owner: Owner,
    /// Whether it belongs to an operation, with which its files are removed.
    belongs_to_operation: bool,
    /// Whether nothing is stored, because the output may repeat secrets of the call.
    is_secret: bool,
}

impl<'a> LongOutput<'a> {
    /// For a call that is not an operation.
    pub(crate) fn new(outputs: &'a Arc<OutputStore>, owner: Owner) -> Self {
        Self { outputs, id: OnceLock::new(), owner, belongs_to_operation: false, is_secret: false }
    }

    /// Stores nothing if the call has secrets: a program may repeat them anywhere in its output.
    pub(crate) fn with_secrets(mut self, is_secret: bool) -> Self {
        self.is_secret = is_secret;
        self
    }

    /// For an operation, or a step of one.
    pub(crate) fn of_operation(outputs: &'a Arc<OutputStore>, id: String, owner: Owner) -> Self {
        let id = OnceLock::from(id);
        Self { outputs, id, owner, belongs_to_operation: true, is_secret: false }
    }

    /// A new file for one of the outputs. `None` if it cannot be created.
    pub(crate) async fn create(&self, kind: OutputKind) -> Option<OutputFile> {
        if self.is_secret {
            return None;
        }
        let id = self.id()?;
        let outputs = Arc::clone(self.outputs);
        let uri = format!("{SCHEME}{id}/{}", kind.name());
        let file = spawn_blocking(move || outputs.create(&id, kind)).await.ok()?;
        let file = file
            .inspect_err(|error| tracing::warn!(%error, "a long output could not be stored"))
            .ok()?;
        Some(OutputFile::new(file, uri, self.outputs.max_bytes))
    }

    /// Stores a text. Returns its URI; `None` if it cannot be stored.
    pub(crate) async fn store(&self, kind: OutputKind, text: &str) -> Option<String> {
        let mut file = self.create(kind).await?;
        file.write(text.as_bytes()).await;
        file.finish().await.map(|(uri, _)| uri)
    }

    /// Tells a caller how to read an output.
    pub(crate) fn access(&self, uri: &str) -> String {
        self.outputs.describe_access(uri)
    }

    /// All outputs of a call share an id.
    fn id(&self) -> Option<String> {
        match self.id.get() {
            Some(id) => Some(id.clone()),
            // Two streams may get here at the same time; the first id counts for both.
            None => {
                let id = tag_id(&random_id().ok()?, &self.owner);
                Some(self.id.get_or_init(|| id).clone())
            }
        }
    }
}

impl OutputSink for LongOutput<'_> {
    fn open(&self, stream: OutputStream) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(self.create(stream.into()))
    }

    fn describe_access(&self, uri: &str) -> String {
        self.outputs.describe_access(uri)
    }
}

impl ResultSink for LongOutput<'_> {
    fn open_value(&self) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(self.create(OutputKind::Value))
    }
}

impl Drop for LongOutput<'_> {
    /// The call has ended, one way or another: its files count towards the limits from now on.
    fn drop(&mut self) {
        match self.id.take() {
            Some(id) if self.belongs_to_operation => self.outputs.count(&id),
            Some(id) => self.outputs.enforce_limits(&id),
            None => {}
        }
    }
}
