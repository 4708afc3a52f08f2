//! Shows a person the output of a running tool as it arrives, or a spinner with the elapsed time as
//! long as there is no output.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use runtime::{LiveOutput, OutputStream};

use crate::{duration::format_span, terminal};

/// Delay before the spinner appears, so that short calls show none.
const DELAY: Duration = Duration::from_millis(700);
const FRAME: Duration = Duration::from_millis(100);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Shows the progress of one call.
#[derive(Clone, Default)]
pub(crate) struct Live(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    has_output: bool,
    is_spinner_drawn: bool,
    is_ended: bool,
    /// Incomplete UTF-8 characters at the end of the last chunk, per stream.
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Decodes the pending bytes and a chunk. An incomplete character at the end stays in `pending`.
fn take_text(pending: &mut Vec<u8>, chunk: &[u8]) -> String {
    pending.extend_from_slice(chunk);
    let is_start = |byte: &u8| *byte & 0b1100_0000 != 0b1000_0000;
    let last = pending.iter().rposition(is_start).unwrap_or(0);
    let end = match std::str::from_utf8(&pending[last..]) {
        // No length means that the bytes end inside a character, whose rest is still to come.
        // Invalid UTF-8 never becomes valid, so it is printed at once.
        Err(error) if error.error_len().is_none() => last,
        _ => pending.len(),
    };
    let text = String::from_utf8_lossy(&pending[..end]).into_owned();
    pending.drain(..end);
    text
}

impl Live {
    /// Returns the sink that prints the output of a call as it arrives.
    pub(crate) fn output(&self) -> LiveOutput {
        let live = self.clone();
        Arc::new(move |stream, chunk: &[u8]| {
            let mut state = live.0.lock();
            state.clear_spinner();
            state.has_output = true;
            match stream {
                OutputStream::Stdout => {
                    terminal::print_foreign_part(&take_text(&mut state.stdout, chunk));
                }
                OutputStream::Stderr => {
                    terminal::note_foreign_part(&take_text(&mut state.stderr, chunk));
                }
            }
        })
    }

    /// Draws a spinner on standard error until there is output or the call has ended. Runs in a
    /// task.
    pub(crate) async fn spin(self, name: String) {
        let begun = Instant::now();
        // After an approval, the same call runs a second time.
        self.0.lock().is_ended = false;
        tokio::time::sleep(DELAY).await;
        for frame in FRAMES.iter().cycle() {
            {
                let mut state = self.0.lock();
                if state.has_output || state.is_ended {
                    return;
                }
                let elapsed = format_span(begun.elapsed());
                terminal::note_bytes(format!("\r\x1b[K{frame} {name}  {elapsed}").as_bytes());
                state.is_spinner_drawn = true;
            }
            tokio::time::sleep(FRAME).await;
        }
    }

    /// Stops the spinner. Returns whether output was printed.
    pub(crate) fn end(&self) -> bool {
        // The lock is released before the pause; otherwise output would be delayed by it.
        let mut state = self.0.lock();
        state.clear_spinner();
        state.is_ended = true;
        state.has_output
    }
}

impl State {
    fn clear_spinner(&mut self) {
        if std::mem::take(&mut self.is_spinner_drawn) {
            terminal::note_bytes(b"\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::take_text;

    #[test]
    fn characters_that_span_chunks_are_complete() {
        let mut pending = Vec::new();
        let text = "aé日🧑b".as_bytes();
        let parts: String = text.chunks(1).map(|chunk| take_text(&mut pending, chunk)).collect();
        assert_eq!(parts, "aé日🧑b");
        assert_eq!(take_text(&mut pending, b"\xff.\xc3"), "\u{fffd}.");
    }
}
