//! Consent words that a caller must pass, and secret values.

use catalog::{Consent, arguments};
use serde_json::{Value, json};

use crate::reading::{errors, line, read, tool, with_leaf, with_option};

fn consent(parameter: &str, word: &str) -> Option<Consent> {
    Some(Consent { parameter: parameter.to_owned(), word: word.to_owned() })
}

fn messages(definition: &Value, given: Value) -> Vec<String> {
    let faults = arguments::validate(&tool(definition).input, &given).expect("a schema");
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn a_declared_word_is_required_but_not_passed_on() {
    let definition = with_leaf(json!({"consent": {"parameter": "agree", "word": "DELETE_BRANCH"}}));
    let tool = tool(&definition);
    assert_eq!(tool.consent, consent("agree", "DELETE_BRANCH"));
    assert_eq!(line(&tool), "prog");
    assert_eq!(messages(&definition, json!({})), ["Missing required parameter 'agree'"]);
    assert_eq!(
        messages(&definition, json!({"agree": "delete_branch"})),
        ["Value must be DELETE_BRANCH"]
    );
    assert_eq!(messages(&definition, json!({"agree": "DELETE_BRANCH"})), [""; 0]);
}

#[test]
fn a_declared_word_restricts_an_existing_parameter() {
    let options =
        json!([{"name": "mode", "type": "string", "enum": ["dry", "REAL"], "default": "dry"}]);
    let definition =
        with_leaf(json!({"options": options, "consent": {"parameter": "mode", "word": "REAL"}}));
    assert_eq!(line(&tool(&definition)), "prog --mode <mode>");
    assert_eq!(messages(&definition, json!({"mode": "dry"})), ["Value must be REAL"]);
    assert_eq!(messages(&definition, json!({})), ["Missing required parameter 'mode'"]);
}

#[test]
fn a_consent_parameter_with_one_choice_is_a_consent() {
    let table = [
        (json!({"name": "confirm", "type": "string", "enum": ["YES"]}), consent("confirm", "YES")),
        (
            json!({"name": "user-consent", "type": "string", "enum": ["YES"]}),
            consent("user-consent", "YES"),
        ),
        (
            json!({"name": "explicit_action", "type": "string", "enum": ["CREATE"]}),
            consent("explicit_action", "CREATE"),
        ),
        (json!({"name": "confirm", "type": "string", "enum": ["YES", "NO"]}), None),
        (json!({"name": "confirm", "type": "integer", "enum": [1]}), None),
        (json!({"name": "confirm", "type": "boolean"}), None),
        (json!({"name": "kind", "type": "string", "enum": ["YES"]}), None),
    ];
    for (option, expected) in table {
        assert_eq!(tool(&with_option(option.clone())).consent, expected, "{option}");
    }
    let definition = with_option(json!({"name": "confirm", "type": "string", "enum": ["YES"]}));
    assert_eq!(messages(&definition, json!({})), ["Missing required parameter 'confirm'"]);
}

#[test]
fn schema_tools_can_require_consent() {
    let schema = json!({"type": "object", "properties": {"confirmation": {"type": "string", "const": "CREATE_DOCUMENT"}}});
    let definition =
        json!({"name": "t", "description": "A tool", "command": "prog", "inputSchema": schema});
    assert_eq!(tool(&definition).consent, consent("confirmation", "CREATE_DOCUMENT"));
    assert_eq!(
        messages(&definition, json!({"confirmation": "create"})),
        ["Value must be CREATE_DOCUMENT"]
    );
    assert_eq!(messages(&definition, json!({})), ["Missing required parameter 'confirmation'"]);
}

#[test]
fn subcommands_inherit_and_override_consent() {
    let definition = json!({"name": "t", "description": "A tool", "command": "prog",
        "consent": {"parameter": "agree", "word": "ONE"},
        "subcommand": [{"name": "a", "description": "A"},
                       {"name": "b", "description": "B", "consent": {"parameter": "agree", "word": "TWO"}}]});
    let words: Vec<_> = read(&definition)
        .tools
        .into_iter()
        .map(|tool| tool.consent.expect("a consent").word)
        .collect();
    assert_eq!(words, ["ONE", "TWO"]);
}

#[test]
fn rejects_invalid_declarations() {
    let at = "/subcommand/0/consent";
    let table = [
        (json!({"consent": {"parameter": "agree"}}), format!("error TC020 {at}/word")),
        (
            json!({"consent": {"parameter": "a b", "word": "X"}}),
            format!("error TC024 {at}/parameter"),
        ),
        (json!({"consent": "YES"}), format!("error TC021 {at}")),
        (
            json!({"consent": {"parameter": "n", "word": "X"}, "options": [{"name": "n", "type": "integer"}]}),
            format!("error TC032 {at}"),
        ),
        (
            json!({"consent": {"parameter": "n", "word": "X"}, "options": [{"name": "n", "type": "string", "enum": ["Y"]}]}),
            format!("error TC032 {at}"),
        ),
    ];
    for (leaf, expected) in table {
        let reading = read(&with_leaf(leaf.clone()));
        assert_eq!(errors(&reading.diagnostics), [expected], "{leaf}");
        assert!(reading.tools.is_empty(), "{leaf}");
    }
}

#[test]
fn secret_parameters_are_write_only_in_the_schema() {
    let tool = tool(&with_leaf(json!({"options": [
        {"name": "token", "type": "string", "secret": true},
        {"name": "password", "type": "string", "format": "password"},
        {"name": "user", "type": "string", "secret": false}]})));
    assert_eq!(["token", "password", "user"].map(|name| tool.is_secret(name)), [true, true, false]);
    assert_eq!(tool.input.property("token").expect("a property")["writeOnly"], true);
}
