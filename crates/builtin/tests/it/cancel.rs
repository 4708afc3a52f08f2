//! `cancel`.

use runtime::{Viewer, operation::State};
use serde_json::json;

use crate::operations_fixture::{OperationsFixture, assert_unknown, structured, text};

#[tokio::test]
async fn says_when_and_is_the_same_the_second_time() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let first = fixture.call("cancel", json!({"id": id})).await;
    assert!(!first.failed && text(&first).contains("was cancelled at 20"), "{}", text(&first));
    assert_eq!(structured(&first)["state"], "cancelled");
    assert_eq!(text(&fixture.call("cancel", json!({"id": id})).await), text(&first));
}

#[tokio::test]
async fn says_which_processes_were_ended() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("sleep").await;
    let outcome = fixture.call("cancel", json!({"id": id})).await;
    let killed = structured(&outcome)["killed"].as_array().expect("a list").clone();
    assert_eq!(killed.len(), 1, "{outcome:?}");
    assert_eq!(killed[0]["name"], "sleep");
    let pid = killed[0]["pid"].as_u64().expect("a process id");
    assert!(text(&outcome).contains(&format!("ended sleep ({pid})")), "{}", text(&outcome));
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "it is gone");
}

#[tokio::test]
async fn leaves_what_has_ended_as_it_is() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    fixture.finish(std::slice::from_ref(&id)).await;
    let outcome = fixture.call("cancel", json!({"id": id})).await;
    assert!(text(&outcome).contains("as completed; nothing was done"), "{}", text(&outcome));
    assert_eq!(structured(&outcome)["killed"], json!([]));
}

#[tokio::test]
async fn what_is_somebody_elses_is_unknown_and_goes_on() {
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
