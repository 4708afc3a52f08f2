//! A native tool: a description and the function behind it.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use catalog::{
    Implementation, Mode, Origin, Outcome, Schema, SourceId, Tool, arguments::ErrorDetail,
};
use serde_json::{Map, Value};

use crate::{Capability, Context, Naming, Question};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The arguments of a call, checked against the tool's schema.
pub type Arguments = Map<String, Value>;

/// The function behind a native tool. Every `async` closure of the right shape is one.
pub trait Handler: Send + Sync + 'static {
    /// Runs one call.
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>>;

    /// What comes before a call becomes an operation, while its client still waits: asks what must be
    /// known first, or refuses. Gives the arguments of the call.
    fn prepare(
        &self,
        arguments: Arguments,
        _: Context,
    ) -> BoxFuture<'static, Result<Arguments, Interrupt>> {
        Box::pin(std::future::ready(Ok(arguments)))
    }
}

impl<F, R> Handler for F
where
    F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Outcome, Interrupt>> + Send + 'static,
{
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        Box::pin(self(arguments, context))
    }
}

/// Why a call did not come to an outcome. A failed tool is an outcome, not one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupt {
    /// It needs answers first; the call is made again with them.
    Ask {
        /// What to ask, each under a key of the tool's choice.
        questions: Vec<(String, Question)>,
        /// What the tool wants to find again in the repeated call.
        state: Option<Vec<u8>>,
    },
    /// The client lacks something without which the tool cannot work.
    MissingCapability(Capability),
    /// The request itself makes no sense: an unknown resource or prompt, say.
    Invalid(String),
    /// The client was asked and gave no usable answer; why.
    Unanswered(String),
}

/// A native tool.
#[derive(Clone)]
pub struct Native {
    /// What it is.
    pub tool: Tool,
    /// What it does.
    pub handler: Arc<dyn Handler>,
    pub(crate) naming: Naming,
    /// Whether it is made of a type: its author then owes callers an explanation of everything.
    pub(crate) is_typed: bool,
}

impl Native {
    /// A native tool with a schema for its arguments, served by its bare name.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        input: Schema,
        handler: impl Handler,
    ) -> Self {
        let name = name.into();
        let origin = Origin::whole(&SourceId::new(format!("native:{name}")));
        let tool = Tool::new(name, text, input, Implementation::Native, origin);
        Self { tool, handler: Arc::new(handler), naming: Naming::Bare, is_typed: false }
    }

    /// Makes its calls operations, whose results may follow. `prepare` runs before, while the client
    /// still waits: it asks what must be known first, or refuses.
    pub fn asynchronous<F, R>(mut self, prepare: F) -> Self
    where
        F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Arguments, Interrupt>> + Send + 'static,
    {
        self.tool.mode = Mode::Asynchronous;
        self.handler = Arc::new(Prepared { prepare, handler: self.handler });
        self
    }

    /// Says how long a call of it is answered with its result before it becomes an operation.
    pub fn answer_within(mut self, limit: Duration) -> Self {
        self.tool.answer_within = Some(limit);
        self
    }

    /// Gives it a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    /// Says what its structured result is.
    pub fn output(mut self, output: Schema) -> Self {
        self.tool.output = Some(output);
        self
    }

    /// Puts it into a group.
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.tool.annotations.category = Some(category.into());
        self
    }

    /// Says how a call of it is refused for its arguments.
    pub fn argument_errors(mut self, wording: ErrorDetail) -> Self {
        self.tool.argument_errors = wording;
        self
    }

    /// Says that it changes nothing.
    pub fn read_only(mut self) -> Self {
        self.tool.annotations.mutates = Some(false);
        self
    }

    /// Says that it changes things, without saying that this is harmless.
    pub fn mutating(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self
    }

    /// Says that it changes things, and that a second call with the same arguments changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self.tool.annotations.dangerous = Some(false);
        self.tool.annotations.idempotent = Some(true);
        self
    }

    /// Says that what it changes is hard to undo. Each call must then be approved.
    pub fn dangerous(mut self) -> Self {
        self.tool.annotations.mutates = Some(true);
        self.tool.annotations.dangerous = Some(true);
        self
    }
}

/// A function with another before it.
struct Prepared<F> {
    prepare: F,
    handler: Arc<dyn Handler>,
}

impl<F, R> Handler for Prepared<F>
where
    F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Arguments, Interrupt>> + Send + 'static,
{
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        self.handler.call(arguments, context)
    }

    fn prepare(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Arguments, Interrupt>> {
        Box::pin((self.prepare)(arguments, context))
    }
}
