//! Native tools: functions of this process, registered by name.

use catalog::{Failure, Outcome, Tool};
use serde_json::Value;
use toolkit::{Arguments, BoxFuture, Context, Interrupt};

use crate::{
    Plan,
    backend::{Backend, admit_with_defaults},
    call::ActiveCall,
    engine::Engine,
    plan::{CallTarget, CommandPlan},
};

pub(super) struct NativeBackend;

impl Backend for NativeBackend {
    fn plan(&self, _: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        Ok(Plan::native(target))
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            if let Some(operation) = &call.operation {
                operation.set_running(None);
            }
            let timeout = call.declared_timeout();
            let call = call.call;
            engine.natives.call(&call.tool, call.arguments, call.context, timeout).await
        })
    }

    fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        admit_with_defaults(tool, unwrap_args(tool, arguments))
    }

    /// A function of this process can always start; planning would only copy its arguments.
    fn rehearse(&self, _: &Engine, _: &ActiveCall) -> Result<Option<CommandPlan>, Failure> {
        Ok(None)
    }

    fn calls_tools(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &'a self,
        engine: &'a Engine,
        tool: &'a Tool,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'a, Result<Arguments, Interrupt>> {
        Box::pin(engine.natives.prepare(tool, arguments, context))
    }
}

/// Some clients put all arguments into one called `args`.
fn unwrap_args(tool: &Tool, mut arguments: Arguments) -> Arguments {
    // Unwrapped only if `args` is the only argument and not a parameter of the tool: anything else
    // could change the meaning of a valid call.
    let is_wrapped = arguments.len() == 1 && tool.input.property("args").is_none();
    match arguments.get_mut("args") {
        Some(Value::Object(inside)) if is_wrapped => {
            tracing::info!(tool = tool.name, "arguments were taken out of `args`");
            std::mem::take(inside)
        }
        _ => arguments,
    }
}
