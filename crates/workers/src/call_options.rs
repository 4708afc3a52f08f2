//! The limits of one call, and where its output goes.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use catalog::{ErrorType, Failure, Tool};
use process::{OutputBuffer, OutputListener, OutputStream, ProcessId};
use tokio_util::sync::CancellationToken;

use crate::{deadline::Deadline, profile::WorkerProfile, results::ResultSink};

/// The limits of one call, and where its output goes.
#[derive(Clone, Copy)]
pub struct CallOptions<'a> {
    /// Interrupts the function when cancelled.
    pub cancel: &'a CancellationToken,
    /// Timeout of the function.
    pub timeout: Duration,
    /// Maximum bytes of the value and of each output stream in the outcome.
    pub output_bytes: usize,
    /// Takes whatever is longer than that.
    pub sink: &'a dyn ResultSink,
    /// Observes the call, if it runs as an operation.
    pub observer: Option<&'a dyn CallObserver>,
    /// If a person approved the call, checks that it still is what was approved. Called right
    /// before the function runs: while the call waits for its session, an earlier one may change
    /// files. An approved call runs in a worker without other tools.
    pub verify: Option<&'a (dyn Fn() -> Result<ApprovedFiles, Failure> + Send + Sync)>,
    /// A file for the system calls of the worker, which is then traced instead of sandboxed and
    /// runs no other call.
    pub trace: Option<&'a Path>,
}

/// The files that a person approved, with the digests (SHA-256, hexadecimal) of their contents.
pub type ApprovedFiles = Vec<(PathBuf, String)>;

/// Observes a call while it runs.
pub trait CallObserver: Sync {
    /// Called when a worker takes the call. The process is recorded so that it can be found and
    /// killed after a crash of the server.
    fn on_start(&self, worker: Option<ProcessId>);

    /// A listener for one of the output streams.
    fn new_listener(&self) -> Box<dyn OutputListener>;
}

/// Captures the output of a worker during one call.
pub(crate) struct OutputCapture<'a> {
    pub(crate) stdout: OutputBuffer<'a>,
    pub(crate) stderr: OutputBuffer<'a>,
}

impl<'a> CallOptions<'a> {
    pub(crate) fn new_capture(&self) -> OutputCapture<'a> {
        let buffer = |stream| {
            let listener = self.observer.map(CallObserver::new_listener);
            OutputBuffer::new(stream, self.output_bytes, self.sink).with_listener(listener)
        };
        OutputCapture { stdout: buffer(OutputStream::Stdout), stderr: buffer(OutputStream::Stderr) }
    }

    /// The profile of the worker for this call.
    pub(crate) fn profile(&self, tool: &Tool) -> WorkerProfile {
        WorkerProfile::of(tool, self.verify.is_some(), self.trace)
    }

    /// Fails unless the call is still what a person approved. Returns the approved files; `None` if
    /// the call needed no approval.
    pub(crate) fn check_approved(&self) -> Result<Option<ApprovedFiles>, Failure> {
        self.verify.map(|verify| verify()).transpose()
    }

    /// Starts the timer of the call.
    pub(crate) fn start_deadline(&self, grace: Duration) -> Deadline<'a> {
        Deadline::new(self.cancel, self.timeout, grace)
    }

    /// Completes some work unless the call is cancelled first.
    pub(crate) async fn unless_cancelled<T>(
        &self,
        tool: &Tool,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        tokio::select! {
            // Cancellation first: if both are ready, starting the call would only mean interrupting
            // it at once.
            biased;
            () = self.cancel.cancelled() => {
                let message = format!("`{}` was cancelled before it started", tool.name);
                Err(Failure::new(ErrorType::Cancelled, message))
            }
            done = work => Ok(done),
        }
    }
}
