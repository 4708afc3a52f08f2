//! One definition file, from its bytes to the tools in it.

use catalog::{Diagnostic, SourceId};

use crate::{
    context::{Context, Guidance, ReadLink},
    format::{Format, MAX_BYTES, Reader, Reading},
    guidance,
    json::{self, Node},
    report::{Report, summarize},
    rules::syntax::{FILE_TOO_LARGE, NOT_A_DEFINITION, NOT_UTF8},
    table::FORMATS,
    yaml,
};

/// Reads a definition without the files that it links to. Whatever is not a definition gives no
/// tools and a diagnostic.
pub fn read(source: &SourceId, bytes: &[u8], guidance: &Guidance) -> Reading {
    Document::parse(source, bytes).read(guidance)
}

/// Reads a guidance file.
pub fn read_guidance(source: &SourceId, bytes: &[u8]) -> (Guidance, Vec<Diagnostic>) {
    Document::parse(source, bytes).read_guidance()
}

/// Whether a file that was found in some folder should be read. Markdown files are everywhere, so
/// one must be recognized by a format; JSON and YAML files are always read, so that broken ones are
/// reported. The bytes need not be valid UTF-8.
pub fn is_candidate(source: &SourceId, bytes: &[u8]) -> bool {
    !is_markdown(source)
        || detect_markdown(FORMATS, source, &String::from_utf8_lossy(bytes)).is_some()
}

/// Whether a JSON or YAML file has the fields of a tool definition, regardless of its location.
/// Other files, such as `package.json`, have some of these fields, but not all.
pub fn looks_like_definition(source: &SourceId, bytes: &[u8]) -> bool {
    const ONE_OF: [&str; 5] = ["command", "subcommand", "inputSchema", "sequence", "parameters"];
    match Document::parse(source, bytes).content {
        Content::Data(root) => {
            root.has_any(&["name"]) && root.has_any(&["description"]) && root.has_any(&ONE_OF)
        }
        Content::Unreadable | Content::Markdown => false,
    }
}

/// A file that is parsed but not yet read by a format.
pub struct Document<'a> {
    format: Option<&'static Format>,
    text: &'a str,
    content: Content<'a>,
    report: Report,
}

/// The part of a file that a format reads.
enum Content<'a> {
    /// The file cannot be decoded or parsed; the report has the reason.
    Unreadable,
    Markdown,
    Data(Node<'a>),
}

impl<'a> Document<'a> {
    /// Parses a file and recognizes its format.
    pub fn parse(source: &SourceId, bytes: &'a [u8]) -> Self {
        Self::parse_as(FORMATS, source, bytes)
    }

    /// Parses a file as one of the formats in a table.
    pub(crate) fn parse_as(
        formats: &[&'static Format],
        source: &SourceId,
        bytes: &'a [u8],
    ) -> Self {
        let mut report = Report::new(source);
        let Some(text) = decode(bytes, &mut report) else {
            return Self { format: None, text: "", content: Content::Unreadable, report };
        };
        if let Some(format) = detect_markdown(formats, source, text) {
            return Self { format: Some(format), text, content: Content::Markdown, report };
        }
        // Markdown that is not a specification is never YAML, although its first line may look like
        // a key; the JSON parser gives the clearer error.
        let parsed = if is_markdown(source) { json::parse(text) } else { parse(text) };
        parsed.problems.into_iter().for_each(|problem| report.push_syntax(problem));
        // A lossy tree has nulls in the place of what was not understood; a format could take them
        // for values.
        match parsed.root.filter(|_| !parsed.is_lossy) {
            Some(root) => {
                let format = detect_data(formats, &root, text);
                Self { format, text, content: Content::Data(root), report }
            }
            None => Self { format: None, text, content: Content::Unreadable, report },
        }
    }

    /// The format of the file; none if no format recognizes it or it cannot be parsed.
    pub fn format(&self) -> Option<&'static Format> {
        self.format
    }

    /// Whether it is a Markdown specification. Identical copies of one count once, since projects
    /// keep copies of a page for documentation.
    pub fn is_markdown(&self) -> bool {
        matches!(self.content, Content::Markdown)
    }

