//! `cancel`.

use runtime::{Viewer, operation::State};
use serde_json::json;
use testing::structured;

use crate::operations_fixture::{OperationsFixture, assert_unknown, normalized_text, text};

#[tokio::test]
async fn reports_the_time_and_is_idempotent() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let first = fixture.call("cancel", json!({"id": id})).await;
    assert!(!first.failed);
    insta::assert_snapshot!(normalized_text(&first), @"op_ID `build` was cancelled at TIME: it had no processes.");
    assert_eq!(structured(&first)["state"], "cancelled");
    assert_eq!(text(&fixture.call("cancel", json!({"id": id})).await), text(&first));
}

#[tokio::test]
async fn reports_the_killed_processes() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("sleep").await;
    let outcome = fixture.call("cancel", json!({"id": id})).await;
    let killed = structured(&outcome)["killed"].as_array().expect("a list").clone();
    assert_eq!(killed.len(), 1, "{outcome:?}");
    assert_eq!(killed[0]["name"], "sleep");
    let pid = killed[0]["pid"].as_u64().expect("a process id");
    let text = normalized_text(&outcome).replace(&pid.to_string(), "PID");
    insta::assert_snapshot!(text, @"op_ID `sleep` was cancelled at TIME: killed sleep (PID).");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "it was killed");
}

#[tokio::test]
async fn does_nothing_to_a_finished_operation() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    fixture.finish(std::slice::from_ref(&id)).await;
    let outcome = fixture.call("cancel", json!({"id": id})).await;
    insta::assert_snapshot!(normalized_text(&outcome), @"op_ID `build` had already ended at TIME (completed); nothing was done.");
    assert_eq!(structured(&outcome)["killed"], json!([]));
}

#[tokio::test]
async fn operations_of_other_owners_are_unknown_and_keep_running() {
    let fixture = OperationsFixture::new();
    let foreign = fixture.start_as("you", "build").await;
    for id in [foreign.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] {
        assert_unknown(&fixture.call("cancel", json!({"id": id})).await);
    }
    assert_eq!(
        fixture.operations.get(Viewer::Operator, &foreign).await.expect("known").state,
        State::Running
    );
}
