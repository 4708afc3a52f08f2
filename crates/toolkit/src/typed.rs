//! Native tools built from an argument type and a function.

use std::{future::Future, sync::Arc};

use catalog::{ErrorType, Example, Failure, Implementation, Origin, Outcome, SourceId, Tool};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    Arguments, BoxFuture, Context, Handler, Interrupt, Naming, Native, Return, argument_schema,
};

impl Native {
    /// A tool that takes an `A` and runs `function`. The input schema, validation, the output schema
    /// and the form of errors are derived from the types; describe the tool with
    /// [`Native::purpose`].
    pub fn typed<A, F, R>(name: impl Into<String>, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, Context) -> R + Send + Sync + 'static,
        R: Future<Output: Return> + Send + 'static,
    {
        let name = name.into();
        let origin = Origin::whole_file(&SourceId::new(format!("native:{name}")));
        let mut tool = Tool::new(
            name,
            "",
            argument_schema::argument_schema::<A>(),
            Implementation::Native,
            origin,
        );
        tool.output = R::Output::output_schema();
        tool.errors = R::Output::ERRORS;
        let handler = Arc::new(TypedHandler {
            function: Arc::new(function),
            arguments: std::marker::PhantomData,
        });
        Self {
            tool,
            handler,
            naming: Naming::Prefixed(""),
            is_typed: true,
            is_demonstration: false,
        }
    }

    /// Sets the description: a first line of at most 50 characters, then details for callers.
    pub fn purpose(mut self, text: impl Into<String>) -> Self {
        self.tool.description.text = text.into();
        self
    }

    /// Sets the usage instructions.
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        self.tool.description.usage = Some(usage.into());
        self
    }

    /// Adds an example call. Pass a value of the argument type, so that the compiler keeps the
    /// example up to date.
    pub fn example(mut self, arguments: impl Serialize, explanation: impl Into<String>) -> Self {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            // If it is not an object, use arguments that no schema accepts, so that
            // `Toolset::build` reports the example like any invalid one.
            _ => Map::from_iter([("not an object".to_owned(), Value::Null)]),
        };
        // `None` fields of the example value are arguments that a caller would leave out.
        let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
        self.tool
            .description
            .examples
            .push(Example { arguments: given, explanation: explanation.into() });
        self
    }

    /// Sets how the served name is formed.
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }
}

/// A function with typed arguments as a handler.
struct TypedHandler<A, F> {
    function: Arc<F>,
    arguments: std::marker::PhantomData<fn() -> A>,
}

impl<A, F, R> Handler for TypedHandler<A, F>
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
            // The arguments match the schema, so this is a constraint that JSON Schema cannot
            // express, such as one in a hand-written `Deserialize`.
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
