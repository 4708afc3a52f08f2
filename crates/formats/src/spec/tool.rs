//! One tool, put together from its parts.

use std::ops::Range;

use catalog::{
    Annotations, Example, Implementation, Location, Origin, SpecDetails, Tool, name,
    spec_details::{IdempotencyClaim, Section, Usage, Version},
};
use serde_json::Value;

use super::{
    PageReader, answers,
    gather::says_none,
    inline::{UNSAID, code, is_name, is_placeholder, one_line},
    outline::Entry,
    page::{Block, Kind, Page},
    parts::{By, Chunk, Part, parts},
    rules::{MISNUMBERED_SECTION, UNFILLED_TEMPLATE, UNSERVABLE_NAME},
    title::Named,
};

impl PageReader<'_, '_> {
    /// The tools of an entry: several if its heading names several.
    pub(super) fn tools(&mut self, entry: &Entry, document: Option<&Version>) -> Vec<Tool> {
        let parts = parts(self.page, &self.page.blocks[entry.blocks.clone()], &entry.heading);
        let names = match (self.invocation(&parts), entry.names.as_slice()) {
            (Some(name), [_]) => vec![name],
            (_, names) => names.to_vec(),
        };
        self.report.tool = names.first().map(|named| named.name.clone());
        self.note_numbers(&parts);
        let names: Vec<Named> = names.into_iter().filter(|named| self.is_servable(named)).collect();
        let Some(first) = names.first() else {
            self.report.tool = None;
            return Vec::new();
        };
        let tool = self.tool(first, entry, &parts, document);
        self.report.tool = None;
        let of = |named: &Named| Tool {
            name: named.name.clone(),
            origin: Origin {
                source: tool.origin.source.clone(),
                location: Location::Span(named.span.clone()),
            },
            ..tool.clone()
        };
        names.iter().map(of).collect()
    }

