//! Digests of secrets in the store, which cannot be computed without its key.

use std::{path::Path, sync::Arc};

use catalog::implementation::{Binding, Piece};
use runtime::{Call, Runtime};
use serde_json::{Value, json};
use store::Store;
use testing::{RuntimeFixture, field, object, process_tool, schema};
use tokio_util::sync::CancellationToken;
use toolkit::Context;

/// The digests that an approval records about a secret value, in the store in this folder.
async fn recorded_digests(crib: &RuntimeFixture, state: &Path) -> Value {
    let store = Arc::new(Store::open(state).unwrap());
    let runtime = Arc::new(Runtime::with_journal(crib.settings(), store));
    let mut login = process_tool("echo", vec![Piece::Parameter(Binding::positional("pin"))]);
    login.annotations.dangerous = Some(true);
    let pin = json!({"type": "string", "writeOnly": true});
    login.input = schema(json!({"type": "object", "properties": {"pin": pin}}));
    let context = Context::detached(CancellationToken::new());
    let call = Call::new(Arc::new(login), object(json!({"pin": "1234"})), context);
    let refused = runtime.call(call).await.unwrap();
    let id = field(&refused, "error_details")["approval"].as_str().unwrap().parse().unwrap();
    let recorded = runtime.journal().approval(id).await.unwrap().unwrap();
    let mut digests = recorded.plan["digests"].clone();
    digests["whole"] = json!(recorded.digest.plan);
    digests["arguments"] = json!(recorded.digest.arguments);
    digests
}

#[tokio::test]
async fn recorded_digests_have_a_key_so_that_secrets_cannot_be_guessed_from_them() {
    let crib = RuntimeFixture::new();
    let (one, two) = (crib.path("one"), crib.path("two"));
    let first = recorded_digests(&crib, &one).await;
    assert_eq!(recorded_digests(&crib, &one).await, first, "the key stays the same");
    let other = recorded_digests(&crib, &two).await;
    for (part, digest) in first.as_object().unwrap() {
        assert_ne!(other[part], *digest, "`{part}` can be computed without the key");
    }
}
