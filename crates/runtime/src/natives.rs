//! The functions of native tools, registered by name.

use std::{any::Any, collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use catalog::{ErrorForm, ErrorType, Failure, Outcome, Tool};
use futures_util::FutureExt;
use toolkit::{Arguments, Context, Handler, Interrupt, Native};

use crate::failures;

/// The registered functions, by the name of their tool.
#[derive(Default)]
pub(crate) struct Natives(HashMap<String, Arc<dyn Handler>>);

impl Natives {
    /// Adds functions. A later one replaces an earlier one of the same name.
    pub(crate) fn register(&mut self, natives: impl IntoIterator<Item = Native>) {
        self.0.extend(natives.into_iter().map(|native| (native.tool.name, native.handler)));
    }

    /// Lets the function prepare a call before it becomes an operation.
    pub(crate) async fn prepare(
        &self,
        tool: &Tool,
        arguments: Arguments,
        context: Context,
    ) -> Result<Arguments, Interrupt> {
        match self.0.get(&tool.name) {
            Some(handler) => handler.prepare(arguments, context).await,
            None => Ok(arguments),
        }
    }

    /// Calls the function of `tool`. A panic becomes a failed outcome.
    pub(crate) async fn call(
        &self,
        tool: &Tool,
        arguments: Arguments,
        context: Context,
        limit: Option<Duration>,
    ) -> Result<Outcome, Interrupt> {
        let Some(handler) = self.0.get(&tool.name) else {
            let message = format!("no function is registered for the native tool `{}`", tool.name);
            return Ok(failures::to_outcome(tool, Failure::new(ErrorType::NotCallable, message)));
        };
        let cancel = context.cancel_token().clone();
        // The function itself may panic before it returns a future, hence the async block.
        let work =
            AssertUnwindSafe(async move { handler.call(arguments, context).await }).catch_unwind();
        // The tool is polled first, so that one that handles cancellation can return its own outcome.
        let failure = tokio::select! {
            biased;
            result = work => match result {
                Ok(result) => {
                    debug_assert!(result.as_ref().is_ok_and(|outcome| matches_output_schema(tool, outcome)) || result.is_err(), "{result:?}");
                    return result;
                }
                Err(panic) => panic_failure(tool, panic.as_ref()),
            },
            () = cancel.cancelled() => Failure::new(ErrorType::Cancelled, format!("`{}` was cancelled", tool.name)),
            limit = wait_for_timeout(limit) => timeout_failure(tool, limit),
        };
        Ok(failures::to_outcome(tool, failure))
    }
}

/// Whether a result matches the output schema of the tool. Clients check this, too.
fn matches_output_schema(tool: &Tool, outcome: &Outcome) -> bool {
    let (Some(output), Some(structured)) = (&tool.output, &outcome.structured) else {
        return true;
    };
    let is_enveloped = tool.errors == ErrorForm::Envelope;
    // Failures of other tools have the standard error object, which their output schema need not
    // allow.
    (outcome.failed && !is_enveloped)
        || output.validator().is_ok_and(|validator| validator.is_valid(structured))
}

/// Returns after the timeout; without one, never. A native tool may be waiting for a person.
pub(crate) async fn wait_for_timeout(limit: Option<Duration>) -> Duration {
    match limit {
        Some(limit) => {
            tokio::time::sleep(limit).await;
            limit
        }
        None => std::future::pending().await,
    }
}

fn timeout_failure(tool: &Tool, limit: Duration) -> Failure {
    Failure::new(
        ErrorType::TimedOut,
        format!(
            "`{}` was stopped after {} seconds, its time limit",
            tool.name,
            limit.as_secs_f64()
        ),
    )
}

fn panic_failure(tool: &Tool, panic: &(dyn Any + Send)) -> Failure {
    let reason = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "no reason given",
    };
    tracing::error!(tool = tool.name, reason, "a native tool panicked");
    Failure::new(ErrorType::InternalError, format!("`{}` panicked: {reason}", tool.name))
}
