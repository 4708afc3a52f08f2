//! Results of operations as resources.

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolkit::{Body, Context};

use crate::operations_fixture::OperationsFixture;

async fn read(fixture: &OperationsFixture, owner: &str, uri: &str) -> Option<Value> {
    let context = Context::detached(CancellationToken::new()).with_owner(owner);
    let found = fixture.results().read(uri, context).await.expect("no interrupt")?;
    assert_eq!((found.uri.as_str(), found.mime_type.as_str()), (uri, "application/json"));
    match found.body {
        Body::Text(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Body::Bytes(_) => panic!("not text"),
    }
}

#[tokio::test]
async fn only_the_owner_reads_an_operation() {
    let fixture = OperationsFixture::new();
    let id = fixture.start("build").await;
    let uri = builtin::operation_uri(&id);
    assert_eq!(read(&fixture, "me", &uri).await.expect("found")["state"], "running");
    fixture.finish(std::slice::from_ref(&id)).await;
    let found = read(&fixture, "me", &uri).await.expect("found");
    assert_eq!(found["result"]["text"], "worked", "{found}");
    assert_eq!(read(&fixture, "you", &uri).await, None);
    assert_eq!(read(&fixture, "me", "toolcrib://operation/nonsense").await, None);
    assert_eq!(read(&fixture, "me", "file:///etc/passwd").await, None);
    assert_eq!(fixture.results().templates().len(), 1);
}
