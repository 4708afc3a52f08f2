//! The way of a long output to its file, while the program is still writing it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use process::{OutputFile, OutputSink, OutputStream, random_id};
use tokio::task::spawn_blocking;
use toolkit::BoxFuture;
use workers::results::ResultSink;

use super::{OutputKind, Outputs, SCHEME};

/// Where the streams of one call go when they are long. Costs nothing until they are.
pub(crate) struct Spill<'a> {
    outputs: &'a Arc<Outputs>,
    id: OnceLock<String>,
    /// Whether it belongs to an operation, and goes when that is forgotten.
    is_kept: bool,
    bytes: Arc<AtomicU64>,
}

impl<'a> Spill<'a> {
    /// For one call.
    pub(crate) fn new(outputs: &'a Arc<Outputs>) -> Self {
        Self { outputs, id: OnceLock::new(), is_kept: false, bytes: Arc::default() }
    }

    /// For an operation, or a step of one.
    pub(crate) fn of_operation(outputs: &'a Arc<Outputs>, id: String) -> Self {
        Self { outputs, id: OnceLock::from(id), is_kept: true, bytes: Arc::default() }
    }

    /// A new file for one of the outputs. `None` if it cannot be created.
    pub(crate) async fn create(&self, kind: OutputKind) -> Option<OutputFile> {
        let id = self.id()?;
        let outputs = Arc::clone(self.outputs);
        let uri = format!("{SCHEME}{id}/{}", kind.name());
        let file = spawn_blocking(move || outputs.create(&id, kind)).await.ok()?;
        let file = file
            .inspect_err(|error| tracing::warn!(%error, "a long output could not be kept"))
            .ok()?;
        Some(OutputFile::new(file, uri, self.outputs.longest, Arc::clone(&self.bytes)))
    }

    /// Both streams of a call share an id.
    fn id(&self) -> Option<String> {
        match self.id.get() {
            Some(id) => Some(id.clone()),
            None => random_id().ok().map(|id| self.id.get_or_init(|| id).clone()),
        }
    }
}

impl OutputSink for Spill<'_> {
    fn open(&self, stream: OutputStream) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(self.create(stream.into()))
    }
}

impl ResultSink for Spill<'_> {
    fn open_value(&self) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(self.create(OutputKind::Value))
    }
}

impl Drop for Spill<'_> {
    /// The call is over, one way or another: what it left counts from now on.
    fn drop(&mut self) {
        if let Some(id) = self.id.take().filter(|_| !self.is_kept) {
            self.outputs.keep(id, self.bytes.load(Ordering::Relaxed));
        }
    }
}
