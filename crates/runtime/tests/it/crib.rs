//! A throw-away crib with a runtime, and short ways to write tools and calls.

use std::{env, fs, future::Future, path::PathBuf, sync::Arc, time::Duration};

use catalog::{
    Content, Failure, Implementation, Origin, Outcome, Schema, SourceId, Tool,
    implementation::{Binding, Piece, Process},
    policy::{Clause, Effect, Policy},
};
use runtime::{Call, Runtime, Session, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolkit::Context;

/// A crib in a folder of its own, beside a folder that is out of bounds.
pub(crate) struct Crib {
    pub(crate) place: TempDir,
    pub(crate) runtime: Arc<Runtime>,
    settings: Settings,
}

impl Crib {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let place = tempfile::tempdir().unwrap();
        for folder in ["crib", "outside", "temp"] {
            fs::create_dir(place.path().join(folder)).unwrap();
        }
        let root = place.path().canonicalize().unwrap();
        let mut settings = Settings::new(root.join("crib"));
        settings.grace = Duration::from_millis(500);
        settings.output_folder = root.join("spill");
        settings.temp = root.join("temp");
        change(&mut settings);
        Self { place, runtime: Arc::new(Runtime::new(settings.clone())), settings }
    }

    /// How its runtime was made.
    pub(crate) fn settings(&self) -> Settings {
        self.settings.clone()
    }

    /// The same folder, with another runtime.
    pub(crate) fn with_runtime(self, runtime: Runtime) -> Self {
        Self { runtime: Arc::new(runtime), ..self }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(name)
    }

    pub(crate) async fn call(&self, tool: Tool, arguments: Value) -> Outcome {
        self.call_with(tool, arguments, CancellationToken::new(), None).await
    }

    pub(crate) fn call_with(
        &self,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + 'static {
        self.call_in(&Session::default(), tool, arguments, cancel, limit)
    }

    /// Calls a tool in a session.
    pub(crate) fn call_in(
        &self,
        session: &Session,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let runtime = Arc::clone(&self.runtime);
        let call = Call {
            limit,
            policy: allow_all(),
            session: session.clone(),
            ..Call::new(Arc::new(tool), object(arguments), Context::detached(cancel))
        };
        async move { runtime.call(call).await.expect("no interrupt") }
    }

    /// Runs a shell script as a tool that may write.
    pub(crate) async fn sh(&self, script: &str) -> Outcome {
        self.call(script_tool("sh", script), json!({})).await
    }

    pub(crate) fn plan(&self, tool: &Tool, arguments: Value) -> Result<Value, Failure> {
        let plan = self.runtime.plan(&Default::default(), tool, &object(arguments))?;
        Ok(plan.to_json())
    }

    /// The arguments after the program that a call would have.
    pub(crate) fn argv(&self, pieces: Vec<Piece>, arguments: Value) -> Vec<String> {
        let plan = self.plan(&tool("echo", pieces), arguments).expect("a plan");
        plan["argv"].as_array().unwrap()[1..]
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn refusal(&self, pieces: Vec<Piece>, arguments: Value) -> Failure {
        self.plan(&tool("echo", pieces), arguments).expect_err("a refusal")
    }
}

/// Whether a program is installed. Logs if it is not; in CI it must be.
pub(crate) fn has(program: &str, package: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    assert!(found || env::var_os("CI").is_none(), "CI must have {program}");
    if !found {
        eprintln!("SKIPPED: {program} is not installed (Debian: {package})");
    }
    found
}

/// The policy of tests that are about something else: shell scripts are asked about otherwise.
pub(crate) fn allow_all() -> Policy {
    let clause = Clause {
        tools: "*".to_owned(),
        when: None,
        effect: Effect::Allow,
        until: None,
        reason: None,
    };
    Policy::compile([clause]).unwrap()
}

/// A tool with an open schema.
pub(crate) fn tool(program: &str, pieces: Vec<Piece>) -> Tool {
    let process = Process { program: program.to_owned(), pieces };
    let schema = Schema::new(object(json!({"type": "object"})));
    Tool::new(
        "tool",
        "A tool",
        schema,
        Implementation::Process(process),
        Origin::whole(&SourceId::new("tool.json")),
    )
}

pub(crate) fn script_tool(shell: &str, script: &str) -> Tool {
    tool(shell, vec![word("-c"), word(script)])
}

pub(crate) fn word(text: &str) -> Piece {
    Piece::Word(text.to_owned())
}

pub(crate) fn option(name: &str, change: impl FnOnce(&mut Binding)) -> Piece {
    let mut binding = Binding::option(name, catalog::implementation::flag_for(name));
    change(&mut binding);
    Piece::Parameter(binding)
}

pub(crate) fn positional(name: &str, change: impl FnOnce(&mut Binding)) -> Piece {
    let mut binding = Binding::positional(name);
    change(&mut binding);
    Piece::Parameter(binding)
}

pub(crate) fn object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

pub(crate) fn text(outcome: &Outcome, index: usize) -> &str {
    match &outcome.content[index] {
        Content::Text(text) => text,
        other => panic!("not text: {other:?}"),
    }
}

pub(crate) fn field<'a>(outcome: &'a Outcome, name: &str) -> &'a Value {
    outcome.structured.as_ref().and_then(|structured| structured.get(name)).unwrap_or(&Value::Null)
}

/// Waits until something is so; for what happens in other processes.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not so after five seconds: {what}");
}

/// Whether a process runs; a zombie does not.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
