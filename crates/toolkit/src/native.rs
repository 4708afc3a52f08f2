//! A native tool: a description and a handler.

use std::{future::Future, sync::Arc, time::Duration};

use catalog::{ErrorDetail, Implementation, Mode, Origin, Schema, SourceId, Tool};

use crate::{Arguments, Context, Handler, Interrupt, Naming, Prefix, handler::PreparedHandler};

/// A native tool.
#[derive(Clone)]
pub struct Native {
    /// The description: name, schemas, annotations.
    pub tool: Tool,
    /// The function that runs its calls.
    pub handler: Arc<dyn Handler>,
    pub(crate) naming: Naming,
    /// Whether it was built from an argument type. A [`Toolset`](crate::Toolset) then also limits
    /// the first line of the description.
    pub(crate) is_typed: bool,
    pub(crate) is_demonstration: bool,
}

impl Native {
    /// A native tool with a schema for its arguments, served under its bare name.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        input: Schema,
        handler: impl Handler,
    ) -> Self {
        let name = name.into();
        let origin = Origin::whole_file(&SourceId::new(format!("native:{name}")));
        let tool = Tool::new(name, text, input, Implementation::Native, origin);
        Self {
            tool,
            handler: Arc::new(handler),
            naming: Naming::Bare,
            is_typed: false,
            is_demonstration: false,
        }
    }

    /// Runs its calls as operations, which may outlive their request. `prepare` runs first, while
    /// the client still waits: it asks questions, or rejects the call.
    pub fn asynchronous<F, R>(mut self, prepare: F) -> Self
    where
        F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Arguments, Interrupt>> + Send + 'static,
    {
        self.tool.mode = Mode::Asynchronous;
        self.handler = Arc::new(PreparedHandler { prepare, handler: self.handler });
        self
    }

    /// Sets how long a request waits for the result before it is answered with an operation id.
    pub fn answer_within(mut self, limit: Duration) -> Self {
        self.tool.answer_within = Some(limit);
        self
    }

    /// Sets the display name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    /// Sets the schema of the structured result.
    pub fn output(mut self, output: Schema) -> Self {
        self.tool.output = Some(output);
        self
    }

    /// Sets the category.
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.tool.annotations.category = Some(category.into());
        self
    }

    /// Sets how much of its invalid arguments a caller is shown.
    pub fn argument_errors(mut self, detail: ErrorDetail) -> Self {
        self.tool.argument_errors = detail;
        self
    }

    /// Marks the tool as a demonstration, which is served only on request; see
    /// [`Examples`](crate::Examples).
    pub fn demonstration(mut self) -> Self {
        self.is_demonstration = true;
        self
    }

    /// Declares that it changes nothing.
    pub fn read_only(mut self) -> Self {
        self.tool.annotations.mutates = Some(false);
        self
    }

    /// Declares that it changes things, and leaves open whether that is dangerous.
    pub fn mutating(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self
    }

    /// Declares that it changes things harmlessly, and that repeating a call changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self.tool.annotations.dangerous = Some(false);
        self.tool.annotations.idempotent = Some(true);
        self
    }

    /// Declares that its changes are hard to undo. Each call must then be approved.
    pub fn dangerous(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self.tool.annotations.dangerous = Some(true);
        self
    }

    /// Renames the tool to its served name and remembers the bare one.
    pub(crate) fn with_prefix(mut self, prefix: &Prefix) -> Self {
        let bare = self.tool.bare_name().to_owned();
        let served = prefix.apply(self.naming, &bare);
        if served != bare {
            // Policies, prompts and other tools refer to the bare name, whatever the prefix.
            self.tool.bare_name = Some(bare);
            self.tool.name = served;
        }
        self
    }
}
