//! A Markdown document as blocks with byte spans. What the blocks mean is decided elsewhere.
//!
//! The parser only separates blocks; their content is read from the source text. Its own inline
//! nodes would lose the spelling, and with it the byte positions that diagnostics and fixes need.

use std::ops::Range;

use comrak::{
    Arena, Node, Options,
    nodes::{LineColumn, NodeValue, Sourcepos},
    parse_document,
};

use super::table::{Row, Table};

/// Lists nested deeper than this are not converted, so that hostile input cannot overflow the
/// stack.
const MAX_DEPTH: usize = 12;

/// A text and its top-level blocks.
pub(super) struct MarkdownDocument<'t> {
    pub(super) text: &'t str,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum BlockKind {
    /// `title` is the span of the text without its marks (`##` or underline).
    Heading {
        level: u8,
        title: Range<usize>,
    },
    Paragraph,
    /// The blocks of each item.
    List(Vec<Vec<Block>>),
    Table(Table),
    /// A code block; `content` is the span between its fences, or all of an indented block.
    /// `language` is in lower case, and empty if none is given.
    Fence {
        language: String,
        content: Range<usize>,
    },
    Other,
}

impl<'t> MarkdownDocument<'t> {
    pub(super) fn parse(text: &'t str) -> Self {
        // The parser would drop a byte order mark silently, and every position would be off by its
        // length.
        let base = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let arena = Arena::new();
        let mut options = Options::default();
        // Tables are an extension of CommonMark. The others stay off: their syntax is text here.
        options.extension.table = true;
        let root = parse_document(&arena, &text[base..], &options);
        let converter = BlockConverter { text, line_starts: find_line_starts(text, base) };
        let nodes: Vec<_> = root.children().collect();
        let mut blocks = Vec::with_capacity(nodes.len());
        // A line (`---`) before a heading or at the end separates sections. It belongs to none of
        // them, while one between two paragraphs is part of their text.
        let mut ends_section = true;
        for node in nodes.into_iter().rev() {
            let is_break = matches!(node.data.borrow().value, NodeValue::ThematicBreak);
            if is_break && ends_section {
                continue;
            }
            ends_section = matches!(node.data.borrow().value, NodeValue::Heading(_));
            blocks.push(converter.convert(node, 0));
        }
        blocks.reverse();
        Self { text, blocks }
    }

    /// The text of a span; empty if the span is outside of the document.
    pub(super) fn slice(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Shrinks a span by the white space at both ends.
    pub(super) fn trim(&self, span: &Range<usize>) -> Range<usize> {
        trim_span(self.text, span)
    }
}

/// Shrinks a span by the white space at both ends.
pub(super) fn trim_span(text: &str, span: &Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The byte at which each line starts. A lone `\r` ends a line too, as it does for the parser,
/// whose line numbers index this list.
fn find_line_starts(text: &str, base: usize) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_line_end =
        |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    std::iter::once(base)
        .chain((base..bytes.len()).filter(|at| is_line_end(*at)).map(|at| at + 1))
        .collect()
}

/// Converts nodes of the parser, which have lines and columns, to blocks with byte spans.
struct BlockConverter<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
}

impl BlockConverter<'_> {
    fn convert(&self, node: Node<'_>, depth: usize) -> Block {
        let ast = node.data.borrow();
        let span = self.span(ast.sourcepos);
        let kind = match &ast.value {
            NodeValue::Heading(heading) => {
                BlockKind::Heading { level: heading.level, title: self.heading_title(&span) }
            }
            NodeValue::Paragraph => BlockKind::Paragraph,
            NodeValue::List(_) if depth < MAX_DEPTH => BlockKind::List(
                node.children()
                    .map(|item| item.children().map(|part| self.convert(part, depth + 1)).collect())
                    .collect(),
            ),
            NodeValue::Table(_) => BlockKind::Table(self.table(node)),
            NodeValue::CodeBlock(code) if code.fenced => {
                let language =
                    code.info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
                BlockKind::Fence { language, content: self.fence_text(ast.sourcepos, code.closed) }
            }
            // An indented block. Some documents write a schema in one.
            NodeValue::CodeBlock(_) => {
                BlockKind::Fence { language: String::new(), content: span.clone() }
            }
            _ => BlockKind::Other,
        };
        Block { kind, span }
    }

    fn table(&self, node: Node<'_>) -> Table {
        // Rows are split again from the source: the parser drops cells beyond the header's columns,
        // which are what the repair of broken rows needs.
        let mut rows = node.children().map(|row| {
            let start = row.data.borrow().sourcepos.start;
            let line = self.row_start(start)..self.end_of_line(start.line);
            Row::split(self.text, trim_span(self.text, &line))
        });
        let header = rows.next().unwrap_or_default();
        Table { header, rows: rows.collect() }
    }

    /// Where a row begins. The parser assumes a leading pipe, so the position it reports for a row
    /// without one is past the first character.
    fn row_start(&self, at: LineColumn) -> usize {
        let start = self.offset(at);
        let before = &self.text[self.start_of_line(at.line).min(start)..start];
        // A `>` is the mark of a block quote, which may contain the table.
        start
            - before
                .chars()
                .rev()
                .take_while(|c| !c.is_whitespace() && *c != '>')
                .map(char::len_utf8)
                .sum::<usize>()
    }

    /// The span between the fences of a code block; an unclosed one ends with the document.
    fn fence_text(&self, position: Sourcepos, is_closed: bool) -> Range<usize> {
        let start = self.end_of_line(position.start.line);
        let end = if is_closed {
            self.start_of_line(position.end.line)
        } else {
            self.end_of_line(position.end.line)
        };
        start..end.max(start)
    }

    fn heading_title(&self, span: &Range<usize>) -> Range<usize> {
        let heading = &self.text[span.clone()];
        let Some(rest) = heading.strip_prefix('#') else {
            // A setext heading: the last line is the underline.
            let end = heading.trim_end().rfind(['\n', '\r']).unwrap_or(heading.len());
            return trim_span(self.text, &(span.start..span.start + end));
        };
        let rest = rest.trim_start_matches('#');
        let start = span.start + heading.len() - rest.len();
        // Closing hashes are optional: `## Title ##`.
        trim_span(self.text, &(start..start + rest.trim_end().trim_end_matches('#').len()))
    }

    fn span(&self, position: Sourcepos) -> Range<usize> {
        // The end position is that of the last byte, which may be inside of a character.
        let start = self.offset(position.start);
        let last = self.offset(position.end);
        start..self.text.ceil_char_boundary(last + 1).clamp(start, self.text.len())
    }

    fn offset(&self, at: LineColumn) -> usize {
        let offset = self.start_of_line(at.line) + at.column.saturating_sub(1);
        self.text.floor_char_boundary(offset)
    }

    fn start_of_line(&self, line: usize) -> usize {
        self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    fn end_of_line(&self, line: usize) -> usize {
        self.start_of_line(line + 1)
    }
}
