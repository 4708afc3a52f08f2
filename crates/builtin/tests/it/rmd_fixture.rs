//! The R Markdown tools on a temporary folder, called as a server calls them.

use std::{fs, path::PathBuf};

use builtin::rmd::{RmdDocuments, Settings};
use runtime::{Runtime, Settings as RuntimeSettings};
use serde_json::Value;
use tempfile::TempDir;
use testing::{structured, text};
use tokio_util::sync::CancellationToken;
use toolkit::{Body, Context, Outcome, Toolset, ToolsetOptions};

use crate::native_runtime::NativeRuntime;

/// The R Markdown tools on a temporary folder.
pub(crate) struct RmdFixture {
    pub(crate) documents: RmdDocuments,
    pub(crate) natives: NativeRuntime,
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

    /// With a data folder.
    pub(crate) fn with_data(data: PathBuf) -> Self {
        Self::with(|settings| Settings { data: vec![data], ..settings })
    }

    fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let folder = TempDir::with_prefix("fixture-").expect("a temporary folder");
        fs::write(folder.path().join("secret.Rmd"), "---\ntitle: Secret\n---\n").expect("a file");
        let documents = RmdDocuments::new(change(Settings::new(folder.path().join("rmd"))));
        let natives = documents.natives().into_iter().fold(Toolset::default(), Toolset::with);
        let natives = natives.build(&ToolsetOptions::default()).expect("tools");
        let runtime = Runtime::new(RuntimeSettings::new(folder.path().to_owned()));
        Self { documents, natives: NativeRuntime::new(runtime, natives), folder }
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
        let schema = self.natives.tool(name).output.clone().expect("a schema");
        let outcome = self.natives.call(name, arguments).await;
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
        let error_type = &structured(&outcome)["error_type"];
        (error_type.as_str().expect("an error type").to_owned(), text(&outcome, 0).to_owned())
    }

    /// Reads a resource; `None` if it is unknown.
    pub(crate) async fn read(&self, uri: &str) -> Option<(String, Body)> {
        let content =
            self.documents.resources().read(uri, self.context()).await.expect("an answer")?;
        assert_eq!(content.uri, uri);
        Some((content.mime_type, content.body))
    }
}
