//! `await`.

use std::time::{Duration, Instant};

use runtime::operation::Owner;
use serde_json::json;
use testing::structured;

use crate::operations_fixture::{OperationsFixture, assert_unknown, normalized_text, text};

#[tokio::test]
async fn returns_results_and_marks_them_as_delivered() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    fixture.finish(std::slice::from_ref(&id)).await;
    let me = Owner("me".into());
    assert_eq!(fixture.operations.uncollected(&me, 9).await.expect("a journal").len(), 1);
    let outcome = fixture.call("await", json!({"id": id})).await;
    assert_eq!(structured(&outcome)["status"], "done");
    assert_eq!(structured(&outcome)["operations"][0]["state"], "completed");
    insta::assert_snapshot!(normalized_text(&outcome), @r"
    op_ID `build`: completed, DURATION
    worked
    ");
    assert_eq!(fixture.operations.uncollected(&me, 9).await.expect("a journal").len(), 0);
}

#[tokio::test]
async fn returns_progress_after_the_timeout() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let start = Instant::now();
    let outcome = fixture.call("await", json!({"id": id, "timeout_seconds": 0.1})).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(!outcome.failed);
    assert_eq!(structured(&outcome)["status"], "still_running");
    insta::assert_snapshot!(normalized_text(&outcome), @r"
    Still running:
    op_ID `build`: running, 50 %, DURATION: halfway
    ");
}

#[tokio::test]
async fn waits_for_any_or_for_all() {
    let fixture = OperationsFixture::new();
    let ids = [fixture.start("build").await, fixture.start("test").await];
    fixture.finish(&ids).await;
    let any = fixture.call("await", json!({"ids": ids, "timeout_seconds": 20})).await;
    assert_eq!(text(&any).matches("worked").count(), 1);
    assert_eq!(structured(&any)["status"], "still_running");
    let all =
        fixture.call("await", json!({"ids": ids, "until": "all", "timeout_seconds": 0.1})).await;
    assert_eq!(structured(&all)["status"], "still_running");
    fixture.release.add_permits(1);
    let all = fixture.call("await", json!({"ids": ids, "until": "all"})).await;
    assert_eq!(structured(&all)["status"], "done");
    assert_eq!(text(&all).matches("worked").count(), 2);
}

#[tokio::test]
async fn without_ids_waits_for_any_running_operation() {
    let fixture = OperationsFixture::new();
    let nothing = fixture.call("await", json!({})).await;
    assert_eq!(text(&nothing), "None of your operations is running.");
    fixture.start("build").await;
    fixture.release.add_permits(1);
    assert!(text(&fixture.call("await", json!({})).await).contains("worked"));
}

#[tokio::test]
async fn rejects_a_timeout_longer_than_clients_wait() {
    let outcome = OperationsFixture::new().call("await", json!({"timeout_seconds": 600})).await;
    assert_eq!(structured(&outcome)["error_type"], "invalid_arguments");
}

#[tokio::test]
async fn operations_of_other_owners_are_unknown() {
    let fixture = OperationsFixture::new();
    let foreign = fixture.start_as("you", "build").await;
    for id in [foreign.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] {
        assert_unknown(&fixture.call("await", json!({"id": id})).await);
        assert_unknown(&fixture.call("await", json!({"ids": [id]})).await);
    }
}
