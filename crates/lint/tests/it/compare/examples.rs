//! The examples of the rules of change.

use lint::compare::{CHANGES, ChangeRule, Shown, compare, compare_tools};
use serde_json::Value;

use super::{catalog, with};

/// The names of the rules that find something in the example of this rule.
fn found(rule: &ChangeRule) -> Vec<&'static str> {
    let schema =
        |text: &str| -> Option<Value> { Some(serde_json::from_str(text).expect("a schema")) };
    let changes = match rule.shown {
        Shown::Input => {
            compare_tools(&with(schema(rule.before), None), &with(schema(rule.after), None))
        }
        Shown::Output => {
            compare_tools(&with(None, schema(rule.before)), &with(None, schema(rule.after)))
        }
        Shown::Definition => {
            let [before, after] = [rule.before, rule.after].map(|text| catalog("example", text));
            compare(&before, &after).into_iter().flat_map(|tool| tool.changes).collect()
        }
    };
    changes.into_iter().map(|change| change.rule.name).collect()
}

#[test]
fn every_example_is_a_change_of_its_rule_and_no_other() {
    for rule in CHANGES {
        assert_eq!(found(rule), [rule.name]);
    }
}

#[test]
fn every_rule_has_a_name_of_its_own_and_says_why() {
    let names: std::collections::BTreeSet<_> = CHANGES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), CHANGES.len());
    assert!(
        lint::RULES.iter().all(|rule| !names.contains(rule.name)),
        "`explain` finds both kinds by name"
    );
    for rule in CHANGES {
        assert!(rule.why.len() > 20 && rule.why.ends_with('.'), "{}", rule.name);
    }
}
