//! The examples of the change rules.

use std::collections::BTreeSet;

use compat::{CHANGES, Change, ChangeRule, ExampleKind, compare};
use serde_json::Value;

use crate::tools::{compare_input, compare_output, read_catalog};

/// The changes between the two sides of the example of `rule`.
fn example_changes(rule: &ChangeRule) -> Vec<Change> {
    let schema = |text: &str| -> Value { serde_json::from_str(text).expect("a schema") };
    match rule.example {
        ExampleKind::Input => compare_input(&schema(rule.before), &schema(rule.after)),
        ExampleKind::Output => compare_output(&schema(rule.before), &schema(rule.after)),
        ExampleKind::Definition => {
            let [before, after] =
                [rule.before, rule.after].map(|text| read_catalog("example", text));
            compare(&before, &after).into_iter().flat_map(|tool| tool.changes).collect()
        }
    }
}

#[test]
fn every_example_triggers_its_rule_and_no_other() {
    for rule in CHANGES {
        let changes = example_changes(rule);
        let names: Vec<_> = changes.iter().map(|change| change.rule.name).collect();
        assert_eq!(names, [rule.name]);
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

#[test]
fn every_rule_has_a_readable_message() {
    let messages: Vec<String> = CHANGES
        .iter()
        .flat_map(|rule| example_changes(rule))
        .map(|change| format!("{}: {}", change.rule.name, change.message))
        .collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    tool-removed: the tool was removed
    tool-renamed: `greet` was renamed to `greet_someone`
    tool-added: the tool was added
    required-added: `format` is new and required
    parameter-removed: `format` is no longer accepted
    parameter-added: `format` is new and optional
    parameter-required: `path` was optional and is required now
    parameter-optional: `path` is optional now
    output-added: `words` is new in the result
    output-removed: `words` is no longer returned
    output-promised: `lines` is always returned now
    output-unpromised: `lines` is no longer always returned
    output-schema-added: the result has a schema now
    output-schema-removed: the result no longer has a schema
    object-closed: additional properties of the parameters are no longer allowed
    object-opened: additional properties of the parameters are allowed now
    type-changed: the type of `count` changed from `string` to `integer`
    type-narrowed: the type of `count` changed from `integer` or `null` to `integer`, which is narrower
    type-widened: the type of `count` changed from `integer` to `number`, which is wider
    enum-added: `format` is limited to `"text"`, `"json"` now
    enum-removed: `format` is no longer limited to a list of values
    enum-value-removed: `"json"` is no longer a value of `format`
    enum-value-added: `"lost"` is a new value of `state`
    range-narrowed: `maximum` of `count` changed from 100 to 10
    range-widened: `maximum` of `count` changed from 10 to 100
    pattern-added: `day` must have the `format` "date" now
    pattern-removed: `day` need not have the `format` "date" any more
    pattern-changed: cannot decide whether this is compatible: `pattern` of `tag` changed from "^v[0-9]+$" to "^v?[0-9]+$"; review it
    cannot-decide: cannot decide whether this is compatible: `not` of `count` changed; review it
    default-changed: the default of `depth` changed from 1 to 2
    default-added: `depth` has the default 2 now
    default-removed: `depth` no longer has the default 2
    description-changed: the description changed
    examples-changed: the examples of `who` changed
    annotations-changed: `network` changed from not declared to yes
    errors-changed: the section on errors changed
    idempotency-changed: the section on idempotency changed
    security-changed: the section on security changed
    launch-changed: the command, mode, timeout or concurrency changed
    category-changed: the category changed from none to `social`
    version-changed: the version changed from `1.2.0` to `1.2.1`
    notes-changed: the install instructions changed
    "#);
}
