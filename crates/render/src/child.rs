//! One program of a render, from its start to its end, within its bounds.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus, sync::Arc, time::Duration};

use catalog::Failure;
use futures_util::future::{Either, join3, select};
use parking_lot::Mutex;
use process::{Command, Launcher};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::ChildStdin,
    time::{sleep, timeout},
};

use super::{
    log::Log,
    verdict,
    watchdog::{self, Ceiling, Excess},
};

/// How long output is awaited once the program has ended: someone else may hold the pipes open.
const LINGER: Duration = Duration::from_millis(250);
const CHUNK_BYTES: usize = 64 * 1024;

/// What accompanies a plan to its program.
pub(super) struct Errand {
    /// What it reads.
    pub(super) input: Option<Vec<u8>>,
    /// What its standard output is.
    pub(super) output: Output,
    pub(super) timeout: Duration,
    /// What it may take of the machine, where nobody else sees to that.
    pub(super) ceiling: Option<Ceiling>,
}

/// What standard output is.
#[derive(Clone, Copy)]
pub(super) enum Output {
    /// More of the log.
    Log,
    /// Data, of which at most so many bytes are taken.
    Data(usize),
}

/// How a render ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself.
    Exited(i32),
    /// By a signal that we did not send.
    Signalled(i32),
    /// Its time was over.
    TimedOut,
    /// It took more than it may.
    Excess(Excess),
}

impl Ended {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or_default()),
        }
    }
}

/// Runs a program to its end; says how it ended, and what data it wrote.
pub(super) async fn run(
    launcher: &Arc<Launcher>,
    command: Arc<Command>,
    errand: Errand,
    log: &mut Log,
) -> Result<(Ended, Vec<u8>), Failure> {
    let started = launcher.start(&command).await;
    let mut running = started.map_err(|error| {
        verdict::machine(&format!("`{}` could not be started", error.program), &error.source)
    })?;
    let mark = watchdog::Mark {
        leader: running.leader(),
        folder: running.folder().map(Into::into).unwrap_or_default(),
    };
    let (input, out, err) =
        (running.child.stdin.take(), running.child.stdout.take(), running.child.stderr.take());
    let (log, mut data) = (Mutex::new(log), Vec::new());
    let streams =
        join3(feed(input, errand.input), drain(out, errand.output, &mut data, &log), async {
            drain(err, Output::Log, &mut Vec::new(), &log).await;
        });
    let supervision = async {
        tokio::select! {
            status = running.child.wait() => status.map_or(Ended::Signalled(0), Ended::of),
            () = sleep(errand.timeout) => Ended::TimedOut,
            excess = watchdog::watch(errand.ceiling.as_ref(), &mark) => Ended::Excess(excess),
        }
    };
    let ended = match select(std::pin::pin!(streams), std::pin::pin!(supervision)).await {
        Either::Left((_, supervision)) => supervision.await,
        Either::Right((ended, streams)) => {
            let _ = timeout(LINGER, streams).await;
            ended
        }
    };
    match ended {
        // Whoever left its group is looked for, and nobody need wait for that.
        Ended::Exited(_) => drop(tokio::spawn(running.kill())),
        _ => drop(running.kill().await),
    }
    Ok((ended, data))
}

/// Writes the input and closes it. A program that does not read it all is within its rights.
async fn feed(pipe: Option<ChildStdin>, input: Option<Vec<u8>>) {
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
            Output::Log => log.lock().hear(&chunk),
            // One more than allowed tells that there was more.
            Output::Data(most) => data.extend_from_slice(
                &chunk[..chunk.len().min((most + 1).saturating_sub(data.len()))],
            ),
        }
        chunk.clear();
    }
}
