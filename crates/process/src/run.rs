//! Runs a started process until it exits, times out or is cancelled, and captures its output.

use std::{io, process::ExitStatus, time::Duration};

use futures_util::future::{Either, join3, select};
use rustix::process::Signal;
use tokio::{
    io::AsyncWriteExt,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    command::Command,
    launcher::{ChildProcess, ChildStdin},
    output::{CapturedOutput, OutputBuffer},
    process_table::KilledProcess,
    sandbox::{SandboxLevel, Violation},
};

/// Timeout for EOF after the process has exited, because a descendant may hold the pipes open.
const LINGER: Duration = Duration::from_millis(250);

/// The limits of a run, and where its output goes.
pub struct RunOptions<'a> {
    /// When to stop the process.
    pub timeout: Duration,
    /// Grace period between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Stops the process when cancelled.
    pub cancel: &'a CancellationToken,
    /// Receives standard output.
    pub stdout: OutputBuffer<'a>,
    /// Receives standard error.
    pub stderr: OutputBuffer<'a>,
}

/// The result of a run.
pub struct Finished {
    /// Why the process ended.
    pub reason: ExitReason,
    /// The sandbox level that was applied to it.
    pub level: SandboxLevel,
    /// The time since the start was requested.
    pub duration: Duration,
    /// Its standard output.
    pub stdout: CapturedOutput,
    /// Its standard error.
    pub stderr: CapturedOutput,
    /// Processes that had to be killed.
    pub killed: Vec<KilledProcess>,
}

/// Why a process ended.
#[derive(Debug)]
pub enum ExitReason {
    /// It exited by itself, or was killed by a signal from elsewhere.
    Exited(ExitStatus),
    /// It was stopped after this timeout.
    TimedOut(Duration),
    /// It was stopped because its call was cancelled.
    Cancelled,
    /// It was killed with all its processes for this violation.
    Killed(Violation),
    /// Waiting for it failed.
    WaitFailed(io::Error),
}

/// Feeds and drains the process until it ends, and kills whatever is left of it.
pub async fn run_to_exit(
    mut child: ChildProcess,
    command: &Command,
    mut options: RunOptions<'_>,
) -> Finished {
    let (requested, level) = (child.requested, child.level);
    let (reason, mut killed, is_drained) = drive(&mut child, command, &mut options).await;
    let duration = requested.elapsed();
    match reason {
        ExitReason::Exited(_) if is_drained => child.clean_up().await,
        // Without EOF a descendant still holds the pipes. `kill` reports it, `clean_up` would not.
        _ => killed.extend(child.kill().await),
    }
    // A process that ignored SIGTERM is listed twice; the first entry has the right signal.
    killed.sort_by_key(|killed| killed.pid);
    killed.dedup_by_key(|killed| killed.pid);
    let (stdout, stderr) = (options.stdout.finish().await, options.stderr.finish().await);
    tracing::debug!(tool = command.label, ?reason, ?duration, "a program ended");
    Finished { reason, level, duration, stdout, stderr, killed }
}

/// Also returns the processes that had to be stopped, and whether all output was read.
async fn drive(
    child: &mut ChildProcess,
    command: &Command,
    options: &mut RunOptions<'_>,
) -> (ExitReason, Vec<KilledProcess>, bool) {
    let RunOptions { timeout: limit, grace, cancel, stdout, stderr } = options;
    let input = child.child.stdin.take();
    let (out, err) = (child.child.stdout.take(), child.child.stderr.take());
    let text = command.stdin.as_deref().unwrap_or_default();
    let streams = join3(write_stdin(input, text.as_bytes()), stdout.drain(out), stderr.drain(err));
    let group = child.group.clone();
    let supervision = supervise(child, *limit, *grace, cancel);
    match select(std::pin::pin!(streams), std::pin::pin!(supervision)).await {
        // A program may close its output and keep running.
        Either::Left((_, supervision)) => {
            let (reason, killed) = supervision.await;
            (reason, killed, true)
        }
        Either::Right(((reason, killed), mut streams)) => {
            if timeout(LINGER, &mut streams).await.is_ok() {
                return (reason, killed, true);
            }
            // Kill the writers first, so that draining the pipes comes to an end.
            group.signal(Signal::KILL);
            let _ = timeout(LINGER, streams).await;
            (reason, killed, false)
        }
    }
}

/// Waits for the process to exit, and stops it on timeout or cancellation.
async fn supervise(
    child: &mut ChildProcess,
    limit: Duration,
    grace: Duration,
    cancel: &CancellationToken,
) -> (ExitReason, Vec<KilledProcess>) {
    let reason = tokio::select! {
        status = child.child.wait() => {
            let reason = match child.child.violation() {
                Some(violation) => ExitReason::Killed(violation),
                None => status.map_or_else(ExitReason::WaitFailed, ExitReason::Exited),
            };
            return (reason, Vec::new());
        }
        () = sleep(limit) => ExitReason::TimedOut(limit),
        () = cancel.cancelled() => ExitReason::Cancelled,
    };
    // Listed before the signal, so that the report includes those that end by it.
    let members = child.members().await;
    child.group.terminate();
    let _ = timeout(grace, child.child.wait_until_gone()).await;
    let killed = members.into_iter().map(|found| {
        let signal = if found.is_alive() { Signal::KILL } else { Signal::TERM };
        found.killed_by(signal)
    });
    let killed = killed.collect();
    child.group.signal(Signal::KILL);
    // A process stuck in the kernel must not delay the result.
    let _ = timeout(grace, child.child.wait()).await;
    (reason, killed)
}

/// Writes all input and closes the pipe. Errors are ignored: a program need not read its input.
pub async fn write_stdin(pipe: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input).await;
    }
}
