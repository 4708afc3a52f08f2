//! The published schema and the reader accept the same definitions.
//!
//! JSON Schema cannot express everything that the reader checks. The exceptions are:
//! - misspellings of fields that decide what is run (TC023), except for those that the schema
//!   lists;
//! - defaults that violate constraints (TC041), patterns that do not compile (TC043) and empty
//!   ranges (TC044);
//! - conflicting names and flags (TC045, TC046), and names in `argv` that are not properties
//!   (TC049);
//! - `access` without a path (TC051) or in a read-only tool (TC052);
//! - joined names that are too long and whitespace in names of properties (TC024);
//! - contradictions of fields of different nodes (TC032);
//! - shell syntax in `command` (TC067) and conditions that are not CEL (TC068);
//! - remote, unresolved and circular references (TC062, TC063, TC064), and sizes (TC002, TC011,
//!   TC012, TC066).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::reading::read;

/// Codes of the exceptions.
const INEXPRESSIBLE: [&str; 14] = [
    "TC023", "TC041", "TC043", "TC044", "TC045", "TC046", "TC049", "TC051", "TC052", "TC062",
    "TC063", "TC064", "TC067", "TC068",
];

type Values = BoxedStrategy<Value>;

fn one_of(values: &[Value]) -> Values {
    prop::sample::select(values.to_vec()).boxed()
}

/// Mostly valid values, occasionally others.
fn usually(good: Values) -> Values {
    let junk = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(2.5),
        json!(3.0),
        json!(""),
        json!(" "),
        json!("word"),
    ];
    let more = [
        json!([]),
        json!(["x"]),
        json!([1]),
        json!({}),
        json!({"a": 1}),
        json!("path"),
        json!(99_999),
    ];
    prop_oneof![60 => good, 1 => one_of(&junk), 1 => one_of(&more)].boxed()
}

fn text() -> Values {
    usually(one_of(&[json!("word"), json!("two words"), json!("--flag")]))
}

fn flag() -> Values {
    usually(one_of(&[json!(true), json!(false)]))
}

fn list(of: Values, most: usize) -> Values {
    usually(prop::collection::vec(of, 0..=most).prop_map(Value::from).boxed())
}

/// An object: fields that are nearly always there, fields that sometimes are, and some that most
/// objects may not have.
fn object(usual: Vec<(&'static str, Values)>, rare: Vec<(&'static str, Values)>) -> Values {
    let field = |(key, values): (&'static str, Values), weight: f64| {
        prop::option::weighted(weight, values)
            .prop_map(move |value| value.map(|value| (key.to_owned(), value)))
            .boxed()
    };
    let forbidden = ["args_template", "subcommands", "livelog", "inputSchema", "command"]
        .map(|key| (key, any_value()));
    let usual = usual.into_iter().map(|it| field(it, 0.99));
    let rare = rare.into_iter().map(|it| field(it, 0.12));
    let fields: Vec<_> =
        forbidden.into_iter().map(|it| field(it, 0.002)).chain(usual).chain(rare).collect();
    fields
        .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>()))
        .boxed()
}

fn any_value() -> Values {
    one_of(&[json!("word"), json!(3), json!(2.5), json!(true), json!(["x"]), json!({"a": 1})])
}

fn constraints() -> Vec<(&'static str, Values)> {
    let count = || usually(one_of(&[json!(0), json!(5)]));
    let number = || usually(one_of(&[json!(1), json!(-2.5)]));
    vec![
        ("description", text()),
        ("format", usually(one_of(&[json!("path"), json!("path-or-value"), json!("date")]))),
        ("enum", list(any_value(), 2)),
        ("default", any_value()),
        ("pattern", text()),
        ("minimum", number()),
        ("max", number()),
        ("minLength", count()),
        ("maxItems", count()),
    ]
}

fn bindings() -> Vec<(&'static str, Values)> {
    vec![
        ("flag", text()),
        ("separator", usually(one_of(&[json!("space"), json!("="), json!("none")]))),
        ("join", text()),
        ("pairs", text()),
        ("double_dash", flag()),
        ("negate", usually(one_of(&[json!("--no")]))),
        (
            "pass_by",
            usually(one_of(&[
                json!("argument"),
                json!("stdin"),
                json!("env"),
                json!("file"),
                json!("variables"),
            ])),
        ),
        ("env", usually(one_of(&[json!("A_1"), json!("_b")]))),
        ("allow_dash", flag()),
        ("access", usually(one_of(&[json!("read"), json!("write"), json!("read_write")]))),
    ]
}

fn parameter_type() -> Values {
    let names = ["string", "integer", "number", "boolean", "array", "object"].map(Value::from);
    prop_oneof![30 => one_of(&names), 1 => one_of(&[json!("bool"), json!("Str")])].boxed()
}

