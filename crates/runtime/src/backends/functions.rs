//! Shared parts of the backends of R and Python functions: sessions, limits and progress.

use std::sync::Arc;

use catalog::Failure;
use fancy_regex::Regex;
use process::{OutputListener, ProcessId, SandboxLevel};
use workers::{ApprovedFiles, CallObserver, CallOptions, SessionCaller, SessionLease};

use crate::{
    call::ActiveCall, engine::Engine, operations::LiveOperation, outputs::LongOutput,
    progress::ProgressListener,
};

/// Records the progress of an operation that runs a function.
pub(super) struct OperationObserver<'a> {
    operation: &'a Arc<LiveOperation>,
    /// Finds progress in the output.
    pattern: Option<Arc<Regex>>,
}

impl<'a> OperationObserver<'a> {
    /// `None` for a call that is not an operation.
    pub(super) fn new(engine: &Engine, call: &'a ActiveCall) -> Option<Self> {
        let operation = call.operation.as_ref()?;
        Some(Self { operation, pattern: engine.progress_pattern(call) })
    }
}

impl CallObserver for OperationObserver<'_> {
    fn on_start(&self, worker: Option<ProcessId>) {
        self.operation.set_running(worker);
    }

    fn new_listener(&self) -> Box<dyn OutputListener> {
        ProgressListener::boxed(self.operation, self.pattern.as_ref())
    }
}

/// The session of a call. Removes its name from the arguments.
pub(super) async fn open_session(
    engine: &Engine,
    call: &mut ActiveCall,
) -> Result<SessionLease, Failure> {
    let call = &mut call.call;
    let caller = SessionCaller {
        owner: call.context.owner(),
        session: &call.session,
        now: engine.settings.clock.now(),
    };
    engine.workers.open_session(&call.tool, &mut call.arguments, caller).await
}

/// Records the level of the sandbox in which a worker runs the function.
pub(super) fn record_level(engine: &Engine, call: &ActiveCall) {
    let is_traced = call.call.trace.is_some();
    call.level.add(if is_traced { SandboxLevel::None } else { engine.launcher.level() });
}

/// The limits of a call, and where its output goes.
pub(super) fn call_options<'a>(
    engine: &Engine,
    call: &'a ActiveCall,
    long_output: &'a LongOutput<'a>,
    observer: Option<&'a OperationObserver<'a>>,
    verify: &'a (dyn Fn() -> Result<ApprovedFiles, Failure> + Send + Sync),
) -> CallOptions<'a> {
    CallOptions {
        cancel: call.call.context.cancel_token(),
        timeout: call.timeout(engine.settings.timeout_of(&call.call.tool)),
        output_bytes: call.output_bytes,
        sink: long_output,
        observer: observer.map(|observer| observer as &dyn CallObserver),
        verify: call.approved.is_some().then_some(verify),
        trace: call.call.trace.as_deref(),
    }
}
