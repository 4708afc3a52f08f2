//! A block of roxygen comments: its tags, and the text before them.

use std::{borrow::Cow, ops::Range};

use super::keywords;

/// A line of a block, without its comment mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The first byte of the comment.
    pub(crate) at: usize,
    /// The byte behind the comment.
    end: usize,
}

/// A block: what stands before the first tag, and the tags.
pub(crate) struct Block<'a> {
    pub(crate) intro: Vec<Line<'a>>,
    pub(crate) tags: Vec<Tag<'a>>,
    lines: Vec<Line<'a>>,
}

/// A tag and its lines, the first without the tag itself.
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) at: usize,
    lines: Vec<Cow<'a, str>>,
}

/// Tags that end the code of `@examples`; any other word behind an `@` may be code.
const KNOWN: [&str; 60] = [
    "aliases",
    "author",
    "backref",
    "concept",
    "describeIn",
    "description",
    "details",
    "docType",
    "encoding",
    "eval",
    "evalNamespace",
    "evalRd",
    "example",
    "examples",
    "examplesIf",
    "export",
    "exportClass",
    "exportMethod",
    "exportPattern",
    "exportS3Method",
    "family",
    "field",
    "format",
    "import",
    "importClassesFrom",
    "importFrom",
    "importMethodsFrom",
    "include",
    "includeRmd",
    "inherit",
    "inheritDotParams",
    "inheritParams",
    "inheritSection",
    "keywords",
    "md",
    "method",
    "name",
    "noMd",
    "noRd",
    "note",
    "order",
    "param",
    "prop",
    "rawNamespace",
    "rawRd",
    "rdname",
    "references",
    "return",
    "returns",
    "section",
    "seealso",
    "slot",
    "source",
    "template",
    "templateVar",
    "title",
    "usage",
    "useDynLib",
    "S3method",
    "R6method",
];

/// The line that a comment is, if it is of roxygen.
pub(super) fn line(text: &str, range: Range<usize>) -> Option<Line<'_>> {
    Some(Line { text: body(&text[range.clone()])?, at: range.start, end: range.end })
}

/// What a comment of roxygen says.
fn body(comment: &str) -> Option<&str> {
    let body = comment.trim_start_matches('#').strip_prefix('\'')?;
    Some(body.strip_prefix(' ').unwrap_or(body).trim_end())
}

impl<'a> Block<'a> {
    pub(super) fn new(lines: Vec<Line<'a>>) -> Self {
        let mut block = Self { intro: Vec::new(), tags: Vec::new(), lines: Vec::new() };
        for line in &lines {
            let in_code = block.tags.last().is_some_and(|tag| tag.name.starts_with("examples"));
            match (tag(line.text, in_code), block.tags.last_mut()) {
                (Some((name, rest)), _) => {
                    block.tags.push(Tag { name, at: line.at, lines: vec![rest.into()] })
                }
                (None, Some(open)) => open.lines.push(line.text.into()),
                (None, None) => block.intro.push(*line),
            }
        }
        block.lines = lines;
        block
    }

    /// Puts the tags that a text has in the place of the tag of this index, where they are from now on.
    pub(super) fn replace(&mut self, index: usize, text: &str) {
        let at = self.tags[index].at;
        let mut tags: Vec<Tag<'a>> = Vec::new();
        for line in text.lines().filter_map(|line| body(line.trim_start())) {
            let in_code = tags.last().is_some_and(|tag| tag.name.starts_with("examples"));
            match (tag(line, in_code), tags.last_mut()) {
                (Some((name, rest)), _) => {
                    // One that nobody knows still ends the one before it.
                    let meant = if keywords::is_nearly_tag(name) { "keyword" } else { "" };
                    let name = KNOWN.into_iter().find(|known| *known == name).unwrap_or(meant);
                    tags.push(Tag { name, at, lines: vec![rest.to_owned().into()] });
                }
                (None, Some(open)) => open.lines.push(line.to_owned().into()),
                (None, None) => {}
            }
        }
        self.tags.splice(index..=index, tags);
    }

    /// Where it begins.
    pub(crate) fn at(&self) -> usize {
        self.lines.first().map_or(0, |line| line.at)
    }

    /// The tags of a name.
    pub(crate) fn all<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Tag<'a>> {
        self.tags.iter().filter(move |tag| tag.name == name)
    }

    /// The first tag of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Tag<'a>> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The paragraphs before the first tag, each as its lines.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let text = self.intro.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        let paragraphs =
            text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
        paragraphs.map(str::to_owned).collect()
    }

    /// The first line behind which something else than documentation stands, up to the next line of the block.
    pub(crate) fn gap(&self, text: &str) -> Option<usize> {
        let mut pairs = self.lines.windows(2);
        let gap = |pair: &&[Line<'_>]| {
            text.get(pair[0].end..pair[1].at)
                .is_some_and(|between| between.matches('\n').count() > 1)
        };
        pairs.find(gap).map(|pair| pair[1].at)
    }
}

impl Tag<'_> {
    /// Its text, lines as they are.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n").trim().to_owned()
    }

    /// Its text as code: without the empty lines around it, and with escaped at-signs as they are meant.
    pub(crate) fn code(&self) -> String {
        let code = self.lines.join("\n").replace("@@", "@");
        let code = code.trim_end();
        let start = code
            .lines()
            .take_while(|line| line.trim().is_empty())
            .map(|line| line.len() + 1)
            .sum::<usize>();
        code.get(start..).unwrap_or_default().to_owned()
    }

    /// Its words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .flat_map(|line| line.split([' ', '\t', ',']))
            .filter(|word| !word.is_empty())
    }
}

/// The tag that a line begins, and what stands behind it. One that is nearly `@keywords` is one in code, too, or before
/// a colon: what it annotations must not be lost.
fn tag(line: &str, in_code: bool) -> Option<(&str, &str)> {
    let body = line.trim_start().strip_prefix('@')?;
    let length = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (name, rest) = body.split_at(length);
    let has_keywords = keywords::is_nearly_tag(name);
    let is_set_off =
        rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with(':') && has_keywords;
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_set_off;
    (is_tag && (!in_code || has_keywords || KNOWN.contains(&name))).then(|| (name, rest.trim()))
}
