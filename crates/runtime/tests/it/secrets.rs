//! What a program prints of its secret arguments is neither stored nor logged.

use catalog::{Mode, Schema, Tool};
use runtime::journal::Filter;
use serde_json::json;
use testing::{RuntimeFixture, field, object, process_tool, text};

use crate::pieces::{option, word};

/// A tool that prints its arguments, one of which is secret.
fn echo(mode: Mode) -> Tool {
    let schema = json!({"type": "object", "properties": {
        "token": {"type": "string", "writeOnly": true}, "target": {"type": "string"}}});
    let pieces = vec![word("push"), option("token", |_| {}), option("target", |_| {})];
    Tool { mode, input: Schema::new(object(schema)), ..process_tool("echo", pieces) }
}

#[tokio::test]
async fn a_stored_outcome_has_no_secrets() {
    let crib = RuntimeFixture::new();
    let arguments = json!({"token": "S3CRETVALUE", "target": "staging"});
    let outcome = crib.call(echo(Mode::Asynchronous), arguments).await;
    assert_eq!(text(&outcome, 0), "push --token [secret] --target staging\n");
    let journal = crib.runtime.journal();
    let page = journal.list(Filter::default(), None, 1).await.unwrap();
    let stored = journal.get(page.operations[0].id.clone()).await.unwrap().unwrap();
    assert!(!format!("{stored:?}").contains("S3CRETVALUE"), "{stored:?}");
    assert!(format!("{stored:?}").contains("staging"));
}

#[tokio::test]
async fn a_long_output_that_may_repeat_a_secret_is_not_stored() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 64);
    let long = "x".repeat(1000);
    let has_file = |outcome: &catalog::Outcome| format!("{outcome:?}").contains("Link");
    let open = crib.call(echo(Mode::Synchronous), json!({"target": long})).await;
    assert!(has_file(&open), "{open:?}");
    let secret =
        crib.call(echo(Mode::Synchronous), json!({"token": "S3CRETVALUE", "target": long})).await;
    assert!(!has_file(&secret) && field(&secret, "error_type").is_null(), "{secret:?}");
}
