//! The function that runs the calls of a native tool.

use std::{future::Future, sync::Arc};

use catalog::Outcome;

use crate::{Arguments, BoxFuture, Context, Interrupt};

/// The function that runs the calls of a native tool. Implemented for every `async` closure with
/// the signature of [`Handler::call`].
pub trait Handler: Send + Sync + 'static {
    /// Runs one call.
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>>;

    /// Runs before a call becomes an operation, while its client still waits: asks questions that
    /// must be answered first, or rejects the call. Returns the arguments for the call.
    fn prepare(
        &self,
        arguments: Arguments,
        _: Context,
    ) -> BoxFuture<'static, Result<Arguments, Interrupt>> {
        Box::pin(std::future::ready(Ok(arguments)))
    }
}

impl<F, R> Handler for F
where
    F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Outcome, Interrupt>> + Send + 'static,
{
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        Box::pin(self(arguments, context))
    }
}

/// A handler with a function that prepares its calls.
pub(crate) struct PreparedHandler<F> {
    pub(crate) prepare: F,
    pub(crate) handler: Arc<dyn Handler>,
}

impl<F, R> Handler for PreparedHandler<F>
where
    F: Fn(Arguments, Context) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Arguments, Interrupt>> + Send + 'static,
{
    fn call(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        self.handler.call(arguments, context)
    }

    fn prepare(
        &self,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Arguments, Interrupt>> {
        Box::pin((self.prepare)(arguments, context))
    }
}
