//! Rules that a document allows itself to break: `<!-- toolcrib: allow TC307 the reason -->`.

use std::ops::Range;

use catalog::Allowance;

use super::{SpecReader, outline::Outline, rules::ALLOWED_WITHOUT_REASON};

const OPEN: &str = "<!-- toolcrib: allow ";
const CLOSE: &str = "-->";

impl SpecReader<'_, '_> {
    /// Reads the allowances. One in the description of a tool applies to that tool, any other to
    /// the whole document.
    pub(super) fn read_allowances(&mut self, outline: &Outline) -> Vec<Allowance> {
        let text = self.document.text;
        let mut allowances = Vec::new();
        // The text is searched rather than the blocks: a comment inside of a paragraph is not a
        // block.
        for (start, _) in text.match_indices(OPEN) {
            let content = start + OPEN.len();
            let Some(length) = text[content..].find(CLOSE) else {
                continue;
            };
            let span = start..content + length + CLOSE.len();
            let words = text[content..content + length].trim();
            let (code, reason) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            let reason = reason.trim();
            if reason.is_empty() {
                let message =
                    format!("the allowance of `{code}` has no reason, so it has no effect");
                let found = self.report.at_span(&ALLOWED_WITHOUT_REASON, span, message);
                self.report.push(found.hint(format!(
                    "add the reason after the code: `<!-- toolcrib: allow {code} because … -->`"
                )));
                continue;
            }
            allowances.push(Allowance {
                code: code.to_owned(),
                reason: reason.to_owned(),
                scope: find_scope(outline, start, text.len()),
                span,
            });
        }
        allowances
    }
}

fn find_scope(outline: &Outline, at: usize, document_length: usize) -> Range<usize> {
    outline
        .entries
        .iter()
        .find(|entry| entry.span.contains(&at))
        .map_or(0..document_length, |entry| entry.span.clone())
}
