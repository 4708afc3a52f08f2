//! Which headings of a document describe tools, and which blocks belong to each.

use std::ops::Range;

use super::{
    markdown::{BlockKind, MarkdownDocument},
    title::{HeadingSubject, ToolName, classify_heading, normalize_title},
};

/// The description of a tool, or of several tools that share one heading.
pub(super) struct ToolEntry {
    /// The names in the heading, with spans in the document.
    pub(super) names: Vec<ToolName>,
    pub(super) heading: Range<usize>,
    pub(super) level: u8,
    /// The indices of the blocks below the heading.
    pub(super) blocks: Range<usize>,
    /// From the heading to the next entry or unrelated heading.
    pub(super) span: Range<usize>,
}

/// The tool headings of a document.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) entries: Vec<ToolEntry>,
    /// Headings whose tool name is still a placeholder of the template.
    pub(super) placeholders: Vec<Range<usize>>,
}

impl Outline {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.placeholders.is_empty()
    }
}

pub(super) fn build_outline(document: &MarkdownDocument<'_>) -> Outline {
    let mut builder = OutlineBuilder {
        document,
        outline: Outline::default(),
        open: None,
        wrapper: None,
        skipped: None,
    };
    for (index, block) in document.blocks.iter().enumerate() {
        if let BlockKind::Heading { level, title } = &block.kind {
            builder.visit_heading(index, *level, title, &block.span);
        }
    }
    builder.close_entry(document.blocks.len());
    builder.outline
}

struct OutlineBuilder<'d, 't> {
    document: &'d MarkdownDocument<'t>,
    outline: Outline,
    /// The entry whose end is not known yet.
    open: Option<ToolEntry>,
    /// The level of the enclosing heading that announces tools, such as "Available Tools".
    wrapper: Option<u8>,
    /// The level of the enclosing heading below which names are not tools.
    skipped: Option<u8>,
}

impl OutlineBuilder<'_, '_> {
    fn visit_heading(
        &mut self,
        index: usize,
        level: u8,
        title: &Range<usize>,
        span: &Range<usize>,
    ) {
        let text = self.document.slice(title);
        let subject = classify_heading(text);
        // Deeper headings are sections of the open tool, even if they look like names: "####
        // `config`" describes an object. Only an explicit "Tool:" starts another tool there.
        let is_inside = self.open.as_ref().is_some_and(|open| open.level < level);
        if is_inside && !matches!(subject, HeadingSubject::Labelled(_)) {
            return;
        }
        self.close_entry(index);
        if self.skipped.is_some_and(|skipped| level > skipped) {
            return;
        }
        self.skipped = None;
        let is_wrapped = self.wrapper.is_some_and(|wrapper| level > wrapper);
        // The title of the document (level 1) names a module, never a tool.
        match subject {
            HeadingSubject::Labelled(names) | HeadingSubject::Names(names) if level > 1 => {
                self.open_entry(names, index, level, title, span)
            }
            // "push" is a tool below "## Tools", and an ordinary word anywhere else.
            HeadingSubject::Word(name) if is_wrapped => {
                self.open_entry(vec![name], index, level, title, span)
            }
            HeadingSubject::Placeholder if level > 1 => {
                self.outline.placeholders.push(span.clone());
                // The headings below it are the text of the template, not tools.
                self.skipped = Some(level);
            }
            _ if level > 1 => {
                let title = normalize_title(text);
                self.skipped = excludes_tools(&title).then_some(level);
                // A thematic group below a wrapper ("### File tools" below "## Tools") still
                // contains tools.
                self.wrapper = if is_wrapper(&title) {
                    Some(level)
                } else {
                    self.wrapper.filter(|wrapper| level > *wrapper)
                };
            }
            _ => {}
        }
    }

    fn open_entry(
        &mut self,
        names: Vec<ToolName>,
        index: usize,
        level: u8,
        title: &Range<usize>,
        span: &Range<usize>,
    ) {
        self.open = Some(ToolEntry {
            names: names.into_iter().map(|named| named.shift(title.start)).collect(),
            heading: span.clone(),
            level,
            blocks: index + 1..index + 1,
            span: span.clone(),
        });
    }

    /// Ends the open entry before the block at `index`.
    fn close_entry(&mut self, index: usize) {
        if let Some(mut entry) = self.open.take() {
            entry.blocks.end = index;
            let next = self.document.blocks.get(index);
            entry.span.end = next.map_or(self.document.text.len(), |next| next.span.start);
            self.outline.entries.push(entry);
        }
    }
}

/// Whether a heading announces tools: the wrappers that occur in real documents.
pub(super) fn is_wrapper(title: &str) -> bool {
    const WRAPPERS: [&str; 8] = [
        "tools",
        "available tools",
        "tool reference",
        "tool definitions",
        "tool inventory",
        "available mcp tools",
        "mcp tools",
        "tool list",
    ];
    WRAPPERS.contains(&title)
}

/// Whether names below a heading are not tools that are served, but plans or another interface.
fn excludes_tools(title: &str) -> bool {
    [
        "planned",
        "future",
        "not yet implemented",
        "python api",
        "python surface",
        "tool registration",
    ]
    .iter()
    .any(|mark| title.contains(mark))
}
