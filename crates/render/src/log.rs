//! The output of a render: progress, and the end of the log.

use std::{collections::VecDeque, sync::Arc};

/// Bytes of the log that are kept.
const TAIL_BYTES: usize = 16 * 1024;
/// Bytes of one line that are kept.
const LINE_BYTES: usize = 2 * 1024;

/// Receives the progress of a render.
pub type ProgressCallback = Arc<dyn Fn(RenderProgress) + Send + Sync>;

/// The progress of a render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderProgress {
    /// The current chunk, counted from one; 0 before the first.
    pub chunk: usize,
    /// The number of chunks.
    pub chunks: usize,
    /// The current activity.
    pub message: String,
}

impl RenderProgress {
    /// Progress before the first chunk.
    pub(super) fn before(message: impl Into<String>) -> Self {
        Self { chunk: 0, chunks: 0, message: message.into() }
    }
}

/// The log of one render.
pub(super) struct Log {
    /// Random prefix of progress lines, which a document cannot forge.
    token: String,
    on_progress: ProgressCallback,
    line: Vec<u8>,
    lines: VecDeque<String>,
    /// The last chunk that was started.
    chunk: Option<String>,
    bytes: usize,
    /// Whether the render finished; later output belongs to Compose.
    is_finished: bool,
}

impl Log {
    pub(super) fn new(token: impl Into<String>, on_progress: ProgressCallback) -> Self {
        Self {
            token: token.into(),
            on_progress,
            line: Vec::new(),
            lines: VecDeque::new(),
            chunk: None,
            bytes: 0,
            is_finished: false,
        }
    }

    /// A log without progress reports.
    pub(super) fn silent() -> Self {
        // No line of text can begin with this token, so nothing is taken for a report.
        Self::new("\0", Arc::new(|_| {}))
    }

    /// Appends output.
    pub(super) fn append(&mut self, printed: &[u8]) {
        for piece in printed.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                self.finish_line();
            }
        }
    }

    /// The kept lines, oldest first.
    pub(super) fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.finish_line();
        }
        self.lines.into()
    }

    /// The last chunk that was started.
    pub(super) fn chunk(&self) -> Option<String> {
        self.chunk.clone()
    }

    /// The kept lines so far.
    pub(super) fn tail(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Reports progress that does not come from R.
    pub(super) fn report(&self, message: &str) {
        (self.on_progress)(RenderProgress::before(message));
    }

    fn finish_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line).trim_end().to_owned();
        self.line.clear();
        match line.strip_prefix(&self.token).map(str::trim_start) {
            Some("begin") => self.clear(),
            Some("end") => self.is_finished = true,
            Some(progress) => {
                if let Some((label, progress)) = parse_progress(progress) {
                    self.chunk = Some(label.to_owned());
                    (self.on_progress)(progress);
                }
            }
            // Compose prints its own messages after the output of R.
            None if self.is_finished => {}
            None => self.push_line(line),
        }
    }

    /// Output before the begin line belongs to Compose.
    fn clear(&mut self) {
        self.lines.clear();
        self.bytes = 0;
    }

    fn push_line(&mut self, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.bytes > TAIL_BYTES
            && let Some(first) = self.lines.pop_front()
        {
            self.bytes -= first.len() + 1;
        }
    }
}

/// Parses `3/10 label`.
fn parse_progress(text: &str) -> Option<(&str, RenderProgress)> {
    let (numbers, label) = text.split_once(' ')?;
    let (chunk, chunks) = numbers.split_once('/')?;
    let (chunk, chunks) = (chunk.parse().ok()?, chunks.parse().ok()?);
    Some((label, RenderProgress { chunk, chunks, message: format!("chunk `{label}`") }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::Log;

    #[test]
    fn separates_progress_from_output() {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&reported);
        let mut log = Log::new("t0k", Arc::new(move |progress| sink.lock().push(progress)));
        log.append(b"one\nt0k 2/5 plot of ca");
        log.append(b"rs\nt0");
        log.append(b"k nonsense\ntwo\nthree");
        assert_eq!(log.chunk().as_deref(), Some("plot of cars"));
        assert_eq!(log.finish(), ["one", "two", "three"]);
        let reported = reported.lock();
        assert_eq!((reported.len(), reported[0].chunk, reported[0].chunks), (1, 2, 5));
        assert_eq!(reported[0].message, "chunk `plot of cars`");
    }

    #[test]
    fn keeps_only_output_between_begin_and_end() {
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        log.append(b"Creating a container ... done\nt0k begin\none\nt0k end\n137\n");
        assert_eq!(log.finish(), ["one"]);
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        log.append(b"there is no daemon\n");
        assert_eq!(
            log.finish(),
            ["there is no daemon"],
            "without a begin line, the output explains why"
        );
    }

    #[test]
    fn keeps_only_the_tail() {
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        for number in 0..100_000 {
            log.append(format!("line {number}\n").as_bytes());
        }
        log.append(&vec![b'x'; 1_000_000]);
        let lines = log.finish();
        assert!(lines.iter().map(|line| line.len() + 1).sum::<usize>() <= super::TAIL_BYTES);
        assert!(lines.last().is_some_and(|last| last.len() == super::LINE_BYTES));
    }
}
