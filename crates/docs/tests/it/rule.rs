//! Rules as text.

use catalog::{Rule, Severity};

static RULE: Rule = Rule {
    code: "TC999",
    name: "left-handed-screw",
    severity: Severity::Warning,
    why: "Nobody expects it.",
    bad: "{\"turn\": \"left\"}",
    good: "{\"turn\": \"right\"}",
};

#[test]
fn a_rule_explains_itself() {
    insta::assert_snapshot!(docs::rule_page(&RULE), @r##"
    # TC999 left-handed-screw

    Severity: warning.

    Nobody expects it.

    Bad:

    ```json
    {"turn": "left"}
    ```

    Good:

    ```json
    {"turn": "right"}
    ```
    "##);
}

#[test]
fn the_reference_has_every_rule_once_by_code() {
    let rules: Vec<_> =
        [&RULE].into_iter().chain(lint::RULES.iter().copied()).chain([&RULE]).collect();
    let reference = docs::rules_reference(&rules);
    let sections: Vec<_> =
        reference.lines().filter_map(|line| line.strip_prefix("## TC")).collect();
    let rows = reference.lines().filter(|line| line.starts_with("| [TC")).count();
    assert!(sections.is_sorted(), "{sections:?}");
    assert_eq!((sections.len(), rows), (lint::RULES.len() + 1, lint::RULES.len() + 1));
    assert!(
        reference.contains("| [TC999](#tc999-left-handed-screw) | left-handed-screw | warning |")
    );
}

#[test]
fn a_very_long_example_is_cut() {
    let longest = lint::RULES.iter().map(|rule| docs::rule_page(rule).len()).max();
    assert!(longest.is_some_and(|longest| longest < 3000), "{longest:?}");
}

#[test]
fn no_change_rule_has_the_name_of_a_lint_rule() {
    let rules = || lint::RULES.iter().chain(compat::DRIFT_RULES);
    for change in compat::CHANGES {
        assert!(
            rules().all(|rule| rule.name != change.name),
            "`toolcrib explain {}` would be ambiguous",
            change.name
        );
    }
}
