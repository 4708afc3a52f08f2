//! A runtime with native tools, called by name as a server calls them.

use std::sync::Arc;

use runtime::{Call, Runtime};
use serde_json::Value;
use testing::object;
use tokio_util::sync::CancellationToken;
use toolkit::{Context, Native, Outcome, Tool};

/// A runtime with native tools, called by name.
pub(crate) struct NativeRuntime {
    runtime: Arc<Runtime>,
    pub(crate) tools: Vec<Arc<Tool>>,
}

impl NativeRuntime {
    pub(crate) fn new(runtime: Runtime, natives: Vec<Native>) -> Self {
        let tools = natives.iter().map(|native| Arc::new(native.tool.clone())).collect();
        Self { runtime: Arc::new(runtime.with_natives(natives)), tools }
    }

    /// A tool, by its name with or without the prefix of the server.
    pub(crate) fn tool(&self, name: &str) -> &Arc<Tool> {
        let is_named = |tool: &&Arc<Tool>| tool.name == name || tool.bare_name() == name;
        self.tools.iter().find(is_named).unwrap_or_else(|| panic!("no tool `{name}`"))
    }

    /// Calls a tool for an owner.
    pub(crate) async fn call_as(&self, owner: &str, tool: &str, arguments: Value) -> Outcome {
        let context = Context::detached(CancellationToken::new()).with_owner(owner);
        let call = Call::new(Arc::clone(self.tool(tool)), object(arguments), context);
        self.runtime.call(call).await.expect("the call asks nothing")
    }

    /// Calls a tool for the owner `me`.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.call_as("me", tool, arguments).await
    }
}
