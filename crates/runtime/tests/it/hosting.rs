//! Tools that call other tools and store values.

use std::sync::Arc;

use catalog::{Catalog, Outcome, Policy};
use runtime::{Call, Runtime, Settings};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use testing::{field, object};
use tokio_util::sync::CancellationToken;
use toolkit::{
    Context, Failure, Interrupt, MemoryStorage, Naming, Native, Reply, Toolset, ToolsetOptions,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Word {
    /// A word.
    word: String,
}

fn tool<F, R>(name: &str, function: F) -> Native
where
    F: Fn(Word, Context) -> R + Send + Sync + 'static,
    R: Future<Output: toolkit::Return> + Send + 'static,
{
    Native::typed(name, function).purpose("A tool of a test.").naming(Naming::Prefixed("guide"))
}

fn tools() -> Vec<Native> {
    let echo = tool("echo", |given: Word, _| async move { Reply::ok(given.word) });
    let relay = tool("relay", |given: Word, context: Context| async move {
        let outcome =
            context.call("echo", object(json!({"word": format!("{}!", given.word)}))).await?;
        Ok::<_, Interrupt>(Reply::ok(
            json!({"said": outcome.structured, "by": context.served_name("echo")}),
        ))
    });
    let endless = tool("endless", |given: Word, context: Context| async move {
        let outcome = context.call("endless", object(json!({"word": given.word}))).await?;
        Ok::<_, Interrupt>(Reply::ok(outcome.structured))
    });
    let count = tool("count", |given: Word, context: Context| async move {
        let counted: Result<u64, Failure> = async {
            let storage = context.storage()?;
            let before =
                storage.get(&given.word).await?.and_then(|value| value.as_u64()).unwrap_or(0);
            storage.set(&given.word, json!(before + 1)).await?;
            Ok(before + 1)
        }
        .await;
        counted
            .map_or_else(|failure| Reply::failure(failure.message, failure.error_type), Reply::ok)
    });
    let danger = tool("danger", |_: Word, _| async { Reply::ok("boom") }).dangerous();
    let tempt = tool("tempt", |given: Word, context: Context| async move {
        Ok::<_, Interrupt>(Reply::ok(
            context.call("danger", object(json!({"word": given.word}))).await?.structured,
        ))
    });
    let all = [echo, relay, endless, count, danger, tempt]
        .into_iter()
        .fold(Toolset::default(), Toolset::with);
    all.build(&ToolsetOptions::default()).unwrap()
}

struct Place {
    runtime: Arc<Runtime>,
    catalog: Arc<Catalog>,
}

impl Place {
    fn new(runtime: Runtime) -> Self {
        let natives = tools();
        let (catalog, _) = Catalog::merge(natives.iter().map(|native| native.tool.clone()));
        Self { runtime: Arc::new(runtime.with_natives(natives)), catalog: Arc::new(catalog) }
    }

    async fn call(&self, name: &str, arguments: Value, owner: &str) -> Result<Outcome, Interrupt> {
        let context = Context::detached(CancellationToken::new()).with_owner(owner);
        let tool = self.catalog.get(name).unwrap().clone();
        let call = Call {
            catalog: self.catalog.clone(),
            policy: Policy::default(),
            ..Call::new(tool, object(arguments), context)
        };
        self.runtime.call(call).await
    }
}

fn runtime_without_storage() -> Runtime {
    Runtime::new(Settings::new("/".into()))
}

#[tokio::test]
async fn a_tool_calls_another_by_its_bare_name() {
    let outcome = Place::new(runtime_without_storage())
        .call("guide_relay", json!({"word": "hi"}), "local")
        .await
        .unwrap();
    assert_eq!(
        field(&outcome, "value"),
        &json!({"said": {"success": true, "value": "hi!"}, "by": "guide_echo"}),
        "{:?}",
        outcome.structured
    );
}

#[tokio::test]
async fn limits_the_depth_of_nested_calls() {
    let ended = Place::new(runtime_without_storage())
        .call("guide_endless", json!({"word": "x"}), "local")
        .await;
    assert!(
        matches!(&ended, Err(Interrupt::Invalid(why)) if why.contains("nested in 8 calls")),
        "{ended:?}"
    );
}

#[tokio::test]
async fn a_nested_call_needs_its_own_approval() {
    let outcome = Place::new(runtime_without_storage())
        .call("guide_tempt", json!({"word": "x"}), "local")
        .await
        .unwrap();
    assert_eq!(
        field(&outcome, "value")["error_type"],
        "approval_required",
        "{:?}",
        outcome.structured
    );
}

#[tokio::test]
async fn stored_values_persist_and_belong_to_their_owner() {
    let place =
        Place::new(runtime_without_storage().with_storage(Arc::new(MemoryStorage::default())));
    let count = async |owner| {
        field(&place.call("guide_count", json!({"word": "a"}), owner).await.unwrap(), "value")
            .clone()
    };
    assert_eq!(
        (count("ada").await, count("ada").await, count("eve").await),
        (json!(1), json!(2), json!(1))
    );
}

#[tokio::test]
async fn reports_missing_storage() {
    let outcome = Place::new(runtime_without_storage())
        .call("guide_count", json!({"word": "a"}), "local")
        .await
        .unwrap();
    assert_eq!(field(&outcome, "error_type"), "not_kept");
}

#[tokio::test]
async fn unwraps_arguments_in_a_single_args_object() {
    let place = Place::new(runtime_without_storage());
    let outcome = place.call("guide_echo", json!({"args": {"word": "hi"}}), "local").await.unwrap();
    assert_eq!(field(&outcome, "value"), "hi");
    let outcome = place
        .call("guide_echo", json!({"args": {"word": "hi"}, "more": 1}), "local")
        .await
        .unwrap();
    assert!(outcome.failed, "only if it is alone");
}

#[tokio::test]
async fn reports_all_argument_errors_in_the_envelope() {
    let outcome = Place::new(runtime_without_storage())
        .call("guide_echo", json!({"wrod": 1}), "local")
        .await
        .unwrap();
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "success"), &json!(false));
    assert_eq!(field(&outcome, "error_type"), "invalid_arguments");
    assert_eq!(field(&outcome, "error_data")["details"].as_array().unwrap().len(), 2);
}
