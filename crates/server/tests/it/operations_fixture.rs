//! A server with work that takes as long as a test wants it to.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use catalog::{Catalog, Mode};
use runtime::{
    Operations, Runtime, Settings, Until, Viewer,
    operation::{Operation, OperationId},
};
use serde_json::{Value, json};
use server::{Identity, Server, Snapshot, SnapshotOptions};
use tokio::sync::Semaphore;
use toolkit::{Arguments, Context, Native, Outcome, Question, Schema};

use crate::{
    stdio_client::{StdioClient, TIMEOUT},
    test_server::{echo, schema, tool},
};

/// A server with work that takes as long as a test wants it to.
pub(crate) struct OperationsFixture {
    pub(crate) server: Server,
    pub(crate) operations: Operations,
    /// One permit lets one piece of work end.
    pub(crate) release: Arc<Semaphore>,
    /// How often the dangerous tool has run.
    pub(crate) runs: Arc<AtomicUsize>,
    _temp: Arc<tempfile::TempDir>,
}

impl OperationsFixture {
    /// One that does not wait for work.
    pub(crate) fn new() -> Self {
        Self::patient(Duration::from_millis(20))
    }

    pub(crate) fn patient(patience: Duration) -> Self {
        let temp = Arc::new(tempfile::tempdir().expect("a folder"));
        let runtime = Runtime::new(Settings {
            answer_within: patience,
            ..Settings::new(temp.path().to_owned())
        });
        Self::on(runtime, temp)
    }

    /// Two that do not wait for work, on one crib.
    pub(crate) fn pair() -> [Self; 2] {
        let temp = Arc::new(tempfile::tempdir().expect("a folder"));
        [(); 2].map(|()| {
            let settings = Settings {
                answer_within: Duration::from_millis(20),
                ..Settings::new(temp.path().to_owned())
            };
            let store = store::Store::open(temp.path()).expect("a store");
            Self::on(Runtime::with_journal(settings, Arc::new(store)), Arc::clone(&temp))
        })
    }

    fn on(runtime: Runtime, temp: Arc<tempfile::TempDir>) -> Self {
        let (release, runs) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut natives = builtin::operation_tools(&runtime.operations());
        natives.extend([work(&release), dangerous(&runs), asking(), needing(), echo("echo")]);
        let tools = natives.iter().map(|native| native.tool.clone());
        let options = SnapshotOptions {
            crib: "fixture".into(),
            full_names: false,
            describe: |tool| tool.description.text.clone(),
            policy: catalog::Policy::default(),
        };
        let snapshot = Snapshot::new(&Catalog::merge(tools).0, &options);
        let operations = runtime.operations();
        let identity = Identity { name: "fixture".into(), version: "1".into(), instructions: None };
        let server = Server::new(identity, Arc::new(runtime.with_natives(natives)), snapshot);
        Self { server, operations, release, runs, _temp: temp }
    }

    /// A modern client that can follow tasks.
    pub(crate) fn task_client(&self) -> StdioClient {
        StdioClient::modern_with(
            self.server.clone(),
            json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}),
        )
    }

    /// Lets one piece of work end, and waits until it has.
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

/// The operation that a result says was started.
pub(crate) fn started_operation(reply: &Value) -> OperationId {
    let id = &reply["result"]["structuredContent"]["operation_id"];
    id.as_str().unwrap_or_else(|| panic!("nothing was started: {reply}")).parse().expect("an id")
}

/// Works until it may end; answers as much text as it is asked for.
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
fn needing() -> Native {
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
