//! One process that waits for calls: how it is started, called, interrupted and killed.
//!
//! Requests and replies use two named pipes in its private folder, so that whatever a function
//! prints cannot be mistaken for a reply. A function that writes to stdout before it returns has
//! written to that pipe by the time its reply arrives, so after the last reply one non-blocking
//! read gets all of its output.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure};
use process::{ChildProcess, Command, Launcher, ProcessId};
use rustix::{
    fs::{Mode, OFlags},
    process::Signal,
};
use tokio::{
    io::AsyncWriteExt,
    net::unix::pipe::{Receiver, Sender},
    sync::OwnedSemaphorePermit,
    time::{sleep_until, timeout},
};

use crate::{
    call_options::OutputCapture,
    deadline::{Deadline, Expired},
    pipe::WorkerPipe,
    profile::WorkerProfile,
    worker_failure::WorkerFailure,
};

/// The named pipes of a worker, for requests and for replies. Its script opens them by these names.
pub(crate) const PIPES: [&str; 2] = ["requests", "replies"];
/// Timeout for a worker to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum length of a reply, in bytes: twice the longest copy of a state and the longest value
/// from Python. Long values from R arrive in chunks that are far shorter.
const MAX_REPLY_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of replies to one request. A value of many gigabytes takes some thousands.
const MAX_REPLIES: u32 = 1_000_000;
/// Maximum bytes in all replies to one request: more than the default memory of a worker.
const MAX_REPLY_BYTES_TOTAL: u64 = 8 * 1024 * 1024 * 1024;
/// The capacity that the reply buffer keeps between calls.
const BUFFER_BYTES: usize = 64 * 1024;
/// Time of polling for a reply before sleeping. Most functions return within this time, and waking
/// up from a sleep can take longer than that.
const POLL_TIME: Duration = Duration::from_micros(100);

