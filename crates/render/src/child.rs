//! Runs one program of a render within its limits.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus, sync::Arc, time::Duration};

use catalog::Failure;
use futures_util::future::{Either, join3, select};
use parking_lot::Mutex;
use process::{ChildStdin, Command, Launcher};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    time::{sleep, timeout},
};

use super::{
    exchange,
    log::Log,
    watchdog::{self, LimitExceeded, ResourceLimits},
};

/// Timeout for output after the program has exited, because a descendant may hold the pipes open.
const OUTPUT_GRACE: Duration = Duration::from_millis(250);
const CHUNK_BYTES: usize = 64 * 1024;

/// How to run a program.
pub(super) struct RunRequest {
    /// Bytes for stdin.
    pub(super) input: Option<Vec<u8>>,
    /// How to treat stdout.
    pub(super) output: Output,
    pub(super) timeout: Duration,
    /// Limits for all its processes together; `None` if a container enforces them.
    pub(super) limits: Option<ResourceLimits>,
}

/// How stdout is treated.
#[derive(Clone, Copy)]
pub(super) enum Output {
    /// Appended to the log.
    Log,
    /// Collected as data, up to this many bytes.
    Data(usize),
}

/// Why a render stopped.
#[derive(Debug)]
pub(super) enum ExitReason {
    /// Exited with this code.
    Exited(i32),
    /// Killed by a signal that we did not send.
    Signalled(i32),
    /// Reached its time limit.
    TimedOut,
    /// Exceeded a resource limit.
    LimitExceeded(LimitExceeded),
}

impl ExitReason {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or_default()),
        }
    }
}

/// Runs a program until it stops; returns the reason and the data from stdout.
pub(super) async fn run(
    launcher: &Arc<Launcher>,
    command: Arc<Command>,
    request: RunRequest,
    log: &mut Log,
) -> Result<(ExitReason, Vec<u8>), Failure> {
    let started = launcher.start(&command).await;
    let mut running = started.map_err(|error| {
        exchange::io_failure(&format!("`{}` could not be started", error.program), &error.source)
    })?;
    let group = watchdog::ProcessGroupId {
        leader: running.leader(),
        folder: running.folder().map(Into::into).unwrap_or_default(),
    };
    let (input, out, err) =
        (running.child.stdin.take(), running.child.stdout.take(), running.child.stderr.take());
    let (log, mut data) = (Mutex::new(log), Vec::new());
    let streams = join3(
        write_input(input, request.input),
        drain(out, request.output, &mut data, &log),
        async {
            drain(err, Output::Log, &mut Vec::new(), &log).await;
        },
    );
    let supervision = async {
        tokio::select! {
            status = running.child.wait() => status.map_or(ExitReason::Signalled(0), ExitReason::of),
            () = sleep(request.timeout) => ExitReason::TimedOut,
            excess = watchdog::watch(request.limits.as_ref(), &group) => ExitReason::LimitExceeded(excess),
        }
    };
    let exit = match select(std::pin::pin!(streams), std::pin::pin!(supervision)).await {
        Either::Left((_, supervision)) => supervision.await,
        Either::Right((exit, streams)) => {
            let _ = timeout(OUTPUT_GRACE, streams).await;
            exit
        }
    };
    match exit {
        // Finding processes that left the group is slow, and a normal exit rarely leaves any: do
        // not wait.
        ExitReason::Exited(_) => drop(tokio::spawn(running.kill())),
        _ => drop(running.kill().await),
    }
    Ok((exit, data))
}

/// Writes stdin and closes it. A program need not read it all, so write errors are ignored.
async fn write_input(pipe: Option<ChildStdin>, input: Option<Vec<u8>>) {
    if let (Some(mut pipe), Some(input)) = (pipe, input) {
        let _ = pipe.write_all(&input).await;
    }
}

async fn drain(
    pipe: Option<impl AsyncRead + Unpin>,
    output: Output,
    data: &mut Vec<u8>,
    log: &Mutex<&mut Log>,
) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    while let Ok(1..) = pipe.read_buf(&mut chunk).await {
        match output {
            Output::Log => log.lock().append(&chunk),
            // One byte more than allowed shows that there was more.
            Output::Data(most) => data.extend_from_slice(
                &chunk[..chunk.len().min((most + 1).saturating_sub(data.len()))],
            ),
        }
        chunk.clear();
    }
}