    /// Whether it is a guidance file, which must be read before the definitions that refer to it.
    pub fn is_guidance(&self) -> bool {
        self.format.is_some_and(|format| std::ptr::eq(format, &guidance::FORMAT))
    }

    /// Reads it as a definition without the files that it links to.
    pub fn read(self, guidance: &Guidance) -> Reading {
        self.read_linked(guidance, &|_| Err("no files can be read here".to_owned()))
    }

    /// Reads it as a definition, and the files that it links to.
    pub fn read_linked(self, guidance: &Guidance, linked: ReadLink<'_>) -> Reading {
        let Self { format, text, content, mut report } = self;
        let context = Context { guidance, linked };
        let has_syntax_errors = report.errors() > 0;
        let mut reading = match (content, format.map(|format| &format.reader)) {
            (Content::Markdown, Some(Reader::Markdown { read, .. })) => {
                read(text, &context, &mut report)
            }
            (Content::Data(root), Some(Reader::Data { read, .. })) => {
                read(&root, text, &context, &mut report)
            }
            (Content::Data(root), _) => {
                let problem = report.at_file(&NOT_A_DEFINITION, "this is not a definition");
                report.push(
                    problem
                        .with_expected("an object with a `name`")
                        .with_received(summarize(&root)),
                );
                Reading::default()
            }
            _ => Reading::default(),
        };
        if has_syntax_errors {
            // The rest was read to find all problems at once; a tool guessed from broken text must
            // not be run.
            reading.tools.clear();
            reading.broken.clear();
        }
        Reading { diagnostics: report.finish(), ..reading }
    }

    /// Reads it as a guidance file, whatever its format seems to be.
    pub fn read_guidance(mut self) -> (Guidance, Vec<Diagnostic>) {
        let guidance = match &self.content {
            Content::Data(root) => guidance::read(root, &mut self.report),
            Content::Unreadable | Content::Markdown => Guidance::default(),
        };
        (guidance, self.report.finish())
    }
}

/// Parses JSON or YAML, whichever the text looks like.
pub(crate) fn parse(text: &str) -> json::Parsed<'_> {
    if yaml::is_yaml(text) { yaml::parse(text) } else { json::parse(text) }
}

fn decode<'a>(bytes: &'a [u8], report: &mut Report) -> Option<&'a str> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} MiB", bytes.len().div_ceil(1024 * 1024));
        report.push(
            report
                .at_file(&FILE_TOO_LARGE, message)
                .with_expected("at most 16 MiB")
                .hint("split it or move it away"),
        );
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            let hint = if is_utf16 {
                "it looks like UTF-16: save it as UTF-8"
            } else {
                "save the file as UTF-8"
            };
            let offset = error.valid_up_to();
            let problem =
                json::SyntaxProblem::new(&NOT_UTF8, offset, format!("byte {offset} is not UTF-8"));
            report.push_syntax(problem.hint(hint));
            None
        }
    }
}

fn is_markdown(source: &SourceId) -> bool {
    source.as_str().to_ascii_lowercase().ends_with(".md")
}

fn detect_markdown(
    formats: &[&'static Format],
    source: &SourceId,
    text: &str,
) -> Option<&'static Format> {
    let is_own = |format: &&&'static Format| match &format.reader {
        Reader::Markdown { detect, .. } => detect(source, text),
        Reader::Data { .. } => false,
    };
    formats.iter().find(is_own).copied()
}

/// The format with the highest confidence; among equals, the first one of the table.
fn detect_data(
    formats: &[&'static Format],
    root: &Node<'_>,
    text: &str,
) -> Option<&'static Format> {
    let confidence = |format: &&'static Format| match &format.reader {
        Reader::Data { detect, .. } => detect(root, text),
        Reader::Markdown { .. } => None,
    };
    let mut best = None;
    for (found, format) in formats.iter().filter_map(|format| Some((confidence(format)?, *format)))
    {
        if best.is_none_or(|(most, _)| found > most) {
            best = Some((found, format));
        }
    }
    best.map(|(_, format)| format)
}
