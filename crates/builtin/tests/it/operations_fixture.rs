//! A runtime with the tools for operations, and work that ends when a test lets it.

use std::{sync::Arc, time::Duration};

use catalog::{
    Implementation, Mode, Origin, SourceId,
    implementation::{Piece, Process},
};
use runtime::{
    Call, Operations, Runtime, Settings, Until, Viewer,
    operation::{Operation, OperationId},
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Content, Context, Native, Outcome, Resources, Schema, Tool};

/// The time limit for every wait in a test.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A runtime with the tools for operations, and work that ends when a test lets it.
pub(crate) struct OperationsFixture {
    runtime: Arc<Runtime>,
    tools: Vec<Arc<Tool>>,
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
        let mut tools: Vec<_> =
            natives.iter().map(|native| Arc::new(native.tool.clone())).collect();
        tools.push(Arc::new(sleep_tool()));
        Self {
            runtime: Arc::new(runtime.with_natives(natives)),
            tools,
            operations,
            release,
            _temp: temp,
        }
    }

    /// The outcome of a call by an owner.
    pub(crate) async fn call_as(&self, owner: &str, tool: &str, arguments: Value) -> Outcome {
        let tool = self.tools.iter().find(|known| known.name == tool).expect("a tool");
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let context = Context::detached(CancellationToken::new()).with_owner(owner);
        self.runtime
            .call(Call::new(Arc::clone(tool), arguments, context))
            .await
            .expect("an outcome")
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.call_as("me", tool, arguments).await
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

/// A tool that runs a process.
fn sleep_tool() -> Tool {
    let pieces = vec![Piece::Word("600".into())];
    let implementation = Implementation::Process(Process { program: "sleep".into(), pieces });
    let origin = Origin::whole(&SourceId::new("test"));
    let mut tool = Tool::new("sleep", "Sleeps", Schema::empty(), implementation, origin);
    tool.mode = Mode::Asynchronous;
    tool.annotations.mutates = Some(false);
    tool
}

pub(crate) fn structured(outcome: &Outcome) -> &Value {
    outcome.structured.as_ref().expect("structured data")
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

/// The text of an outcome with ids, times, durations and process ids replaced.
pub(crate) fn stable_text(outcome: &Outcome) -> String {
    let text = text(outcome);
    let lines = text.lines().map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        let stable = words.iter().enumerate().map(|(at, word)| {
            let is_duration = word.parse::<f64>().is_ok()
                && words.get(at + 1).is_some_and(|unit| matches!(*unit, "s" | "s:"));
            let is_time = word.starts_with("20") && word.contains('T');
            match word.strip_prefix('(').and_then(|word| word.split_once(')')) {
                _ if word.starts_with("op_") => "[id]".to_owned(),
                _ if is_duration => "[seconds]".to_owned(),
                _ if is_time => format!(
                    "[time]{}",
                    word.trim_start_matches(|c| c != 'Z').trim_start_matches('Z')
                ),
                Some((pid, rest)) if pid.parse::<u32>().is_ok() => format!("([pid]){rest}"),
                _ => (*word).to_owned(),
            }
        });
        stable.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}
