//! One process that waits for calls: how it is started, spoken to, interrupted and ended.
//!
//! Requests and answers go through two named pipes in its private folder, which are gone from there
//! once it has opened them. What it prints comes by standard output and error. Everything that it
//! printed before it answered is in those pipes when the answer comes.

use std::{
    fs, io,
    path::Path,
    process::ExitStatus,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure, Implementation, Tool};
use process::{ChildProcess, Command, Launcher, OutputBuffer, ProcessId};
use rustix::process::Signal;
use tokio::{
    io::AsyncWriteExt,
    net::unix::pipe::{OpenOptions, Sender},
    sync::OwnedSemaphorePermit,
    time::{sleep_until, timeout},
};

use super::{
    outlet::Outlet,
    patience::{Over, Patience},
    session::Language,
};

/// The pipes: requests go in by the first, answers come out by the second.
pub(crate) const PIPES: [&str; 2] = ["requests", "answers"];
/// How long it may take to start.
const START: Duration = Duration::from_secs(60);
/// The longest answer that is taken: values come in pieces far smaller.
const LONGEST: usize = 64 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;
/// How long an answer is waited for without going to sleep. To be woken may take longer than a function does.
const AWAKE: Duration = Duration::from_micros(100);

/// One process that waits for calls.
pub(crate) struct Worker {
    running: ChildProcess,
    requests: Sender,
    answers: Outlet,
    stdout: Outlet,
    stderr: Outlet,
    /// What it may touch.
    pub(crate) bounds: Bounds,
    /// Which version of its session's state it has.
    pub(crate) holds: u64,
    /// Whether a request was sent whose last answer was not read.
    is_busy: bool,
    /// How much of the next request it has.
    ahead: usize,
    pub(crate) used: Instant,
    _seat: OwnedSemaphorePermit,
}

/// What a worker may touch, as far as tools differ in that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    language: Language,
    is_read_only: bool,
    network: bool,
    /// Where modules are looked for.
    path: Vec<String>,
}

impl Bounds {
    pub(crate) fn of(tool: &Tool) -> Self {
        let (language, path) = match &tool.implementation {
            Implementation::Python(function) => (Language::Python, function.path.clone()),
            _ => (Language::R, Vec::new()),
        };
        Self {
            language,
            is_read_only: tool.annotations.is_read_only(),
            network: tool.annotations.network == Some(true),
            path,
        }
    }
}

/// Why a worker can be spoken to no more.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It ended, by itself or by a signal.
    Ended(Option<ExitStatus>),
    /// What it said makes no sense.
    Garbled(String),
    /// It was told to stop, and did not in time.
    Stuck,
}

/// Who takes what is printed during a call.
pub(crate) struct Ears<'a> {
    pub(crate) stdout: OutputBuffer<'a>,
    pub(crate) stderr: OutputBuffer<'a>,
}

impl Worker {
    /// Starts the program of a command, and waits until it is ready.
    pub(super) async fn start(
        launcher: &Arc<Launcher>,
        command: &Arc<Command>,
        bounds: Bounds,
        seat: OwnedSemaphorePermit,
    ) -> Result<Self, Failure> {
        let cannot = |why: String| {
            Failure::new(
                ErrorType::CannotStart,
                format!("`{}` could not be started: {why}", command.program),
            )
        };
        let mut running =
            launcher.start(command).await.map_err(|error| cannot(error.source.to_string()))?;
        let folder = running.folder().map(|folder| folder.to_owned()).unwrap_or_default();
        let (requests, [answers, stdout, stderr]) =
            opened(&mut running, &folder).map_err(|error| cannot(error.to_string()))?;
        let mut worker = Self {
            running,
            requests,
            answers,
            stdout,
            stderr,
            bounds,
            holds: 0,
            is_busy: true,
            ahead: 0,
            used: Instant::now(),
            _seat: seat,
        };
        match timeout(START, worker.ready()).await {
            Ok(Ok(())) => {}
            Ok(Err(broken)) => return Err(cannot(worker.last_words(&broken))),
            Err(_) => {
                return Err(cannot(format!("it was not ready after {} seconds", START.as_secs())));
            }
        }
        // Nobody else is to speak by them.
        for name in PIPES {
            let _ = fs::remove_file(folder.join(name));
        }
        worker.is_busy = false;
        Ok(worker)
    }

    async fn ready(&mut self) -> Result<(), Broken> {
        loop {
            // Whatever it says first, it is ready.
            if self.take_answer()?.is_some() {
                return Ok(());
            }
            let Self { running, answers, .. } = self;
            tokio::select! {
                () = answers.read() => is_open(answers)?,
                status = running.child.wait() => return Err(Broken::Ended(status.ok())),
            }
        }
    }

    /// Whether it can take a call: it runs, and the last call was heard to its end.
    pub(crate) fn is_idle(&mut self) -> bool {
        !self.is_busy && matches!(self.running.child.try_wait(), Ok(None))
    }

    /// The process, for who must find it again.
    pub(crate) fn leader(&self) -> Option<ProcessId> {
        self.running.leader()
    }

    /// Wakes it by the first bytes of the next request, whichever that will be: the rest can be made meanwhile.
    pub(crate) fn rouse(&mut self, beginning: &[u8]) {
        if !self.is_busy && self.ahead == 0 {
            self.ahead = self.requests.try_write(beginning).unwrap_or_default();
        }
    }