/// One process that waits for calls.
pub(crate) struct Worker {
    process: ChildProcess,
    requests: Sender,
    replies: WorkerPipe,
    stdout: WorkerPipe,
    stderr: WorkerPipe,
    pub(crate) profile: WorkerProfile,
    /// The version of the session's state that it has.
    pub(crate) state_version: u64,
    /// Whether a request was sent whose last reply was not read. If a call is dropped halfway, this
    /// stays true and the worker is not used again.
    is_busy: bool,
    /// Whether a function was called in it, which may have changed its private folder.
    pub(crate) has_run: bool,
    /// The copy of the sources of an approved R function.
    pub(crate) approved_sources: Option<PathBuf>,
    received: ReplyCounter,
    /// Number of bytes of the next request that were already sent. See [`Worker::prewarm`].
    prewritten: usize,
    pub(crate) last_used: Instant,
    /// How long its session had made no call when it was started.
    pub(crate) absence: Duration,
    _slot: OwnedSemaphorePermit,
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    pub(crate) async fn start(
        launcher: &Arc<Launcher>,
        command: &Arc<Command>,
        profile: WorkerProfile,
        slot: OwnedSemaphorePermit,
    ) -> Result<Self, Failure> {
        let cannot_start = |reason: String| {
            Failure::new(
                ErrorType::CannotStart,
                format!("`{}` could not be started: {reason}", command.program),
            )
        };
        let mut process = launcher
            .start(command)
            .await
            .map_err(|error| cannot_start(error.source.to_string()))?;
        // The launcher makes a private folder for commands with pipes, so the default is never
        // used.
        let folder = process.folder().map(Path::to_owned).unwrap_or_default();
        let (requests, [replies, stdout, stderr]) =
            open_pipes(&mut process, &folder).map_err(|error| cannot_start(error.to_string()))?;
        let mut worker = Self {
            process,
            requests,
            replies,
            stdout,
            stderr,
            profile,
            state_version: 0,
            // Busy until it is ready: a start that is dropped halfway must not leave a worker that
            // looks idle.
            is_busy: true,
            has_run: false,
            approved_sources: None,
            received: ReplyCounter::default(),
            prewritten: 0,
            last_used: Instant::now(),
            absence: Duration::ZERO,
            _slot: slot,
        };
        match timeout(START_TIMEOUT, worker.wait_until_ready()).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Err(cannot_start(worker.startup_error(&failure))),
            Err(_) => {
                let seconds = START_TIMEOUT.as_secs();
                return Err(cannot_start(format!("it was not ready after {seconds} seconds")));
            }
        }
        // Both sides have opened the pipes. Functions must not find them by name.
        for name in PIPES {
            let _ = fs::remove_file(folder.join(name));
        }
        worker.is_busy = false;
        Ok(worker)
    }

    /// The path of its private folder.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.process.folder()
    }

    /// Waits for the first message, whatever it is.
    async fn wait_until_ready(&mut self) -> Result<(), WorkerFailure> {
        loop {
            if self.take_reply()?.is_some() {
                return Ok(());
            }
            let Self { process, replies, .. } = self;
            tokio::select! {
                () = replies.read() => check_open(replies)?,
                status = process.child.wait() => {
                    return Err(WorkerFailure::from_exit(&process.child, status));
                }
            }
        }
    }

    /// Whether it can take a call: it runs, and the last call was read to its end.
    pub(crate) fn is_idle(&mut self) -> bool {
        !self.is_busy && matches!(self.process.child.try_wait(), Ok(None))
    }

    /// Identifies the process so that recovery can find it.
    pub(crate) fn process_id(&self) -> Option<ProcessId> {
        self.process.leader()
    }

    /// Wakes the worker with the first bytes of the next request, which are the same for all
    /// requests. It wakes up on its core while the rest of the request is validated and encoded.
    pub(crate) fn prewarm(&mut self, header: &[u8]) {
        if !self.is_busy && self.prewritten == 0 {
            self.prewritten = self.requests.try_write(header).unwrap_or_default();
        }
    }

    /// Sends a request. Read its replies with [`Self::next_reply`], then call
    /// [`Self::finish_request`].
    pub(crate) async fn send(
        &mut self,
        request: &[u8],
        deadline: &mut Deadline<'_>,
    ) -> Result<(), WorkerFailure> {
        self.is_busy = true;
        self.received = ReplyCounter::default();
        self.last_used = Instant::now();
        // The header was sent by `prewarm`; sending it twice would corrupt the stream.
        let request = &request[std::mem::take(&mut self.prewritten)..];
        let Self { process, requests, .. } = self;
        tokio::select! {
            biased;
            sent = requests.write_all(request) => {
                sent.map_err(|error| WorkerFailure::Protocol(error.to_string()))
            }
            status = process.child.wait() => Err(WorkerFailure::from_exit(&process.child, status)),
            // Half a request cannot be taken back, so the worker is lost.
            () = deadline.wait() => {
                deadline.expire();
                Err(WorkerFailure::Unresponsive)
            }
        }
    }

    /// Reads the next reply, and captures output meanwhile. Interrupts the function on timeout or
    /// cancellation; it then has to reply within the grace period.
    pub(crate) async fn next_reply(
        &mut self,
        capture: &mut OutputCapture<'_>,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<u8>, WorkerFailure> {
        loop {
            if let Some(reply) = self.take_reply()? {
                return Ok(reply);
            }
            // `send` set this time, so polling ends 100 µs after the request, not after each reply.
            if self.last_used.elapsed() < POLL_TIME {
                self.poll_replies();
                continue;
            }
            let pause = deadline.output_pause();
            let Self { process, replies, stdout, stderr, .. } = self;
            tokio::select! {
                // The order matters: a worker that replied and then exited has replied.
                biased;
                () = replies.read() => check_open(replies)?,
                status = process.child.wait() => {
                    self.capture_output(capture).await;
                    return Err(WorkerFailure::from_exit(&self.process.child, status));
                }
                () = wait_for_pause(pause), if pause.is_some() => {}
                () = stdout.read(), if pause.is_none() && stdout.is_open() => {
                    deadline.start_output_pause();
                    capture.stdout.push(&stdout.buffer).await;
                    stdout.clear();
                }
                () = stderr.read(), if pause.is_none() && stderr.is_open() => {
                    deadline.start_output_pause();
                    capture.stderr.push(&stderr.buffer).await;
                    stderr.clear();
                }
                () = deadline.wait() => match deadline.expire() {
                    Expired::Call => process.group.signal(Signal::INT),
                    Expired::Grace => return Err(WorkerFailure::Unresponsive),
                },
            }
        }
    }

    /// Reads without waiting. If there is nothing, yields so that another thread can run on this
    /// core: on a busy machine that may be the worker.
    fn poll_replies(&mut self) {
        if !self.replies.try_read() {
            thread::yield_now();
        }
    }

    /// Captures the output up to now, without waiting.
    pub(crate) async fn capture_output(&mut self, capture: &mut OutputCapture<'_>) {
        while self.stdout.try_read() {
            capture.stdout.push(&self.stdout.buffer).await;
            self.stdout.clear();
        }
        while self.stderr.try_read() {
            capture.stderr.push(&self.stderr.buffer).await;
            self.stderr.clear();
        }
    }

    /// Marks the worker as idle: the last reply to a request was read.
    pub(crate) fn finish_request(&mut self) {
        self.is_busy = false;
        self.last_used = Instant::now();
    }

    /// Kills it with all of its descendants.
    pub(crate) async fn kill(self) {
        self.process.kill().await;
    }

    /// Takes a complete reply from the buffer: its length as a little-endian `u32`, then the
    /// payload.
    fn take_reply(&mut self) -> Result<Option<Vec<u8>>, WorkerFailure> {
        let buffer = &mut self.replies.buffer;
        let Some((length, rest)) = buffer.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_REPLY_BYTES {
            return Err(WorkerFailure::Protocol(format!("a reply of {length} bytes")));
        }
        let Some(payload) = rest.get(..length) else {
            // All at once: growing step by step would copy a long reply several times.
            buffer.reserve(length + 4 - buffer.len());
            return Ok(None);
        };
        self.received.count(length)?;
        let reply = payload.to_vec();
        buffer.drain(..length + 4);
        if buffer.is_empty() {
            // One long reply must not occupy its memory for as long as the worker lives.
            buffer.shrink_to(BUFFER_BYTES);
        }
        Ok(Some(reply))
    }

    /// Why the worker did not start: its stderr, or how it ended.
    fn startup_error(&mut self, failure: &WorkerFailure) -> String {
        // The worker has exited or sent garbage, so everything it wrote is in the pipe.
        while self.stderr.try_read() {}
        let stderr = String::from_utf8_lossy(&self.stderr.buffer).trim().to_owned();
        match failure {
            _ if !stderr.is_empty() => stderr,
            WorkerFailure::Exited(Some(status)) => status.to_string(),
            WorkerFailure::Killed(violation) => {
                format!("it {}; {}", violation.describe(), violation.advice("limits"))
            }
            other => format!("{other:?}"),
        }
    }
}

