//! Findings for people: the line with the problem underlined, and what to do.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    io::stdout,
};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use catalog::{Rule, Severity};
use docs::PublishedBook;

use host::{
    count,
    report::{Finding, Report},
};

use crate::terminal;

/// Maximum number of findings of one rule that are shown for a file: a few show the kind, a long
/// list would hide others.
const SHOWN: usize = 3;

/// The amount of detail that is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// How often each rule was violated.
    Counts,
    /// The first findings of each rule in a file.
    Some,
    /// Every finding.
    Everything,
}

/// Prints the findings, with links to their rules in the book, and a summary.
pub(crate) fn print(report: &Report<'_>, detail: Detail, book: Option<&PublishedBook>) {
    if detail == Detail::Counts {
        print_counts(report);
        return terminal::print_line(&summary(report));
    }
    let limit = if detail == Detail::Everything { usize::MAX } else { SHOWN };
    let renderer = terminal::renderer(&stdout());
    let mut shown: HashMap<(&str, &str), usize> = HashMap::new();
    for finding in &report.findings {
        let alike = shown
            .entry((finding.diagnostic.origin.source.as_str(), finding.diagnostic.code))
            .or_default();
        *alike += 1;
        if *alike <= limit {
            // The link is the same for all findings of a rule.
            let rule = find_rule(finding.diagnostic.code).filter(|_| *alike == 1);
            let link = book.zip(rule).map(|(book, rule)| format!("see {}", book.rule(rule)));
            terminal::print_line(&render(report, finding, link.as_deref(), &renderer));
            terminal::print("\n");
        }
    }
    let mut folded: Vec<_> = shown.into_iter().filter(|(_, count)| *count > limit).collect();
    // A hash map has no order.
    folded.sort();
    for ((file, code), count) in folded {
        terminal::print_line(&format!(
            "… and {} more of {code} in {} (`--all` lists them)",
            count - limit,
            terminal::escape_path(file)
        ));
    }
    terminal::print_line(&summary(report));
}

/// One line for each rule, the most frequent first.
fn print_counts(report: &Report<'_>) {
    let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
    let mut files = HashSet::new();
    for finding in &report.findings {
        let found = finding.diagnostic;
        let (problems, in_files) = counts.entry((found.code, found.severity)).or_default();
        *problems += 1;
        *in_files += usize::from(files.insert((found.code, &found.origin.source)));
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|((code, _), (problems, _))| (Reverse(*problems), *code));
    for ((code, severity), (problems, in_files)) in counts {
        let kind = count(problems, severity.as_str());
        let files = count(in_files, "file");
        let name = find_rule(code).map_or("", |rule| rule.name);
        terminal::print_line(&format!("{code:8} {name:28} {kind} in {files}"));
    }
}

fn find_rule(code: &str) -> Option<&'static Rule> {
    host::rules().into_iter().find(|rule| rule.code == code)
}

fn render(
    report: &Report<'_>,
    finding: &Finding<'_>,
    link: Option<&str>,
    renderer: &Renderer,
) -> String {
    let diagnostic = finding.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let file = terminal::escape_path(diagnostic.origin.source.as_str());
    let title = level.primary_title(terminal::escape_message(&diagnostic.message));
    let group = Group::with_title(title.id(diagnostic.code));
    let group = match (report.line(finding), &finding.position) {
        (Some((line, range)), Some(position)) => {
            let mark = AnnotationKind::Primary.span(range).label(label(finding));
            group.element(
                Snippet::source(line).path(file).line_start(position.line).annotation(mark),
            )
        }
        _ => group.element(Origin::path(file)),
    };
    let also = finding.related.as_ref().map(|related| format!("the other location is {related}"));
    let also = also.map(|also| Level::NOTE.message(terminal::escape_path(&also)));
    let hint = diagnostic.hint.as_deref();
    let hint = hint.map(|hint| Level::HELP.message(terminal::escape_message(hint)));
    let link = link.map(|link| Level::NOTE.message(link));
    renderer.render(&[group.elements(also).elements(hint).elements(link)])
}

fn label(finding: &Finding<'_>) -> Option<String> {
    let expected = finding.diagnostic.expected.as_ref();
    expected.map(|expected| terminal::escape_message(&format!("expected {expected}")))
}

fn summary(report: &Report<'_>) -> String {
    [
        count(report.files, "file"),
        count(report.tools, "tool"),
        count(report.count(Severity::Error), "error"),
        count(report.count(Severity::Warning), "warning"),
        count(report.count(Severity::Note), "note"),
    ]
    .join(", ")
}
