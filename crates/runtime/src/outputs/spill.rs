//! The way of a long output to its file, while the program is still writing it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use tokio::{fs::File, io::AsyncWriteExt, task::spawn_blocking};

use super::{Outputs, SCHEME, random_id};
use crate::capture::Stream;

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

    /// Starts a file with what is there so far. `None` if the disk will not have it.
    pub(crate) async fn open(&self, stream: Stream, beginning: &[u8]) -> Option<Whole> {
        let id = self.id()?;
        let outputs = Arc::clone(self.outputs);
        let uri = format!("{SCHEME}{id}/{}", stream.name());
        let file = spawn_blocking(move || outputs.create(&id, stream)).await.ok()?;
        let file = file
            .inspect_err(|error| tracing::warn!(%error, "a long output could not be kept"))
            .ok()?;
        let mut whole = Whole {
            file: Some(File::from_std(file)),
            uri,
            length: 0,
            longest: self.outputs.longest,
            bytes: Arc::clone(&self.bytes),
        };
        whole.write(beginning).await;
        Some(whole)
    }

    /// Both streams of a call share an id.
    fn id(&self) -> Option<String> {
        match self.id.get() {
            Some(id) => Some(id.clone()),
            None => random_id().ok().map(|id| self.id.get_or_init(|| id).clone()),
        }
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

/// A file that takes a whole stream.
pub(crate) struct Whole {
    /// Gone if writing failed.
    file: Option<File>,
    uri: String,
    length: u64,
    longest: u64,
    bytes: Arc<AtomicU64>,
}

impl Whole {
    /// Adds to it, up to its longest.
    pub(crate) async fn write(&mut self, chunk: &[u8]) {
        let chunk = &chunk
            [..chunk.len().min(usize::try_from(self.longest - self.length).unwrap_or(usize::MAX))];
        let Some(file) = &mut self.file else { return };
        match file.write_all(chunk).await {
            Ok(()) => {
                self.length += chunk.len() as u64;
                self.bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::warn!(%error, "a long output could not be kept");
                self.file = None;
            }
        }
    }

    /// Its address and length, once everything is in the file.
    pub(crate) async fn finish(self) -> Option<(String, u64)> {
        self.file?.flush().await.ok()?;
        Some((self.uri, self.length))
    }
}
