//! What a tool's document answers beside its schemas: errors, idempotency, examples, security, version.

use std::ops::Range;

use catalog::{
    Location,
    spec_details::{
        ErrorText, Idempotency, IdempotencyClaim, Remark, Section, Usage, Version, VersionOf,
    },
};

use super::{
    inline::{code, is_name, label, one_line},
    page::{Block, Kind, Page},
    parts::{Chunk, Part},
    title::words,
    written,
};

fn of_section<'a, 'p>(
    parts: &'a [Part<'p>],
    section: Section,
) -> impl Iterator<Item = &'a Part<'p>> {
    parts.iter().filter(move |part| part.section == Some(section))
}

/// The same, without parts in which nothing is said yet.
fn said<'a, 'p>(
    page: &'a Page<'_>,
    parts: &'a [Part<'p>],
    section: Section,
) -> impl Iterator<Item = &'a Part<'p>> {
    of_section(parts, section).filter(|part| part.says_something(page))
}

/// What is said about errors, with the names of fields in it.
pub(super) fn errors(page: &Page<'_>, parts: &[Part<'_>]) -> Option<ErrorText> {
    let place = said(page, parts, Section::Errors).next()?.location.clone();
    let chunks = || said(page, parts, Section::Errors).flat_map(|part| &part.chunks);
    let words = chunks().map(|chunk| spoken(page, chunk)).collect::<Vec<_>>().join("\n");
    let mut fields: Vec<String> = Vec::new();
    let names =
        words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| is_name(word));
    for name in
        names.filter(|name| *name == "status" || name.contains('_') || name.starts_with("error"))
    {
        if !fields.iter().any(|known| known == name) {
            fields.push(name.to_owned());
        }
    }
    // As it is written: blocks of JSON and tables are part of it.
    let text =
        chunks().map(|chunk| page.str(&span(chunk)).trim_end()).collect::<Vec<_>>().join("\n\n");
    Some(ErrorText { text, fields, location: Location::Span(place) })
}

/// The text of a piece; of a table, that of its cells.
fn spoken(page: &Page<'_>, chunk: &Chunk<'_>) -> String {
    match chunk {
        Chunk::Block(Block { kind: Kind::Table(table), .. }) => {
            let cells = table.rows.iter().flat_map(|row| &row.cells).map(|cell| page.str(cell));
            cells.collect::<Vec<_>>().join(" ")
        }
        _ => page.str(&span(chunk)).to_owned(),
    }
}

fn span(chunk: &Chunk<'_>) -> Range<usize> {
    match chunk {
        Chunk::Text(span) => span.clone(),
        Chunk::Block(block) => block.span.clone(),
    }
}

/// What is said about calling it twice.
pub(super) fn idempotency(page: &Page<'_>, parts: &[Part<'_>]) -> Option<Idempotency> {
    let part = of_section(parts, Section::Idempotency).next()?;
    let span = part.chunks.first().map(span)?;
    let text = page.str(&span).trim_start_matches(['-', '*', ' ']);
    let text = one_line(text).replace("**", "");
    let said = match text.split_once(':') {
        Some((label, rest)) if words(label).starts_with("idempoten") => rest.trim().to_owned(),
        _ => text,
    };
    Some(Idempotency { claim: claim(&said), text: said, location: Location::Span(span) })
}

fn claim(said: &str) -> IdempotencyClaim {
    let lower = said.to_ascii_lowercase();
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
        _ => sentence(&lower),
    }
}

/// The answer that a whole sentence gives, if it says nothing of when.
fn sentence(lower: &str) -> IdempotencyClaim {
    let first = lower.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match first.rsplit_once(" is ") {
        Some((_, "idempotent")) => IdempotencyClaim::Yes,
        Some((_, "not idempotent" | "non-idempotent")) => IdempotencyClaim::No,
        _ => IdempotencyClaim::Unclear,
    }
}

