//! A Markdown text as blocks, each with its bytes. What the blocks mean is not known here.
//!
//! The parser tells blocks apart; what stands in them is read from the source itself, so that every
//! piece of text has its place and keeps its spelling.

use std::ops::Range;

use comrak::{
    Arena, Node, Options,
    nodes::{LineColumn, NodeValue, Sourcepos},
    parse_document,
};

use super::table::{Row, Table};

/// Blocks nested deeper than this are taken as one.
const DEEPEST: usize = 12;

/// A text and its blocks.
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) blocks: Vec<Block>,
}

/// A block and its bytes.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// What a block is.
#[derive(Debug)]
pub(super) enum Kind {
    /// A heading, with the bytes of its title.
    Heading { level: u8, title: Range<usize> },
    /// Running text.
    Paragraph,
    /// A list, each item of it blocks.
    List(Vec<Vec<Block>>),
    /// A table.
    Table(Table),
    /// A block of code, with the bytes between its fences.
    Fence { language: String, content: Range<usize> },
    /// Anything else.
    Other,
}

impl<'t> Page<'t> {
    /// Parses a text.
    pub(super) fn parse(text: &'t str) -> Self {
        let base = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let arena = Arena::new();
        let mut options = Options::default();
        options.extension.table = true;
        let root = parse_document(&arena, &text[base..], &options);
        let converter = Converter { text, lines: line_starts(text, base) };
        let blocks = root.children().map(|node| converter.block(node, 0)).collect();
        Self { text, blocks }
    }

    /// The text of some bytes.
    pub(super) fn str(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The bytes without the white space around their text.
    pub(super) fn trimmed(&self, span: &Range<usize>) -> Range<usize> {
        trimmed(self.text, span)
    }
}

/// The bytes without the white space around their text.
pub(super) fn trimmed(text: &str, span: &Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// Where lines begin, counted as the parser counts them.
fn line_starts(text: &str, base: usize) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends =
        |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    std::iter::once(base)
        .chain((base..bytes.len()).filter(|at| ends(*at)).map(|at| at + 1))
        .collect()
}

struct Converter<'t> {
    text: &'t str,
    lines: Vec<usize>,
}

impl Converter<'_> {
    fn block(&self, node: Node<'_>, depth: usize) -> Block {
        let ast = node.data.borrow();
        let span = self.span(ast.sourcepos);
        let kind = match &ast.value {
            NodeValue::Heading(heading) => {
                Kind::Heading { level: heading.level, title: self.title(&span) }
            }
            NodeValue::Paragraph => Kind::Paragraph,
            NodeValue::List(_) if depth < DEEPEST => Kind::List(
                node.children()
                    .map(|item| item.children().map(|part| self.block(part, depth + 1)).collect())
                    .collect(),
            ),
            NodeValue::Table(_) => Kind::Table(self.table(node)),
            NodeValue::CodeBlock(code) if code.fenced => {
                let language =
                    code.info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
                Kind::Fence { language, content: self.between(ast.sourcepos, code.closed) }
            }
            NodeValue::CodeBlock(_) => {
                Kind::Fence { language: String::new(), content: span.clone() }
            }
            _ => Kind::Other,
        };
        Block { kind, span }
    }

    fn table(&self, node: Node<'_>) -> Table {
        let mut rows = node.children().map(|row| {
            let position = row.data.borrow().sourcepos;
            let span = trimmed(
                self.text,
                &(self.start_of_row(position.start)..self.end_of_line(position.start.line)),
            );
            Row::split(self.text, span)
        });
        let header = rows.next().unwrap_or_default();
        Table { header, rows: rows.collect() }
    }

    /// Where a row begins: the parser takes the first character of one without a leading pipe for a pipe.
    fn start_of_row(&self, at: LineColumn) -> usize {
        let start = self.offset(at);
        let before = &self.text[self.start_of_line(at.line).min(start)..start];
        start
            - before
                .chars()
                .rev()
                .take_while(|c| !c.is_whitespace() && *c != '>')
                .map(char::len_utf8)
                .sum::<usize>()
    }

    /// The bytes between the fences of a block of code.
    fn between(&self, position: Sourcepos, closed: bool) -> Range<usize> {
        let start = self.end_of_line(position.start.line);
        let end = if closed {
            self.start_of_line(position.end.line)
        } else {
            self.end_of_line(position.end.line)
        };
        start..end.max(start)
    }

    /// The bytes of a heading's words.
    fn title(&self, span: &Range<usize>) -> Range<usize> {
        let part = &self.text[span.clone()];
        let Some(rest) = part.strip_prefix('#') else {
            let end = part.trim_end().rfind(['\n', '\r']).unwrap_or(part.len());
            return trimmed(self.text, &(span.start..span.start + end));
        };
        let rest = rest.trim_start_matches('#');
        let start = span.start + part.len() - rest.len();
        trimmed(self.text, &(start..start + rest.trim_end().trim_end_matches('#').len()))
    }

    fn span(&self, position: Sourcepos) -> Range<usize> {
        let start = self.offset(position.start);
        let last = self.offset(position.end);
        start..self.text.ceil_char_boundary(last + 1).clamp(start, self.text.len())
    }

    fn offset(&self, at: LineColumn) -> usize {
        let offset = self.start_of_line(at.line) + at.column.saturating_sub(1);
        self.text.floor_char_boundary(offset)
    }

    fn start_of_line(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    fn end_of_line(&self, line: usize) -> usize {
        self.start_of_line(line + 1)
    }
}
