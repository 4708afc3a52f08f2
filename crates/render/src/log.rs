//! What a render prints: how far it is, and the last of the rest.

use std::{collections::VecDeque, sync::Arc};

/// How much of the log is kept.
const TAIL_BYTES: usize = 16 * 1024;
/// How much of one line is kept.
const LINE_BYTES: usize = 2 * 1024;

/// Who hears how far a render is.
pub type Tell = Arc<dyn Fn(RenderProgress) + Send + Sync>;

/// How far a render is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderProgress {
    /// Which chunk, counted from one; 0 before the first.
    pub chunk: usize,
    /// Of how many.
    pub chunks: usize,
    /// What is being done.
    pub message: String,
}

impl RenderProgress {
    /// Something that comes before the first chunk.
    pub(super) fn before(message: impl Into<String>) -> Self {
        Self { chunk: 0, chunks: 0, message: message.into() }
    }
}

/// The log of one render.
pub(super) struct Log {
    /// What lines about chunks begin with.
    token: String,
    tell: Tell,
    line: Vec<u8>,
    lines: VecDeque<String>,
    /// The chunk that was begun last.
    chunk: Option<String>,
    bytes: usize,
    /// Whether the render is over: whoever ran it may go on printing.
    is_over: bool,
}

impl Log {
    pub(super) fn new(token: impl Into<String>, tell: Tell) -> Self {
        Self {
            token: token.into(),
            tell,
            line: Vec::new(),
            lines: VecDeque::new(),
            chunk: None,
            bytes: 0,
            is_over: false,
        }
    }

    /// One that nobody reads.
    pub(super) fn silent() -> Self {
        Self::new("\0", Arc::new(|_| {}))
    }

    /// Listens to what was printed next.
    pub(super) fn hear(&mut self, printed: &[u8]) {
        for piece in printed.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// The lines that are kept, the last one last.
    pub(super) fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.lines.into()
    }

    /// The chunk that was begun last.
    pub(super) fn chunk(&self) -> Option<String> {
        self.chunk.clone()
    }

    /// What is kept so far.
    pub(super) fn tail(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Says something that is not printed by R.
    pub(super) fn say(&self, message: &str) {
        (self.tell)(RenderProgress::before(message));
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line).trim_end().to_owned();
        self.line.clear();
        match line.strip_prefix(&self.token).map(str::trim_start) {
            Some("begin") => self.forget(),
            Some("end") => self.is_over = true,
            Some(progress) => {
                if let Some((label, progress)) = chunk(progress) {
                    self.chunk = Some(label.to_owned());
                    (self.tell)(progress);
                }
            }
            None if self.is_over => {}
            None => self.remember(line),
        }
    }

    /// What came before is not the render's.
    fn forget(&mut self) {
        self.lines.clear();
        self.bytes = 0;
    }

    fn remember(&mut self, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.bytes > TAIL_BYTES
            && let Some(first) = self.lines.pop_front()
        {
            self.bytes -= first.len() + 1;
        }
    }
}

/// `3/10 label`.
fn chunk(text: &str) -> Option<(&str, RenderProgress)> {
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
    fn tells_of_chunks_and_keeps_the_rest() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&told);
        let mut log = Log::new("t0k", Arc::new(move |progress| ear.lock().push(progress)));
        log.hear(b"one\nt0k 2/5 plot of ca");
        log.hear(b"rs\nt0");
        log.hear(b"k nonsense\ntwo\nthree");
        assert_eq!(log.chunk().as_deref(), Some("plot of cars"));
        assert_eq!(log.finish(), ["one", "two", "three"]);
        let told = told.lock();
        assert_eq!((told.len(), told[0].chunk, told[0].chunks), (1, 2, 5));
        assert_eq!(told[0].message, "chunk `plot of cars`");
    }

    #[test]
    fn keeps_only_what_is_printed_between_begin_and_end() {
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        log.hear(b"Creating a container ... done\nt0k begin\none\nt0k end\n137\n");
        assert_eq!(log.finish(), ["one"]);
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        log.hear(b"there is no daemon\n");
        assert_eq!(log.finish(), ["there is no daemon"], "nothing began");
    }

    #[test]
    fn keeps_no_more_than_the_tail() {
        let mut log = Log::new("t0k", Arc::new(|_| {}));
        for number in 0..100_000 {
            log.hear(format!("line {number}\n").as_bytes());
        }
        log.hear(&vec![b'x'; 1_000_000]);
        let lines = log.finish();
        assert!(lines.iter().map(|line| line.len() + 1).sum::<usize>() <= super::TAIL_BYTES);
        assert!(lines.last().is_some_and(|last| last.len() == super::LINE_BYTES));
    }
}
