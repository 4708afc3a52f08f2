//! Repeating a call whose server died before its end was recorded.

use std::time::SystemTime;

use catalog::Tool;
use runtime::{
    journal::Filter,
    operation::{OperationId, State},
};
use serde_json::json;
use testing::{RuntimeFixture, field, object};

use crate::approvals::{
    approval, call, context_without_user, did_run, record_decision, run, touch,
};

/// A crib in which a call of this tool without arguments was lost.
async fn crib_with_lost_call(tool: &Tool) -> RuntimeFixture {
    let crib = RuntimeFixture::new();
    assert!(
        !run(&crib, call(tool, json!({}), context_without_user())).await.failed && did_run(&crib)
    );
    let journal = crib.runtime.journal();
    let page = journal.list(Filter::default(), None, 1).await.unwrap();
    let mut lost = page.operations[0].clone();
    (lost.id, lost.state, lost.ended) = (OperationId::random(), State::Pending, None);
    journal.begin(lost.clone()).await.unwrap();
    (lost.state, lost.ended) = (State::Lost, Some(SystemTime::now()));
    assert!(journal.finish(lost).await.unwrap());
    crib
}

/// A tool that changes things, becomes an operation, and needs no approval by itself.
fn operation() -> Tool {
    let mut touch = Tool { mode: catalog::Mode::Asynchronous, ..touch() };
    touch.annotations.dangerous = None;
    touch
}

#[tokio::test]
async fn repeating_a_lost_call_requires_approval() {
    let crib = crib_with_lost_call(&operation()).await;
    let run_it =
        async |arguments| run(&crib, call(&operation(), arguments, context_without_user())).await;
    let other = run_it(json!({"reference": "/etc/passwd"})).await;
    assert!(!other.failed && did_run(&crib), "other arguments: {other:?}");
    let refused = run_it(json!({})).await;
    let message = field(&refused, "error_message").as_str().unwrap();
    assert!(message.contains("the same call was lost when its server ended (op_"), "{message}");
    assert!(!did_run(&crib));
    record_decision(&crib, approval(&refused), true).await;
    for _ in 0..2 {
        assert!(!run_it(json!({})).await.failed && did_run(&crib), "its effect is known now");
    }
}

#[tokio::test]
async fn repeating_a_lost_idempotent_or_read_only_call_needs_no_approval() {
    for change in [
        |tool: &mut Tool| tool.annotations.idempotent = Some(true),
        |tool: &mut Tool| tool.annotations.mutates = Some(false),
    ] {
        let crib = crib_with_lost_call(&operation()).await;
        let mut tool = operation();
        change(&mut tool);
        let outcome = run(&crib, call(&tool, json!({}), context_without_user())).await;
        assert_ne!(field(&outcome, "error_type"), "approval_required", "{outcome:?}");
    }
}

#[tokio::test]
async fn a_lost_call_is_asked_about_however_many_others_came_after_it() {
    let crib = crib_with_lost_call(&operation()).await;
    let journal = crib.runtime.journal();
    let page = journal.list(Filter::default(), None, 1).await.unwrap();
    for number in 0..100 {
        let mut other = page.operations[0].clone();
        (other.id, other.state, other.ended) = (OperationId::random(), State::Pending, None);
        other.arguments = object(json!({"reference": number.to_string()}));
        journal.begin(other.clone()).await.unwrap();
        (other.state, other.ended) = (State::Completed, Some(SystemTime::now()));
        assert!(journal.finish(other).await.unwrap());
    }
    let refused = run(&crib, call(&operation(), json!({}), context_without_user())).await;
    approval(&refused);
    assert!(!did_run(&crib), "{refused:?}");
}
