//! A file that takes the complete text of a long output while it is written.

use tokio::{fs::File, io::AsyncWriteExt};

/// A file for the complete text of one stream.
pub struct OutputFile {
    /// Absent once writing has failed.
    file: Option<File>,
    uri: String,
    length: u64,
    max_bytes: u64,
}

impl OutputFile {
    /// Writes to `file`, up to `max_bytes`. The `uri` is how readers refer to it.
    pub fn new(file: std::fs::File, uri: String, max_bytes: u64) -> Self {
        Self { file: Some(File::from_std(file)), uri, length: 0, max_bytes }
    }

    /// Appends a chunk. Everything beyond the limit is dropped.
    pub async fn write(&mut self, chunk: &[u8]) {
        let room = usize::try_from(self.max_bytes - self.length).unwrap_or(usize::MAX);
        let chunk = &chunk[..chunk.len().min(room)];
        let Some(file) = &mut self.file else { return };
        match file.write_all(chunk).await {
            Ok(()) => self.length += chunk.len() as u64,
            Err(error) => {
                tracing::warn!(%error, "a long output could not be stored");
                self.file = None;
            }
        }
    }

    /// Flushes it and returns its URI and length in bytes; `None` if writing failed.
    pub async fn finish(self) -> Option<(String, u64)> {
        self.file?.flush().await.ok()?;
        Some((self.uri, self.length))
    }
}
