//! Argument types: their schema, and the checks of `Toolset::build`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{Context, Naming, Native, Outcome, Reply, Toolset, ToolsetOptions};

use crate::greeter::{Greet, greet, greeter};

fn input_schema(native: &Native) -> Value {
    Value::Object(native.tool.input.object().as_ref().clone())
}

fn build_errors(native: Native) -> Vec<String> {
    Toolset::default()
        .with(native)
        .build(&ToolsetOptions::default())
        .err()
        .map(|error| error.0)
        .unwrap_or_default()
}

#[test]
fn base_model_rejects_unknown_fields_and_describes_every_field() {
    assert_eq!(
        input_schema(&greeter("greet")),
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name of the person."},
                "volume": {
                    "type": ["string", "null"], "enum": ["soft", "loud", null],
                    "description": "How loudly to greet.",
                },
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn a_tool_without_arguments_has_an_object_schema_with_properties() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let native =
        Native::typed("nothing", |_: Nothing, _| async { Reply::ok(()) }).purpose("Does nothing.");
    assert_eq!(
        input_schema(&native),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
}

#[test]
fn nested_types_are_inlined_without_rust_formats() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Outer {
        /// How many.
        count: u8,
        /// What is inside.
        inner: Inner,
        /// By name.
        named: BTreeMap<String, Inner>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        /// How far.
        far: f64,
    }
    let native =
        Native::typed("outer", |_: Outer, _| async { Reply::ok(()) }).purpose("Looks inside.");
    let text = input_schema(&native).to_string();
    assert!(!text.contains("$ref") && !text.contains("format"), "{text}");
    assert_eq!(input_schema(&native)["properties"]["count"]["maximum"], 255);
    assert!(build_errors(native).is_empty());
}

#[test]
fn field_description_completeness_is_checked_at_any_depth() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Vague {
        what: String,
        /// More of it.
        more: Vec<Deep>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Deep {
        how: String,
    }
    let native = Native::typed("vague", |_: Vague, _| async { Reply::ok(()) }).purpose("Is vague.");
    assert_eq!(
        build_errors(native),
        [
            "`vague`: the argument `what` has no description",
            "`vague`: the argument `more.how` has no description"
        ]
    );
}

#[test]
fn open_models_long_first_lines_and_invalid_examples_are_rejected() {
    #[derive(Deserialize, JsonSchema, Serialize)]
    struct Open {}
    let open = Native::typed("open", |_: Open, _| async { Reply::ok(()) })
        .purpose("A".repeat(51))
        .example(json!({"name": 1}), "No.");
    let errors = build_errors(open);
    assert_eq!(
        errors,
        [
            "`open`: unknown arguments are accepted; add `#[serde(deny_unknown_fields)]`",
            "`open`: the first line of the description has 51 characters; the maximum is 50",
        ]
    );
    let wrong = greeter("greet").example(json!({"nam": "Ada"}), "It is misspelt.");
    assert!(build_errors(wrong)[0].contains("is not valid"));
    assert_eq!(
        build_errors(Native::typed("greet", greet)),
        ["`greet`: the tool has no description"]
    );
}

#[test]
fn tool_function_extraction_calls_the_function_without_a_wrapper() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let context = Context::detached(CancellationToken::new());
    let reply = runtime.block_on(greet(Greet { name: "Ada".to_owned(), volume: None }, context));
    assert_eq!(reply.value().map(String::as_str), Some("hello Ada"));
}

#[test]
fn plain_content_has_no_envelope() {
    let native = Native::typed("plain", |_: Greet, _| async { Outcome::text("hello") })
        .purpose("Says hello.");
    assert_eq!(native.tool.output, None);
    assert_eq!(native.tool.errors, toolkit::ErrorForm::Standard);
}

toolkit::consent! {
    /// The consent word.
    struct Erase = "ERASE_EVERYTHING";
}

#[test]
fn literal_type_enforcement_for_consent() {
    #[derive(Deserialize, JsonSchema, Serialize)]
    #[serde(deny_unknown_fields)]
    struct Args {
        /// The consent word.
        really: Erase,
    }
    let native = Native::typed("erase", |_: Args, _| async { Reply::ok(()) })
        .purpose("Erases everything.")
        .example(Args { really: Erase }, "Erases everything.")
        .naming(Naming::Bare);
    let consent = native.tool.consent.clone().unwrap();
    assert_eq!((consent.parameter.as_str(), consent.word.as_str()), ("really", "ERASE_EVERYTHING"));
    let validator = native.tool.input.validator().unwrap();
    assert!(validator.is_valid(&json!({"really": "ERASE_EVERYTHING"})));
    assert!(
        !validator.is_valid(&json!({"really": "erase_everything"}))
            && !validator.is_valid(&json!({}))
    );
    assert!(serde_json::from_value::<Args>(json!({"really": "yes"})).is_err());
    assert!(build_errors(native).is_empty());
}
