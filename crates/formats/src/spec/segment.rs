//! Splits the description of a tool into segments at headings and labels.
//!
//! Only a quarter of real tools use the headings of the template. Others use bold labels
//! (`**Parameters**:`), labelled list items, or labels in the middle of a line; all of them become
//! segments here, so that the readers of sections need not care.

use std::ops::Range;

use catalog::{find_safety_annotation, spec_details::Section};

use super::{
    details::parse_flag,
    inline::{NOT_SPECIFIED, parse_label, parse_plain_label},
    markdown::{Block, BlockKind, MarkdownDocument},
    title::{find_section, normalize_title, parse_number},
};

/// Consecutive content under one heading or label.
pub(super) struct Segment<'d> {
    /// The section it belongs to, if its title or an enclosing heading names one.
    pub(super) section: Option<Section>,
    /// The normalized title; empty for the content right below the tool's heading.
    pub(super) title: String,
    /// The number in the title.
    pub(super) number: Option<usize>,
    pub(super) opening: Opening,
    /// The span of the title, or of the tool's heading.
    pub(super) location: Range<usize>,
    pub(super) contents: Vec<Content<'d>>,
}

/// How a segment is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// By the heading of the tool.
    ToolHeading,
    /// By a heading of its own.
    Heading,
    Label,
}

/// A piece of a segment.
pub(super) enum Content<'d> {
    /// A paragraph, or the part of one that belongs to the segment.
    Text(Range<usize>),
    Block(&'d Block),
}

impl Content<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        match self {
            Content::Text(span) => span.clone(),
            Content::Block(block) => block.span.clone(),
        }
    }
}

impl Segment<'_> {
    /// The spans of its paragraphs.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Range<usize>> {
        self.contents.iter().filter_map(|content| match content {
            Content::Text(span) => Some(span),
            Content::Block(_) => None,
        })
    }

    /// Its blocks other than paragraphs.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.contents.iter().filter_map(|content| match content {
            Content::Text(_) => None,
            Content::Block(block) => Some(*block),
        })
    }

    /// Whether it has any content apart from "Not specified.", which our writer puts into sections
    /// without information.
    pub(super) fn has_content(&self, document: &MarkdownDocument<'_>) -> bool {
        self.contents.iter().any(|content| match content {
            Content::Text(span) => document.slice(span) != NOT_SPECIFIED,
            Content::Block(_) => true,
        })
    }
}

/// Splits the blocks of a tool. The first segment is the content right below its heading.
pub(super) fn split_segments<'d>(
    document: &'d MarkdownDocument<'_>,
    blocks: &'d [Block],
    heading: &Range<usize>,
) -> Vec<Segment<'d>> {
    let first = Segment {
        section: None,
        title: String::new(),
        number: None,
        opening: Opening::ToolHeading,
        location: heading.clone(),
        contents: Vec::new(),
    };
    let mut splitter = SegmentSplitter { document, segments: vec![first], enclosing: None };
    blocks.iter().for_each(|block| splitter.visit_block(block));
    splitter.segments
}

struct SegmentSplitter<'d, 't> {
    document: &'d MarkdownDocument<'t>,
    segments: Vec<Segment<'d>>,
    /// The level and the section of the heading that the current block is under.
    enclosing: Option<(u8, Option<Section>)>,
}

