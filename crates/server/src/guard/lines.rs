//! Lines of bounded length. Reading can be dropped at any await and goes on where it was.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Lines of bounded length.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    state: State,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line, without its end.
    Text(&'a [u8]),
    /// A line that was too long and was skipped.
    TooLong,
    /// There is no more, or the input cannot be read.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Inside a line.
    Reading,
    /// Inside a line that is too long.
    Skipping,
    /// Behind a line that was handed out.
    Done,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `longest` bytes.
    pub(super) fn new(input: R, longest: usize) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            longest,
            state: State::Done,
        }
    }

    /// The next line. What follows the last line end counts as a line.
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
                return self.last();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if self.line.len() + part.len() > self.longest {
                self.state = State::Skipping;
                self.line = Vec::new();
            }
            if self.state != State::Skipping {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return self.hand_out();
            }
        }
    }

    fn last(&mut self) -> Line<'_> {
        match self.state {
            State::Reading if self.line.is_empty() => Line::End,
            State::Done => Line::End,
            State::Reading | State::Skipping => self.hand_out(),
        }
    }

    fn hand_out(&mut self) -> Line<'_> {
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

    use super::{Line, Lines};

    #[tokio::test]
    async fn skips_what_is_too_long_and_reads_on() {
        let mut lines = Lines::new(&b"one\n123456789\n\ntwo\r\nthree"[..], 5);
        assert_eq!(lines.next().await, Line::Text(b"one"));
        assert_eq!(lines.next().await, Line::TooLong);
        assert_eq!(lines.next().await, Line::Text(b""));
        assert_eq!(lines.next().await, Line::Text(b"two\r"));
        assert_eq!(lines.next().await, Line::Text(b"three"));
        assert_eq!(lines.next().await, Line::End);
        assert_eq!(lines.next().await, Line::End);
    }

    #[tokio::test]
    async fn never_holds_more_than_the_longest_line() {
        let (mut far, near) = tokio::io::duplex(1 << 10);
        let writing = tokio::spawn(async move {
            for _ in 0..1_000 {
                far.write_all(&[b'x'; 1 << 10]).await.expect("somebody reads");
            }
        });
        let mut lines = Lines::new(near, 4_096);
        assert_eq!(lines.next().await, Line::TooLong);
        assert!(lines.line.capacity() <= 4_096 + (1 << 16));
        writing.await.expect("everything was read");
    }

    #[tokio::test]
    async fn goes_on_after_a_dropped_read() {
        let (mut far, near) = tokio::io::duplex(64);
        let mut lines = Lines::new(near, 64);
        far.write_all(b"ab").await.expect("room");
        assert!(lines.next().now_or_never().is_none(), "the line is not whole");
        far.write_all(b"cd\n").await.expect("room");
        assert_eq!(lines.next().await, Line::Text(b"abcd"));
    }
}
