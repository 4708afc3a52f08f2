//! Reads the progress of an operation from its output: the last line and, where its tool has a
//! progress pattern, how far it is.

use std::sync::Arc;

use fancy_regex::{Captures, Regex};
use process::OutputListener;
use tokio_util::sync::CancellationToken;

use crate::{operation::Progress, operations::LiveOperation};

/// Maximum length of the part of a line that is examined, in bytes.
const LINE_BYTES: usize = 1024;
/// Maximum number of lines of one chunk that are searched, beginning with the last.
const LINES: usize = 32;

/// Reads the progress of an operation from one of its output streams.
pub(crate) struct ProgressListener {
    live: Arc<LiveOperation>,
    pattern: Option<Arc<Regex>>,
    /// The beginning of a line that is not complete yet.
    line: Vec<u8>,
}

impl ProgressListener {
    pub(crate) fn boxed(
        live: &Arc<LiveOperation>,
        pattern: Option<&Arc<Regex>>,
    ) -> Box<dyn OutputListener> {
        let pattern = pattern.map(Arc::clone);
        Box::new(Self { live: Arc::clone(live), pattern, line: Vec::new() })
    }

    fn keep_partial_line(&mut self, chunk: &[u8]) {
        let room = LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
}

impl OutputListener for ProgressListener {
    fn on_output(&mut self, chunk: &[u8]) {
        let Some(end) = chunk.iter().rposition(is_end) else {
            self.keep_partial_line(chunk);
            return;
        };
        let mut lines = chunk[..end].rsplit(is_end);
        let mut last_line = None;
        let mut progress = None;
        for index in 0..LINES {
            let Some(line) = lines.next() else { break };
            // The first line of a chunk continues what was left of the chunk before.
            let is_first = lines.clone().next().is_none();
            let whole =
                if is_first { [self.line.as_slice(), line].concat() } else { line.to_vec() };
            let text =
                String::from_utf8_lossy(&whole[..whole.len().min(LINE_BYTES)]).trim().to_owned();
            progress = progress.or_else(|| parse_progress(self.pattern.as_deref()?, &text));
            if last_line.is_none() && !text.is_empty() {
                last_line = Some(text);
            }
            // Without a pattern only the last line that is not empty is wanted; a program may end
            // its output with a blank line.
            if is_first || index > 0 && self.pattern.is_none() {
                break;
            }
        }
        self.line.clear();
        self.keep_partial_line(&chunk[end + 1..]);
        self.live.update_progress(last_line, progress);
    }

    fn file_requested(&self) -> &CancellationToken {
        self.live.detached()
    }
}

/// Progress bars end their lines with a carriage return.
fn is_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Two numbers are a fraction, one is a percentage, anything else is a message.
pub(crate) fn parse_progress(pattern: &Regex, line: &str) -> Option<Progress> {
    let captures = pattern.captures(line).ok().flatten()?;
    let number = |index: usize| {
        text(&captures, index).and_then(|text| text.trim_end_matches('%').parse::<f64>().ok())
    };
    let fraction = match (number(1), number(2)) {
        (Some(done), Some(total)) if total > 0.0 => Some(done / total),
        (Some(percent), None) => Some(percent / 100.0),
        _ => None,
    };
    // A pattern may match numbers that are no progress; they must not appear as 4200 %.
    let fraction = fraction.filter(|fraction| (0.0..=1.0).contains(fraction));
    let message = match fraction {
        Some(_) => line.trim(),
        None => text(&captures, 1).unwrap_or_else(|| line.trim()),
    };
    Some(Progress { fraction, message: Some(message.to_owned()) })
}

fn text<'t>(captures: &Captures<'t, str>, index: usize) -> Option<&'t str> {
    captures.get(index).map(|found| found.as_str())
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::parse_progress;

    fn fraction(pattern: &str, line: &str) -> Option<f64> {
        parse_progress(&Regex::new(pattern).unwrap_or_else(|_| panic!()), line)
            .and_then(|progress| progress.fraction)
    }

    #[test]
    fn reads_percentages_fractions_and_messages() {
        assert_eq!(fraction(r"(\d+)%", "at 45% now"), Some(0.45));
        assert_eq!(fraction(r"(\d+)/(\d+)", "3/10 files"), Some(0.3));
        assert_eq!(fraction(r"(\d+)%", "at 145% now"), None);
        assert_eq!(fraction(r"(\d+)/(\d+)", "3/0 files"), None);
        let message = Regex::new("^Compiling (.*)$")
            .ok()
            .and_then(|pattern| parse_progress(&pattern, "Compiling serde"));
        assert_eq!(message.and_then(|progress| progress.message).as_deref(), Some("serde"));
    }
}
