//! Tools that are documented but have no implementation.

use catalog::{ErrorType, Failure, Outcome, Tool};
use toolkit::{BoxFuture, Interrupt};

use crate::{Plan, backend::Backend, call::ActiveCall, engine::Engine, failures, plan::CallTarget};

pub(super) struct Missing;

impl Backend for Missing {
    fn plan(&self, _: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        Err(not_callable(target.tool))
    }

    fn run<'a>(
        &'a self,
        _: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        let tool = &call.call.tool;
        let outcome = failures::to_outcome(tool, not_callable(tool));
        Box::pin(std::future::ready(Ok(outcome)))
    }
}

fn not_callable(tool: &Tool) -> Failure {
    let message = format!(
        "`{}` is documented but has no command to run; connect it to code with a `[[bind]]` in toolcrib.toml",
        tool.name
    );
    Failure::new(ErrorType::NotCallable, message)
}
