//! The sections and properties beyond the schemas: errors, idempotency, examples, security,
//! version, category and flags.

use std::ops::Range;

use catalog::{
    Location,
    spec_details::{
        ErrorText, Idempotency, IdempotencyClaim, Remark, Section, Usage, Version, VersionOf,
    },
};

use super::{
    inline::{collapse_whitespace, find_code_spans, is_name, parse_label},
    json_block::JsonBlock,
    markdown::{Block, BlockKind, MarkdownDocument},
    schema_block::reword_problem,
    segment::{Content, Segment},
    title::normalize_title,
};

fn segments_of<'a, 'd>(
    segments: &'a [Segment<'d>],
    section: Section,
) -> impl Iterator<Item = &'a Segment<'d>> {
    segments.iter().filter(move |segment| segment.section == Some(section))
}

/// The contents of a section, without segments that are empty or "Not specified."
fn contents_of<'a, 'd>(
    document: &'a MarkdownDocument<'_>,
    segments: &'a [Segment<'d>],
    section: Section,
) -> impl Iterator<Item = &'a Content<'d>> {
    segments_of(segments, section)
        .filter(|segment| segment.has_content(document))
        .flat_map(|segment| &segment.contents)
}

/// Reads the error section, with the names of the error fields that it mentions.
pub(super) fn read_errors(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
) -> Option<ErrorText> {
    let mut with_content =
        segments_of(segments, Section::Errors).filter(|segment| segment.has_content(document));
    let location = Location::Span(with_content.next()?.location.clone());
    let contents = || contents_of(document, segments, Section::Errors);
    let searched: Vec<_> = contents().map(|content| searchable_text(document, content)).collect();
    let searched = searched.join("\n");
    // Field names are in snake case, or `status` or `error…`; other words are prose.
    let words = searched
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| is_name(word))
        .filter(|word| *word == "status" || word.contains('_') || word.starts_with("error"));
    let mut fields: Vec<String> = Vec::new();
    for word in words {
        if !fields.iter().any(|known| known == word) {
            fields.push(word.to_owned());
        }
    }
    // The text is kept as written: its JSON and tables are shown to people too.
    let texts: Vec<_> =
        contents().map(|content| document.slice(&content.span()).trim_end()).collect();
    Some(ErrorText { text: texts.join("\n\n"), fields, location })
}

/// The text of a content; of a table only its rows, since its header would add column titles.
fn searchable_text(document: &MarkdownDocument<'_>, content: &Content<'_>) -> String {
    match content {
        Content::Block(Block { kind: BlockKind::Table(table), .. }) => {
            let cells = table.rows.iter().flat_map(|row| &row.cells);
            cells.map(|cell| document.slice(cell)).collect::<Vec<_>>().join(" ")
        }
        _ => document.slice(&content.span()).to_owned(),
    }
}

pub(super) fn read_idempotency(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
) -> Option<Idempotency> {
    let segment = segments_of(segments, Section::Idempotency).next()?;
    // The first block has the answer, later ones explain it.
    let span = segment.contents.first()?.span();
    let text = document.slice(&span).trim_start_matches(['-', '*', ' ']);
    let text = collapse_whitespace(text).replace("**", "");
    // The template has a bullet "**Idempotent**: Yes/No/Partially" below the heading.
    let answer = match text.split_once(':') {
        Some((label, rest)) if normalize_title(label).starts_with("idempoten") => {
            rest.trim().to_owned()
        }
        _ => text,
    };
    Some(Idempotency {
        claim: classify_claim(&answer),
        text: answer,
        location: Location::Span(span),
    })
}

/// Classifies an answer by its first words.
fn classify_claim(answer: &str) -> IdempotencyClaim {
    let lower = answer.to_ascii_lowercase();
    // A slash is part of a word so that the template's "Yes/No/Partially" is not taken for a yes.
    let mut words = lower
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '/')
        .filter(|word| !word.is_empty());
    match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
        ("yes" | "true", _) | ("generally", "yes") | ("fully", _) => IdempotencyClaim::Yes,
        ("no" | "false" | "not", _) | ("generally", "no" | "not") => IdempotencyClaim::No,
        ("partially" | "partly" | "mostly", _) => IdempotencyClaim::Partially,
        ("depends", _) | ("it" | "this" | "that", "depends") => IdempotencyClaim::Depends,
        ("idempotent", "") => IdempotencyClaim::Yes,
        ("non", "idempotent") => IdempotencyClaim::No,
        _ => classify_sentence(&lower),
    }
}

/// Classifies a whole sentence, such as "This tool is not idempotent". It must end with the word: a
/// condition after it makes the claim unclear.
fn classify_sentence(lower: &str) -> IdempotencyClaim {
    let first = lower.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match first.rsplit_once(" is ") {
        Some((_, "idempotent")) => IdempotencyClaim::Yes,
        Some((_, "not idempotent" | "non-idempotent")) => IdempotencyClaim::No,
        _ => IdempotencyClaim::Unclear,
    }
}

/// Reads the example calls: the JSON fences of the examples section.
pub(super) fn read_usages(document: &MarkdownDocument<'_>, segments: &[Segment<'_>]) -> Vec<Usage> {
    segments_of(segments, Section::Examples)
        .filter(|segment| !shows_result(&segment.title))
        .flat_map(Segment::blocks)
        .filter_map(|block| match &block.kind {
            BlockKind::Fence { language, content }
                if matches!(language.as_str(), "json" | "jsonc" | "json5" | "") =>
            {
                Some(read_usage(document, content))
            }
            _ => None,
        })
        .collect()
}

