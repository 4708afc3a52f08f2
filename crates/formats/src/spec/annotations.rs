//! The annotations of a tool, which are labels under its heading.

use catalog::{
    Annotations, NetworkAccess, NetworkError, SpecDetails, find_safety_annotation,
    spec_details::IdempotencyClaim,
};

use super::{
    SpecReader, details,
    segment::{Opening, Segment},
};
use crate::rules::definition::{BAD_CHOICE, BAD_DESTINATION, MISREAD_FIELD};

/// The labels of the safety annotations that a specification can have.
const LABELS: [&str; 4] = ["mutates", "dangerous", "requires approval", "network"];

impl SpecReader<'_, '_> {
    pub(super) fn read_annotations(
        &mut self,
        segments: &[Segment<'_>],
        details: &SpecDetails,
    ) -> Annotations {
        let idempotent =
            details.idempotency.as_ref().and_then(|idempotency| match idempotency.claim {
                IdempotencyClaim::Yes => Some(true),
                // Clients may repeat an idempotent call without asking, so a partial claim counts
                // as no claim.
                IdempotencyClaim::No | IdempotencyClaim::Partially | IdempotencyClaim::Depends => {
                    Some(false)
                }
                IdempotencyClaim::Unclear => None,
            });
        self.report_misspelled_annotations(segments);
        Annotations {
            idempotent,
            category: details::read_category(self.document, segments),
            version: details.version.as_ref().map(|version| version.text.clone()),
            mutates: self.read_flag(segments, "mutates"),
            dangerous: self.read_flag(segments, "dangerous"),
            requires_approval: self.read_flag(segments, "requires approval"),
            network: self.read_network(segments),
        }
    }

    /// Reads a flag such as `**Mutates**: No`. Policy depends on it, so anything but a plain yes or
    /// no is an error rather than being ignored.
    fn read_flag(&mut self, segments: &[Segment<'_>], label: &str) -> Option<bool> {
        let span = details::find_property(segments, label)?;
        let text = self.document.slice(&span);
        let flag = details::parse_flag(text);
        if flag.is_none() {
            let message = format!("the answer to `{label}` is neither yes nor no");
            let problem = self.report.at_span(&BAD_CHOICE, span.clone(), message);
            let hint = "write only Yes or No, and explain in the security section";
            self.report.push(problem.with_expected("`Yes` or `No`").with_received(text).hint(hint));
        }
        flag
    }

    /// Reports labels such as `**Dangerus**: Yes`. Labels with prose, such as "**Side Effects**:
    /// Writes a log", are documentation.
    fn report_misspelled_annotations(&mut self, segments: &[Segment<'_>]) {
        let labels = segments
            .iter()
            .filter(|segment| segment.section.is_none() && segment.opening == Opening::Label)
            .filter(|segment| !LABELS.contains(&segment.title.as_str()));
        for segment in labels {
            let answer = segment.texts().next().map(|span| self.document.slice(span));
            let Some(meant) = find_safety_annotation(&segment.title)
                .filter(|_| answer.is_some_and(has_flag))
                .map(|meant| meant.replace('_', " "))
            else {
                continue;
            };
            let message =
                format!("the label `{}` looks like a misspelled safety annotation", segment.title);
            let hint = match meant.as_str() {
                "consent" => "specifications cannot ask for a word; use **Requires Approval**: Yes"
                    .to_owned(),
                "mutates" => "write **Mutates**: Yes, or **Mutates**: No".to_owned(),
                _ => format!("did you mean `{meant}`?"),
            };
            let problem = self.report.at_span(&MISREAD_FIELD, segment.location.clone(), message);
            self.report.push(problem.hint(hint));
        }
    }

    /// Network access: yes, no or a list of destinations such as `` `example.org:443` ``. Other
    /// text declares nothing.
    fn read_network(&mut self, segments: &[Segment<'_>]) -> Option<NetworkAccess> {
        let document = self.document;
        let span = details::find_property(segments, "network")?;
        let text = document.slice(&span);
        if let Some(is_granted) = details::parse_flag(text) {
            return Some(is_granted.into());
        }
        let entries: Vec<_> = text.trim().trim_end_matches('.').split(',').map(str::trim).collect();
        let is_entry = |entry: &&str| {
            !entry.contains(char::is_whitespace) && (entry.starts_with('`') || entry.contains(':'))
        };
        if !entries.iter().all(is_entry) {
            return None;
        }
        let parsed = entries.iter().map(|entry| entry.trim_matches('`').parse());
        match parsed.collect::<Result<_, _>>().and_then(NetworkAccess::from_destinations) {
            Ok(access) => Some(access),
            Err(NetworkError { message, hint }) => {
                let problem = self.report.at_span(&BAD_DESTINATION, span, message);
                self.report.push(problem.hint(hint));
                None
            }
        }
    }
}

/// Whether an answer begins with yes or no.
fn has_flag(answer: &str) -> bool {
    let word = answer.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    word.is_some_and(|word| details::parse_flag(word).is_some())
}
