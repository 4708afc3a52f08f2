//! One output stream of a program: its head and tail in memory, the whole on disk if it is long.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{
    outputs::{Spill, Whole},
    tap::Tap,
};

/// As much as a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// Head and tail end with a whole line if that costs no more than this.
const LINE_BYTES: usize = 4 * 1024;

/// What of a call can be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
    /// What a function returned, as JSON.
    Value,
}

impl Stream {
    /// Every one.
    pub(crate) const ALL: [Self; 3] = [Self::Stdout, Self::Stderr, Self::Value];

    /// Its name in addresses and files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Value => "value",
        }
    }
}

/// A stream as it is answered.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    /// All of it, or head and tail with a word about what lies between.
    pub(crate) text: String,
    /// Whether something was left out.
    pub(crate) is_cut: bool,
    /// The address of the whole.
    pub(crate) uri: Option<String>,
}

/// A stream in the making.
pub(crate) struct Capture<'a> {
    stream: Stream,
    limit: usize,
    spill: &'a Spill<'a>,
    head: Vec<u8>,
    /// Empty until the head is full.
    tail: Vec<u8>,
    total: u64,
    whole: Option<Whole>,
    tap: Option<Tap>,
    /// Whether the file is wanted however little there is.
    is_followed: bool,
}

impl<'a> Capture<'a> {
    /// Keeps at most about `limit` bytes in memory.
    pub(crate) fn new(stream: Stream, limit: usize, spill: &'a Spill<'a>) -> Self {
        Self {
            stream,
            limit: limit.max(2),
            spill,
            head: Vec::new(),
            tail: Vec::new(),
            total: 0,
            whole: None,
            tap: None,
            is_followed: false,
        }
    }

    /// Has someone listen. Once the operation is left to itself, its output is in a file from the first byte on.
    pub(crate) fn tapped(self, tap: Option<Tap>) -> Self {
        Self { tap, ..self }
    }

    /// Reads until the end. Stopping it early loses nothing that was read.
    pub(crate) async fn drain(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        loop {
            tokio::select! {
                biased;
                read = pipe.read_buf(&mut chunk) => match read {
                    Ok(1..) => {}
                    Ok(0) | Err(_) => return,
                },
                () = followed(self.tap.as_ref()), if !self.is_followed => self.is_followed = true,
            }
            self.take(&chunk).await;
            chunk.clear();
        }
    }

    /// The stream as it is answered.
    pub(crate) async fn finish(mut self) -> Captured {
        let whole = match self.whole.take() {
            Some(whole) => whole.finish().await,
            None => None,
        };
        if !self.is_cut() {
            let text = String::from_utf8_lossy(&self.head).into_owned();
            return Captured { text, is_cut: false, uri: None };
        }
        let head = head_of(&self.head);
        let tail = tail_of(&self.tail[self.tail.len().saturating_sub(self.limit / 2)..]);
        let left_out = self.total - (head.len() + tail.len()) as u64;
        let where_it_is = match &whole {
            Some((uri, length)) if *length == self.total => {
                format!("the whole is the resource {uri}")
            }
            Some((uri, length)) => format!("its first {length} bytes are the resource {uri}"),
            None => "it could not be kept".to_owned(),
        };
        let text = format!(
            "{}\n[… {left_out} of {} bytes left out; {where_it_is} …]\n{}",
            String::from_utf8_lossy(head).trim_end_matches('\n'),
            self.total,
            String::from_utf8_lossy(tail),
        );
        Captured { text, is_cut: true, uri: whole.map(|(uri, _)| uri) }
    }

    /// Takes what was read next.
    pub(crate) async fn take(&mut self, chunk: &[u8]) {
        self.is_followed |= self.tap.as_ref().is_some_and(Tap::is_followed);
        self.total += chunk.len() as u64;
        if let Some(tap) = &mut self.tap {
            tap.hear(chunk);
        }
        if let Some(whole) = &mut self.whole {
            whole.write(chunk).await;
        }
        if self.tail.is_empty() {
            self.head.extend_from_slice(chunk);
            let is_wanted = self.is_cut() || self.is_followed && self.total > 0;
            if is_wanted && self.whole.is_none() {
                self.whole = self.spill.open(self.stream, &self.head).await;
            }
            if self.is_cut() {
                self.tail.extend_from_slice(&self.head);
                self.head.truncate(self.limit / 2);
            }
            return;
        }
        self.tail.extend_from_slice(chunk);
        if self.tail.len() > self.limit.max(CHUNK_BYTES) * 2 {
            self.tail.drain(..self.tail.len() - self.limit);
        }
    }

    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    fn is_cut(&self) -> bool {
        self.total > self.limit as u64
    }
}

/// Ends when the output is wanted in a file; never, if nobody listens.
async fn followed(tap: Option<&Tap>) {
    match tap {
        Some(tap) => tap.followed().await,
        None => std::future::pending().await,
    }
}

/// The head up to its last whole line, or its last whole character if that line is long.
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

/// The tail from its first whole line, or its first whole character if that line is long.
fn tail_of(bytes: &[u8]) -> &[u8] {
    match bytes.iter().take(LINE_BYTES).position(|byte| *byte == b'\n') {
        Some(at) => &bytes[at + 1..],
        None => {
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
    fn cuts_at_whole_lines() {
        assert_eq!(head_of(b"one\ntwo\nthr"), b"one\ntwo\n");
        assert_eq!(tail_of(b"ree\nfour\n"), b"four\n");
    }

    #[test]
    fn cuts_at_whole_characters_where_lines_are_long() {
        let text = "é".repeat(4096);
        assert_eq!(head_of(&text.as_bytes()[..8191]).len(), 8190);
        assert_eq!(tail_of(&text.as_bytes()[1..]).len(), 8190);
        assert_eq!(head_of(b"\xff\xfe"), b"\xff\xfe");
    }
}
