//! A runtime with the tools for operations, and operations that run until a test releases them.

use std::{sync::Arc, time::Duration};

use catalog::{Mode, implementation::Piece};
use runtime::{
    Operations, Runtime, Settings, Until, Viewer,
    operation::{Operation, OperationId},
};
use serde_json::{Value, json};
use testing::{TIMEOUT, normalize, process_tool, structured};
use tokio::sync::Semaphore;
use toolkit::{Arguments, Content, Context, Native, Outcome, Resources, Schema, Tool};

use crate::native_runtime::NativeRuntime;

/// A runtime with the tools for operations, and operations that run until a test releases them.
pub(crate) struct OperationsFixture {
    natives: NativeRuntime,
    pub(crate) operations: Operations,
    pub(crate) release: Arc<Semaphore>,
    _temp: tempfile::TempDir,
}

impl OperationsFixture {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let patience = Duration::from_millis(10);
        let runtime = Runtime::new(Settings {
            answer_within: patience,
            ..Settings::new(temp.path().to_owned())
        });
        let operations = runtime.operations();
        let release = Arc::new(Semaphore::new(0));
        let mut natives = builtin::operation_tools(&operations);
        natives.extend([work("build", &release), work("test", &release)]);
        let mut natives = NativeRuntime::new(runtime, natives);
        natives.tools.push(Arc::new(sleep_tool()));
        Self { natives, operations, release, _temp: temp }
    }

    /// Calls a tool for an owner.
    pub(crate) async fn call_as(&self, owner: &str, tool: &str, arguments: Value) -> Outcome {
        self.natives.call_as(owner, tool, arguments).await
    }

    /// Calls a tool for the owner `me`.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.natives.call(tool, arguments).await
    }

    /// Starts an operation of an owner.
    pub(crate) async fn start_as(&self, owner: &str, tool: &str) -> OperationId {
        Operation::started_by(&self.call_as(owner, tool, json!({})).await).expect("an operation")
    }

    pub(crate) async fn start(&self, tool: &str) -> OperationId {
        self.start_as("me", tool).await
    }

    /// Lets one operation end, and waits until one of these has ended.
    pub(crate) async fn finish(&self, ids: &[OperationId]) -> OperationId {
        self.release.add_permits(1);
        let all =
            self.operations.wait(Viewer::Operator, ids, Until::Any, TIMEOUT).await.expect("known");
        all.into_iter().find(|operation| operation.state.is_final()).expect("one has ended").id
    }

    pub(crate) fn results(&self) -> Arc<dyn Resources> {
        builtin::operation_resources(&self.operations)
    }
}

fn work(name: &str, release: &Arc<Semaphore>) -> Native {
    let release = release.clone();
    let work = move |_: Arguments, context: Context| {
        let release = release.clone();
        async move {
            context.report_progress(1.0, Some(2.0), Some("halfway")).await;
            release.acquire().await.expect("open").forget();
            Ok(Outcome::text("worked"))
        }
    };
    let ready = |arguments: Arguments, _: Context| std::future::ready(Ok(arguments));
    Native::new(name, "Works", Schema::empty(), work).read_only().asynchronous(ready)
}

/// A read-only tool that runs a process until it is killed.
fn sleep_tool() -> Tool {
    let mut tool = process_tool("sleep", vec![Piece::Word("600".to_owned())]);
    tool.name = "sleep".to_owned();
    tool.mode = Mode::Asynchronous;
    tool.annotations.mutates = Some(false);
    tool
}

pub(crate) fn text(outcome: &Outcome) -> String {
    let texts = outcome.content.iter().map(|content| match content {
        Content::Text(text) => text.as_str(),
        _ => "",
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The ids of the listed operations, in order.
pub(crate) fn ids(outcome: &Outcome) -> Vec<&str> {
    let operations = structured(outcome)["operations"].as_array().expect("operations");
    operations.iter().map(|operation| operation["id"].as_str().expect("an id")).collect()
}

/// Asserts that a call failed because of an unknown operation.
pub(crate) fn assert_unknown(outcome: &Outcome) {
    assert!(outcome.failed);
    assert_eq!(structured(outcome)["error_type"], "unknown_operation", "{outcome:?}");
}

/// The [normalized](normalize) text of an outcome.
pub(crate) fn normalized_text(outcome: &Outcome) -> String {
    normalize(&text(outcome))
}
