//! The backends, and the one table that maps a tool's implementation to its backend.

#[cfg(test)]
mod example;
mod functions;
mod missing;
mod native;
mod process;
mod python;
mod r;
mod redirect;
mod sequence;

use std::sync::Arc;

use catalog::{ErrorType, Failure, Implementation, Outcome, Tool};
use toolkit::Interrupt;
use workers::ApprovedFiles;

use crate::{backend::Backend, call::ActiveCall, engine::Engine, failures, plan::CallTarget};

/// The backend of an implementation.
pub(crate) fn backend_for(implementation: &Implementation) -> &dyn Backend {
    match implementation {
        Implementation::Process(process) => process,
        Implementation::Sequence(sequence) => sequence,
        Implementation::R(function) => function,
        Implementation::Python(function) => function,
        Implementation::Tool(_) => &redirect::Redirect,
        Implementation::Native => &native::NativeBackend,
        Implementation::Missing => &missing::Missing,
    }
}

/// Runs a call whose client cannot be asked: an operation, or a step of a sequence.
pub(crate) async fn run_detached(engine: &Engine, call: ActiveCall) -> Outcome {
    let tool = Arc::clone(&call.call.tool);
    let result = backend_for(&tool.implementation).run(engine, call).await;
    let outcome = result
        .unwrap_or_else(|interrupt| failures::to_outcome(&tool, unanswerable(&tool, &interrupt)));
    outcome.with_errors(tool.errors)
}

/// Fails if a call was approved and would now do something else. Called when its turn has come.
/// Returns the approved files.
pub(crate) fn verify_approved(
    engine: &Engine,
    call: &ActiveCall,
) -> Result<ApprovedFiles, Failure> {
    let Some(approved) = &call.approved else {
        return Ok(Vec::new());
    };
    let target = CallTarget { arguments: &approved.arguments, ..call.call.target() };
    let tool = &call.call.tool;
    let plan = backend_for(&tool.implementation).plan(engine, target)?;
    approved.verify(tool, &plan)
}

/// The failure of a call that has questions which cannot be asked.
pub(crate) fn unanswerable(tool: &Tool, interrupt: &Interrupt) -> Failure {
    if let Interrupt::Invalid(why) = interrupt {
        return Failure::new(ErrorType::InvalidRequest, why);
    }
    let why = match interrupt {
        Interrupt::Ask { .. } => "it asked questions that cannot be asked here".to_owned(),
        Interrupt::MissingCapability(capability) => {
            format!("the client does not support {capability:?}")
        }
        Interrupt::Invalid(why) | Interrupt::Unanswered(why) => why.clone(),
    };
    Failure::new(ErrorType::Unanswered, format!("`{}` could not continue: {why}", tool.name))
}
