//! `status`.

use serde_json::json;
use testing::structured;

use crate::operations_fixture::{OperationsFixture, assert_unknown, ids, normalized_text, text};

#[tokio::test]
async fn lists_the_callers_operations_with_progress() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let other = fixture.start_as("you", "build").await;
    let outcome = fixture.call("status", json!({})).await;
    assert_eq!(ids(&outcome), [id.as_str()]);
    let one = &structured(&outcome)["operations"][0];
    assert_eq!(
        (&one["tool"], &one["state"], &one["progress"]),
        (&json!("build"), &json!("running"), &json!(0.5))
    );
    assert_eq!(one["message"], "halfway");
    assert!(!text(&outcome).contains(other.as_str()), "{}", text(&outcome));
    insta::assert_snapshot!(normalized_text(&outcome), @"op_ID `build`: running, 50 %, DURATION: halfway");
    let none = fixture.call_as("stranger", "status", json!({})).await;
    assert_eq!(text(&none), "No operations match.");
}

#[tokio::test]
async fn filters_by_id_tool_and_state() {
    let fixture = OperationsFixture::new();
    let (build, test) = (fixture.start("build").await, fixture.start("test").await);
    fixture.call("cancel", json!({"id": test})).await;
    for (filter, expected) in [
        (json!({"id": build}), &build),
        (json!({"tool": "bui"}), &build),
        (json!({"state": "running"}), &build),
        (json!({"state": "cancelled"}), &test),
        (json!({"tool": "test", "state": "cancelled"}), &test),
    ] {
        assert_eq!(
            ids(&fixture.call("status", filter.clone()).await),
            [expected.as_str()],
            "{filter}"
        );
    }
    let none = fixture.call("status", json!({"id": build, "state": "lost"})).await;
    assert!(!none.failed && ids(&none).is_empty());
    assert!(fixture.call("status", json!({"state": "tired"})).await.failed, "an unknown state");
}

#[tokio::test]
async fn pages_newest_first() {
    let fixture = OperationsFixture::new();
    let mut started = Vec::new();
    for _ in 0..5 {
        started.push(fixture.start("build").await.to_string());
    }
    started.reverse();
    let (mut seen, mut arguments) = (Vec::new(), json!({"limit": 2}));
    loop {
        let page = fixture.call("status", arguments.clone()).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        match structured(&page).get("next_cursor") {
            Some(next) => arguments["cursor"] = next.clone(),
            None => break,
        }
    }
    assert_eq!(seen, started);
}

#[tokio::test]
async fn operations_of_other_owners_are_unknown() {
    let fixture = OperationsFixture::new();
    let foreign = fixture.start_as("you", "build").await;
    for id in [foreign.as_str(), "op_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] {
        assert_unknown(&fixture.call("status", json!({"id": id})).await);
    }
}
