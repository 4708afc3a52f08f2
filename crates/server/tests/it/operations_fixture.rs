//! A server with operations that run until a test releases them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use catalog::Mode;
use runtime::{
    Operations, Runtime, Settings, Until, Viewer,
    operation::{Operation, OperationId},
};
use serde_json::{Value, json};
use server::Server;
use testing::{TIMEOUT, schema};
use tokio::sync::Semaphore;
use toolkit::{Arguments, Context, Native, Outcome, Question, Schema};

use crate::{
    pipe_client::PipeClient,
    test_server::{echo, server_on, tool},
};

/// A server with operations that run until a test releases them.
pub(crate) struct OperationsFixture {
    pub(crate) server: Server,
    pub(crate) operations: Operations,
    /// One permit lets one operation end.
    pub(crate) release: Arc<Semaphore>,
    /// How often the dangerous tool has run.
    pub(crate) runs: Arc<AtomicUsize>,
    _temp: Arc<tempfile::TempDir>,
}

impl OperationsFixture {
    /// A server that returns operations almost at once.
    pub(crate) fn new() -> Self {
        Self::with_answer_time(Duration::from_millis(20))
    }

    /// A server that waits this long for an operation to end before it returns it.
    pub(crate) fn with_answer_time(patience: Duration) -> Self {
        let temp = Arc::new(tempfile::tempdir().expect("a folder"));
        let runtime = Runtime::new(Settings {
            answer_within: patience,
            ..Settings::new(temp.path().to_owned())
        });
        Self::with_runtime(runtime, temp)
    }

    /// Two servers on one crib that return operations almost at once.
    pub(crate) fn pair() -> [Self; 2] {
        let temp = Arc::new(tempfile::tempdir().expect("a folder"));
        [(); 2].map(|()| {
            let settings = Settings {
                answer_within: Duration::from_millis(20),
                ..Settings::new(temp.path().to_owned())
            };
            let store = store::Store::open(temp.path()).expect("a store");
            Self::with_runtime(Runtime::with_journal(settings, Arc::new(store)), Arc::clone(&temp))
        })
    }

    fn with_runtime(runtime: Runtime, temp: Arc<tempfile::TempDir>) -> Self {
        let (release, runs) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut natives = builtin::operation_tools(&runtime.operations());
        natives.extend([work(&release), dangerous(&runs), asking_tool(&runs), ask_twice()]);
        natives.extend([asking(), requiring(), echo("echo")]);
        let operations = runtime.operations();
        let server = server_on(runtime, natives);
        Self { server, operations, release, runs, _temp: temp }
    }

    /// A modern client that can follow tasks.
    pub(crate) fn task_client(&self) -> PipeClient {
        PipeClient::modern_with(
            self.server.clone(),
            json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}),
        )
    }

    /// Lets one operation end, and waits until this one has.
    pub(crate) async fn finish(&self, id: &OperationId) -> Operation {
        self.release.add_permits(1);
        self.ended(id).await
    }

    pub(crate) async fn ended(&self, id: &OperationId) -> Operation {
        let all = self
            .operations
            .wait(Viewer::Operator, std::slice::from_ref(id), Until::All, TIMEOUT)
            .await
            .expect("known");
        assert!(all[0].state.is_final(), "{:?}", all[0]);
        all[0].clone()
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

/// The operation that a call has started, by its result.
pub(crate) fn started_operation(reply: &Value) -> OperationId {
    let id = &reply["result"]["structuredContent"]["operation_id"];
    id.as_str().unwrap_or_else(|| panic!("nothing was started: {reply}")).parse().expect("an id")
}

/// Runs until it is released; returns as many letters as requested.
fn work(release: &Arc<Semaphore>) -> Native {
    let release = release.clone();
    let input = json!({"type": "object", "properties": {"letters": {"type": "integer"}, "halfway": {"type": "boolean"}}});
    let mut native = Native::new(
        "work",
        "Works",
        schema(input),
        move |arguments: Arguments, context: Context| {
            let release = release.clone();
            async move {
                if arguments.contains_key("halfway") {
                    context.report_progress(1.0, Some(2.0), Some("halfway")).await;
                }
                release.acquire().await.expect("open").forget();
                let letters = arguments.get("letters").and_then(Value::as_u64).unwrap_or_default();
                Ok(Outcome::text(format!("worked{}", "x".repeat(letters as usize))))
            }
        },
    );
    native.tool.mode = Mode::Asynchronous;
    native.read_only()
}

fn dangerous(runs: &Arc<AtomicUsize>) -> Native {
    let runs = runs.clone();
    let input = json!({"type": "object", "properties": {"what": {"type": "string"}}});
    let mut native =
        Native::new("dangerous", "Deletes", schema(input), move |_: Arguments, _: Context| {
            runs.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Ok(Outcome::text("done")))
        });
    native.tool.annotations.dangerous = Some(true);
    native
}

/// Asks before it does something dangerous.
fn asking_tool(runs: &Arc<AtomicUsize>) -> Native {
    let runs = runs.clone();
    let mut native = tool("careful", move |_: Arguments, context: Context| {
        let runs = runs.clone();
        async move {
            context.ask("who", question()).await?;
            runs.fetch_add(1, Ordering::SeqCst);
            Ok(Outcome::text("done"))
        }
    });
    native.tool.annotations.dangerous = Some(true);
    native
}

/// Calls the dangerous tool twice.
fn ask_twice() -> Native {
    tool("twice", async |_: Arguments, context: Context| {
        for what in ["first", "second"] {
            let arguments = Arguments::from_iter([("what".to_owned(), json!(what))]);
            context.call("dangerous", arguments).await?;
        }
        Ok(Outcome::text("done"))
    })
}

fn question() -> Question {
    let schema =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    Question::Form { message: "Who?".into(), schema }
}

/// Asks while it works.
fn asking() -> Native {
    let mut native = tool("asking", async |_: Arguments, context: Context| {
        let answer = context.ask("who", question()).await?;
        Ok(Outcome::text(format!(
            "hello {}",
            answer.field("name").and_then(Value::as_str).unwrap_or_default()
        )))
    });
    native.tool.mode = Mode::Asynchronous;
    native.read_only()
}

/// Needs a client that can follow it, and asks before it works.
fn requiring() -> Native {
    Native::new(
        "needing",
        "Needs tasks",
        Schema::empty(),
        async |arguments: Arguments, _: Context| {
            std::future::pending::<()>().await;
            Ok(Outcome::text(format!("{arguments:?}")))
        },
    )
    .read_only()
    .asynchronous(async |mut arguments: Arguments, context: Context| {
        if !context.supports(toolkit::Capability::Tasks) {
            return Err(toolkit::Interrupt::MissingCapability(toolkit::Capability::Tasks));
        }
        let answer = context.ask("who", question()).await?;
        arguments.insert("name".into(), answer.field("name").cloned().unwrap_or_default());
        Ok(arguments)
    })
}
