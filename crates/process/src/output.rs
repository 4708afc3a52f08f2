//! Captures one output stream of a process: head and tail in memory, the whole in a file if it is
//! long.

use std::future::Future;

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

use crate::output_file::OutputFile;

/// The default capacity of a pipe.
const CHUNK_BYTES: usize = 64 * 1024;
/// Head and tail are cut at a line break if that drops no more than this.
const LINE_BYTES: usize = 4 * 1024;

/// An output stream of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Provides files for streams that are too long to keep in memory.
pub trait OutputSink: Send + Sync {
    /// A new file for a stream; `None` if it cannot be created.
    fn open(&self, stream: OutputStream) -> BoxFuture<'_, Option<OutputFile>>;

    /// Tells the caller how to read a file.
    fn describe_access(&self, uri: &str) -> String {
        format!("it is {uri}")
    }
}

/// Observes one stream while it is read.
pub trait OutputListener: Send {
    /// Called for every chunk, in order.
    fn on_output(&mut self, chunk: &[u8]);

    /// Cancelled once the stream should be in a file from its first byte on, however short it is:
    /// the caller no longer waits for the result, so it will be read from there.
    fn file_requested(&self) -> &CancellationToken;
}

/// A captured stream.
#[derive(Debug, Default)]
pub struct CapturedOutput {
    /// The whole text, or its head and tail with a notice about the omitted part.
    pub text: String,
    /// Whether something was omitted.
    pub is_truncated: bool,
    /// The URI of the file with the whole text, if it was truncated.
    pub uri: Option<String>,
}

/// Captures a stream: all of it in memory if it is short, else its head and tail, with the whole in a
/// file.
pub struct OutputBuffer<'a> {
    stream: OutputStream,
    limit: usize,
    sink: &'a dyn OutputSink,
    head: Vec<u8>,
    /// Empty until the head is full.
    tail: Vec<u8>,
    total: u64,
    file: Option<OutputFile>,
    listener: Option<Box<dyn OutputListener>>,
    /// Whether the file is wanted however short the stream is.
    is_file_requested: bool,
}

impl<'a> OutputBuffer<'a> {
    /// Keeps at most about `limit` bytes in memory.
    pub fn new(stream: OutputStream, limit: usize, sink: &'a dyn OutputSink) -> Self {
        Self {
            stream,
            limit: limit.max(2),
            sink,
            head: Vec::new(),
            tail: Vec::new(),
            total: 0,
            file: None,
            listener: None,
            is_file_requested: false,
        }
    }

    /// Passes every chunk to a listener, too.
    pub fn with_listener(self, listener: Option<Box<dyn OutputListener>>) -> Self {
        Self { listener, ..self }
    }

    /// Reads until EOF. Cancel-safe: everything that was read is kept.
    pub async fn drain(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        loop {
            tokio::select! {
                biased;
                read = pipe.read_buf(&mut chunk) => match read {
                    Ok(1..) => {}
                    Ok(0) | Err(_) => return,
                },
                () = file_requested(self.listener.as_deref()), if !self.is_file_requested => {
                    self.is_file_requested = true;
                }
            }
            // An empty chunk is pushed too: if a file was requested, this creates it with the output
            // so far.
            self.push(&chunk).await;
            chunk.clear();
        }
    }

    /// The captured stream.
    pub async fn finish(mut self) -> CapturedOutput {
        let file = match self.file.take() {
            Some(file) => file.finish().await,
            None => None,
        };
        if !self.is_truncated() {
            let text = String::from_utf8_lossy(&self.head).into_owned();
            return CapturedOutput { text, is_truncated: false, uri: None };
        }
        let head = head_of(&self.head);
        let tail = tail_of(&self.tail[self.tail.len().saturating_sub(self.limit / 2)..]);
        let omitted = self.total - (head.len() + tail.len()) as u64;
        let location = match &file {
            Some((uri, length)) if *length == self.total => self.sink.describe_access(uri),
            Some((uri, length)) => {
                format!("its first {length} bytes are stored; {}", self.sink.describe_access(uri))
            }
            None => "it could not be stored".to_owned(),
        };
        let text = format!(
            "{}\n[… {omitted} of {} bytes left out; {location} …]\n{}",
            String::from_utf8_lossy(head).trim_end_matches('\n'),
            self.total,
            String::from_utf8_lossy(tail),
        );
        CapturedOutput { text, is_truncated: true, uri: file.map(|(uri, _)| uri) }
    }

    /// Appends a chunk.
    pub async fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        if let Some(listener) = &mut self.listener {
            self.is_file_requested |= listener.file_requested().is_cancelled();
            listener.on_output(chunk);
        }
        if let Some(file) = &mut self.file {
            file.write(chunk).await;
        }
        if self.tail.is_empty() {
            self.head.extend_from_slice(chunk);
            let needs_file = self.is_truncated() || self.is_file_requested && self.total > 0;
            if needs_file && self.file.is_none() {
                self.open_file().await;
            }
            if self.is_truncated() {
                self.tail.extend_from_slice(&self.head);
                self.head.truncate(self.limit / 2);
            }
            return;
        }
        self.tail.extend_from_slice(chunk);
        // Trim rarely, so that the cost of moving bytes is spread over many chunks.
        if self.tail.len() > self.limit.max(CHUNK_BYTES) * 2 {
            self.tail.drain(..self.tail.len() - self.limit);
        }
    }

    /// Whether nothing was captured.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Starts the file with everything captured so far, which is all in the head.
    async fn open_file(&mut self) {
        self.file = self.sink.open(self.stream).await;
        if let Some(file) = &mut self.file {
            file.write(&self.head).await;
        }
    }

    fn is_truncated(&self) -> bool {
        self.total > self.limit as u64
    }
}

/// Completes when the listener wants a file; never without a listener.
fn file_requested(listener: Option<&dyn OutputListener>) -> impl Future<Output = ()> {
    let token = listener.map(OutputListener::file_requested);
    async move {
        match token {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// The head up to its last complete line, or its last complete character if that line is long.
fn head_of(bytes: &[u8]) -> &[u8] {
    let lines = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if lines > 0 && bytes.len() - lines <= LINE_BYTES {
        return &bytes[..lines];
    }
    let start_of_last = bytes.iter().rposition(|byte| !is_continuation(*byte)).unwrap_or(0);
    match std::str::from_utf8(&bytes[start_of_last..]) {
        Err(error) if error.error_len().is_none() => &bytes[..start_of_last],
        _ => bytes,
    }
}

/// The tail from its first complete line, or its first complete character if that line is long.
fn tail_of(bytes: &[u8]) -> &[u8] {
    match bytes.iter().take(LINE_BYTES).position(|byte| *byte == b'\n') {
        Some(at) => &bytes[at + 1..],
        None => {
            // At most three bytes of a UTF-8 character are continuation bytes.
            let broken = bytes.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
            &bytes[broken..]
        }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::{head_of, tail_of};

    #[test]
    fn truncates_at_line_breaks() {
        assert_eq!(head_of(b"one\ntwo\nthr"), b"one\ntwo\n");
        assert_eq!(tail_of(b"ree\nfour\n"), b"four\n");
    }

    #[test]
    fn truncates_long_lines_at_characters() {
        let text = "é".repeat(4096);
        assert_eq!(head_of(&text.as_bytes()[..8191]).len(), 8190);
        assert_eq!(tail_of(&text.as_bytes()[1..]).len(), 8190);
        assert_eq!(head_of(b"\xff\xfe"), b"\xff\xfe");
    }
}