fn parameter(name: &'static [&'static str]) -> Values {
    let names: Vec<_> = name.iter().map(|name| json!(name)).collect();
    let items = object(vec![("type", parameter_type())], constraints());
    let mut rare = constraints();
    rare.extend(bindings());
    rare.extend([
        ("alias", usually(one_of(&[json!("a"), json!("z")]))),
        ("required", flag()),
        ("items", usually(items)),
    ]);
    rare.extend([
        ("file_arg", flag()),
        ("file_flag", text()),
        ("secret", flag()),
        ("unknown", any_value()),
    ]);
    object(vec![("name", usually(one_of(&names))), ("type", usually(parameter_type()))], rare)
}

fn step() -> Values {
    let rare = vec![
        ("subcommand", text()),
        ("args", usually(one_of(&[json!({}), json!({"a": [1]})]))),
        ("description", text()),
        ("skip_if_file_exists", text()),
        ("skip_if_file_missing", text()),
    ];
    object(vec![("tool", text())], rare)
}

fn availability() -> Values {
    let codes = list(usually(one_of(&[json!(0), json!(255), json!(256)])), 2);
    let rare = vec![
        ("command", text()),
        ("args", list(text(), 2)),
        ("working_directory", text()),
        ("success_exit_codes", codes),
        ("skip_subcommand_args", flag()),
    ];
    usually(object(vec![], rare))
}

fn node() -> Vec<(&'static str, Values)> {
    let seconds = usually(one_of(&[json!(1), json!(86_400), json!(0), json!(86_401)]));
    let hints = [
        json!({"default": "x", "build": null}),
        json!({"custom": {"default": "y"}}),
        json!({"custom": {"z": 1}}),
        json!({"a": 1}),
    ];
    let mut fields = vec![
        (
            "options",
            list(
                parameter(&["alpha", "beta", "-x", "n", "working_directory", "env_vars", "a b"]),
                2,
            ),
        ),
        ("positional_args", list(parameter(&["first", "second"]), 1)),
        ("timeout_seconds", seconds),
        ("hints", usually(one_of(&hints))),
        ("guidance_key", text()),
        ("sequence", list(step(), 2)),
        ("step_delay_ms", usually(one_of(&[json!(0), json!(100)]))),
        ("availability_check", availability()),
        (
            "concurrency",
            usually(one_of(&[json!("exclusive"), json!("read_only"), json!("service")])),
        ),
        ("consent", usually(object(vec![("parameter", text()), ("word", text())], vec![]))),
        ("network", network()),
        ("fixed_args", list(text(), 2)),
        ("success_exit_codes", list(usually(one_of(&[json!(0), json!(1), json!(256)])), 2)),
        (
            "constraints",
            list(usually(object(vec![("rule", text())], vec![("message", text())])), 1),
        ),
        ("examples", any_value()),
        ("monitor_level", any_value()),
        ("colour", any_value()),
    ];
    let flags = [
        "positional_args_first",
        "double_dash",
        "enabled",
        "synchronous",
        "force_synchronous",
        "asynchronous",
    ];
    let annotations = ["credentials", "mutates", "dangerous", "requires_approval", "idempotent"];
    fields.extend(flags.into_iter().chain(annotations).map(|key| (key, flag())));
    fields
        .extend(["title", "install_instructions", "category", "version"].map(|key| (key, text())));
    fields
}

/// The schema accepts some lists that the reader rejects, such as those with invalid names.
fn network() -> Values {
    let entries =
        [json!("a.org:443"), json!("[::1]:1"), json!("a.org"), json!("http://a:1"), json!(1)];
    let good = list(one_of(&entries[..2]), 2);
    prop_oneof![6 => flag(), 3 => good, 1 => list(one_of(&entries), 2)].boxed()
}

fn name() -> Values {
    prop_oneof![30 => one_of(&[json!("t"), json!("a_b"), json!("x-1.2"), json!("default")]), 1 => one_of(&[json!("a b"), json!("ä")])].boxed()
}

fn subcommand(depth: usize) -> Values {
    let mut rare = node();
    if depth > 0 {
        rare.push(("subcommand", list(subcommand(depth - 1), 2)));
    }
    object(vec![("name", usually(name())), ("description", text())], rare)
}

fn input_schema() -> Values {
    let parts = [
        json!({"type": "string", "pattern": "^a"}),
        json!({"type": ["integer", "null"], "minimum": 1}),
        json!({"type": "array", "items": {"type": "string", "format": "path"}, "minItems": 1}),
        json!({"$ref": "#/$defs/d"}),
        json!({"anyOf": [{"const": 1}, {"enum": ["x"]}]}),
        json!(true),
        json!({"type": "strnig"}),
        json!({"type": []}),
        json!({"items": [1]}),
        json!({"allOf": []}),
        json!({"minLength": -1}),
        json!({"multipleOf": 0}),
        json!({"properties": {"deep": {"required": ["a", "a"]}}}),
        json!({"not": {"uniqueItems": 1}}),
    ];
    let good = one_of(&parts[..6]);
    let part = || prop_oneof![12 => good.clone(), 1 => one_of(&parts)].boxed();
    let properties =
        object(vec![("alpha", part()), ("env_vars", part())], vec![("working_directory", part())]);
    let rare = vec![
        ("required", usually(one_of(&[json!(["alpha"]), json!([])]))),
        ("additionalProperties", usually(flag())),
        ("if", usually(part())),
        ("then", usually(part())),
        ("description", text()),
        ("examples", usually(one_of(&[json!([1])]))),
    ];
    let usual = vec![
        ("type", usually(one_of(&[json!("object")]))),
        ("properties", usually(properties)),
        ("$defs", one_of(&[json!({"d": {"type": "string"}})])),
    ];
    usually(object(usual, rare))
}

