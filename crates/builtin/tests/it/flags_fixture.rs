//! The flag tools on a real store, called as a server calls them.

use std::{path::Path, sync::Arc};

use builtin::{FlagSources, Flags, Handles};
use catalog::flag::{FlagName, FlagValue, FlagValues};
use runtime::{Runtime, Settings};
use serde_json::{Value, json};
use store::Store;
use tempfile::TempDir;
use toolkit::ToolsetOptions;

use crate::native_runtime::NativeRuntime;

/// The flag tools on a store in a temporary folder.
pub(crate) struct FlagsFixture {
    pub(crate) natives: NativeRuntime,
    pub(crate) flags: Flags,
    folder: TempDir,
}

impl FlagsFixture {
    pub(crate) fn new() -> Self {
        Self::with_defaults(&json!({}))
    }

    /// With these flags in the configuration.
    pub(crate) fn with_defaults(defaults: &Value) -> Self {
        let folder = TempDir::new().expect("a folder");
        std::fs::create_dir(folder.path().join("crib")).expect("a folder");
        let runtime = Runtime::new(Settings::new(folder.path().to_owned()));
        let defaults: FlagValues =
            defaults.as_object().expect("an object").iter().map(flag).collect();
        let flags = Flags::new(FlagSources {
            storage: Arc::new(Store::open_user(folder.path()).expect("a store")),
            folder: folder.path().join("crib"),
            identify: workspace::resolve_project,
            defaults: Arc::new(move || defaults.clone()),
            on_change: Arc::new(|| Box::pin(std::future::ready(()))),
        });
        let handles = Handles {
            operations: runtime.operations(),
            outputs: runtime.output_reader(),
            guide: None,
            documents: None,
            renderer: None,
            doctor: None,
            flags: Some(flags.clone()),
            checker: None,
        };
        let natives =
            builtin::toolset(&handles).build(&ToolsetOptions::default()).expect("valid tools");
        Self { natives: NativeRuntime::new(runtime, natives), flags, folder }
    }

    /// The folder of the crib and the store.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The envelope of a call.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let outcome = self.natives.call(tool, arguments).await;
        let envelope = outcome.structured.expect("an envelope");
        assert_eq!(envelope["success"], !outcome.failed);
        envelope
    }

    /// The value of a successful call.
    pub(crate) async fn value(&self, tool: &str, arguments: Value) -> Value {
        let envelope = self.call(tool, arguments).await;
        assert_eq!(envelope["success"], true, "{envelope}");
        envelope["value"].clone()
    }
}

fn flag((name, value): (&String, &Value)) -> (FlagName, FlagValue) {
    (FlagName::new(name.as_str()).expect("a name"), FlagValue::new(value.clone()).expect("a value"))
}
