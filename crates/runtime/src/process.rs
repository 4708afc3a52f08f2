//! The backend of programs: waits for one to end, within its time, and keeps what it says.

use std::{
    io,
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure};
use fancy_regex::Regex;
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
    operations::Live,
    outputs::Spill,
    processes::Killed,
    spawn::Running,
    tap::Tap,
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
    /// Whom of it had to be ended.
    pub(crate) killed: Vec<Killed>,
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

/// What accompanies a plan to its program.
pub(crate) struct Errand<'a> {
    /// Ends it.
    pub(crate) cancel: &'a CancellationToken,
    /// Its time.
    pub(crate) limit: Duration,
    /// How much of each output stream is answered.
    pub(crate) output_bytes: usize,
    /// The operation that it belongs to, and as which step.
    pub(crate) live: Option<(&'a Arc<Live>, &'a str)>,
    /// What finds progress in its output.
    pub(crate) pattern: Option<Arc<Regex>>,
}

impl Runtime {
    /// Carries out a plan, whose turn it is.
    pub(crate) async fn run(&self, plan: Arc<Plan>, errand: Errand<'_>) -> Result<Ended, Failure> {
        let started = Instant::now();
        let place = errand.live.map(|(live, _)| live.folder());
        let mut running =
            self.door.start(&plan, place).await.map_err(|error| cannot_start(&plan, &error))?;
        if let Some((live, _)) = errand.live {
            live.running(running.leader());
        }
        let spill = match errand.live {
            Some((live, step)) => {
                Spill::of_operation(&self.outputs, format!("{}{step}", live.id()))
            }
            None => Spill::new(&self.outputs),
        };
        let tap =
            || errand.live.map(|(live, _)| Tap::new(Arc::clone(live), errand.pattern.clone()));
        let mut stdout = Capture::new(Stream::Stdout, errand.output_bytes, &spill).tapped(tap());
        let mut stderr = Capture::new(Stream::Stderr, errand.output_bytes, &spill).tapped(tap());
        let limits =
            Limits { limit: errand.limit, grace: self.settings.grace, cancel: errand.cancel };
        let (verdict, mut killed, is_settled) =
            conduct(&mut running, &plan, &mut stdout, &mut stderr, limits).await;
        let duration = started.elapsed();
        match verdict {
            Verdict::Exited(_) if is_settled => running.over().await,
            _ => killed.extend(running.kill().await),
        }
        // Who was told to end and did not is met again; the first sight knows how it ended.
        killed.sort_by_key(|killed| killed.pid);
        killed.dedup_by_key(|killed| killed.pid);
        let (stdout, stderr) = (stdout.finish().await, stderr.finish().await);
        tracing::debug!(tool = plan.tool, ?verdict, ?duration, "a program ended");
        Ok(Ended { verdict, duration, stdout, stderr, killed })
    }
}

struct Limits<'a> {
    limit: Duration,
    grace: Duration,
    cancel: &'a CancellationToken,
}

/// Feeds and drains the program until it ends; also tells who had to be ended, and whether all of its
/// output was seen.
async fn conduct(
    running: &mut Running,
    plan: &Plan,
    stdout: &mut Capture<'_>,
    stderr: &mut Capture<'_>,
    limits: Limits<'_>,
) -> (Verdict, Vec<Killed>, bool) {
    let input = running.child.stdin.take();
    let (out, err) = (running.child.stdout.take(), running.child.stderr.take());
    let streams = join3(feed(input, plan.stdin.as_deref()), stdout.drain(out), stderr.drain(err));
    let group = running.group;
    match select(std::pin::pin!(streams), std::pin::pin!(supervise(running, limits))).await {
        Either::Left((_, supervision)) => {
            let (verdict, killed) = supervision.await;
            (verdict, killed, true)
        }
        Either::Right(((verdict, killed), mut streams)) => {
            if timeout(LINGER, &mut streams).await.is_ok() {
                return (verdict, killed, true);
            }
            // What is still in the pipes is read once nobody in the group can add to it.
            group.signal(Signal::KILL);
            let _ = timeout(LINGER, streams).await;
            (verdict, killed, false)
        }
    }
}

/// Waits for the end of the program, and brings it about when its time is over.
async fn supervise(running: &mut Running, limits: Limits<'_>) -> (Verdict, Vec<Killed>) {
    let verdict = tokio::select! {
        status = running.child.wait() => return (status.map_or_else(Verdict::Lost, Verdict::Exited), Vec::new()),
        () = sleep(limits.limit) => Verdict::TimedOut(limits.limit),
        () = limits.cancel.cancelled() => Verdict::Cancelled,
    };
    let members = running.members().await;
    running.group.signal(Signal::TERM);
    let _ = timeout(limits.grace, gone(running)).await;
    let killed = members.into_iter().map(|seen| {
        let signal = if seen.is_alive() { Signal::KILL } else { Signal::TERM };
        seen.killed_by(signal)
    });
    let killed = killed.collect();
    running.group.signal(Signal::KILL);
    // A process stuck in the kernel must not hold up the answer.
    let _ = timeout(limits.grace, running.child.wait()).await;
    (verdict, killed)
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
        io::ErrorKind::NotFound => {
            format!("`{}` could not be started: its interpreter was not found", plan.program)
        }
        _ => format!("`{}` could not be started: {error}", plan.program),
    };
    Failure::new(ErrorType::CannotStart, message)
}
