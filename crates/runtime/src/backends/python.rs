//! Functions of Python modules, called in a warm Python process.

use catalog::{Failure, Outcome, Tool, implementation::PythonFunction};
use toolkit::{BoxFuture, Interrupt};

use crate::{
    Plan,
    backend::Backend,
    call::ActiveCall,
    engine::Engine,
    failures,
    plan::{self, CallTarget, CommandPlan},
};

impl Backend for PythonFunction {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let CallTarget { tool, arguments, .. } = target;
        let plan = CommandPlan::of_python_call(&engine.settings, tool, self, arguments)?;
        Ok(Plan::command(target, plan))
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        mut call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let outcome = engine.call_python_function(self, &mut call).await;
            Ok(outcome.unwrap_or_else(|failure| failures::to_outcome(&call.call.tool, failure)))
        })
    }

    fn check_installed(&self, engine: &Engine, tool: &Tool) -> Result<(), Failure> {
        plan::python_worker_command(&engine.settings, tool).map(drop)
    }
}
