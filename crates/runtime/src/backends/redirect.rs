//! Tools that are bound to another tool: the same call, of that one.
//!
//! Policy decides about both tools, and the arguments must fit both schemas. What is planned, approved
//! and run is the other tool.

use std::sync::Arc;

use catalog::{Catalog, ErrorType, Failure, Implementation, Outcome, Tool};
use toolkit::{Arguments, BoxFuture, Interrupt};

use super::{backend_for, run_detached, sequence};
use crate::{
    Call, Plan,
    backend::Backend,
    call::{ActiveCall, NestedCall},
    engine::Engine,
    failures,
    plan::CallTarget,
};

/// Maximum length of a chain of tools that are bound to each other.
const MAX_DEPTH: usize = 8;

pub(super) struct Redirect;

impl Backend for Redirect {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let CallTarget { catalog, tool, arguments } = target;
        let NestedCall { tool, arguments } = resolve_target(catalog, tool, arguments)?;
        let target = CallTarget { catalog, tool: &tool, arguments: &arguments };
        backend_for(&tool.implementation).plan(engine, target)
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let tool = Arc::clone(&call.call.tool);
            let target = resolve_target(&call.call.catalog, &tool, &call.call.arguments);
            let NestedCall { tool: other, arguments } = match target {
                Ok(target) => target,
                Err(failure) => return Ok(failures::to_outcome(&tool, failure)),
            };
            // Owner, session and cancellation stay those of the original call.
            let inner = Call { tool: other, arguments, ..call.call };
            let outcome = run_detached(engine, ActiveCall { call: inner, ..call }).await;
            Ok(self.adapt_outcome(&tool, outcome))
        })
    }

    fn nested_calls(&self, target: CallTarget<'_>) -> Result<Vec<NestedCall>, Failure> {
        sequence::collect_nested_calls(target)
    }

    fn redirect(&self, target: CallTarget<'_>) -> Result<Option<NestedCall>, Failure> {
        resolve_target(target.catalog, target.tool, target.arguments).map(Some)
    }

    fn adapt_outcome(&self, tool: &Tool, outcome: Outcome) -> Outcome {
        workers::results::check_outcome(tool, outcome)
    }
}

/// The tool that is really called, with arguments that were checked against its schema, too.
pub(super) fn resolve_target(
    catalog: &Catalog,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<NestedCall, Failure> {
    let mut name = &tool.name;
    let mut implementation = &tool.implementation;
    // A bound instead of a set of visited tools: chains are short, and a cycle exceeds any bound.
    for _ in 0..MAX_DEPTH {
        let Implementation::Tool(next) = implementation else { break };
        let other = catalog.get(next).filter(|other| other.is_callable()).ok_or_else(|| {
            Failure::new(
                ErrorType::NotCallable,
                format!("`{name}` is bound to `{next}`, which is not served"),
            )
        })?;
        if !matches!(other.implementation, Implementation::Tool(_)) {
            let backend = backend_for(&other.implementation);
            let arguments = backend.admit(other, arguments.clone())?;
            return Ok(NestedCall { tool: Arc::clone(other), arguments });
        }
        (name, implementation) = (&other.name, &other.implementation);
    }
    Err(Failure::new(
        ErrorType::InvalidDefinition,
        format!("`{}` is bound to itself through other tools", tool.name),
    ))
}
