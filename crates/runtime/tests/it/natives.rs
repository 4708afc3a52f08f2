//! Native tools, and the steps of a call before any backend.

use std::{sync::Arc, time::Duration};

use catalog::{Implementation, Outcome, Schema};
use runtime::{Call, Runtime, Settings};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, object, process_tool, text};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt, Native};

use crate::pieces::option;

async fn call(
    native: Native,
    arguments: Value,
    cancel: CancellationToken,
    limit: Option<Duration>,
) -> Outcome {
    let tool = Arc::new(native.tool.clone());
    let runtime = Arc::new(Runtime::new(Settings::new("/".into())).with_natives([native]));
    let call = Call { limit, ..Call::new(tool, object(arguments), Context::detached(cancel)) };
    runtime.call(call).await.unwrap()
}

fn schema(value: Value) -> Schema {
    Schema::new(object(value))
}

fn echo() -> Native {
    let input = schema(json!({
        "type": "object",
        "properties": {"message": {"type": "string"}, "times": {"type": "integer", "default": 2}},
        "required": ["message"],
        "additionalProperties": false,
    }));
    Native::new("echo", "Says it again", input, async |arguments: Arguments, _: Context| {
        Ok(Outcome::text(Value::Object(arguments).to_string()))
    })
}

#[tokio::test]
async fn receives_validated_arguments_with_defaults() {
    let outcome = call(echo(), json!({"message": "a"}), CancellationToken::new(), None).await;
    assert_eq!(text(&outcome, 0), r#"{"message":"a","times":2}"#);
}

#[tokio::test]
async fn reports_all_invalid_arguments_at_once() {
    let outcome =
        call(echo(), json!({"times": "x", "mesage": 1}), CancellationToken::new(), None).await;
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "error_type"), "invalid_arguments");
    assert_eq!(field(&outcome, "error_details")["details"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_panic_is_a_failed_outcome() {
    let explode = Native::new(
        "explode",
        "Panics",
        Schema::empty(),
        async |_: Arguments, _: Context| -> Result<Outcome, Interrupt> { panic!("boom") },
    );
    let outcome = call(explode, json!({}), CancellationToken::new(), None).await;
    assert!(outcome.failed && text(&outcome, 0).contains("boom"));
    assert_eq!(field(&outcome, "error_type"), "internal_error");
}

#[tokio::test]
async fn a_panic_before_the_future_is_a_failed_outcome() {
    let explode = Native::new("explode", "Panics", Schema::empty(), |_: Arguments, _: Context| {
        if true {
            panic!("early")
        }
        std::future::ready(Ok(Outcome::default()))
    });
    assert!(
        text(&call(explode, json!({}), CancellationToken::new(), None).await, 0).contains("early")
    );
}

fn endless() -> Native {
    Native::new("endless", "Never ends", Schema::empty(), async |_: Arguments, _: Context| {
        std::future::pending().await
    })
}

#[tokio::test]
async fn stops_when_cancelled_or_timed_out() {
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert_eq!(
        field(&call(endless(), json!({}), cancelled, None).await, "error_type"),
        "cancelled"
    );
    let outcome =
        call(endless(), json!({}), CancellationToken::new(), Some(Duration::from_millis(20))).await;
    assert_eq!(field(&outcome, "error_type"), "timed_out");
}

#[tokio::test]
async fn reports_a_broken_schema_and_runs_nothing() {
    let crib = RuntimeFixture::new();
    let mut broken = process_tool("touch", vec![]);
    broken.input = schema(json!({"type": 7}));
    assert_eq!(field(&crib.call(broken, json!({})).await, "error_type"), "invalid_definition");
}

#[tokio::test]
async fn a_tool_without_an_implementation_is_not_callable() {
    let mut documented = process_tool("true", vec![]);
    documented.implementation = Implementation::Missing;
    assert_eq!(
        field(&RuntimeFixture::new().call(documented, json!({})).await, "error_type"),
        "not_callable"
    );
}

#[tokio::test]
async fn defaults_reach_the_command_line() {
    let mut echo = process_tool("echo", vec![option("level", |_| {})]);
    echo.input = schema(
        json!({"type": "object", "properties": {"level": {"type": "integer", "default": 4}}}),
    );
    assert_eq!(text(&RuntimeFixture::new().call(echo, json!({})).await, 0), "--level 4\n");
}
