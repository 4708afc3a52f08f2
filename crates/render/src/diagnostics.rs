//! Locates errors in a document from the messages of R, knitr, pandoc and LaTeX.

use std::sync::LazyLock;

use fancy_regex::{Captures, Regex};
use serde::Serialize;

/// An error that kept a document from being rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RenderDiagnostic {
    /// The message.
    pub message: String,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The label of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The first line, counted from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<usize>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<usize>,
}

/// The error that R reported.
pub(super) struct RenderError<'a> {
    pub(super) message: &'a str,
    /// The last chunk that was started.
    pub(super) chunk: Option<&'a str>,
    pub(super) log: &'a [String],
}

/// knitr reports where it stopped in three formats, depending on its version; the oldest first:
/// `Quitting from lines 3-5 (a.Rmd)`, `… 3-5 [label] (a.Rmd)`, `Quitting from a.Rmd:3-5 [label]`.
static QUITTING: LazyLock<Regex> = LazyLock::new(|| {
    let lines = r"(?<first>\d+)(?:-(?<last>\d+))?";
    let label = r"(?: \[(?<label>.*)\])?";
    let pattern = format!(
        r"^Quitting from (?:lines? {lines}{label} \((?<file>.*)\)|(?<file2>.+):{}{})\s*$",
        lines.replace("first", "first2").replace("last", "last2"),
        label.replace("label", "label2"),
    );
    Regex::new(&pattern).expect("a valid pattern, used by the tests")
});
static YAML: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"at line (\d+), column \d+").expect("a valid pattern, used by the tests")
});

/// Everything known about why a document was not rendered, the most specific first.
pub(super) fn diagnose(error: &RenderError<'_>) -> Vec<RenderDiagnostic> {
    let quitting =
        error.log.iter().rev().find_map(|line| QUITTING.captures(line.as_str()).ok().flatten());
    let mut found = vec![match quitting {
        Some(captures) => locate_in_chunk(error, &captures),
        None => locate_in_front_matter(error),
    }];
    found.extend(list_latex_errors(error.log));
    found
}

fn locate_in_chunk(error: &RenderError<'_>, captures: &Captures<'_, str>) -> RenderDiagnostic {
    let text = |names: [&str; 2]| {
        names.iter().find_map(|name| captures.name(name)).map(|found| found.as_str().to_owned())
    };
    let number = |names| text(names).and_then(|text| text.parse().ok());
    let first_line = number(["first", "first2"]);
    RenderDiagnostic {
        message: error.message.to_owned(),
        file: text(["file", "file2"]),
        label: text(["label", "label2"]).or_else(|| error.chunk.map(str::to_owned)),
        first_line,
        last_line: number(["last", "last2"]).or(first_line),
    }
}

/// An error outside all chunks. YAML errors count lines from the one after `---`.
fn locate_in_front_matter(error: &RenderError<'_>) -> RenderDiagnostic {
    let captures = YAML.captures(error.message).ok().flatten();
    let line = captures
        .and_then(|captures| captures.get(1)?.as_str().parse::<usize>().ok())
        .map(|line| line + 1);
    RenderDiagnostic {
        message: error.message.to_owned(),
        first_line: line,
        last_line: line,
        ..RenderDiagnostic::default()
    }
}

/// LaTeX marks errors with an exclamation mark.
fn list_latex_errors(log: &[String]) -> impl Iterator<Item = RenderDiagnostic> {
    let errors = log
        .iter()
        .filter_map(|line| line.strip_prefix("! "))
        // It follows every fatal error and adds nothing.
        .filter(|line| !line.starts_with("Emergency stop"));
    // The first errors matter; the others are usually consequences.
    errors.take(5).map(|message| RenderDiagnostic {
        message: message.to_owned(),
        ..RenderDiagnostic::default()
    })
}

/// The file that LaTeX could not find, if any.
pub(super) fn find_missing_style(log: &[String]) -> Option<&str> {
    log.iter().find_map(|line| {
        line.split_once("File `")?.1.split_once("' not found").map(|(file, _)| file)
    })
}

#[cfg(test)]
mod tests {
    use super::{RenderDiagnostic, RenderError, diagnose, find_missing_style};

    fn diagnose_log(message: &str, chunk: Option<&str>, log: &[&str]) -> Vec<RenderDiagnostic> {
        let log: Vec<_> = log.iter().map(|line| (*line).to_owned()).collect();
        diagnose(&RenderError { message, chunk, log: &log })
    }

    #[test]
    fn finds_the_chunk_in_every_knitr_format() {
        let lines = [
            "Quitting from lines 23-24 (my report.Rmd) ",
            "Quitting from lines 23-24 [broken] (my report.Rmd)",
            "Quitting from my report.Rmd:23-24 [broken]",
        ];
        for line in lines {
            let found = diagnose_log("no such thing", Some("broken"), &["before", line]);
            let [only] = &found[..] else { panic!("{found:?}") };
            assert_eq!(only.file.as_deref(), Some("my report.Rmd"), "{line}");
            assert_eq!(only.label.as_deref(), Some("broken"), "{line}");
            assert_eq!((only.first_line, only.last_line), (Some(23), Some(24)), "{line}");
        }
        let one = diagnose_log("x", None, &["Quitting from lines 7 [a b] (d.Rmd)"]);
        assert_eq!(
            (one[0].first_line, one[0].last_line, one[0].label.as_deref()),
            (Some(7), Some(7), Some("a b"))
        );
    }

    #[test]
    fn an_error_after_the_chunks_has_no_label() {
        let log = ["! LaTeX Error: File `framed.sty' not found.", "", "! Emergency stop."];
        let found = diagnose_log("LaTeX failed to compile document.tex", Some("last"), &log);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].label, None);
        assert_eq!(found[1].message, "LaTeX Error: File `framed.sty' not found.");
        assert_eq!(find_missing_style(&log.map(str::to_owned)), Some("framed.sty"));
    }

    #[test]
    fn lines_of_front_matter_count_from_the_start_of_the_file() {
        let found = diagnose_log(
            "Scanner error: mapping values are not allowed in this context at line 1, column 14",
            None,
            &[],
        );
        assert_eq!(found[0].first_line, Some(2));
    }
}
