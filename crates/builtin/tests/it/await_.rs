//! `await`.

use std::time::{Duration, Instant};

use runtime::operation::Owner;
use serde_json::json;

use crate::operations_fixture::{OperationsFixture, assert_unknown, structured, text};

#[tokio::test]
async fn gives_results_inline_and_they_are_collected() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    fixture.finish(std::slice::from_ref(&id)).await;
    let me = Owner("me".into());
    assert_eq!(fixture.operations.uncollected(&me, 9).await.expect("a journal").len(), 1);
    let outcome = fixture.call("await", json!({"id": id})).await;
    assert_eq!(structured(&outcome)["status"], "done");
    assert_eq!(structured(&outcome)["operations"][0]["state"], "completed");
    assert!(text(&outcome).contains("worked"), "{}", text(&outcome));
    assert_eq!(fixture.operations.uncollected(&me, 9).await.expect("a journal").len(), 0);
}

#[tokio::test]
async fn says_what_is_still_running_when_the_time_is_over() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let start = Instant::now();
    let outcome = fixture.call("await", json!({"id": id, "timeout_seconds": 0.1})).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(!outcome.failed);
    assert_eq!(structured(&outcome)["status"], "still_running");
    assert!(
        text(&outcome).contains("Still running") && text(&outcome).contains("50 %"),
        "{}",
        text(&outcome)
    );
}

#[tokio::test]
async fn waits_for_the_first_or_for_all() {
    let fixture = OperationsFixture::new();
    let ids = [fixture.start("build").await, fixture.start("test").await];
    fixture.finish(&ids).await;
    let any = fixture.call("await", json!({"ids": ids, "timeout_seconds": 20})).await;
    assert_eq!(text(&any).matches("worked").count(), 1);
    assert!(text(&any).contains("Still running"));
    let all =
        fixture.call("await", json!({"ids": ids, "until": "all", "timeout_seconds": 0.1})).await;
    assert_eq!(structured(&all)["status"], "still_running");
    fixture.release.add_permits(1);
    let all = fixture.call("await", json!({"ids": ids, "until": "all"})).await;
    assert_eq!(structured(&all)["status"], "done");
    assert_eq!(text(&all).matches("worked").count(), 2);
}

#[tokio::test]
async fn without_ids_waits_for_what_runs() {
    let fixture = OperationsFixture::new();
    assert!(text(&fixture.call("await", json!({})).await).contains("Nothing of yours is running"));
    fixture.start("build").await;
    fixture.release.add_permits(1);
    assert!(text(&fixture.call("await", json!({})).await).contains("worked"));
}

#[tokio::test]
async fn waits_no_longer_than_clients_do() {
    let outcome = OperationsFixture::new().call("await", json!({"timeout_seconds": 600})).await;
    assert_eq!(structured(&outcome)["error_type"], "invalid_arguments");
}

#[tokio::test]
async fn what_is_somebody_elses_is_unknown() {
    let fixture = OperationsFixture::new();
    let foreign = fixture.start_as("you", "build").await;
    for id in [foreign.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] {
        assert_unknown(&fixture.call("await", json!({"id": id})).await);
        assert_unknown(&fixture.call("await", json!({"ids": [id]})).await);
    }
}
