//! Rules as text.

use catalog::{Rule, Severity};
use compat::ChangeRule;

static RULE: Rule = Rule {
    code: "TC999",
    name: "left-handed-screw",
    severity: Severity::Warning,
    why: "A right-handed screwdriver loosens it.",
    bad: "{\"turn\": \"left\"}",
    good: "{\"turn\": \"right\"}",
};

#[test]
fn a_rule_has_its_reason_and_examples() {
    insta::assert_snapshot!(docs::render_rule(&RULE), @r#"
    # TC999 left-handed-screw

    Severity: warning.

    A right-handed screwdriver loosens it.

    Bad:

    ```json
    {"turn": "left"}
    ```

    Good:

    ```json
    {"turn": "right"}
    ```
    "#);
}

#[test]
fn a_change_has_its_effect_and_an_example() {
    let find = |name: &str| -> &ChangeRule {
        compat::CHANGES.iter().find(|rule| rule.name == name).expect("a change rule")
    };
    insta::assert_snapshot!(docs::render_change(find("type-widened")), @r#"
    # type-widened

    Compatible in parameters, breaking in results.

    The parameter accepts more than before. A wider result may contain values that callers do not handle, such as a fraction instead of an integer, or `null`.

    Before (output schema):

    ```json
    {"type": "object", "properties": {"count": {"type": "integer"}}}
    ```

    After (output schema):

    ```json
    {"type": "object", "properties": {"count": {"type": "number"}}}
    ```
    "#);
    insta::assert_snapshot!(docs::render_change(find("output-schema-added")), @r#"
    # output-schema-added

    Compatible.

    The result was undocumented and has a schema now.

    Before:

    ```markdown
    …
    | `path` | `string` | Yes | The file, relative to the project folder | `"src/main.py"` |

    ### 4. Output Schema (Return Value)

    The number of lines.

    ### 5. Error Handling

    A file that is not there gives an error:
    …
    ```

    After:

    ```markdown
    …
    | `path` | `string` | Yes | The file, relative to the project folder | `"src/main.py"` |

    ### 4. Output Schema (Return Value)

    | Field Name | Type | Description | Example Value |
    | :--- | :--- | :--- | :--- |
    | `lines` | `integer` | How many lines there are | `120` |

    ### 5. Error Handling

    A file that is not there gives an error:
    …
    ```
    "#);
}

#[test]
fn the_reference_has_every_rule_once_by_code() {
    let rules: Vec<_> =
        [&RULE].into_iter().chain(lint::RULES.iter().copied()).chain([&RULE]).collect();
    let reference = docs::render_rules_reference(&rules);
    let sections: Vec<_> =
        reference.lines().filter_map(|line| line.strip_prefix("## TC")).collect();
    let rows: Vec<_> = reference.lines().filter(|line| line.starts_with("| [TC")).collect();
    assert!(sections.is_sorted(), "{sections:?}");
    assert_eq!((sections.len(), rows.len()), (lint::RULES.len() + 1, lint::RULES.len() + 1));
    insta::assert_snapshot!(rows.last().expect("a row"), @"| [TC999](#tc999-left-handed-screw) | left-handed-screw | warning |");
}

#[test]
fn truncates_very_long_examples() {
    let longest = lint::RULES.iter().map(|rule| docs::render_rule(rule).len()).max();
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
