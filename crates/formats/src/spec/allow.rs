//! Problems that a document allows itself: `<!-- toolcrib: allow TC307 the reason -->`.

use std::ops::Range;

use catalog::Allowance;

use super::{PageReader, outline::Outline, rules::ALLOWED_WITHOUT_REASON};

const OPEN: &str = "<!-- toolcrib: allow ";

impl PageReader<'_, '_> {
    /// The allowances of the page: each for the tool it stands in, else for the whole page.
    pub(super) fn allowances(&mut self, outline: &Outline) -> Vec<Allowance> {
        let text = self.page.text;
        let mut found = Vec::new();
        for (at, _) in text.match_indices(OPEN) {
            let from = at + OPEN.len();
            let Some(end) = text[from..].find("-->").map(|end| from + end) else {
                continue;
            };
            let words = text[from..end].trim();
            let (code, reason) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            if reason.trim().is_empty() {
                let told = self.report.at_span(
                    &ALLOWED_WITHOUT_REASON,
                    at..end + 3,
                    format!("`{code}` is allowed without a reason, so it is not"),
                );
                self.report.push(told.hint(format!(
                    "write the reason behind the code: `<!-- toolcrib: allow {code} because … -->`"
                )));
                continue;
            }
            found.push(Allowance {
                code: code.to_owned(),
                reason: reason.trim().to_owned(),
                scope: scope(outline, at, text.len()),
                span: at..end + 3,
            });
        }
        found
    }
}

fn scope(outline: &Outline, at: usize, length: usize) -> Range<usize> {
    outline
        .entries
        .iter()
        .find(|entry| entry.span.contains(&at))
        .map_or(0..length, |entry| entry.span.clone())
}
