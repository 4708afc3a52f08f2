//! Tools that are bound to another tool.

use std::sync::Arc;

use catalog::{
    Catalog, Implementation, OnMismatch, Outcome, Schema, Tool,
    policy::{Clause, Effect, Policy},
};
use runtime::Call;
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, object, process_tool, text};
use toolkit::Context;

use crate::pieces::positional;

fn named_tool(name: &str, implementation: Implementation, properties: Value) -> Tool {
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let mut made = process_tool("echo", Vec::new());
    (made.name, made.implementation, made.input) =
        (name.to_owned(), implementation, Schema::new(object(schema)));
    made
}

fn tools() -> Vec<Tool> {
    let text = || json!({"text": {"type": "string"}});
    let say = named_tool(
        "say",
        process_tool("echo", vec![positional("text", |_| {})]).implementation,
        text(),
    );
    let mut repeat = named_tool("repeat", Implementation::Tool("say".to_owned()), text());
    repeat.on_mismatch = Some(OnMismatch::Warn);
    let wider = named_tool(
        "wider",
        Implementation::Tool("say".to_owned()),
        json!({"text": {"type": "string"}, "loud": {"type": "boolean"}}),
    );
    let lost = named_tool("lost", Implementation::Tool("nowhere".to_owned()), json!({}));
    let chain = named_tool("chain", Implementation::Tool("repeat".to_owned()), text());
    let round = named_tool("round", Implementation::Tool("round".to_owned()), json!({}));
    vec![say, repeat, wider, lost, chain, round]
}

async fn call(crib: &RuntimeFixture, name: &str, arguments: Value, policy: Policy) -> Outcome {
    let (catalog, _) = Catalog::merge(tools().into_iter().map(Arc::new));
    let tool = catalog.get(name).unwrap().clone();
    let context = Context::detached(Default::default());
    let call =
        Call { catalog: Arc::new(catalog), policy, ..Call::new(tool, object(arguments), context) };
    crib.runtime.call(call).await.expect("no interrupt")
}

fn deny_policy(tools: &str) -> Policy {
    let clause = Clause {
        tools: tools.to_owned(),
        when: None,
        effect: Effect::Deny,
        until: None,
        reason: None,
    };
    Policy::compile([clause]).unwrap()
}

#[tokio::test]
async fn calls_the_target_with_the_same_arguments() {
    let crib = RuntimeFixture::new();
    for name in ["repeat", "chain"] {
        let outcome = call(&crib, name, json!({"text": "hello"}), Policy::default()).await;
        assert_eq!((outcome.failed, text(&outcome, 0)), (false, "hello\n"), "{outcome:?}");
    }
}

#[tokio::test]
async fn policies_and_schemas_of_both_tools_apply() {
    let crib = RuntimeFixture::new();
    for denied in ["repeat", "say"] {
        let outcome = call(&crib, "repeat", json!({"text": "hello"}), deny_policy(denied)).await;
        assert_eq!(field(&outcome, "error_type"), "denied", "{outcome:?}");
    }
    let outcome = call(&crib, "repeat", json!({"text": 1}), Policy::default()).await;
    assert_eq!(field(&outcome, "error_type"), "invalid_arguments");
    let outcome = call(&crib, "wider", json!({"text": "x", "loud": true}), Policy::default()).await;
    assert_eq!(field(&outcome, "error_type"), "invalid_arguments", "{outcome:?}");
}

#[tokio::test]
async fn missing_targets_and_cycles_are_failures() {
    let crib = RuntimeFixture::new();
    assert_eq!(
        field(&call(&crib, "lost", json!({}), Policy::default()).await, "error_type"),
        "not_callable"
    );
    assert_eq!(
        field(&call(&crib, "round", json!({}), Policy::default()).await, "error_type"),
        "invalid_definition"
    );
}
