//! The rules for definitions and their examples.

use std::collections::HashSet;

use catalog::Severity;
use formats::{Document, Guidance, rules};

use crate::reading::source;

/// Rules whose bad example is too long to be printed.
const WITHOUT_EXAMPLE: [&str; 4] = ["TC001", "TC002", "TC012", "TC066"];

fn diagnostics(text: &[u8]) -> Vec<catalog::Diagnostic> {
    Document::parse(&source(), text).read(&Guidance::default()).diagnostics
}

#[test]
fn codes_are_unique_and_in_range() {
    let codes: Vec<_> = rules().iter().map(|rule| rule.code).collect();
    assert!(
        codes
            .iter()
            .all(|code| ("TC001".."TC200").contains(code) || ("TC800".."TC900").contains(code))
    );
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
    assert_eq!(rules().iter().map(|rule| rule.name).collect::<HashSet<_>>().len(), codes.len());
}

#[test]
fn bad_examples_have_their_problem_and_no_other() {
    for rule in rules().iter().filter(|rule| !WITHOUT_EXAMPLE.contains(&rule.code)) {
        let found = diagnostics(rule.bad.as_bytes());
        assert!(!found.is_empty(), "{} has no diagnostic", rule.code);
        assert!(found.iter().all(|found| found.code == rule.code), "{}: {found:#?}", rule.code);
        assert!(
            found.iter().any(|found| found.severity == rule.severity),
            "{}: {found:#?}",
            rule.code
        );
    }
}

#[test]
fn good_examples_have_no_problem() {
    for rule in rules() {
        let found = diagnostics(rule.good.as_bytes());
        assert!(
            found.iter().all(|found| found.severity == Severity::Note && found.code != rule.code),
            "{}: {found:#?}",
            rule.code
        );
    }
}

#[test]
fn reports_problems_without_a_short_example() {
    let subcommands = vec![r#"{"name": "a", "description": "A"}"#; 5_001].join(",");
    let many_tools = format!(
        r#"{{"name": "t", "description": "T", "command": "c", "subcommand": [{subcommands}]}}"#
    );
    let references = (0..201)
        .map(|n| format!(r##""p{n}": {{"$ref": "#/$defs/a"}}"##))
        .collect::<Vec<_>>()
        .join(",");
    let many_references = format!(
        r#"{{"name": "t", "description": "T", "command": "c",
            "inputSchema": {{"type": "object", "properties": {{{references}}}, "$defs": {{"a": {{}}}}}}}}"#
    );
    let texts: [(&str, Vec<u8>); 4] = [
        ("TC001", b"{\"name\": \"caf\xe9\"}".to_vec()),
        ("TC002", vec![b' '; formats::MAX_BYTES + 1]),
        ("TC012", many_tools.into_bytes()),
        ("TC066", many_references.into_bytes()),
    ];
    for (code, text) in texts {
        let codes: Vec<_> = diagnostics(&text).iter().map(|found| found.code).collect();
        assert_eq!(codes, [code]);
    }
}
