//! A crib with a Python module, and short ways to call its functions.

use std::{env, fs, time::Duration};

use catalog::{
    Implementation, OnMismatch, Origin, Outcome, SourceId, Tool, implementation::PythonFunction,
};
use runtime::{Session, Settings};
use serde_json::{Value, json};
use testing::{RuntimeFixture, schema};
use tokio_util::sync::CancellationToken;

/// A crib with the module `bench`, and a session in it.
pub(super) struct PythonFixture {
    pub(super) crib: RuntimeFixture,
    pub(super) session: Session,
}

impl PythonFixture {
    /// A module with this code.
    pub(super) fn new(code: &str) -> Self {
        Self::with(code, |_| {})
    }

    pub(super) fn with(code: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let crib = RuntimeFixture::with_settings(|settings| {
            // The interpreters of the system first: those of version managers are scripts that need files
            // that the sandbox hides.
            let path =
                format!("/usr/local/bin:/usr/bin:/bin:{}", env::var("PATH").unwrap_or_default());
            settings.environment = vec![("PATH".to_owned(), path)];
            settings.read.extend(env::var_os("PYENV_ROOT").map(Into::into));
            change(settings);
        });
        let fixture = Self { crib, session: Session::default() };
        fixture.write("bench.py", code);
        fixture
    }

    /// Writes a file of the crib.
    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.crib.path("crib").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Calls a function that takes nothing.
    pub(super) async fn run(&self, name: &str) -> Outcome {
        self.call(function(name), json!({})).await
    }

    pub(super) async fn call(&self, tool: Tool, arguments: Value) -> Outcome {
        self.call_in(&self.session, tool, arguments, CancellationToken::new(), None).await
    }

    pub(super) fn call_in(
        &self,
        session: &Session,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        self.crib.call_in(session, tool, arguments, cancel, limit)
    }

    /// The id of the Python process of the session, from the function `pid`.
    pub(super) async fn pid(&self) -> String {
        self.run("pid").await.structured.expect("a value").to_string()
    }
}

/// A tool that is a function of the module `bench`.
pub(super) fn function(name: &str) -> Tool {
    function_in("bench", name)
}

/// A tool that is a function of a module in the crib.
pub(super) fn function_in(module: &str, name: &str) -> Tool {
    let implementation = PythonFunction {
        module: module.to_owned(),
        function: name.to_owned(),
        path: vec![".".to_owned()],
    };
    let schema = schema(json!({"type": "object"}));
    let origin = Origin::whole_file(&SourceId::new("MCP_TOOL_SPECIFICATION.md"));
    let mut tool =
        Tool::new(name, "A tool", schema, Implementation::Python(implementation), origin);
    tool.on_mismatch = Some(OnMismatch::Warn);
    tool
}