    fn tool(
        &mut self,
        named: &Named,
        entry: &Entry,
        parts: &[Part<'_>],
        document: Option<&Version>,
    ) -> Tool {
        let input = self.input(parts, &entry.heading, &named.name);
        let output = self.output(parts);
        let page = self.page;
        let origin = Origin::span(self.report.source(), named.span.clone());
        let mut tool = Tool::new(
            &named.name,
            self.purpose(parts),
            input.schema,
            Implementation::Missing,
            origin,
        );
        tool.output = output.schema;
        tool.parameters = input.parameters;
        let details = SpecDetails {
            anything: input.anything,
            sections: sections(page, parts, &tool.description.text),
            errors: answers::errors(page, parts).map(|mut errors| {
                errors.fields.extend(output.fields.iter().map(|field| field.name.clone()));
                errors
            }),
            outputs: output.fields,
            idempotency: answers::idempotency(page, parts),
            usages: answers::usages(page, parts),
            security: answers::security(page, parts),
            version: answers::version(page, parts).or_else(|| document.cloned()),
        };
        tool.annotations = annotations(&details, answers::category(page, parts), |label| {
            answers::mark(page, parts, label)
        });
        tool.description.examples =
            details.usages.iter().filter_map(|usage| example(usage, &tool.name)).collect();
        tool.details = Some(Box::new(details));
        tool
    }

    /// What the tool is for: its section, else the text under its heading.
    fn purpose(&self, parts: &[Part<'_>]) -> String {
        let text = |part: &Part<'_>| {
            part.chunks
                .iter()
                .filter_map(|chunk| self.said(chunk, part.by))
                .collect::<Vec<_>>()
                .join("\n\n")
        };
        let of_section =
            parts.iter().filter(|part| part.section == Some(Section::Purpose)).map(text);
        let own = of_section.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        if own.is_empty() {
            parts.iter().find(|part| part.by == By::Tool).map(text).unwrap_or_default()
        } else {
            own
        }
    }

    /// What a piece says in words: running text, and under a heading of its own a list.
    fn said(&self, chunk: &Chunk<'_>, by: By) -> Option<String> {
        match chunk {
            Chunk::Text(span) => {
                let text = self.page.str(span);
                (!says_none(text) && text != UNSAID && !text.starts_with('|'))
                    .then(|| unescaped(&one_line(text)))
            }
            Chunk::Block(Block { kind: Kind::List(_), span }) if by == By::Heading => {
                Some(self.page.str(span).lines().map(str::trim).collect::<Vec<_>>().join("\n"))
            }
            Chunk::Block(_) => None,
        }
    }

    /// The name in the section for it.
    fn invocation(&self, parts: &[Part<'_>]) -> Option<Named> {
        let part = parts.iter().find(|part| part.section == Some(Section::InvocationName))?;
        let span = part.texts().next()?;
        let text = self.page.str(span);
        let word = text.split_whitespace().next().unwrap_or_default();
        let spans = code(text);
        let (name, at) = spans.first().cloned().unwrap_or((word, 0..word.len()));
        let named =
            Named { name: name.to_owned(), span: span.start + at.start..span.start + at.end };
        (is_name(name) || is_placeholder(name)).then_some(named)
    }

    fn is_servable(&mut self, named: &Named) -> bool {
        let found = match name::check(&named.name) {
            _ if is_placeholder(&named.name) => {
                let found = self.report.at_span(
                    &UNFILLED_TEMPLATE,
                    named.span.clone(),
                    "the name of this tool is still to be filled in",
                );
                found.hint("write the name it is called by")
            }
            Ok(()) => return true,
            Err(problem) => {
                let found = self.report.at_span(
                    &UNSERVABLE_NAME,
                    named.span.clone(),
                    format!("`{}` cannot be served: {problem}", named.name),
                );
                found.hint("use lower-case letters, digits and `_`")
            }
        };
        self.report.push(found);
        false
    }

    fn note_numbers(&mut self, parts: &[Part<'_>]) {
        for part in parts.iter().filter(|part| part.by == By::Heading) {
            let (Some(number), Some(section)) = (part.number, part.section) else {
                continue;
            };
            if number != section.number() {
                let message = format!("this section has number {}, not {number}", section.number());
                self.report.push(self.report.at_span(
                    &MISNUMBERED_SECTION,
                    part.location.clone(),
                    message,
                ));
            }
        }
    }
}

/// A text without the backslash that keeps its beginning from meaning something.
fn unescaped(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_escaped = |rest: &str| {
        rest.strip_prefix('\\')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
    };
    match is_escaped(&text[digits..]) {
        true => format!("{}{}", &text[..digits], &text[digits + 1..]),
        false => text.to_owned(),
    }
}

/// The sections that were written, each where it is first.
fn sections(page: &Page<'_>, parts: &[Part<'_>], purpose: &str) -> Vec<(Section, Location)> {
    let mut found: Vec<(Section, Location)> = Vec::new();
    let unlabelled = parts
        .iter()
        .find(|part| part.by == By::Tool && !purpose.is_empty())
        .map(|part| (Section::Purpose, &part.location));
    let written = parts
        .iter()
        .filter(|part| part.says_something(page))
        .filter_map(|part| Some((part.section?, &part.location)));
    for (section, place) in written.chain(unlabelled) {
        if found.iter().all(|(known, _)| *known != section) {
            found.push((section, Location::Span(Range::clone(place))));
        }
    }
    found
}

fn annotations(
    details: &SpecDetails,
    category: Option<String>,
    said: impl Fn(&str) -> Option<bool>,
) -> Annotations {
    let idempotent = details.idempotency.as_ref().and_then(|said| match said.claim {
        IdempotencyClaim::Yes => Some(true),
        IdempotencyClaim::No | IdempotencyClaim::Partially | IdempotencyClaim::Depends => {
            Some(false)
        }
        IdempotencyClaim::Unclear => None,
    });
    let version = details.version.as_ref().map(|version| version.text.clone());
    Annotations {
        idempotent,
        category,
        version,
        mutates: said("mutates"),
        dangerous: said("dangerous"),
        requires_approval: said("requires approval"),
        network: said("network"),
    }
}

/// A call of this tool in the form that clients make, for its description.
fn example(usage: &Usage, name: &str) -> Option<Example> {
    let call = usage.call.as_ref().filter(|_| usage.problem.is_none())?;
    let is_own = call.get("tool_name").and_then(Value::as_str) == Some(name);
    let arguments = call.get("arguments").filter(|_| is_own)?.as_object()?;
    Some(Example { arguments: arguments.clone(), explanation: String::new() })
}
