//! Functions of R packages, called in a warm R process.

use catalog::{Failure, Outcome, Tool, implementation::RFunction};
use toolkit::{Arguments, BoxFuture, Interrupt};

use crate::{
    Call, Plan,
    backend::{Backend, validate_arguments},
    call::ActiveCall,
    engine::Engine,
    failures,
    plan::{self, CallTarget, CommandPlan},
    r,
};

impl Backend for RFunction {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let CallTarget { tool, arguments, .. } = target;
        let plan = CommandPlan::of_r_call(&engine.settings, tool, self, arguments)?;
        Ok(Plan::command(target, plan))
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        mut call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let outcome = engine.call_r_function(self, &mut call).await;
            Ok(outcome.unwrap_or_else(|failure| failures::to_outcome(&call.call.tool, failure)))
        })
    }

    /// R knows its own defaults, and a function can ask whether an argument was given.
    fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        validate_arguments(tool, arguments)
    }

    fn check_installed(&self, engine: &Engine, tool: &Tool) -> Result<(), Failure> {
        plan::r_worker_command(&engine.settings, tool).map(drop)
    }

    fn prewarm(&self, call: &Call) {
        r::prewarm(call);
    }
}
