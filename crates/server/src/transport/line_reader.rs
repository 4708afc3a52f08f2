//! Reads lines of bounded length. Cancel-safe: a dropped read continues where it was.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Reads lines of bounded length.
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    max_bytes: usize,
    state: State,
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line, without its line feed.
    Text(&'a [u8]),
    /// A line that was too long and was skipped.
    TooLong,
    /// EOF, or an error of the input.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Inside a line.
    Reading,
    /// Inside a line that is too long and is discarded.
    Skipping,
    /// After a line that was returned. The buffer is cleared with the next read, because the
    /// caller borrows it.
    Done,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(input: R, max_bytes: usize) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            max_bytes,
            state: State::Done,
        }
    }

    /// Reads the next line. Text after the last line feed counts as a line.
    pub(super) async fn next(&mut self) -> Line<'_> {
        if self.state == State::Done {
            self.line.clear();
            self.state = State::Reading;
        }
        loop {
            let Ok(available) = self.input.fill_buf().await else {
                return Line::End;
            };
            if available.is_empty() {
                return self.finish_last();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if self.line.len() + part.len() > self.max_bytes {
                self.state = State::Skipping;
                // Releases the memory of the long line at once.
                self.line = Vec::new();
            }
            if self.state != State::Skipping {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            // Nothing is awaited between filling and consuming, which makes the read cancel-safe.
            self.input.consume(used);
            if end.is_some() {
                return self.finish_line();
            }
        }
    }

    fn finish_last(&mut self) -> Line<'_> {
        match self.state {
            State::Reading if self.line.is_empty() => Line::End,
            State::Done => Line::End,
            State::Reading | State::Skipping => self.finish_line(),
        }
    }

    fn finish_line(&mut self) -> Line<'_> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Skipping => Line::TooLong,
            State::Reading | State::Done => Line::Text(&self.line),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::io::AsyncWriteExt;

    use super::{Line, LineReader};

    #[tokio::test]
    async fn skips_a_line_that_is_too_long() {
        let mut lines = LineReader::new(&b"one\n123456789\n\ntwo\r\nthree"[..], 5);
        assert_eq!(lines.next().await, Line::Text(b"one"));
        assert_eq!(lines.next().await, Line::TooLong);
        assert_eq!(lines.next().await, Line::Text(b""));
        assert_eq!(lines.next().await, Line::Text(b"two\r"));
        assert_eq!(lines.next().await, Line::Text(b"three"));
        assert_eq!(lines.next().await, Line::End);
        assert_eq!(lines.next().await, Line::End);
    }

    #[tokio::test]
    async fn buffers_no_more_than_the_longest_line() {
        let (mut far, near) = tokio::io::duplex(1 << 10);
        let writing = tokio::spawn(async move {
            for _ in 0..1_000 {
                far.write_all(&[b'x'; 1 << 10]).await.expect("the reader reads");
            }
        });
        let mut lines = LineReader::new(near, 4_096);
        assert_eq!(lines.next().await, Line::TooLong);
        assert!(lines.line.capacity() <= 4_096 + (1 << 16));
        writing.await.expect("everything was read");
    }

    #[tokio::test]
    async fn continues_after_a_cancelled_read() {
        let (mut far, near) = tokio::io::duplex(64);
        let mut lines = LineReader::new(near, 64);
        far.write_all(b"ab").await.expect("room");
        assert!(lines.next().now_or_never().is_none(), "the line is not whole");
        far.write_all(b"cd\n").await.expect("room");
        assert_eq!(lines.next().await, Line::Text(b"abcd"));
    }
}