fn definition() -> Values {
    let entry = usually(object(vec![], {
        let mut rare = bindings();
        rare.push((
            "positional",
            usually(one_of(&[json!(true), json!(false), json!(2), json!(-1)])),
        ));
        rare
    }));
    let argv = usually(object(vec![], vec![("alpha", entry.clone()), ("env_vars", entry)]));
    let usual = || vec![("name", usually(name())), ("description", text())];
    let with = |more: Vec<(&'static str, Values)>| {
        let mut usual = usual();
        usual.extend(more);
        let mut rare = node();
        rare.extend([
            ("command", usually(command())),
            ("$schema", text()),
            ("mtdf", usually(one_of(&[json!("1"), json!("2")]))),
            ("tool_type", one_of(&[json!("command"), json!("livelog")])),
        ]);
        object(usual, rare)
    };
    let tree = || ("subcommand", list(subcommand(1), 2));
    prop_oneof![
        3 => with(vec![tree()]),
        2 => object(usual(), vec![("inputSchema", input_schema()), ("argv", argv.clone()), ("command", usually(command()))]),
        1 => with(vec![("input_schema", input_schema()), ("argv", argv.clone())]),
        1 => with(vec![("inputSchema", input_schema()), ("argv", argv), tree()]),
    ]
    .boxed()
}

fn command() -> Values {
    let commands = [
        "prog",
        "prog word",
        "./bin/prog",
        "/bin/prog",
        "a..b",
        "prog ..",
        "..",
        "../prog",
        "a/../b x",
        "~/prog",
        "x~",
    ];
    one_of(&commands.map(Value::from))
}

fn validator() -> jsonschema::Validator {
    jsonschema::options()
        .offline()
        .build(&crate::reading::schema_of("mtdf"))
        .expect("the published schema compiles")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_schema_and_the_reader_agree(definition in definition()) {
        thread_local!(static VALIDATOR: jsonschema::Validator = validator());
        let reading = read(&definition);
        let errors: Vec<_> = reading.diagnostics.iter().filter(|found| found.is_error()).collect();
        VALIDATOR.with(|validator| {
            let faults: Vec<_> = validator.iter_errors(&definition).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
            if errors.is_empty() {
                prop_assert!(faults.is_empty(), "only the schema rejects {definition}: {faults:#?}");
            }
            if faults.is_empty() {
                let known: Vec<_> = errors.iter().filter(|found| !is_inexpressible(found)).collect();
                prop_assert!(known.is_empty(), "only the reader rejects {definition}: {known:#?}");
            }
            Ok(())
        })?;
    }
}

fn is_inexpressible(found: &catalog::Diagnostic) -> bool {
    let pointer = found.origin.pointer().unwrap_or_default();
    let is_nested = pointer.starts_with("/subcommand/");
    let is_inherited =
        found.code == "TC032" && (is_nested || found.message.contains("standard input"));
    // The type of a property is in the input schema, which may be as complicated as schemas are.
    let is_inherited = is_inherited || found.code == "TC032" && pointer.ends_with("/pairs");
    INEXPRESSIBLE.contains(&found.code) || is_inherited
}

#[test]
fn generates_valid_and_invalid_definitions() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let validator = validator();
    let good = (0..100)
        .filter(|_| {
            validator.is_valid(&definition().new_tree(&mut runner).expect("a definition").current())
        })
        .count();
    assert!((20..80).contains(&good), "{good} of 100 are good");
}

#[test]
fn good_examples_of_rules_match_the_schema() {
    let validator = validator();
    let is_mtdf = |rule: &&catalog::Rule| {
        rule.good.starts_with('{') && !["TC080", "TC081", "TC082", "TC830"].contains(&rule.code)
    };
    for rule in formats::rules().into_iter().filter(is_mtdf) {
        let good: Value = serde_json::from_str(rule.good).expect("JSON");
        assert!(validator.is_valid(&good), "{}", rule.code);
    }
}

#[test]
fn corpus_files_match_the_schema_if_they_have_no_errors() {
    let Some(folder) = testing::shared_corpus("corpus/mtdf") else {
        return;
    };
    let validator = validator();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a readable file");
        let document = formats::Document::parse(&crate::reading::source(), &bytes);
        if crate::reading::format_of(&document) != Some("mtdf") {
            continue;
        }
        let reading = document.read(&formats::Guidance::default());
        let is_accepted = !reading.diagnostics.iter().any(catalog::Diagnostic::is_error);
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let is_exception =
            reading.diagnostics.iter().filter(|found| found.is_error()).all(is_inexpressible);
        assert!(validator.is_valid(&value) == is_accepted || is_exception, "{}", path.display());
    }
}
