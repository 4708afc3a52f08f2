//! A block of roxygen2 comments: the text before the first tag, and the tags.

use std::{borrow::Cow, ops::Range};

use catalog::closest;

/// A comment line of a block, without its `#'`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The byte range of the whole comment.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

pub(crate) struct Block<'a> {
    pub(crate) intro: Vec<Line<'a>>,
    pub(crate) tags: Vec<Tag<'a>>,
    pub(crate) lines: Vec<Line<'a>>,
}

/// A tag and its lines, the first without the tag itself.
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    /// The byte offset of its first line. A tag from a template has that of `@template`.
    pub(crate) offset: usize,
    lines: Vec<Cow<'a, str>>,
}

/// The tags of roxygen2 and our own. Only these end the code of `@examples`, because `@` at the
/// start of a line may also be R's slot operator.
const KNOWN: [&str; 69] = [
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
    // Keywords that authors write as tags by mistake. They are known here so that they are reported
    // by name.
    "mcp-dangerous",
    "mcp-network",
    "mcp-read-only",
    "mcp-requires-approval",
    "mcp-tool",
    "mcp-writes",
    "mcp-optional",
    "mcp-required",
    "mcp-type",
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

impl<'a> Line<'a> {
    /// The comment at `range`, if it is a roxygen2 comment.
    pub(super) fn parse(text: &'a str, range: Range<usize>) -> Option<Self> {
        let comment = strip_marker(&text[range.clone()])?;
        Some(Self { text: comment, start: range.start, end: range.end })
    }
}

/// The text of a roxygen2 comment. Any number of `#` may precede the quote, as in roxygen2.
fn strip_marker(comment: &str) -> Option<&str> {
    let body = comment.trim_start_matches('#').strip_prefix('\'')?;
    // One blank only: further indentation belongs to code and lists.
    Some(body.strip_prefix(' ').unwrap_or(body).trim_end())
}

impl<'a> Block<'a> {
    pub(super) fn new(lines: Vec<Line<'a>>) -> Self {
        let mut block = Self { intro: Vec::new(), tags: Vec::new(), lines: Vec::new() };
        for line in &lines {
            // In example code only known tags end the tag, because a line may begin with R's slot
            // operator.
            let in_code = block.tags.last().is_some_and(Tag::is_code);
            match (parse_tag(line.text, in_code), block.tags.last_mut()) {
                (Some((name, rest)), _) => {
                    block.tags.push(Tag { name, offset: line.start, lines: vec![rest.into()] })
                }
                (None, Some(open)) => open.lines.push(line.text.into()),
                (None, None) => block.intro.push(*line),
            }
        }
        block.lines = lines;
        block
    }

    /// Replaces the tag at `index` by the tags in `text`, the content of a template.
    pub(super) fn replace_tag(&mut self, index: usize, text: &str) {
        let offset = self.tags[index].offset;
        let mut tags: Vec<Tag<'a>> = Vec::new();
        for line in text.lines().filter_map(|line| strip_marker(line.trim_start())) {
            let in_code = tags.last().is_some_and(Tag::is_code);
            match (parse_tag(line, in_code), tags.last_mut()) {
                (Some((name, rest)), _) => {
                    let name = static_name(name);
                    tags.push(Tag { name, offset, lines: vec![rest.to_owned().into()] });
                }
                (None, Some(open)) => open.lines.push(line.to_owned().into()),
                // Text before the first tag of a template has no meaning in roxygen2.
                (None, None) => {}
            }
        }
        // Replaced in place, because the order of tags decides which `@param` takes effect.
        self.tags.splice(index..=index, tags);
    }

    /// The byte offset of its first line.
    pub(crate) fn offset(&self) -> usize {
        self.lines.first().map_or(0, |line| line.start)
    }

    pub(crate) fn tags_named<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Tag<'a>> {
        self.tags.iter().filter(move |tag| tag.name == name)
    }

    /// The first tag with this name.
    pub(crate) fn tag(&self, name: &str) -> Option<&Tag<'a>> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The paragraphs before the first tag.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let text = self.intro.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        let paragraphs =
            // Title, description and details are separated by blank lines, as in roxygen2.
            text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
        paragraphs.map(str::to_owned).collect()
    }

    /// The offset of the first line that does not directly follow the line before it.
    pub(crate) fn gap(&self, text: &str) -> Option<usize> {
        let has_gap = |pair: &&[Line<'_>]| {
            text.get(pair[0].end..pair[1].start)
                .is_some_and(|between| between.matches('\n').count() > 1)
        };
        self.lines.windows(2).find(has_gap).map(|pair| pair[1].start)
    }
}

impl Tag<'_> {
    fn is_code(&self) -> bool {
        self.name.starts_with("examples")
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n").trim().to_owned()
    }

    /// Its text as R code: indentation is kept, and `@@`, the escape of roxygen2, is resolved.
    pub(crate) fn code(&self) -> String {
        let code = self.lines.join("\n").replace("@@", "@");
        let code = code.trim_end();
        let blank: usize =
            code.lines().take_while(|line| line.trim().is_empty()).map(|line| line.len() + 1).sum();
        code.get(blank..).unwrap_or_default().to_owned()
    }

    /// Its words, which blanks or commas separate.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .flat_map(|line| line.split([' ', '\t', ',']))
            .filter(|word| !word.is_empty())
    }
}

/// The tag that a line begins with, and the text after it.
fn parse_tag(line: &str, in_code: bool) -> Option<(&str, &str)> {
    let body = line.trim_start().strip_prefix('@')?;
    // Our own tags contain dashes. roxygen2 reads them as an unknown tag `@mcp`, which it ignores
    // with a warning.
    let has_dashes = body.starts_with("mcp-");
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || has_dashes && *byte == b'-';
    let length = body.bytes().take_while(is_part).count();
    let (name, rest) = body.split_at(length);
    // A misspelled `@keywords` counts everywhere, even in code and before a colon: it may carry a
    // safety keyword, which must not get lost.
    let is_keywords = resembles_keywords(name) || has_dashes;
    let is_separated =
        rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with(':') && is_keywords;
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_separated;
    (is_tag && (!in_code || is_keywords || KNOWN.contains(&name))).then(|| (name, rest.trim()))
}

/// Whether a tag is `@keywords` or a misspelling of it.
pub(crate) fn resembles_keywords(name: &str) -> bool {
    closest(name, ["keywords"]).is_some()
}

/// The name of a tag from a template, whose text does not live as long as the block. Unknown tags
/// get an empty name, because they still end the tag before them.
fn static_name(name: &str) -> &'static str {
    let fallback = if resembles_keywords(name) { "keyword" } else { "" };
    KNOWN.into_iter().find(|known| *known == name).unwrap_or(fallback)
}
