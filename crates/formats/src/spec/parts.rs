//! The parts of what is said about one tool: under headings, behind labels, as labelled bullets.

use std::ops::Range;

use catalog::spec_details::Section;

use super::{
    inline::{UNSAID, label, plain_label},
    page::{Block, Kind, Page},
    title::{section, words},
};

/// One part.
pub(super) struct Part<'p> {
    /// The section it belongs to, if it is one that is known.
    pub(super) section: Option<Section>,
    /// Its title in lower case; nothing for what stands right under the tool's heading.
    pub(super) title: String,
    /// The number in its title.
    pub(super) number: Option<usize>,
    /// How it is introduced.
    pub(super) by: By,
    /// The bytes of its title, or of the tool's heading.
    pub(super) location: Range<usize>,
    /// What it has.
    pub(super) chunks: Vec<Chunk<'p>>,
}

/// How a part is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// It stands right under the tool's heading.
    Tool,
    /// By a heading of its own.
    Heading,
    /// By a label.
    Label,
}

/// A piece of a part.
pub(super) enum Chunk<'p> {
    /// Running text.
    Text(Range<usize>),
    /// Anything else.
    Block(&'p Block),
}

impl Part<'_> {
    /// Its running text, paragraph by paragraph.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Range<usize>> {
        self.chunks.iter().filter_map(|chunk| match chunk {
            Chunk::Text(span) => Some(span),
            Chunk::Block(_) => None,
        })
    }

    /// Whether there is anything in it but the words that stand where something is still to be said.
    pub(super) fn says_something(&self, page: &Page<'_>) -> bool {
        self.chunks.iter().any(|chunk| match chunk {
            Chunk::Text(span) => page.str(span) != UNSAID,
            Chunk::Block(_) => true,
        })
    }

    /// Its blocks that are no running text.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.chunks.iter().filter_map(|chunk| match chunk {
            Chunk::Text(_) => None,
            Chunk::Block(block) => Some(*block),
        })
    }
}

/// Parts the blocks of a tool whose heading has these bytes.
pub(super) fn parts<'p>(
    page: &'p Page<'_>,
    blocks: &'p [Block],
    heading: &Range<usize>,
) -> Vec<Part<'p>> {
    let first = Part {
        section: None,
        title: String::new(),
        number: None,
        by: By::Tool,
        location: heading.clone(),
        chunks: Vec::new(),
    };
    let mut parting = Parting { page, parts: vec![first], under: None };
    blocks.iter().for_each(|block| parting.block(block));
    parting.parts
}

struct Parting<'p, 't> {
    page: &'p Page<'t>,
    parts: Vec<Part<'p>>,
    /// The heading that is being read under: its level and its section.
    under: Option<(u8, Option<Section>)>,
}

