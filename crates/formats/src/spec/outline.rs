//! Which headings of a page describe tools, and which blocks belong to each.

use std::ops::Range;

use super::{
    page::{Kind, Page},
    title::{Named, Subject, subject, words},
};

/// A part of the page that describes a tool, or several that have everything in common.
pub(super) struct Entry {
    /// The names in its heading, with their bytes in the page.
    pub(super) names: Vec<Named>,
    /// The bytes of the heading.
    pub(super) heading: Range<usize>,
    /// Its level.
    pub(super) level: u8,
    /// The blocks behind the heading, by number.
    pub(super) blocks: Range<usize>,
    /// All its bytes.
    pub(super) span: Range<usize>,
}

/// What a page has of tools.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) entries: Vec<Entry>,
    /// The bytes of headings whose names are to be filled in.
    pub(super) placeholders: Vec<Range<usize>>,
}

impl Outline {
    /// Whether no heading is about a tool.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.placeholders.is_empty()
    }
}

/// Finds the tools of a page.
pub(super) fn outline(page: &Page<'_>) -> Outline {
    let mut walk =
        Walk { page, outline: Outline::default(), open: None, wrapper: None, skipped: None };
    for (index, block) in page.blocks.iter().enumerate() {
        if let Kind::Heading { level, title } = &block.kind {
            walk.heading(index, *level, title, &block.span);
        }
    }
    walk.close(page.blocks.len());
    walk.outline
}

struct Walk<'p, 't> {
    page: &'p Page<'t>,
    outline: Outline,
    /// The entry that is being read, and whether its heading says that it is a tool.
    open: Option<Entry>,
    /// The level of the heading around tools.
    wrapper: Option<u8>,
    /// The level of a heading under which no tools are described.
    skipped: Option<u8>,
}

impl Walk<'_, '_> {
    fn heading(&mut self, index: usize, level: u8, title: &Range<usize>, span: &Range<usize>) {
        let text = self.page.str(title);
        let subject = subject(text);
        let is_inside = self.open.as_ref().is_some_and(|open| open.level < level);
        if is_inside && !matches!(subject, Subject::Titled(_)) {
            return;
        }
        self.close(index);
        if self.skipped.is_some_and(|skipped| level > skipped) {
            return;
        }
        self.skipped = None;
        let is_below = self.wrapper.is_some_and(|wrapper| level > wrapper);
        match subject {
            Subject::Titled(names) | Subject::Bare(names) if level > 1 => {
                self.begin(names, index, level, title, span)
            }
            Subject::Word(name) if is_below => self.begin(vec![name], index, level, title, span),
            Subject::Placeholder if level > 1 => {
                self.outline.placeholders.push(span.clone());
                self.skipped = Some(level);
            }
            _ if level > 1 => {
                let words = words(text);
                self.skipped = is_about_others(&words).then_some(level);
                self.wrapper = if is_wrapper(&words) {
                    Some(level)
                } else {
                    self.wrapper.filter(|wrapper| level > *wrapper)
                };
            }
            _ => {}
        }
    }

    fn begin(
        &mut self,
        names: Vec<Named>,
        index: usize,
        level: u8,
        title: &Range<usize>,
        span: &Range<usize>,
    ) {
        let moved = |named: Named| Named {
            span: named.span.start + title.start..named.span.end + title.start,
            ..named
        };
        let names = names.into_iter().map(moved).collect();
        self.open = Some(Entry {
            names,
            heading: span.clone(),
            level,
            blocks: index + 1..index + 1,
            span: span.clone(),
        });
    }

    fn close(&mut self, index: usize) {
        if let Some(mut entry) = self.open.take() {
            entry.blocks.end = index;
            entry.span.end =
                self.page.blocks.get(index).map_or(self.page.text.len(), |next| next.span.start);
            self.outline.entries.push(entry);
        }
    }
}

/// Whether tools stand under a heading.
pub(super) fn is_wrapper(words: &str) -> bool {
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
    WRAPPERS.contains(&words)
}

/// Whether what stands under a heading is not served: plans, and other interfaces.
fn is_about_others(words: &str) -> bool {
    [
        "planned",
        "future",
        "not yet implemented",
        "python api",
        "python surface",
        "tool registration",
    ]
    .iter()
    .any(|mark| words.contains(mark))
}
