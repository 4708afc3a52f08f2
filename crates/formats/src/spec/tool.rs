//! Assembles a tool from the segments of its description.

use std::ops::Range;

use catalog::{
    Constraint, Example, Implementation, Location, Origin, SpecDetails, Tool, name,
    spec_details::{Section, Usage, Version},
};
use serde_json::Value;

use super::{
    SpecReader, details,
    field_sources::states_none,
    inline::{
        CodeSpan, NOT_SPECIFIED, collapse_whitespace, find_code_spans, is_name, is_placeholder,
    },
    markdown::{Block, BlockKind, MarkdownDocument},
    outline::ToolEntry,
    rules::{MISNUMBERED_SECTION, UNFILLED_TEMPLATE, UNSERVABLE_NAME},
    segment::{Content, Opening, Segment, split_segments},
    title::ToolName,
};
use crate::{constraints, rules::definition::BAD_CONSTRAINT};

impl SpecReader<'_, '_> {
    /// Reads the tools of an entry: one for each name in its heading, alike in everything else.
    pub(super) fn read_entry(
        &mut self,
        entry: &ToolEntry,
        document_version: Option<&Version>,
    ) -> Vec<Tool> {
        let blocks = &self.document.blocks[entry.blocks.clone()];
        let segments = split_segments(self.document, blocks, &entry.heading);
        // The section "Invocation Name" often has the namespaced variant of the name in the
        // heading, and that is the one to call. It cannot rename several tools at once.
        let names = match (self.find_invocation_name(&segments), entry.names.as_slice()) {
            (Some(name), [_]) => vec![name],
            (_, names) => names.to_vec(),
        };
        // Diagnostics name the tool even if its own name turns out to be invalid.
        self.report.tool = names.first().map(|named| named.name.clone());
        self.report_misnumbered_sections(&segments);
        let names: Vec<ToolName> =
            names.into_iter().filter(|named| self.accept_name(named)).collect();
        let errors = self.report.errors();
        let tool =
            names.first().map(|first| self.build_tool(first, entry, &segments, document_version));
        self.report.tool = None;
        // An unreadable annotation or constraint must not be dropped: without it, the tool would
        // run with fewer restrictions than its author intended.
        let is_broken = self.report.errors() > errors;
        let Some(tool) = tool.filter(|_| !is_broken) else {
            return Vec::new();
        };
        let rename = |named: &ToolName| Tool {
            name: named.name.clone(),
            origin: Origin {
                source: tool.origin.source.clone(),
                location: Location::Span(named.span.clone()),
            },
            ..tool.clone()
        };
        names.iter().map(rename).collect()
    }