impl<'p> Parting<'p, '_> {
    fn block(&mut self, block: &'p Block) {
        match &block.kind {
            Kind::Heading { level, title } => self.heading(*level, title),
            Kind::Paragraph => self.paragraph(&block.span),
            Kind::List(items) if self.section_of_heading().is_none() && self.has_labels(items) => {
                items.iter().for_each(|item| self.item(item));
            }
            _ => self.push(Chunk::Block(block)),
        }
    }

    fn heading(&mut self, level: u8, title: &Range<usize>) {
        let text = self.page.str(title);
        let inherited =
            self.under.filter(|(above, _)| level > *above).and_then(|(_, section)| section);
        let named = section(text);
        if inherited.is_none() || named.is_some() {
            self.under = Some((level, named));
        }
        self.begin(named.or(inherited), text, By::Heading, title.clone());
    }

    /// Parts running text at its labels.
    fn paragraph(&mut self, span: &Range<usize>) {
        let text = self.page.str(span);
        let mut start = 0;
        for (at, words, rest) in labels(text) {
            self.said(span.start + start..span.start + at);
            let named = section(words);
            let keeps =
                self.section_of_heading().filter(|section| named.is_none() || is_prose(*section));
            self.begin(keeps.or(named), words, By::Label, span.start + at..span.start + rest);
            start = rest;
        }
        match start {
            0 => self.said(span.clone()),
            _ => self.text(span.start + start..span.end),
        }
    }

    /// Takes text that no label introduces: behind a fact such as a version, it is about the tool again.
    fn said(&mut self, span: Range<usize>) {
        let is_behind_fact = |part: &Part<'_>| {
            part.by == By::Label
                && part.section.is_none()
                && part.title != "notes"
                && is_fact(&part.title)
                && !part.chunks.is_empty()
        };
        let trimmed = self.page.trimmed(&span);
        match self.parts.as_mut_slice() {
            [tool, .., last] if is_behind_fact(last) && !trimmed.is_empty() => {
                tool.chunks.push(Chunk::Text(trimmed))
            }
            _ => self.text(span),
        }
    }

    fn item(&mut self, item: &'p [Block]) {
        for (index, block) in item.iter().enumerate() {
            match (&block.kind, index) {
                (Kind::Paragraph, _) => self.paragraph(&block.span),
                _ => self.push(Chunk::Block(block)),
            }
        }
    }

    fn begin(&mut self, section: Option<Section>, title: &str, by: By, location: Range<usize>) {
        let number = super::title::number(title);
        self.parts.push(Part {
            section,
            title: words(title),
            number,
            by,
            location,
            chunks: Vec::new(),
        });
    }

    fn text(&mut self, span: Range<usize>) {
        let span = self.page.trimmed(&span);
        if !span.is_empty() {
            self.push(Chunk::Text(span));
        }
    }

    fn push(&mut self, chunk: Chunk<'p>) {
        if let Some(part) = self.parts.last_mut() {
            part.chunks.push(chunk);
        }
    }

    fn section_of_heading(&self) -> Option<Section> {
        self.under.and_then(|(_, section)| section)
    }

    fn has_labels(&self, items: &[Vec<Block>]) -> bool {
        let first = |item: &Vec<Block>| item.first().map(|block| self.page.str(&block.span));
        let names = |text: &str| {
            label(text).is_some_and(|(words, _)| section(words).is_some() || is_fact(words))
        };
        items.iter().filter_map(first).any(names)
    }
}

/// Labels that say something about a tool without being a section.
fn is_fact(label: &str) -> bool {
    const FACTS: [&str; 8] = [
        "category",
        "version",
        "trust level",
        "notes",
        "mutates",
        "dangerous",
        "requires approval",
        "network",
    ];
    FACTS.contains(&words(label).as_str())
}

/// Sections in which labels only order the text.
fn is_prose(section: Section) -> bool {
    matches!(
        section,
        Section::Errors | Section::Idempotency | Section::Examples | Section::Security
    )
}

/// The labels of a paragraph: where each begins, its words, and where the text goes on.
fn labels(text: &str) -> Vec<(usize, &str, usize)> {
    let mut found: Vec<(usize, &str, usize)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let at = start + indent;
        if let Some((words, rest)) = label(&text[at..]) {
            found.push((at, words, at + rest));
        } else if let Some(words) = plain_label(line).filter(|words| section(words).is_some()) {
            found.push((at, words, start + line.len()));
        }
        found.extend(inner_labels(text, at, start + line.len()));
        start += line.len();
    }
    found.dedup_by_key(|(at, ..)| *at);
    found
}

/// Labels of sections in the middle of a line, behind the end of a sentence.
fn inner_labels(
    text: &str,
    start: usize,
    end: usize,
) -> impl Iterator<Item = (usize, &str, usize)> {
    text[start..end].match_indices(". **").filter_map(move |(at, _)| {
        let at = start + at + 2;
        let (words, rest) = label(&text[at..])?;
        section(words).map(|_| (at, words, at + rest))
    })
}
