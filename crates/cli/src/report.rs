//! Findings with their places looked up, ready for each output format.

pub(crate) mod github;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod sarif;

use std::{collections::HashMap, ops::Range};

use catalog::{Diagnostic, Location, Rule, Severity, SourceId};
use formats::Locator;
use workspace::{Files, Loaded};

/// Everything that was found, with places.
pub(crate) struct Report<'a> {
    pub(crate) findings: Vec<Finding<'a>>,
    pub(crate) files: usize,
    pub(crate) tools: usize,
    texts: HashMap<&'a SourceId, Text>,
}

/// One finding and where it is.
pub(crate) struct Finding<'a> {
    pub(crate) diagnostic: &'a Diagnostic,
    pub(crate) spot: Option<Spot>,
    /// The other place, of a finding between two.
    pub(crate) also: Option<Also<'a>>,
}

/// A file, and the place in it where it has one.
pub(crate) struct Also<'a> {
    pub(crate) file: &'a str,
    pub(crate) spot: Option<Spot>,
}

impl Also<'_> {
    /// The place as people write it.
    pub(crate) fn text(&self) -> String {
        match &self.spot {
            Some(spot) => format!("{}:{}:{}", self.file, spot.line, spot.column),
            None => self.file.to_owned(),
        }
    }
}

impl Finding<'_> {
    /// Where it begins; what concerns the whole source comes first.
    fn start(&self) -> usize {
        self.spot.as_ref().map_or(0, |spot| spot.bytes.start)
    }
}

/// A place as people count it: lines and columns from 1, columns in characters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The bytes in the source.
    pub(crate) bytes: Range<usize>,
}

struct Text {
    text: String,
    line_starts: Vec<usize>,
}

impl<'a> Report<'a> {
    /// Looks up the place of every diagnostic, reading each source once, and puts them in the order of the text.
    pub(crate) fn new(loaded: &'a Loaded, files: Files) -> Self {
        let mut by_source: HashMap<&SourceId, Vec<(usize, &Location, bool)>> = HashMap::new();
        for (index, diagnostic) in loaded.diagnostics.iter().enumerate() {
            by_source.entry(&diagnostic.origin.source).or_default().push((
                index,
                &diagnostic.origin.place,
                false,
            ));
            if let Some(also) = &diagnostic.also {
                by_source.entry(&also.source).or_default().push((index, &also.place, true));
            }
        }
        let mut spots: Vec<[Option<Spot>; 2]> = vec![[None, None]; loaded.diagnostics.len()];
        let mut texts = HashMap::new();
        for (source, places) in by_source {
            let Some(text) = files.text(source).map(Text::new) else {
                continue;
            };
            let locator = Locator::new(&text.text);
            for (index, place, is_other) in places {
                spots[index][usize::from(is_other)] = spot(&text, &locator, place);
            }
            texts.insert(source, text);
        }
        let finding = |(diagnostic, [spot, other]): (&'a Diagnostic, [Option<Spot>; 2])| {
            let also = diagnostic
                .also
                .as_ref()
                .map(|also| Also { file: also.source.as_str(), spot: other });
            Finding { diagnostic, spot, also }
        };
        let mut findings: Vec<_> = loaded.diagnostics.iter().zip(spots).map(finding).collect();
        findings.sort_by(|a, b| {
            (&a.diagnostic.origin.source, a.start()).cmp(&(&b.diagnostic.origin.source, b.start()))
        });
        Self { findings, files: loaded.files, tools: loaded.tools, texts }
    }

    /// How many findings are this bad.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.diagnostic.severity == severity).count()
    }

    /// The line of a finding, without its newline, and the bytes of the finding inside it.
    pub(crate) fn line(&self, finding: &Finding<'_>) -> Option<(&str, Range<usize>)> {
        let spot = finding.spot.as_ref()?;
        let text = self.texts.get(&finding.diagnostic.origin.source)?;
        let start = *text.line_starts.get(spot.line - 1)?;
        let end = text.line_starts.get(spot.line).map_or(text.text.len(), |next| next - 1);
        let line = text.text.get(start..end)?.trim_end_matches('\r');
        let from = spot.bytes.start.min(start + line.len()) - start;
        let to = spot.bytes.end.clamp(start + from, start + line.len()) - start;
        Some((line, from..to))
    }
}

impl Text {
    fn new(text: String) -> Self {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, line_starts }
    }
}

/// The places of diagnostics in a text that need not be a file.
pub(crate) fn spots_in(text: &str, diagnostics: &[Diagnostic]) -> Vec<Option<Spot>> {
    let text = Text::new(text.to_owned());
    let locator = Locator::new(&text.text);
    diagnostics.iter().map(|found| spot(&text, &locator, &found.origin.place)).collect()
}

fn spot(text: &Text, locator: &Locator<'_>, place: &Location) -> Option<Spot> {
    if matches!(place, Location::Whole) {
        return None;
    }
    let bytes = locator.range(place);
    let line = text.line_starts.partition_point(|start| *start <= bytes.start);
    let start = text.line_starts[line - 1];
    let column = text.text.get(start..bytes.start).map_or(1, |before| before.chars().count() + 1);
    Some(Spot { line, column, bytes })
}

/// Every rule there is, by code.
pub(crate) fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = [
        workspace::RULES,
        formats::RULES,
        formats::PROMPT_RULES,
        formats::BUILD_RULES,
        formats::rmd::RULES,
        lint::RULES,
        lint::AGAINST_RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
    .collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::rules;

    #[test]
    fn codes_and_names_of_rules_are_unique() {
        let rules = rules();
        let codes: BTreeSet<_> = rules.iter().map(|rule| rule.code).collect();
        let names: BTreeSet<_> = rules.iter().map(|rule| rule.name).collect();
        assert_eq!((codes.len(), names.len()), (rules.len(), rules.len()));
    }
}
