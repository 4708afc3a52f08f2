//! Options and positionals as JSON Schema, and invalid ones.

use catalog::implementation::Access;
use serde_json::{Value, json};

use crate::reading::{errors, read, summary, tool, with_leaf, with_option};

fn schema(option: Value) -> Value {
    let name = option["name"].as_str().expect("a name").to_owned();
    tool(&with_option(option)).input.property(&name).expect("a property").clone()
}

fn option_errors(mut option: Value) -> Vec<String> {
    option["name"] = json!("x");
    let found = errors(&read(&with_option(option)).diagnostics);
    found.into_iter().map(|error| error.replace("/subcommand/0/options/0", "")).collect()
}

#[test]
fn schemas_are_closed_and_minimal() {
    let tool = tool(&with_leaf(json!({
        "options": [{"name": "b", "type": "boolean", "required": false}],
        "positional_args": [{"name": "a", "type": "string", "description": "The first", "required": true}],
    })));
    let folder = json!({"type": "string", "format": "path", "description": "Folder to run in"});
    let expected = json!({
        "type": "object",
        "properties": {"b": {"type": "boolean"}, "a": {"type": "string", "description": "The first"}, "working_directory": folder},
        "required": ["a"],
        "additionalProperties": false,
    });
    assert_eq!(serde_json::to_string(&**tool.input.object()).expect("JSON"), expected.to_string());
    let nothing = crate::reading::tool(&with_leaf(json!({})));
    assert!(!nothing.input.object().contains_key("required"));
}

#[test]
fn schemas_have_every_constraint() {
    let kinds = ["string", "integer", "number", "boolean", "object"];
    assert!(
        kinds
            .into_iter()
            .all(|kind| schema(json!({"name": "x", "type": kind})) == json!({"type": kind}))
    );
    let text = json!({"name": "x", "type": "string", "description": "D", "format": "date", "enum": ["a", "b"], "default": "b", "pattern": "^[ab]$",
        "minLength": 1, "maxLength": 1});
    let mut expected = text.clone();
    expected.as_object_mut().expect("an object").remove("name");
    assert_eq!(schema(text), expected);
    let number =
        json!({"name": "x", "type": "number", "minimum": 0.5, "maximum": 9, "default": 1e0});
    assert_eq!(
        schema(number),
        json!({"type": "number", "minimum": 0.5, "maximum": 9, "default": 1.0})
    );
    let list = json!({"name": "x", "type": "array", "minItems": 1, "maxItems": 10, "items": {"enum": ["a"], "description": "I"}});
    let expected = json!({"type": "array", "minItems": 1, "maxItems": 10, "items": {"type": "string", "description": "I", "enum": ["a"]}});
    assert_eq!(schema(list), expected);
    assert_eq!(
        schema(json!({"name": "x", "type": "array"})),
        json!({"type": "array", "items": {"type": "string"}})
    );
}

#[test]
fn reads_min_and_max_with_a_note() {
    let option = json!({"name": "x", "type": "integer", "min": 1, "max": 3});
    let reading = read(&with_option(option.clone()));
    let at = "note TC047 /subcommand/0/options/0";
    assert_eq!(summary(&reading.diagnostics), [format!("{at}/min"), format!("{at}/max")]);
    assert_eq!(schema(option), json!({"type": "integer", "minimum": 1, "maximum": 3}));
}

#[test]
fn suggests_types_for_names_from_other_languages() {
    let hint = |kind: &str| {
        let reading = read(&with_option(json!({"name": "x", "type": kind})));
        assert!(reading.tools.is_empty());
        reading.diagnostics[0].hint.clone().unwrap_or_default()
    };
    assert_eq!(hint("bool"), "did you mean `boolean`?");
    assert_eq!(hint("int"), "did you mean `integer`?");
    assert_eq!(hint("str"), "did you mean `string`?");
    assert_eq!(hint("strng"), "did you mean `string`?");
    assert!(hint("qux").starts_with("use one of `string`"));
    assert_eq!(option_errors(json!({"description": "No type"})), ["error TC020 /type"]);
}

