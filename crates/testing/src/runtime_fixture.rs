//! A runtime over a temporary crib, and short ways to call tools with it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use catalog::{Failure, Outcome, Tool, implementation::Piece};
use runtime::{Call, Runtime, Session, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolkit::Context;

use crate::{allow_all, object, process_tool, script_tool};

/// A runtime over the folder `crib` of a temporary folder, beside the folder `outside`, which no
/// tool may touch.
pub struct RuntimeFixture {
    /// The runtime that carries out the calls.
    pub runtime: Arc<Runtime>,
    /// The temporary folder, which is deleted on drop.
    pub folder: TempDir,
    settings: Settings,
}

impl Default for RuntimeFixture {
    fn default() -> Self {
        Self::new()
    }
}

impl RuntimeFixture {
    /// A runtime with the settings of [`settings_in`].
    pub fn new() -> Self {
        Self::with_settings(|_| {})
    }

    /// A runtime with changed settings.
    pub fn with_settings(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings = settings_in(folder.path());
        change(&mut settings);
        Self { runtime: Arc::new(Runtime::new(settings.clone())), settings, folder }
    }

    /// Another runtime on the same folder.
    pub fn with_runtime(self, runtime: Runtime) -> Self {
        Self { runtime: Arc::new(runtime), ..self }
    }

    /// The settings that the runtime was created with.
    pub fn settings(&self) -> Settings {
        self.settings.clone()
    }

    /// A path in the temporary folder, such as `crib/file`, without symbolic links.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists").join(name)
    }

    /// Calls a tool in the default session.
    pub async fn call(&self, tool: Tool, arguments: Value) -> Outcome {
        self.call_with(tool, arguments, CancellationToken::new(), None).await
    }

    /// Calls a tool in the default session, with a way to cancel it and a time limit.
    pub fn call_with(
        &self,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + 'static {
        self.call_in(&Session::default(), tool, arguments, cancel, limit)
    }

    /// Calls a tool in a session. The policy allows every call.
    pub fn call_in(
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
        async move { runtime.call(call).await.expect("the call asks nothing") }
    }

    /// Runs a shell script as a tool that may write.
    pub async fn run_script(&self, script: &str) -> Outcome {
        self.call(script_tool("sh", script), json!({})).await
    }

    /// The arguments after the program of a call with these pieces.
    pub fn argv(&self, pieces: Vec<Piece>, arguments: Value) -> Vec<String> {
        let plan = self.plan(&process_tool("echo", pieces), arguments).expect("a plan");
        let argv = plan["argv"].as_array().expect("a command line");
        argv[1..].iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
    }

    /// Why a call with these pieces cannot be planned.
    pub fn plan_failure(&self, pieces: Vec<Piece>, arguments: Value) -> Failure {
        self.plan(&process_tool("echo", pieces), arguments).expect_err("a failure")
    }

    /// The plan of a call as JSON.
    pub fn plan(&self, tool: &Tool, arguments: Value) -> Result<Value, Failure> {
        let plan = self.runtime.plan(&Default::default(), tool, &object(arguments))?;
        Ok(plan.to_json())
    }
}

/// Settings for a runtime over the folder `crib` in `folder`, with a short grace period. Creates
/// that folder, one that is out of bounds, and one for temporary files.
pub fn settings_in(folder: &Path) -> Settings {
    for name in ["crib", "outside", "temp"] {
        fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    let root = folder.canonicalize().expect("the folder exists");
    let mut settings = Settings::new(root.join("crib"));
    settings.grace = Duration::from_millis(500);
    settings.output_folder = root.join("spill");
    settings.temp = root.join("temp");
    settings
}
