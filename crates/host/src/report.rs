//! Diagnostics with their positions resolved: lines and columns, ready for any output format.

use std::{collections::HashMap, ops::Range};

use catalog::{Diagnostic, Location, Severity, SourceId};
use formats::Locator;
use workspace::{Files, Loaded};

/// The diagnostics of a crib with their positions, sorted by file and position.
pub struct Report<'a> {
    /// One for each diagnostic.
    pub findings: Vec<Finding<'a>>,
    /// Number of definition files that were read.
    pub files: usize,
    /// Number of tools without an error that they define.
    pub tools: usize,
    texts: HashMap<&'a SourceId, Text>,
}

/// A diagnostic and its position.
pub struct Finding<'a> {
    /// The reported problem.
    pub diagnostic: &'a Diagnostic,
    /// Absent if it concerns the whole file, or if the file is gone.
    pub position: Option<Position>,
    /// The second location of a conflict between two.
    pub related: Option<Related<'a>>,
}

/// A second location that a diagnostic refers to.
pub struct Related<'a> {
    /// The file, named like the file of the diagnostic.
    pub file: &'a str,
    /// Absent if the whole file is meant.
    pub position: Option<Position>,
}

/// A range of a text; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The line of its first character.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The range in bytes from the start of the text.
    pub bytes: Range<usize>,
}

struct Text {
    text: String,
    line_starts: Vec<usize>,
}

impl<'a> Report<'a> {
    /// Resolves the position of every diagnostic. Each source is read and parsed once.
    pub fn new(loaded: &'a Loaded, files: Files) -> Self {
        Self::of_some(loaded, loaded.diagnostics.iter().collect(), files)
    }

    /// A report of some of the diagnostics. Sources without one of these are not read.
    pub(crate) fn of_some(
        loaded: &'a Loaded,
        diagnostics: Vec<&'a Diagnostic>,
        files: Files,
    ) -> Self {
        let mut texts = HashMap::new();
        let positions = resolve_positions(&diagnostics, &files, &mut texts);
        let to_finding = |(diagnostic, [position, other]): (&'a Diagnostic, Positions)| {
            let related = diagnostic
                .also
                .as_ref()
                .map(|also| Related { file: also.source.as_str(), position: other });
            Finding { diagnostic, position, related }
        };
        let mut findings: Vec<_> = diagnostics.into_iter().zip(positions).map(to_finding).collect();
        findings.sort_by(|a, b| {
            (&a.diagnostic.origin.source, a.start()).cmp(&(&b.diagnostic.origin.source, b.start()))
        });
        Self { findings, files: loaded.files, tools: loaded.tools, texts }
    }

    /// Counts the findings with this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.diagnostic.severity == severity).count()
    }

    /// The first line of a finding without its newline, and the range of the finding in that line.
    pub fn line(&self, finding: &Finding<'_>) -> Option<(&str, Range<usize>)> {
        let position = finding.position.as_ref()?;
        let text = self.texts.get(&finding.diagnostic.origin.source)?;
        let start = *text.line_starts.get(position.line - 1)?;
        let end = text.line_starts.get(position.line).map_or(text.text.len(), |next| next - 1);
        // Files with Windows line endings would otherwise move the cursor of the terminal.
        let line = text.text.get(start..end)?.trim_end_matches('\r');
        let from = position.bytes.start.min(start + line.len()) - start;
        // A range may span several lines; only its part on the first one is underlined.
        let to = position.bytes.end.clamp(start + from, start + line.len()) - start;
        Some((line, from..to))
    }
}

impl Finding<'_> {
    /// The sort key within a file: findings about the whole file come first.
    fn start(&self) -> usize {
        self.position.as_ref().map_or(0, |position| position.bytes.start)
    }
}

impl std::fmt::Display for Related<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.position {
            Some(position) => write!(f, "{}:{}:{}", self.file, position.line, position.column),
            None => f.write_str(self.file),
        }
    }
}

impl Text {
    fn new(text: String) -> Self {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, line_starts }
    }

    fn position(&self, locator: &Locator<'_>, location: &Location) -> Option<Position> {
        if matches!(location, Location::Whole) {
            return None;
        }
        let bytes = locator.range(location);
        // The first line starts at 0, so the result is at least 1, which is the number of the line.
        let line = self.line_starts.partition_point(|start| *start <= bytes.start);
        let start = self.line_starts[line - 1];
        let column =
            self.text.get(start..bytes.start).map_or(1, |before| before.chars().count() + 1);
        Some(Position { line, column, bytes })
    }
}

/// The positions of diagnostics in a text that need not be a file.
pub fn positions_in(text: &str, diagnostics: &[Diagnostic]) -> Vec<Option<Position>> {
    let text = Text::new(text.to_owned());
    let locator = Locator::new(&text.text);
    diagnostics.iter().map(|found| text.position(&locator, &found.origin.location)).collect()
}

/// The position of a diagnostic, and of its related location.
type Positions = [Option<Position>; 2];

/// Resolves positions source by source, so that each is parsed once, and leaves the texts in
/// `texts`.
fn resolve_positions<'a>(
    diagnostics: &[&'a Diagnostic],
    files: &Files,
    texts: &mut HashMap<&'a SourceId, Text>,
) -> Vec<Positions> {
    let mut by_source: HashMap<&SourceId, Vec<(usize, usize, &Location)>> = HashMap::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        let origins = [Some(&diagnostic.origin), diagnostic.also.as_ref()];
        for (slot, origin) in origins.into_iter().enumerate() {
            if let Some(origin) = origin {
                by_source.entry(&origin.source).or_default().push((index, slot, &origin.location));
            }
        }
    }
    let mut positions = vec![[None, None]; diagnostics.len()];
    for (source, locations) in by_source {
        let Some(text) = files.text(source).map(Text::new) else {
            continue;
        };
        let locator = Locator::new(&text.text);
        for (index, slot, location) in locations {
            positions[index][slot] = text.position(&locator, location);
        }
        texts.insert(source, text);
    }
    positions
}