    fn build_tool(
        &mut self,
        named: &ToolName,
        entry: &ToolEntry,
        segments: &[Segment<'_>],
        document_version: Option<&Version>,
    ) -> Tool {
        let input = self.read_input(segments, &entry.heading, &named.name);
        let output = self.read_output(segments);
        let document = self.document;
        let mut tool = Tool::new(
            &named.name,
            self.read_purpose(segments),
            input.schema,
            Implementation::Missing,
            Origin::span(self.report.source(), named.span.clone()),
        );
        tool.output = output.schema;
        tool.parameters = input.parameters;
        let details = SpecDetails {
            anything: input.anything,
            sections: locate_sections(document, segments, &tool.description.text),
            errors: details::read_errors(document, segments).map(|mut errors| {
                // Many tools describe the error object as part of their result.
                errors.fields.extend(output.fields.iter().map(|field| field.name.clone()));
                errors
            }),
            outputs: output.fields,
            idempotency: details::read_idempotency(document, segments),
            usages: details::read_usages(document, segments),
            security: details::read_security(document, segments),
            version: details::read_version(document, segments)
                .or_else(|| document_version.cloned()),
        };
        tool.annotations = self.read_annotations(segments, &details);
        tool.constraints = self.read_constraints(segments);
        constraints::check_arguments(&tool.constraints, &tool.input, self.report);
        tool.description.examples =
            details.usages.iter().filter_map(|usage| to_example(usage, &tool.name)).collect();
        tool.details = Some(Box::new(details));
        tool
    }

    /// Reads the conditions on the arguments: code spans, each followed by its message.
    fn read_constraints(&mut self, segments: &[Segment<'_>]) -> Vec<Constraint> {
        let document = self.document;
        let Some(span) = details::find_property(segments, "constraints") else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let parts: Vec<_> = document.slice(&span).split('`').skip(1).collect();
        for pair in parts.chunks(2) {
            let message = pair.get(1).map(|text| text.trim_matches(|c: char| !c.is_alphanumeric()));
            let message = message.filter(|text| !text.is_empty());
            match Constraint::compile(pair[0], message, Location::Span(span.clone())) {
                Ok(constraint) => found.push(constraint),
                Err(reason) => {
                    let problem = self.report.at_span(&BAD_CONSTRAINT, span.clone(), reason);
                    self.report.push(problem.with_received(pair[0]).hint(constraints::HINT));
                }
            }
        }
        found
    }

    /// The purpose: its own section, else the text below the tool's heading.
    fn read_purpose(&self, segments: &[Segment<'_>]) -> String {
        let read = |segment: &Segment<'_>| {
            let contents = segment.contents.iter();
            let texts = contents.filter_map(|content| self.render_prose(content, segment.opening));
            texts.collect::<Vec<_>>().join("\n\n")
        };
        let is_purpose = |segment: &&Segment<'_>| segment.section == Some(Section::Purpose);
        let sections = segments.iter().filter(is_purpose).map(read);
        let own = sections.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        if !own.is_empty() {
            return own;
        }
        let is_lead = |segment: &&Segment<'_>| segment.opening == Opening::ToolHeading;
        segments.iter().find(is_lead).map(read).unwrap_or_default()
    }

    /// The prose of a paragraph or, below a heading of its own, of a list. A list right below the
    /// tool's heading is more likely one of parameters.
    fn render_prose(&self, content: &Content<'_>, opening: Opening) -> Option<String> {
        match content {
            Content::Text(span) => {
                let text = self.document.slice(span);
                // "No parameters." and table rows that were separated from their table are not
                // prose.
                (!states_none(text) && text != NOT_SPECIFIED && !text.starts_with('|'))
                    .then(|| unescape_start(&collapse_whitespace(text)))
            }
            Content::Block(Block { kind: BlockKind::List(_), span })
                if opening == Opening::Heading =>
            {
                let lines = self.document.slice(span).lines().map(str::trim);
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            Content::Block(_) => None,
        }
    }

    /// The name in the section "Invocation Name": code, or the first word. Prose may follow it.
    fn find_invocation_name(&self, segments: &[Segment<'_>]) -> Option<ToolName> {
        let segment =
            segments.iter().find(|segment| segment.section == Some(Section::InvocationName))?;
        let span = segment.texts().next()?;
        let text = self.document.slice(span);
        let word = text.split_whitespace().next().unwrap_or_default();
        let found = find_code_spans(text).into_iter().next();
        let CodeSpan { text: name, range } =
            found.unwrap_or(CodeSpan { text: word, range: 0..word.len() });
        let named = ToolName { name: name.to_owned(), span: range }.shift(span.start);
        (is_name(name) || is_placeholder(name)).then_some(named)
    }

    /// Whether a name can be served; reports why if it cannot.
    fn accept_name(&mut self, named: &ToolName) -> bool {
        let span = named.span.clone();
        let found = if is_placeholder(&named.name) {
            let message = "the name of this tool is still a placeholder";
            self.report
                .at_span(&UNFILLED_TEMPLATE, span, message)
                .hint("replace it with the name to call the tool by")
        } else if let Err(problem) = name::check(&named.name) {
            let message = format!("`{}` cannot be served: {problem}", named.name);
            self.report
                .at_span(&UNSERVABLE_NAME, span, message)
                .hint("use lower-case letters, digits and `_`")
        } else {
            return true;
        };
        self.report.push(found);
        false
    }

    fn report_misnumbered_sections(&mut self, segments: &[Segment<'_>]) {
        for segment in segments.iter().filter(|segment| segment.opening == Opening::Heading) {
            let (Some(number), Some(section)) = (segment.number, segment.section) else {
                continue;
            };
            if number != section.number() {
                let message =
                    format!("the number of this section is {}, not {number}", section.number());
                let location = segment.location.clone();
                self.report.push(self.report.at_span(&MISNUMBERED_SECTION, location, message));
            }
        }
    }
}

/// Removes the backslash that keeps a paragraph from starting another kind of block, such as the
/// one in `\# 1` or `1\. x`. Our writer adds it, and a description must survive the round trip.
fn unescape_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix('\\');
    match rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation())) {
        Some(rest) => format!("{}{rest}", &text[..digits]),
        None => text.to_owned(),
    }
}

/// The sections that have content, each at its first segment.
fn locate_sections(
    document: &MarkdownDocument<'_>,
    segments: &[Segment<'_>],
    purpose: &str,
) -> Vec<(Section, Location)> {
    let mut found: Vec<(Section, Location)> = Vec::new();
    let unlabelled_purpose = segments
        .iter()
        .find(|segment| segment.opening == Opening::ToolHeading && !purpose.is_empty())
        .map(|segment| (Section::Purpose, &segment.location));
    let titled = segments
        .iter()
        .filter(|segment| segment.has_content(document))
        .filter_map(|segment| Some((segment.section?, &segment.location)));
    // The text below the heading comes last, so that a section of its own wins.
    for (section, span) in titled.chain(unlabelled_purpose) {
        if found.iter().all(|(known, _)| *known != section) {
            found.push((section, Location::Span(Range::clone(span))));
        }
    }
    found
}

/// The example that a usage gives, if it is a valid call of this tool.
fn to_example(usage: &Usage, name: &str) -> Option<Example> {
    let call = usage.call.as_ref().filter(|_| usage.problem.is_none())?;
    // Documents also show calls as `tool` with `parameters`. A lint rule reports those; clients
    // would not understand them as examples.
    let is_own = call.get("tool_name").and_then(Value::as_str) == Some(name);
    let arguments = call.get("arguments").filter(|_| is_own)?.as_object()?;
    Some(Example { arguments: arguments.clone(), explanation: String::new() })
}