#[test]
fn rejects_defaults_that_violate_constraints() {
    let wrong = |option: Value| option_errors(option) == ["error TC041 /default"];
    assert!(wrong(json!({"type": "integer", "default": "5"})));
    assert!(wrong(json!({"type": "string", "default": 5})));
    assert!(wrong(json!({"type": "boolean", "default": null})));
    assert!(wrong(json!({"type": "string", "enum": ["a"], "default": "b"})));
    assert!(wrong(json!({"type": "integer", "minimum": 3, "default": 2})));
    assert!(wrong(json!({"type": "string", "maxLength": 1, "default": "éé"})));
    assert!(wrong(json!({"type": "string", "pattern": "^a$", "default": "b"})));
    assert!(wrong(json!({"type": "array", "maxItems": 1, "default": ["a", "b"]})));
    assert!(wrong(json!({"type": "array", "items": {"type": "integer"}, "default": ["a"]})));
    assert_eq!(option_errors(json!({"type": "integer", "default": 5.0})), [""; 0]);
    assert_eq!(
        option_errors(json!({"type": "array", "items": {"enum": ["a"]}, "default": ["a"]})),
        [""; 0]
    );
}

#[test]
fn rejects_impossible_constraints() {
    assert_eq!(option_errors(json!({"type": "string", "enum": []})), ["error TC042 /enum"]);
    assert_eq!(
        option_errors(json!({"type": "integer", "enum": [1, "2"]})),
        ["error TC042 /enum/1"]
    );
    assert_eq!(option_errors(json!({"type": "array", "enum": ["a"]})), ["error TC042 /enum/0"]);
    assert_eq!(option_errors(json!({"type": "string", "pattern": "["})), ["error TC043 /pattern"]);
    assert_eq!(
        option_errors(json!({"type": "array", "items": {"pattern": "["}})),
        ["error TC043 /items/pattern"]
    );
    assert_eq!(
        option_errors(json!({"type": "integer", "minimum": 2, "maximum": 1})),
        ["error TC044 "]
    );
    assert_eq!(option_errors(json!({"type": "array", "minItems": -1})), ["error TC021 /minItems"]);
    assert_eq!(
        option_errors(json!({"type": "string", "pass_by": "env", "env": "1A"})),
        ["error TC050 /env"]
    );
    assert_eq!(
        option_errors(json!({"type": "string", "pass_by": "stdn"})),
        ["error TC036 /pass_by"]
    );
}

#[test]
fn rejects_a_misspelled_format() {
    assert_eq!(option_errors(json!({"type": "string", "fromat": "path"})), ["error TC023 /fromat"]);
    let reading = read(&with_option(json!({"name": "x", "type": "string", "placeholder": "y"})));
    assert_eq!(
        summary(&reading.diagnostics),
        ["warning TC022 /subcommand/0/options/0/placeholder"]
    );
}

/// What the reader takes the validator must take too, or a tool would fail at its first call.
#[test]
fn accepts_javascript_patterns() {
    let patterns = [
        r#"^[^<>:"|?*]+$"#,
        r"\.py$",
        r"^[a-zA-Z0-9_-]+$",
        r"\/",
        r"\-",
        r"[\w\-.]+",
        r"\u00e9",
        r"^\S+@\S+$",
        r"\d+(?!px)",
        r"(?<=a)b",
        r"(a)\1",
        r"(?<year>\d{4})",
        r"[\d\-]",
        r"\p{L}+",
        r"^(?:a|b)?$",
        r"\bword\b",
        r"[^\x00-\x1f]",
        r"a{2,3}?",
        "",
    ];
    for pattern in patterns {
        let tool = tool(&with_option(json!({"name": "x", "type": "string", "pattern": pattern})));
        assert!(tool.input.validator().is_ok(), "{pattern}: {:?}", tool.input.validator().err());
    }
}