/// The replies to the current request so far. A function can write to the pipe itself, for as long
/// as its time limit allows.
#[derive(Default)]
struct ReplyCounter {
    replies: u32,
    bytes: u64,
}

impl ReplyCounter {
    fn count(&mut self, length: usize) -> Result<(), WorkerFailure> {
        self.replies += 1;
        self.bytes += length as u64;
        if self.replies > MAX_REPLIES || self.bytes > MAX_REPLY_BYTES_TOTAL {
            return Err(WorkerFailure::Protocol("too many replies".to_owned()));
        }
        Ok(())
    }
}

/// Opens the named pipes for requests and replies, and takes stdout and stderr.
fn open_pipes(process: &mut ChildProcess, folder: &Path) -> io::Result<(Sender, [WorkerPipe; 3])> {
    // Opened for reading and writing, so that neither side blocks until the other opens its end, or
    // sees a spurious EOF. The worker could have replaced the pipe by a link.
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = |name| rustix::fs::open(folder.join(name), flags, Mode::empty());
    let [requests, replies] = PIPES.map(open);
    let (stdout, stderr) = (
        process.child.stdout.take().expect("stdout is piped"),
        process.child.stderr.take().expect("stderr is piped"),
    );
    let pipes = [
        Receiver::from_owned_fd(replies?)?.into_nonblocking_fd()?,
        stdout.into_nonblocking_fd()?,
        stderr.into_nonblocking_fd()?,
    ];
    let [replies, stdout, stderr] = pipes.map(WorkerPipe::new);
    Ok((Sender::from_owned_fd(requests?)?, [replies?, stdout?, stderr?]))
}

fn check_open(replies: &WorkerPipe) -> Result<(), WorkerFailure> {
    if replies.is_open() {
        Ok(())
    } else {
        Err(WorkerFailure::Protocol("the reply pipe was closed".to_owned()))
    }
}

async fn wait_for_pause(end: Option<Instant>) {
    if let Some(end) = end {
        sleep_until(end.into()).await;
    }
}
