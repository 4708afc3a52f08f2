//! The examples of the rules, read by the reader they were written for.

use catalog::{Catalog, Diagnostic, Rule, Severity, SourceId};
use formats::Guidance;
use lint::Context;

/// What reading, merging and checking this text finds.
fn found(text: &str) -> Vec<Diagnostic> {
    let reading =
        formats::read(&SourceId::new("tools/example.json"), text.as_bytes(), &Guidance::default());
    let (catalog, duplicates) = Catalog::merge(reading.tools);
    let linted = lint::check(&catalog, &Context { crib: "my-crib".into(), ..Context::default() });
    reading.diagnostics.into_iter().chain(duplicates).chain(linted).collect()
}

fn has(rule: &Rule, found: &[Diagnostic]) -> bool {
    found.iter().any(|diagnostic| diagnostic.code == rule.code)
}

#[test]
fn every_bad_example_has_its_problem_and_no_other() {
    for rule in lint::RULES {
        let found = found(rule.bad);
        assert!(has(rule, &found), "{}: {found:#?}", rule.code);
        let others: Vec<_> = found
            .iter()
            .filter(|of| of.code != rule.code && of.severity > Severity::Note)
            .collect();
        assert!(others.is_empty(), "{}: {others:#?}", rule.code);
    }
}

#[test]
fn every_good_example_is_good() {
    for rule in lint::RULES {
        let found: Vec<_> =
            found(rule.good).into_iter().filter(|of| of.severity > Severity::Note).collect();
        assert!(found.is_empty(), "{}: {found:#?}", rule.code);
    }
}

#[test]
fn every_rule_says_why_and_has_the_severity_it_announces() {
    for rule in lint::RULES {
        assert!(rule.why.len() > 60 && rule.why.ends_with('.'), "{}", rule.code);
        let worst = found(rule.bad)
            .into_iter()
            .filter(|of| of.code == rule.code)
            .map(|of| of.severity)
            .max();
        assert_eq!(worst, Some(rule.severity), "{}", rule.code);
    }
}
