//! Functions of R packages, called in a warm R process.

use catalog::{Failure, Outcome, Tool, implementation::RFunction};
use toolkit::{Arguments, BoxFuture, Interrupt};
use workers::RCall;

use super::{
    functions::{OperationObserver, call_options, open_session, record_level},
    verify_approved,
};
use crate::{
    Call, Plan,
    backend::{Backend, validate_arguments},
    bounded_work::without_async,
    call::ActiveCall,
    engine::Engine,
    failures,
    plan::{CallTarget, CommandPlan},
    results::{bound_failure, explain_failed_function},
    scheduler::ConcurrencyClass,
};

impl Backend for RFunction {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let tool = target.tool;
        Plan::command(&engine.settings, target, |arguments| {
            let command = engine.workers.plan_r(&RCall::new(tool, self, arguments)?)?;
            Ok(CommandPlan::new(tool, engine.settings.timeout_of(tool), command))
        })
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        mut call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let outcome = run(self, engine, &mut call).await;
            Ok(outcome.unwrap_or_else(|failure| failures::to_outcome(&call.call.tool, failure)))
        })
    }

    /// R knows its own defaults, and a function can ask whether an argument was given.
    fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        validate_arguments(tool, arguments)
    }

    fn check_installed(&self, engine: &Engine, tool: &Tool) -> Result<(), Failure> {
        engine.workers.check_r(tool)
    }

    fn prewarm(&self, call: &Call) {
        call.session.prewarm_r(&call.tool);
    }
}

async fn run(
    function: &RFunction,
    engine: &Engine,
    call: &mut ActiveCall,
) -> Result<Outcome, Failure> {
    let lease = open_session(engine, call).await?;
    let call = &*call;
    let tool = &call.call.tool;
    // Converted before the permit, so that arguments that do not fit fail without waiting in the
    // queue.
    let r_call = RCall::new(tool, function, &call.call.arguments)?;
    let _permit = engine.acquire_permit(call, ConcurrencyClass::of(tool)).await?;
    // Called when the worker is free, right before the function runs. It reads every approved file.
    let verify = || without_async(|| verify_approved(engine, call));
    record_level(engine, call);
    let (long_output, observer) = (engine.long_output(call), OperationObserver::new(engine, call));
    let options = call_options(engine, call, &long_output, observer.as_ref(), &verify);
    let outcome = engine.workers.call_r(&lease, r_call, &options).await?;
    let command =
        || engine.workers.plan_r(&RCall::new(tool, function, &call.call.arguments).ok()?).ok();
    let outcome = explain_failed_function(tool, command, outcome);
    Ok(bound_failure(outcome, &long_output).await)
}