#[test]
fn reads_access_of_paths() {
    let access = |definition: &serde_json::Value| {
        let reading = read(definition);
        let tool = reading.tools.first().expect("a tool");
        let catalog::Implementation::Process(process) = &tool.implementation else {
            panic!("not a program")
        };
        process
            .bindings()
            .find(|binding| binding.parameter == "x")
            .and_then(|binding| binding.access)
    };
    for (word, expected) in Access::WORDS {
        let option = json!({"name": "x", "type": "string", "format": "path", "access": word});
        assert_eq!(access(&with_option(option)), Some(expected));
        let written = json!({"name": "t", "description": "T", "command": "prog", "argv": {"x": {"positional": true, "access": word}},
            "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "format": "path"}}}});
        assert_eq!(access(&written), Some(expected));
    }
    let many = json!({"name": "x", "type": "array", "items": {"type": "string", "format": "path"}, "access": "read"});
    assert_eq!(access(&with_option(many)), Some(Access::Read));
    assert_eq!(
        access(&with_option(json!({"name": "x", "type": "string", "format": "path"}))),
        None
    );
}

#[test]
fn rejects_access_without_a_path() {
    assert_eq!(option_errors(json!({"type": "string", "access": "read"})), ["error TC051 /access"]);
    assert_eq!(
        option_errors(json!({"type": "string", "format": "path-or-value", "access": "read"})),
        ["error TC051 /access"]
    );
    assert_eq!(
        option_errors(json!({"type": "string", "format": "path", "access": "raed"})),
        ["error TC036 /access"]
    );
    assert_eq!(
        option_errors(json!({"type": "string", "format": "path", "acces": "read"})),
        ["error TC023 /acces"]
    );
    let folder =
        json!({"name": "working_directory", "type": "string", "format": "path", "access": "read"});
    assert_eq!(read(&with_option(folder)).diagnostics[0].code, "TC051");
}

#[test]
fn rejects_write_access_in_read_only_tools() {
    let found = |definition: serde_json::Value| {
        let reading = read(&definition);
        assert!(reading.tools.is_empty(), "it is not served");
        reading
            .diagnostics
            .iter()
            .map(|found| (found.code, found.origin.pointer().unwrap_or_default().to_owned()))
            .collect::<Vec<_>>()
    };
    for word in ["write", "read_write"] {
        let tree = json!({"name": "t", "description": "T", "command": "prog",
            "options": [{"name": "x", "type": "string", "format": "path", "access": word}],
            "subcommand": [{"name": "default", "description": "D", "mutates": false}]});
        assert_eq!(found(tree), [("TC052", "/options/0/access".to_owned())]);
        let written = json!({"name": "t", "description": "T", "command": "prog", "mutates": false, "argv": {"x": {"access": word}},
            "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "format": "path"}}}});
        assert_eq!(found(written), [("TC052", "/argv/x/access".to_owned())]);
    }
}

#[test]
fn a_misspelled_mark_of_a_secret_is_an_error() {
    for key in ["secrte", "secrets", "sensitive", "writeOnly", "password"] {
        let mut option = json!({"type": "string"});
        option[key] = json!(true);
        assert_eq!(option_errors(option), [format!("error TC023 /{key}")]);
    }
}

#[test]
fn a_misspelled_format_of_a_path_is_an_error() {
    for format in ["Path", "paths", "file", "file-path", "directory", "folder"] {
        let option = json!({"type": "string", "format": format});
        assert_eq!(option_errors(option), ["error TC036 /format"], "{format}");
        let items = json!({"type": "array", "items": {"type": "string", "format": format}});
        assert_eq!(option_errors(items), ["error TC036 /items/format"], "{format}");
    }
    for format in ["date", "time", "uri", "email", "uuid", "hostname", "regex"] {
        assert!(option_errors(json!({"type": "string", "format": format})).is_empty(), "{format}");
    }
}
