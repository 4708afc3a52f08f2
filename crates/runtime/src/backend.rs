//! The interface of backends, which carry out calls.
//!
//! A backend is looked up from the implementation of the tool, by
//! [`crate::backends::backend_for`]. The payload of an [`catalog::Implementation`] variant implements
//! the trait, so a backend can hold its own data.

use catalog::{
    ErrorType, Failure, Outcome, Tool, arguments,
    budget::{Budget, Exhausted},
};
use serde_json::Value;
use toolkit::{Arguments, BoxFuture, Context, Interrupt};

use crate::{
    Call, Plan, Unfinished,
    call::{ActiveCall, NestedCall},
    engine::Engine,
    plan::{CallTarget, CommandPlan},
};

/// The steps that validating arguments may take: about half a second. The largest request that is
/// accepted needs a fifth of it with an ordinary schema.
const MAX_STEPS: u64 = 50_000_000;

/// Plans and runs the calls of one kind of tool. Only [`Backend::plan`] and [`Backend::run`] have to
/// be implemented; the other methods are for backends that need more.
pub(crate) trait Backend: Send + Sync {
    /// Exactly what a call would do. Changes nothing.
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure>;

    /// Runs a call to its outcome. Problems of the tool are outcomes; an interrupt is a question to
    /// the client.
    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>>;

    /// Validates arguments against the input schema and fills in defaults.
    fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        admit_with_defaults(tool, arguments)
    }

    /// Whether this machine has what the tool needs. The tool's own check comes on top.
    fn check_installed(&self, _: &Engine, _: &Tool) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether a call could start, before it is acknowledged as an operation. Returns its command, so that
    /// paths and programs are resolved once.
    fn rehearse(&self, engine: &Engine, call: &ActiveCall) -> Result<Option<CommandPlan>, Failure> {
        self.plan(engine, call.call.target()).map(|_| None)
    }

    /// The calls of other tools that a call would make. Policy decides about all of them, and an
    /// approval covers them.
    fn nested_calls(&self, _: CallTarget<'_>) -> Result<Vec<NestedCall>, Failure> {
        Ok(Vec::new())
    }

    /// The call to make instead, for a tool that stands for another one.
    fn redirect(&self, _: CallTarget<'_>) -> Result<Option<NestedCall>, Failure> {
        Ok(None)
    }

    /// Adapts the outcome of a redirected call to what this tool promises.
    fn adapt_outcome(&self, _: &Tool, outcome: Outcome) -> Outcome {
        outcome
    }

    /// Whether its calls get a context with which they can call other tools.
    fn calls_tools(&self) -> bool {
        false
    }

    /// Called before a call becomes an operation; may ask the client and change the arguments.
    fn prepare<'a>(
        &'a self,
        _: &'a Engine,
        _: &'a Tool,
        arguments: Arguments,
        _: Context,
    ) -> BoxFuture<'a, Result<Arguments, Interrupt>> {
        Box::pin(std::future::ready(Ok(arguments)))
    }

    /// Called first for every call, before it is validated, so that a sleeping worker can wake up
    /// meanwhile. Must be cheap and must not depend on the arguments.
    fn prewarm(&self, _: &Call) {}
}

/// Validates arguments and fills in the defaults of the input schema.
pub(crate) fn admit_with_defaults(tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
    let mut arguments = validate_arguments(tool, arguments)?;
    arguments::apply_defaults(&tool.input, &mut arguments);
    Ok(arguments)
}

/// Checks arguments against the input schema of a tool.
pub(crate) fn validate_arguments(tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
    let value = Value::Object(arguments);
    let errors = Budget::steps(MAX_STEPS)
        .run(|| arguments::find_errors(&tool.input, &value))
        .map_err(|Exhausted| Unfinished::TimedOut.failure(tool))?;
    let errors = errors.map_err(|error| {
        Failure::new(
            ErrorType::InvalidDefinition,
            format!("the input schema of `{}` is broken: {error}", tool.name),
        )
    })?;
    if !errors.reported.is_empty() {
        return Err(arguments::build_failure(tool, &errors));
    }
    let Value::Object(arguments) = value else { unreachable!("constructed as an object above") };
    Ok(arguments)
}