    /// Sends a request. Its answers are read by [`Worker::next`], the last one noted by [`Worker::heard_out`].
    pub(crate) async fn send(
        &mut self,
        request: &[u8],
        patience: &mut Patience<'_>,
    ) -> Result<(), Broken> {
        self.is_busy = true;
        self.used = Instant::now();
        let request = &request[std::mem::take(&mut self.ahead)..];
        let Self { running, requests, .. } = self;
        tokio::select! {
            biased;
            sent = requests.write_all(request) => sent.map_err(|error| Broken::Garbled(error.to_string())),
            status = running.child.wait() => Err(Broken::Ended(status.ok())),
            // Half a request cannot be taken back.
            () = patience.over() => {
                patience.note();
                Err(Broken::Stuck)
            }
        }
    }

    /// The next answer. Meanwhile what is printed is taken, and the call is interrupted if it must be.
    pub(crate) async fn next(
        &mut self,
        ears: &mut Ears<'_>,
        patience: &mut Patience<'_>,
    ) -> Result<Vec<u8>, Broken> {
        loop {
            if let Some(answer) = self.take_answer()? {
                return Ok(answer);
            }
            if self.used.elapsed() < AWAKE {
                self.look();
                continue;
            }
            let pause = patience.pause();
            let Self { running, answers, stdout, stderr, .. } = self;
            tokio::select! {
                biased;
                () = answers.read() => is_open(answers)?,
                status = running.child.wait() => {
                    self.listen(ears).await;
                    return Err(Broken::Ended(status.ok()));
                }
                () = ended(pause), if pause.is_some() => {}
                () = stdout.read(), if pause.is_none() && stdout.is_open() => {
                    patience.heard();
                    ears.stdout.push(&stdout.unread).await;
                    stdout.clear();
                }
                () = stderr.read(), if pause.is_none() && stderr.is_open() => {
                    patience.heard();
                    ears.stderr.push(&stderr.unread).await;
                    stderr.clear();
                }
                () = patience.over() => match patience.note() {
                    Over::Time => running.group.signal(Signal::INT),
                    Over::Grace => return Err(Broken::Stuck),
                },
            }
        }
    }

    /// Takes what there is of an answer. If there is nothing, whoever else is to run here may: that may be the worker.
    fn look(&mut self) {
        if !self.answers.read_now() {
            thread::yield_now();
        }
    }

    /// Takes what has been printed up to now.
    pub(crate) async fn listen(&mut self, ears: &mut Ears<'_>) {
        while self.stdout.read_now() {
            ears.stdout.push(&self.stdout.unread).await;
            self.stdout.clear();
        }
        while self.stderr.read_now() {
            ears.stderr.push(&self.stderr.unread).await;
            self.stderr.clear();
        }
    }

    /// The last answer to a request has been read.
    pub(crate) fn heard_out(&mut self) {
        self.is_busy = false;
        self.used = Instant::now();
    }

    /// Ends it, and whoever it started.
    pub(crate) async fn end(self) {
        self.running.kill().await;
    }

    /// An answer is its length, in four bytes with the lowest first, and so many bytes.
    fn take_answer(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let unread = &mut self.answers.unread;
        let Some((length, rest)) = unread.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(Broken::Garbled(format!("an answer of {length} bytes")));
        }
        let Some(bytes) = rest.get(..length) else {
            unread.reserve(length + 4 - unread.len());
            return Ok(None);
        };
        let answer = bytes.to_vec();
        unread.drain(..length + 4);
        if unread.is_empty() {
            unread.shrink_to(CHUNK);
        }
        Ok(Some(answer))
    }

    /// What a worker that did not start said about it.
    fn last_words(&mut self, broken: &Broken) -> String {
        while self.stderr.read_now() {}
        let said = String::from_utf8_lossy(&self.stderr.unread).trim().to_owned();
        match broken {
            _ if !said.is_empty() => said,
            Broken::Ended(Some(status)) => status.to_string(),
            other => format!("{other:?}"),
        }
    }
}

/// The pipes of a process.
fn opened(running: &mut ChildProcess, folder: &Path) -> io::Result<(Sender, [Outlet; 3])> {
    // Open for both, so that neither side waits for the other, nor sees an end that is none.
    let mut options = OpenOptions::new();
    options.read_write(true);
    let [requests, answers] = PIPES.map(|name| folder.join(name));
    let (stdout, stderr) = (
        running.child.stdout.take().expect("it is piped"),
        running.child.stderr.take().expect("it is piped"),
    );
    let outlets = [
        options.open_receiver(answers)?.into_nonblocking_fd()?,
        stdout.into_owned_fd()?,
        stderr.into_owned_fd()?,
    ];
    let [answers, stdout, stderr] = outlets.map(Outlet::new);
    Ok((options.open_sender(requests)?, [answers?, stdout?, stderr?]))
}

fn is_open(answers: &Outlet) -> Result<(), Broken> {
    if answers.is_open() { Ok(()) } else { Err(Broken::Garbled("no more answers".to_owned())) }
}

async fn ended(pause: Option<Instant>) {
    if let Some(end) = pause {
        sleep_until(end.into()).await;
    }
}