/// Whether a label in the examples section introduces a result: "**Example response:**".
fn shows_result(title: &str) -> bool {
    ["response", "result", "output", "return", "success", "error"]
        .iter()
        .any(|word| title.contains(word))
}

fn read_usage(document: &MarkdownDocument<'_>, content: &Range<usize>) -> Usage {
    let block = JsonBlock::parse(document.text, content);
    Usage {
        call: block.root.map(|root| root.to_value()),
        problem: block.problem.map(|(message, at)| Remark {
            text: reword_problem(&message),
            location: Location::Span(at..at + 1),
        }),
        location: Location::Span(document.trim(content)),
    }
}

/// Reads the security section as separate points: list items, or whole blocks.
pub(super) fn read_security(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
) -> Vec<Remark> {
    contents_of(document, segments, Section::Security)
        .flat_map(point_spans)
        .map(|span| Remark {
            text: collapse_whitespace(document.slice(&span)),
            location: Location::Span(span),
        })
        .collect()
}

fn point_spans(content: &Content<'_>) -> Vec<Range<usize>> {
    match content {
        Content::Block(Block { kind: BlockKind::List(items), .. }) => items
            .iter()
            .filter_map(|item| Some(item.first()?.span.start..item.last()?.span.end))
            .collect(),
        _ => vec![content.span()],
    }
}

/// Reads the version that a tool has of its own.
pub(super) fn read_version(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
) -> Option<Version> {
    let labelled =
        segments.iter().find(|segment| segment.title == "version" && segment.section.is_none());
    if let Some(segment) = labelled {
        return parse_version(document, segment.texts().next()?, VersionOf::Tool);
    }
    // Without a label, a version is part of the description: "Version: 1.0.2", possibly as a list
    // item.
    let is_description =
        |segment: &&Segment<'_>| matches!(segment.section, None | Some(Section::Purpose));
    let contents = segments.iter().filter(is_description).flat_map(|segment| &segment.contents);
    contents.into_iter().find_map(|content| {
        let span = content.span();
        let text = document.slice(&span);
        text.match_indices(VERSION).find_map(|(at, _)| {
            let after = &text[at + VERSION.len()..];
            let number = after.trim_start_matches(['*', ' ']).trim_start_matches('v');
            let is_version = number.starts_with(|c: char| c.is_ascii_digit());
            let is_word = !text[..at].ends_with(|c: char| c.is_alphanumeric());
            let from = span.start
                + at
                + VERSION.len()
                + (after.len() - after.trim_start_matches(['*', ' ']).len());
            (is_version && is_word)
                .then(|| parse_version(document, &(from..span.end), VersionOf::Tool))?
        })
    })
}

/// Prefix of a version in a description.
const VERSION: &str = "Version:";

/// Reads the version of the document from the paragraphs before `end`, where its first tool begins:
/// "**Version**: v1.3.0 | **Status**: Active", with or without bold.
pub(super) fn read_document_version(
    document: &MarkdownDocument<'_>,
    end: usize,
) -> Option<Version> {
    document
        .blocks
        .iter()
        .take_while(|block| block.span.start < end)
        .filter(|block| matches!(block.kind, BlockKind::Paragraph))
        .find_map(|block| {
            let text = document.slice(&block.span);
            let (_, rest) = parse_label(text)
                .or_else(|| text.split_once(':').map(|(label, _)| (label, label.len() + 1)))
                .filter(|(label, _)| normalize_title(label) == "version")?;
            let span = block.span.start + rest..block.span.end;
            parse_version(document, &span, VersionOf::Document)
        })
}

/// Parses the first word of a span as a version, without a leading `v`.
fn parse_version(
    document: &MarkdownDocument<'_>,
    span: &Range<usize>,
    of: VersionOf,
) -> Option<Version> {
    let text = document.slice(span);
    let word =
        text.trim_start().split(|c: char| c.is_whitespace() || matches!(c, '|' | ',')).next()?;
    let start = span.start + text.len() - text.trim_start().len();
    let bare = word.trim_matches('`').trim_end_matches(['.', ';', ')']);
    let version = bare
        .strip_prefix('v')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(bare);
    (!version.is_empty()).then(|| Version {
        text: version.to_owned(),
        of,
        location: Location::Span(start..start + word.len()),
    })
}

/// The text after the label of a property.
pub(super) fn find_property(segments: &[Segment<'_>], label: &str) -> Option<Range<usize>> {
    let segment =
        segments.iter().find(|segment| segment.section.is_none() && segment.title == label)?;
    segment.texts().next().cloned()
}

pub(super) fn parse_flag(text: &str) -> Option<bool> {
    match text.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// Reads the category: the first code after its label, else the first line.
pub(super) fn read_category(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
) -> Option<String> {
    // A longer text is a sentence, not a category.
    const MAX_BYTES: usize = 63;
    let segment = segments.iter().find(|segment| segment.title == "category")?;
    let text = document.slice(segment.texts().next()?);
    let category = find_code_spans(text)
        .first()
        .map_or_else(|| text.lines().next().unwrap_or_default(), |code| code.text);
    (!category.is_empty() && category.len() <= MAX_BYTES).then(|| category.to_owned())
}
