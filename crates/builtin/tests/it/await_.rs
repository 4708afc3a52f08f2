//! `await`.

use std::time::{Duration, Instant};

use runtime::operation::Owner;
use serde_json::json;

use crate::office::{Office, assert_unknown, structured, text};

#[tokio::test]
async fn gives_results_inline_and_they_are_collected() {
    let office = Office::new();
    let id = office.start("build").await;
    office.finish(std::slice::from_ref(&id)).await;
    let me = Owner("me".into());
    assert_eq!(office.operations.uncollected(&me, 9).await.expect("a journal").len(), 1);
    let outcome = office.call("await", json!({"id": id})).await;
    assert_eq!(structured(&outcome)["status"], "done");
    assert_eq!(structured(&outcome)["operations"][0]["state"], "completed");
    assert!(text(&outcome).contains("worked"), "{}", text(&outcome));
    assert_eq!(office.operations.uncollected(&me, 9).await.expect("a journal").len(), 0);
}

#[tokio::test]
async fn says_what_is_still_running_when_the_time_is_over() {
    let office = Office::new();
    let id = office.start("build").await;
    let start = Instant::now();
    let outcome = office.call("await", json!({"id": id, "timeout_seconds": 0.1})).await;
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
    let office = Office::new();
    let ids = [office.start("build").await, office.start("test").await];
    office.finish(&ids).await;
    let any = office.call("await", json!({"ids": ids, "timeout_seconds": 20})).await;
    assert_eq!(text(&any).matches("worked").count(), 1);
    assert!(text(&any).contains("Still running"));
    let all =
        office.call("await", json!({"ids": ids, "until": "all", "timeout_seconds": 0.1})).await;
    assert_eq!(structured(&all)["status"], "still_running");
    office.release.add_permits(1);
    let all = office.call("await", json!({"ids": ids, "until": "all"})).await;
    assert_eq!(structured(&all)["status"], "done");
    assert_eq!(text(&all).matches("worked").count(), 2);
}

#[tokio::test]
async fn without_ids_waits_for_what_runs() {
    let office = Office::new();
    assert!(text(&office.call("await", json!({})).await).contains("Nothing of yours is running"));
    office.start("build").await;
    office.release.add_permits(1);
    assert!(text(&office.call("await", json!({})).await).contains("worked"));
}

#[tokio::test]
async fn waits_no_longer_than_clients_do() {
    let outcome = Office::new().call("await", json!({"timeout_seconds": 600})).await;
    assert_eq!(structured(&outcome)["error_type"], "invalid_arguments");
}

#[tokio::test]
async fn what_is_somebody_elses_is_unknown() {
    let office = Office::new();
    let foreign = office.start_as("you", "build").await;
    for id in [foreign.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] {
        assert_unknown(&office.call("await", json!({"id": id})).await);
        assert_unknown(&office.call("await", json!({"ids": [id]})).await);
    }
}