/// The calls that show how it is used.
pub(super) fn usages(page: &Page<'_>, parts: &[Part<'_>]) -> Vec<Usage> {
    let of_calls = of_section(parts, Section::Examples).filter(|part| !shows_result(&part.title));
    let fences = of_calls.flat_map(Part::blocks).filter_map(|block| match &block.kind {
        Kind::Fence { language, content }
            if matches!(language.as_str(), "json" | "jsonc" | "json5" | "") =>
        {
            Some(content)
        }
        _ => None,
    });
    fences.map(|content| usage(page, content)).collect()
}

/// Whether a label in a section of examples introduces a result.
fn shows_result(title: &str) -> bool {
    ["response", "result", "output", "return", "success", "error"]
        .iter()
        .any(|word| title.contains(word))
}

fn usage(page: &Page<'_>, content: &Range<usize>) -> Usage {
    let written = written::read(page.text, content);
    let problem = written.problem.map(|(message, at)| Remark {
        text: message.replace("the file", "it"),
        location: Location::Span(at..at + 1),
    });
    Usage {
        call: written.root.map(|root| root.to_value()),
        problem,
        location: Location::Span(page.trimmed(content)),
    }
}

/// What is said about security, point by point.
pub(super) fn security(page: &Page<'_>, parts: &[Part<'_>]) -> Vec<Remark> {
    let chunks = said(page, parts, Section::Security).flat_map(|part| &part.chunks);
    chunks.flat_map(|chunk| remarks(page, chunk)).collect()
}

fn remarks(page: &Page<'_>, chunk: &Chunk<'_>) -> Vec<Remark> {
    let remark = |span: Range<usize>| Remark {
        text: one_line(page.str(&span)),
        location: Location::Span(span),
    };
    match chunk {
        Chunk::Block(Block { kind: Kind::List(items), .. }) => {
            let ends = |item: &Vec<Block>| Some(item.first()?.span.start..item.last()?.span.end);
            items.iter().filter_map(ends).map(remark).collect()
        }
        _ => vec![remark(span(chunk))],
    }
}

/// The version that a tool says it has.
pub(super) fn version(page: &Page<'_>, parts: &[Part<'_>]) -> Option<Version> {
    let labelled = parts.iter().find(|part| part.title == "version" && part.section.is_none());
    let span = labelled.and_then(|part| part.texts().next())?;
    written_version(page, span, VersionOf::Tool)
}

/// The version of the whole document, in the lines before its first tool.
pub(super) fn document_version(page: &Page<'_>, end: usize) -> Option<Version> {
    let before = page.blocks.iter().take_while(|block| block.span.start < end);
    before.filter(|block| matches!(block.kind, Kind::Paragraph)).find_map(|block| {
        let text = page.str(&block.span);
        let (name, rest) =
            label(text).or_else(|| text.split_once(':').map(|(name, _)| (name, name.len() + 1)))?;
        (words(name) == "version").then(|| {
            written_version(page, &(block.span.start + rest..block.span.end), VersionOf::Document)
        })?
    })
}

fn written_version(page: &Page<'_>, span: &Range<usize>, of: VersionOf) -> Option<Version> {
    let text = page.str(span);
    let word =
        text.trim_start().split(|c: char| c.is_whitespace() || matches!(c, '|' | ',')).next()?;
    let start = span.start + text.len() - text.trim_start().len();
    let bare = word.trim_matches('`');
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

/// A mark that a tool has under its heading: `**Mutates**: No`. Only a plain answer counts.
pub(super) fn mark(page: &Page<'_>, parts: &[Part<'_>], label: &str) -> Option<bool> {
    let part = parts.iter().find(|part| part.section.is_none() && part.title == label)?;
    match page.str(part.texts().next()?).trim().trim_end_matches('.').to_ascii_lowercase().as_str()
    {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// The category that a tool says it belongs to.
pub(super) fn category(page: &Page<'_>, parts: &[Part<'_>]) -> Option<String> {
    let part = parts.iter().find(|part| part.title == "category")?;
    let text = page.str(part.texts().next()?);
    let word = code(text)
        .first()
        .map_or_else(|| text.lines().next().unwrap_or_default(), |(code, _)| code);
    (!word.is_empty() && word.len() < 64).then(|| word.to_owned())
}
