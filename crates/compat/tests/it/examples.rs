//! The examples of the change rules.

use std::collections::BTreeSet;

use compat::{CHANGES, ChangeRule, Shown, compare};
use serde_json::Value;

use crate::tools::{compare_input, compare_output, read_catalog};

/// The names of the rules that the example of `rule` triggers.
fn rules_triggered_by(rule: &ChangeRule) -> Vec<&'static str> {
    let schema = |text: &str| -> Value { serde_json::from_str(text).expect("a schema") };
    let changes = match rule.shown {
        Shown::Input => compare_input(&schema(rule.before), &schema(rule.after)),
        Shown::Output => compare_output(&schema(rule.before), &schema(rule.after)),
        Shown::Definition => {
            let [before, after] =
                [rule.before, rule.after].map(|text| read_catalog("example", text));
            compare(&before, &after).into_iter().flat_map(|tool| tool.changes).collect()
        }
    };
    changes.into_iter().map(|change| change.rule.name).collect()
}

#[test]
fn every_example_triggers_its_rule_and_no_other() {
    for rule in CHANGES {
        assert_eq!(rules_triggered_by(rule), [rule.name]);
    }
}

#[test]
fn every_rule_has_a_unique_name_and_a_reason() {
    let names: BTreeSet<_> = CHANGES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), CHANGES.len());
    for rule in CHANGES {
        assert!(rule.why.len() > 20 && rule.why.ends_with('.'), "{}", rule.name);
    }
}
