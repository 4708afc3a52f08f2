//! The R Markdown tools on a temporary folder, called as a server calls them.

use std::{fs, path::PathBuf, sync::Arc};

use builtin::rmd::{RmdDocuments, Settings};
use runtime::{Call, Runtime, Settings as RuntimeSettings};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolkit::{Body, Content, Context, Outcome, Tool, Toolset, ToolsetOptions};

/// The R Markdown tools on a temporary folder.
pub(crate) struct RmdFixture {
    pub(crate) documents: RmdDocuments,
    pub(crate) tools: Vec<Arc<Tool>>,
    runtime: Arc<Runtime>,
    folder: TempDir,
}

impl RmdFixture {
    pub(crate) fn new() -> Self {
        Self::with(|settings| settings)
    }

    /// With another maximum size of documents.
    pub(crate) fn with_largest(largest: u64) -> Self {
        Self::with(|settings| Settings { largest, ..settings })
    }

    fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let folder = TempDir::with_prefix("fixture-").expect("a temporary folder");
        fs::write(folder.path().join("secret.Rmd"), "---\ntitle: Secret\n---\n").expect("a file");
        let documents = RmdDocuments::new(change(Settings::new(folder.path().join("rmd"))));
        let natives = documents.natives().into_iter().fold(Toolset::default(), Toolset::with);
        let natives = natives.build(&ToolsetOptions::default()).expect("tools");
        let tools = natives.iter().map(|native| Arc::new(native.tool.clone())).collect();
        let runtime = Runtime::new(RuntimeSettings::new(folder.path().to_owned()));
        Self { documents, tools, runtime: Arc::new(runtime.with_natives(natives)), folder }
    }

    /// Writes a file into the document folder, as another program would.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("rmd").join(path)
    }

    /// The text of a document on the disk.
    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a document")
    }

    pub(crate) fn context(&self) -> Context {
        Context::detached(CancellationToken::new())
    }

    pub(crate) async fn outcome(&self, name: &str, arguments: Value) -> Outcome {
        let tool = self.tools.iter().find(|tool| tool.name == name).expect("a tool").clone();
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let schema = tool.output.clone().expect("a schema");
        let outcome = self
            .runtime
            .call(Call::new(tool, arguments, self.context()))
            .await
            .expect("an outcome");
        // Clients validate every result against the output schema.
        let structured = outcome.structured.as_ref().expect("an envelope");
        let problems = catalog::arguments::validate(&schema, structured).expect("a good schema");
        assert_eq!(
            problems.iter().map(|problem| &problem.message).collect::<Vec<_>>(),
            [""; 0],
            "{structured}"
        );
        outcome
    }

    /// The value of a successful call.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        let outcome = self.outcome(name, arguments).await;
        assert!(!outcome.failed, "{outcome:?}");
        outcome.structured.expect("an envelope")["value"].take()
    }

    /// The error type and message of a failed call.
    pub(crate) async fn failure(&self, name: &str, arguments: Value) -> (String, String) {
        let outcome = self.outcome(name, arguments).await;
        assert!(outcome.failed, "{outcome:?}");
        let structured = outcome.structured.expect("an envelope");
        (
            structured["error_type"].as_str().expect("a kind").to_owned(),
            first_text(&outcome.content),
        )
    }

    /// Reads a resource; `None` if it is unknown.
    pub(crate) async fn read(&self, uri: &str) -> Option<(String, Body)> {
        let content =
            self.documents.resources().read(uri, self.context()).await.expect("an answer")?;
        assert_eq!(content.uri, uri);
        Some((content.mime_type, content.body))
    }
}

/// The text of the first content block.
pub(crate) fn first_text(content: &[Content]) -> String {
    match content.first() {
        Some(Content::Text(text)) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}
