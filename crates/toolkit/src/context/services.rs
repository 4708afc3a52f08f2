//! The services of the server that runs a call.

use std::sync::Arc;

use catalog::{Outcome, Tool};

use crate::{Arguments, BoxFuture, Context, Interrupt, ToolStorage};

/// The services that a server offers to one call. Runtimes implement this; tools use [`Context`].
///
/// It is part of the context's module because the two refer to each other: a nested call takes the
/// context of its caller.
pub trait Services: Send + Sync {
    /// Calls another tool, by its served or its bare name, through the same pipeline as any call.
    fn call(
        &self,
        name: &str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>>;

    /// Another tool, by its served or its bare name.
    fn tool(&self, name: &str) -> Option<Arc<Tool>>;

    /// The name under which a tool is served.
    fn served_name(&self, name: &str) -> Option<String>;

    /// The values that the tool stores for the owner of the call; `None` if the server has no
    /// store.
    fn storage(&self) -> Option<ToolStorage>;
}
