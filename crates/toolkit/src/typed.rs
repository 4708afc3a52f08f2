//! A native tool made of a type for its arguments and a function.

use std::{future::Future, sync::Arc};

use catalog::{ErrorType, Example, Failure, Implementation, Origin, Outcome, SourceId, Tool};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Arguments, BoxFuture, Context, Handler, Interrupt, Naming, Native, Return, argument};

impl Native {
    /// A tool whose arguments are an `A` and whose function is `function`. The schema, its
    /// enforcement, the description and the result's form follow from their types; say what the tool
    /// is for with [`Native::purpose`].
    pub fn typed<A, F, R>(name: impl Into<String>, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output: Return> + Send + 'static,
    {
        let name = name.into();
        let origin = Origin::whole(&SourceId::new(format!("native:{name}")));
        let mut tool = Tool::new(name, "", argument::schema::<A>(), Implementation::Native, origin);
        tool.output = R::Output::output_schema();
        tool.errors = R::Output::ERRORS;
        let handler =
            Arc::new(Typed { function: Arc::new(function), arguments: std::marker::PhantomData });
        Self { tool, handler, naming: Naming::Prefixed(""), is_typed: true }
    }

    /// Says what it is for: a first line of at most 50 characters, then whatever a caller should know.
    pub fn purpose(mut self, text: impl Into<String>) -> Self {
        self.tool.description.text = text.into();
        self
    }

    /// Says how it is used in general.
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        self.tool.description.usage = Some(usage.into());
        self
    }

    /// Shows a call. What is passed is a value of the arguments' own type, so that it cannot go stale.
    pub fn example(mut self, arguments: impl Serialize, explanation: impl Into<String>) -> Self {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            // Refused when the tool is built, as any example that does not fit.
            _ => Map::from_iter([("not an object".to_owned(), Value::Null)]),
        };
        let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
        self.tool
            .description
            .examples
            .push(Example { arguments: given, explanation: explanation.into() });
        self
    }

    /// Says how it is named when it is served.
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }
}

/// A function over typed arguments, as a handler.
struct Typed<A, F> {
    function: Arc<F>,
    arguments: std::marker::PhantomData<fn() -> A>,
}

impl<A, F, R> Handler for Typed<A, F>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> R + Send + Sync + 'static,
    R: Future<Output: Return> + Send + 'static,
{
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        match serde_json::from_value::<A>(Value::Object(arguments)) {
            Ok(arguments) => {
                let work = (self.function)(arguments, context);
                Box::pin(async move { work.await.into_outcome() })
            }
            // Only what a schema cannot say comes this far.
            Err(error) => {
                let failure = Failure::new(
                    ErrorType::InvalidArguments,
                    format!("Invalid arguments: {error}"),
                );
                Box::pin(std::future::ready(Ok(failure.into())))
            }
        }
    }
}
