//! Functions of Python modules, called in a warm Python process.

use catalog::{Failure, Outcome, Tool, implementation::PythonFunction};
use toolkit::{BoxFuture, Interrupt};
use workers::PythonCall;

use super::{
    functions::{OperationObserver, call_options, open_session, record_level},
    verify_approved,
};
use crate::{
    Plan,
    backend::Backend,
    bounded_work::without_async,
    call::ActiveCall,
    engine::Engine,
    failures,
    plan::{CallTarget, CommandPlan, reject_outside_paths},
    results::{bound_failure, explain_failed_function},
    scheduler::ConcurrencyClass,
};

impl Backend for PythonFunction {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let CallTarget { tool, arguments, .. } = target;
        reject_outside_paths(&engine.settings, tool, arguments)?;
        Plan::command(&engine.settings, target, |arguments| {
            let call = PythonCall { tool, function: self, arguments };
            let command = engine.workers.plan_python(call)?;
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

    fn check_installed(&self, engine: &Engine, tool: &Tool) -> Result<(), Failure> {
        engine.workers.check_python(tool)
    }
}

async fn run(
    function: &PythonFunction,
    engine: &Engine,
    call: &mut ActiveCall,
) -> Result<Outcome, Failure> {
    let lease = open_session(engine, call).await?;
    let call = &*call;
    let (tool, arguments) = (&call.call.tool, &call.call.arguments);
    // Checked again, because the file system may have changed since the plan was made and approved.
    let check = || reject_outside_paths(&engine.settings, tool, arguments);
    engine.plan_bounded(tool, check).await?;
    let _permit = engine.acquire_permit(call, ConcurrencyClass::of(tool)).await?;
    // Called when the worker is free, right before the function runs. It reads every approved file.
    let verify = || without_async(|| verify_approved(engine, call));
    record_level(engine, call);
    let (long_output, observer) = (engine.long_output(call), OperationObserver::new(engine, call));
    let options = call_options(engine, call, &long_output, observer.as_ref(), &verify);
    let python_call = PythonCall { tool, function, arguments };
    let outcome = engine.workers.call_python(&lease, python_call, &options).await?;
    let command = || engine.workers.plan_python(python_call).ok();
    let outcome = explain_failed_function(tool, command, outcome);
    Ok(bound_failure(outcome, &long_output).await)
}