impl<'d> SegmentSplitter<'d, '_> {
    fn visit_block(&mut self, block: &'d Block) {
        match &block.kind {
            BlockKind::Heading { level, title } => self.visit_heading(*level, title),
            BlockKind::Paragraph => self.visit_paragraph(&block.span),
            // A list of labels ("- **Category**: x", "- **Parameters**: None") is split as if its
            // items were paragraphs. Under a section heading the labels only structure that
            // section.
            BlockKind::List(items)
                if self.enclosing_section().is_none() && self.has_labels(items) =>
            {
                items.iter().for_each(|item| self.visit_item(item));
            }
            _ => self.push(Content::Block(block)),
        }
    }

    fn visit_heading(&mut self, level: u8, title: &Range<usize>) {
        let text = self.document.slice(title);
        let inherited =
            self.enclosing.filter(|(above, _)| level > *above).and_then(|(_, section)| section);
        let named = find_section(text);
        // A subheading without a section of its own ("#### Options" below "### Parameters")
        // continues the enclosing section.
        if inherited.is_none() || named.is_some() {
            self.enclosing = Some((level, named));
        }
        self.open_segment(named.or(inherited), text, Opening::Heading, title.clone());
    }

    /// Splits a paragraph at its labels.
    fn visit_paragraph(&mut self, span: &Range<usize>) {
        let text = self.document.slice(span);
        let mut start = 0;
        for Label { at, words, rest } in find_labels(text) {
            self.push_unlabelled(span.start + start..span.start + at);
            let named = find_section(words);
            // A label that names a section wins over the enclosing heading ("**Returns**:" below
            // "### Schema"), except in sections of prose, where it is about that section.
            let enclosing = self
                .enclosing_section()
                .filter(|section| named.is_none() || is_prose_section(*section));
            self.open_segment(
                enclosing.or(named),
                words,
                Opening::Label,
                span.start + at..span.start + rest,
            );
            start = rest;
        }
        if start == 0 {
            self.push_unlabelled(span.clone());
        } else {
            self.push_text(span.start + start..span.end);
        }
    }

    /// Adds text that no label introduces. After a property such as the version, it is about the
    /// tool again: the purpose often follows a block of `**Version**: 1.2.0` lines.
    fn push_unlabelled(&mut self, span: Range<usize>) {
        // Several labels may share a line, and the text of each ends at the next pipe.
        let document = self.document;
        let is_after_pipe =
            |segment: &Segment<'_>| document.slice(&segment.location).starts_with(PIPE);
        // Notes are the exception: several paragraphs of them are common.
        let is_complete_property = |segment: &Segment<'_>| {
            segment.opening == Opening::Label
                && segment.section.is_none()
                && segment.title != "notes"
                && (is_property(&segment.title) || is_after_pipe(segment))
                && !segment.contents.is_empty()
        };
        let trimmed = self.document.trim(&span);
        match self.segments.as_mut_slice() {
            [tool, .., last] if is_complete_property(last) && !trimmed.is_empty() => {
                tool.contents.push(Content::Text(trimmed))
            }
            _ => self.push_text(span),
        }
    }

    fn visit_item(&mut self, item: &'d [Block]) {
        for block in item {
            match &block.kind {
                BlockKind::Paragraph => self.visit_paragraph(&block.span),
                _ => self.push(Content::Block(block)),
            }
        }
    }

    fn open_segment(
        &mut self,
        section: Option<Section>,
        title: &str,
        opening: Opening,
        location: Range<usize>,
    ) {
        self.segments.push(Segment {
            section,
            title: normalize_title(title),
            number: parse_number(title),
            opening,
            location,
            contents: Vec::new(),
        });
    }

    fn push_text(&mut self, span: Range<usize>) {
        let span = self.document.trim(&span);
        if !span.is_empty() {
            self.push(Content::Text(span));
        }
    }

    fn push(&mut self, content: Content<'d>) {
        if let Some(segment) = self.segments.last_mut() {
            segment.contents.push(content);
        }
    }

    fn enclosing_section(&self) -> Option<Section> {
        self.enclosing.and_then(|(_, section)| section)
    }

    fn has_labels(&self, items: &[Vec<Block>]) -> bool {
        let first_text =
            |item: &Vec<Block>| item.first().map(|block| self.document.slice(&block.span));
        // One known label is enough: lists of properties also have labels of their own.
        let is_labelled = |text: &str| {
            parse_label(text)
                .is_some_and(|(words, _)| find_section(words).is_some() || is_property(words))
                || parse_plain_flag(text.lines().next().unwrap_or_default()).is_some()
        };
        items.iter().filter_map(first_text).any(is_labelled)
    }
}

/// Whether a label states a property of the tool and opens no section.
fn is_property(label: &str) -> bool {
    const PROPERTIES: [&str; 9] = [
        "category",
        "version",
        "trust level",
        "notes",
        "mutates",
        "dangerous",
        "requires approval",
        "network",
        "constraints",
    ];
    PROPERTIES.contains(&normalize_title(label).as_str()) || find_safety_annotation(label).is_some()
}

/// Parses a line such as "Dangerous: Yes", a safety annotation without bold, possibly misspelled.
/// Returns the label and the offset of the answer.
fn parse_plain_flag(line: &str) -> Option<(&str, usize)> {
    let (words, answer) = line.split_once(':')?;
    (parse_flag(answer).is_some() && find_safety_annotation(words.trim()).is_some())
        .then_some((words.trim(), words.len() + 1))
}

/// Whether labels in a section only structure its text: "**Output Sanitization**:" or "**Input**:"
/// under "Security Considerations" must not open the input or output section.
fn is_prose_section(section: Section) -> bool {
    matches!(
        section,
        Section::Errors | Section::Idempotency | Section::Examples | Section::Security
    )
}

/// Separates labels on a line.
const PIPE: &str = " | ";

/// A label in a paragraph.
struct Label<'t> {
    /// The offset of the label.
    at: usize,
    words: &'t str,
    /// The offset at which the text continues.
    rest: usize,
}

fn find_labels(text: &str) -> Vec<Label<'_>> {
    let mut found: Vec<Label<'_>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let at = start + indent;
        let end = start + line.len();
        if let Some((words, rest)) = parse_label(&text[at..]) {
            found.push(Label { at, words, rest: at + rest });
            found.extend(find_labels_after_pipes(text, at, end));
        } else if let Some(words) =
            parse_plain_label(line).filter(|words| find_section(words).is_some())
        {
            found.push(Label { at, words, rest: end });
        } else if let Some((words, rest)) = parse_plain_flag(&text[at..end]) {
            found.push(Label { at, words, rest: at + rest });
        }
        found.extend(find_labels_in_line(text, at, end));
        start = end;
    }
    found.dedup_by_key(|label| label.at);
    found
}

/// Labels on the line of another label: "**Category**: soul | **Trust**: high". The pipe belongs to
/// the label, so that it is not part of the text before it.
fn find_labels_after_pipes(
    text: &str,
    start: usize,
    end: usize,
) -> impl Iterator<Item = Label<'_>> {
    text[start..end].match_indices(PIPE).filter_map(move |(at, _)| {
        let label = start + at + PIPE.len();
        let (words, rest) = parse_label(&text[label..])?;
        Some(Label { at: start + at, words, rest: label + rest })
    })
}

/// Labels of sections after a sentence on the same line: "No parameters. **Returns:** `status`".
fn find_labels_in_line(text: &str, start: usize, end: usize) -> impl Iterator<Item = Label<'_>> {
    text[start..end].match_indices(". **").filter_map(move |(at, _)| {
        let at = start + at + 2;
        let (words, rest) = parse_label(&text[at..])?;
        find_section(words).map(|_| Label { at, words, rest: at + rest })
    })
}
