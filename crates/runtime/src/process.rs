//! The backend of programs: waits for one to end, within its time, and keeps what it says.

use std::{
    io,
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::Failure;
use futures_util::future::{Either, join3, select};
use rustix::process::Signal;
use tokio::{
    io::AsyncWriteExt,
    process::ChildStdin,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Plan, Runtime,
    capture::{Capture, Captured, Stream},
    outputs::Spill,
    spawn::Running,
};

/// How long output is awaited once the program has ended: someone else may hold the pipes open.
const LINGER: Duration = Duration::from_millis(250);
/// How often a group that was told to end is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// How a program ended, and what it said.
pub(crate) struct Ended {
    pub(crate) verdict: Verdict,
    pub(crate) duration: Duration,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// By itself, or by a signal from elsewhere.
    Exited(ExitStatus),
    /// Its time was over.
    TimedOut(Duration),
    /// Its call was cancelled.
    Cancelled,
    /// It could not be waited for.
    Lost(io::Error),
}

impl Runtime {
    /// Carries out a plan, once it is its turn.
    pub(crate) async fn run(&self, plan: Arc<Plan>, cancel: &CancellationToken, limit: Duration) -> Result<Ended, Failure> {
        let _turn = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Failure::new("cancelled", format!("`{}` was cancelled before it started", plan.tool))),
            turn = self.turns.acquire() => turn.expect("the semaphore is never closed"),
        };
        let started = Instant::now();
        let mut running = self.door.start(&plan).await.map_err(|error| cannot_start(&plan, &error))?;
        let spill = Spill::new(&self.outputs);
        let mut stdout = Capture::new(Stream::Stdout, self.settings.output_bytes, &spill);
        let mut stderr = Capture::new(Stream::Stderr, self.settings.output_bytes, &spill);
        let limits = Limits { limit, grace: self.settings.grace, cancel };
        let (verdict, is_settled) = conduct(&mut running, &plan, &mut stdout, &mut stderr, limits).await;
        let duration = started.elapsed();
        match verdict {
            Verdict::Exited(_) if is_settled => running.over(),
            _ => running.kill().await,
        }
        let (stdout, stderr) = (stdout.finish().await, stderr.finish().await);
        tracing::debug!(tool = plan.tool, ?verdict, ?duration, "a program ended");
        Ok(Ended { verdict, duration, stdout, stderr })
    }
}

struct Limits<'a> {
    limit: Duration,
    grace: Duration,
    cancel: &'a CancellationToken,
}

/// Feeds and drains the program until it ends; also tells whether all of its output was seen.
async fn conduct(
    running: &mut Running,
    plan: &Plan,
    stdout: &mut Capture<'_>,
    stderr: &mut Capture<'_>,
    limits: Limits<'_>,
) -> (Verdict, bool) {
    let input = running.child.stdin.take();
    let (out, err) = (running.child.stdout.take(), running.child.stderr.take());
    let streams = join3(feed(input, plan.stdin.as_deref()), stdout.drain(out), stderr.drain(err));
    let group = running.group;
    match select(std::pin::pin!(streams), std::pin::pin!(supervise(running, limits))).await {
        Either::Left((_, supervision)) => (supervision.await, true),
        Either::Right((verdict, mut streams)) => {
            if timeout(LINGER, &mut streams).await.is_ok() {
                return (verdict, true);
            }
            // What is still in the pipes is read once nobody in the group can add to it.
            group.signal(Signal::KILL);
            let _ = timeout(LINGER, streams).await;
            (verdict, false)
        }
    }
}

/// Waits for the end of the program, and brings it about when its time is over.
async fn supervise(running: &mut Running, limits: Limits<'_>) -> Verdict {
    let verdict = tokio::select! {
        status = running.child.wait() => return status.map_or_else(Verdict::Lost, Verdict::Exited),
        () = sleep(limits.limit) => Verdict::TimedOut(limits.limit),
        () = limits.cancel.cancelled() => Verdict::Cancelled,
    };
    running.group.signal(Signal::TERM);
    let _ = timeout(limits.grace, gone(running)).await;
    running.group.signal(Signal::KILL);
    // A process stuck in the kernel must not hold up the answer.
    let _ = timeout(limits.grace, running.child.wait()).await;
    verdict
}

/// Ends when the leader and everyone else in its group are gone.
async fn gone(running: &mut Running) {
    let _ = running.child.wait().await;
    while running.group.is_alive() {
        sleep(GLANCE).await;
    }
}

/// Writes the input and closes it. A program that does not read it all is within its rights.
async fn feed(pipe: Option<ChildStdin>, text: Option<&str>) {
    if let (Some(mut pipe), Some(text)) = (pipe, text) {
        let _ = pipe.write_all(text.as_bytes()).await;
    }
}

fn cannot_start(plan: &Plan, error: &io::Error) -> Failure {
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("`{}` could not be started: its interpreter was not found", plan.program),
        _ => format!("`{}` could not be started: {error}", plan.program),
    };
    Failure::new("cannot_start", message)
}
