//! Reads a stored output in parts: by line, from its end, or by a regular expression.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    sync::Arc,
};

use regex::Regex;

use super::{OutputKind, OutputStore, SCHEME, is_id, is_owned};
use crate::operation::{OperationId, Owner};

/// Maximum length of a line. A longer one counts as several lines, so that JSON on a single line
/// can be read in parts, too.
pub const MAX_LINE_BYTES: usize = 2_000;

/// A stored output, by its URI or by the id in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputName {
    id: String,
    kind: Option<OutputKind>,
}

/// Selects lines. They are numbered from 1.
pub enum Lines {
    /// From this line on.
    From(u64),
    /// The last lines, at most this many.
    Last(usize),
    /// The matching lines from this line on.
    Matching(u64, Regex),
}

/// Lines of a stored output, with their numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OutputPage {
    /// The URI of the output.
    pub uri: String,
    /// The lines, without line breaks.
    pub lines: Vec<(u64, String)>,
    /// The line from which to continue; `None` at the end.
    pub next: Option<u64>,
}

/// Reads the stored outputs of a server.
#[derive(Clone)]
pub struct OutputReader {
    pub(crate) outputs: Arc<OutputStore>,
    /// Maximum bytes of a page.
    pub(crate) max_bytes: usize,
}

impl OutputName {
    /// Parses `toolcrib://output/ID/STREAM`, `ID/STREAM` or `ID`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().strip_prefix(SCHEME).unwrap_or(text.trim()).split('/');
        let (id, kind) = (parts.next()?, parts.next());
        let known = |name: &str| OutputKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = match kind {
            Some(name) => Some(known(name)?),
            None => None,
        };
        // The URI of a part of the resource names the whole output here.
        is_id(id).then(|| Self { id: id.to_owned(), kind })
    }

    /// The operation that produced the output. Only its owner may read it.
    pub fn operation(&self) -> Option<OperationId> {
        self.id.split('.').next().and_then(|id| id.parse().ok())
    }
}

impl OutputReader {
    /// Reads a page; `None` if the output does not exist or belongs to another owner. For the
    /// output of an operation, the caller must check the owner. Blocks, because it may read the
    /// whole file.
    pub fn read(
        &self,
        name: &OutputName,
        owner: &Owner,
        lines: &Lines,
        limit: usize,
    ) -> Option<OutputPage> {
        if name.operation().is_none() && !is_owned(&name.id, owner) {
            return None;
        }
        let kinds = name.kind.map_or(OutputKind::ALL.to_vec(), |kind| vec![kind]);
        let (kind, file) = kinds
            .into_iter()
            .find_map(|kind| Some((kind, File::open(self.outputs.file(&name.id, kind)).ok()?)))?;
        let mut page = self.read_lines(file, lines, limit.max(1)).ok()?;
        page.uri = format!("{SCHEME}{}/{}", name.id, kind.name());
        Some(page)
    }

    fn read_lines(&self, file: File, lines: &Lines, limit: usize) -> io::Result<OutputPage> {
        let mut source = LineReader(BufReader::with_capacity(64 * 1024, file));
        let (mut kept, mut bytes, mut number) = (VecDeque::new(), 0, 0);
        while let Some(line) = source.next_line()? {
            number += 1;
            let is_wanted = match lines {
                Lines::From(first) => number >= *first,
                Lines::Last(_) => true,
                Lines::Matching(first, pattern) => number >= *first && pattern.is_match(&line),
            };
            if !is_wanted {
                continue;
            }
            bytes += line.len() + 1;
            if let Lines::Last(count) = lines {
                kept.push_back((number, line));
                while kept.len() > *count.min(&limit) || bytes > self.max_bytes && kept.len() > 1 {
                    bytes -= kept.pop_front().map_or(0, |(_, line): (u64, String)| line.len() + 1);
                }
            // A line that exceeds the limit alone is returned all the same: the next page would
            // begin with it.
            } else if kept.len() == limit || bytes > self.max_bytes && !kept.is_empty() {
                return Ok(OutputPage {
                    lines: kept.into(),
                    next: Some(number),
                    ..OutputPage::default()
                });
            } else {
                kept.push_back((number, line));
            }
        }
        Ok(OutputPage { lines: kept.into(), ..OutputPage::default() })
    }
}

/// Splits a file into lines of limited length.
struct LineReader<R>(R);

impl<R: BufRead> LineReader<R> {
    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let limit = MAX_LINE_BYTES as u64;
        if (&mut self.0).take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else {
            self.complete_character(&mut line)?;
            // A line break right after a line of maximum length belongs to that line.
            if self.0.fill_buf()?.first() == Some(&b'\n') {
                self.0.consume(1);
            }
        }
        Ok(Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()))
    }

    /// Completes a UTF-8 character that was split by the limit.
    fn complete_character(&mut self, line: &mut Vec<u8>) -> io::Result<()> {
        for _ in 0..3 {
            match self.0.fill_buf()?.first() {
                Some(byte) if byte & 0b1100_0000 == 0b1000_0000 => line.push(*byte),
                _ => return Ok(()),
            }
            self.0.consume(1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{LineReader, MAX_LINE_BYTES, OutputName};

    #[test]
    fn splits_long_lines_at_characters() {
        let text = format!("{}\nshort\r\n{}\n", "é".repeat(1500), "x".repeat(MAX_LINE_BYTES));
        let mut reader = LineReader(text.as_bytes());
        let lines: Vec<_> = std::iter::from_fn(|| reader.next_line().expect("memory")).collect();
        let expected =
            ["é".repeat(1000), "é".repeat(500), "short".to_owned(), "x".repeat(MAX_LINE_BYTES)];
        assert_eq!(lines, expected);
    }

    #[test]
    fn parses_addresses_and_ids_only() {
        let id = "0123456789abcdef0123456789abcdef";
        for good in [id, &format!("{id}/stdout"), &format!("toolcrib://output/{id}/stderr")] {
            assert!(OutputName::parse(good).is_some(), "{good}");
        }
        for bad in ["", "x", "../etc/passwd", &format!("{id}/other"), "toolcrib://operation/x"] {
            assert!(OutputName::parse(bad).is_none(), "{bad}");
        }
    }
}
