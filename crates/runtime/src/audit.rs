//! One line for each call, decision and denial: who, what, when, how it went. Never the arguments
//! themselves, only their digest.
//!
//! A thread of its own puts lines together and hands them to the journal, at most 50 ms behind.
//! A call pays for putting a line into a channel, no more.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender, TryRecvError, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use catalog::Tool;
use serde::{Serialize, Serializer};
use tokio::sync::oneshot;

use crate::{
    digest::tool_digest,
    journal::Journal,
    operation::{ApprovalId, OperationId, Owner},
};

/// How far the lines may be behind.
const BEHIND: Duration = Duration::from_millis(40);
/// The most lines that are handed over at once.
const BATCH: usize = 4096;
/// The most lines that wait. If the disk falls behind further, lines are lost rather than calls held up, and it is said.
const ROOM: usize = 16 * 1024;
/// How long a flush waits for the disk, and how often it looks whether there is room to ask.
const FLUSH: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(5);
/// The most digests of tools that are remembered.
const DIGESTS: usize = 4096;

/// One line of the audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditLine {
    /// When the call was made, in milliseconds since 1970.
    #[serde(rename = "time_ms", serialize_with = "millis")]
    pub time: SystemTime,
    /// Who called.
    pub owner: Owner,
    /// What was called.
    pub tool: String,
    /// The digest of its definition.
    pub tool_digest: String,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// What was decided about it.
    pub decision: &'static str,
    /// Who decided, where a person did so outside of any call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The approval that this was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The operation that it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// `ok`, `started`, `ruled` where only a decision was made, or the kind of failure.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// What becomes a line once the digest of its tool is known.
pub(crate) struct Entry {
    pub(crate) time: SystemTime,
    pub(crate) owner: Owner,
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments_digest: String,
    pub(crate) decision: &'static str,
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) operation: Option<OperationId>,
    pub(crate) outcome: String,
    pub(crate) duration: Duration,
}

/// The way to the audit.
pub(crate) struct Audit {
    /// Absent if nothing is kept; gone when the audit ends.
    entries: Option<Sender<Incoming>>,
    /// How many wait. A channel that is bounded by itself would take the memory for all of them from the start.
    waiting: Arc<AtomicUsize>,
    writer: Option<JoinHandle<()>>,
}

/// A line to be, if any, and who waits until it and all before it are written.
type Incoming = (Option<Draft>, Option<Written>);

enum Draft {
    Call(Box<Entry>),
    Whole(Box<AuditLine>),
}

/// Told when the journal has had the lines, whether or not it could keep them.
type Written = Box<dyn FnOnce() + Send>;

impl Audit {
    /// Lines go to `journal`, if it keeps any.
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Self {
        let waiting = Arc::default();
        if !journal.keeps_audit() {
            return Self { entries: None, waiting, writer: None };
        }
        let (entries, incoming) = channel();
        let incoming = Inbox { entries: incoming, waiting: Arc::clone(&waiting) };
        let write = move || Writer { journal, digests: HashMap::new() }.run(&incoming);
        let writer = thread::Builder::new().name("audit".to_owned()).spawn(write);
        let writer = writer.inspect_err(|error| tracing::error!(%error, "no audit is kept: its thread did not start")).ok();
        Self { entries: writer.is_some().then_some(entries), waiting, writer }
    }

    /// Whether lines are wanted.
    pub(crate) fn is_kept(&self) -> bool {
        self.entries.is_some()
    }

    /// Adds a line, soon.
    pub(crate) fn add(&self, entry: Entry) {
        if self.is_kept() && self.try_send((Some(Draft::Call(Box::new(entry))), None)).is_err() {
            tracing::error!("a line of the audit was lost: the disk is too slow");
        }
    }

    /// Adds a line, and waits until it is there.
    pub(crate) async fn add_now(&self, entry: Entry) {
        self.send_now(Draft::Call(Box::new(entry))).await;
    }

    /// Adds a line that is complete, and waits until it is there.
    pub(crate) async fn add_line(&self, line: AuditLine) {
        self.send_now(Draft::Whole(Box::new(line))).await;
    }

    async fn send_now(&self, draft: Draft) {
        if !self.is_kept() {
            return;
        }
        let (written, answer) = oneshot::channel();
        let written: Written = Box::new(move || written.send(()).unwrap_or_default());
        match self.try_send((Some(draft), Some(written))) {
            Ok(()) => drop(answer.await),
            Err(_) => tracing::error!("a line of the audit was lost: the disk is too slow"),
        }
    }

    /// Hands something over, or gives it back if there is no room.
    fn try_send(&self, message: Incoming) -> Result<(), Incoming> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= ROOM {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(message);
        }
        let is_waited_for = message.1.is_some();
        // If the writer is gone nobody is held up either: who waits for an answer learns that none will come.
        let _ = self.entries.as_ref().map(|entries| entries.send(message));
        if is_waited_for {
            self.wake();
        }
        Ok(())
    }

    fn wake(&self) {
        if let Some(writer) = &self.writer {
            writer.thread().unpark();
        }
    }

    /// Waits, not for ever, until everything that was added is written.
    pub(crate) fn flush(&self) {
        if !self.is_kept() {
            return;
        }
        let end = Instant::now() + FLUSH;
        let (done, answer) = mpsc::channel();
        let mut message: Incoming = (None, Some(Box::new(move || done.send(()).unwrap_or_default())));
        while let Err(back) = self.try_send(message) {
            if Instant::now() >= end {
                break;
            }
            message = back;
            thread::sleep(LOOK);
        }
        if answer.recv_timeout(end.saturating_duration_since(Instant::now())).is_err() {
            tracing::error!("the end of the audit may be lost: the disk is too slow");
        }
    }
}

impl Drop for Audit {
    /// What was added is written before the end.
    fn drop(&mut self) {
        self.entries = None;
        self.wake();
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

/// The other end of the channel.
struct Inbox {
    entries: Receiver<Incoming>,
    waiting: Arc<AtomicUsize>,
}

impl Inbox {
    /// The next one, however long it takes; none when the audit ends.
    fn next(&self) -> Option<Incoming> {
        self.entries.recv().ok().inspect(|_| self.took())
    }

    /// The next one that is there by this time; none after it, or when the audit ends. Whoever adds a line does not wake
    /// the writer from this, which would take longer than the adding.
    fn next_until(&self, end: Instant) -> Option<Incoming> {
        loop {
            match self.entries.try_recv() {
                Ok(next) => {
                    self.took();
                    return Some(next);
                }
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => match end.saturating_duration_since(Instant::now()) {
                    Duration::ZERO => return None,
                    left => thread::park_timeout(left),
                },
            }
        }
    }

    fn took(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Writer {
    journal: Arc<dyn Journal>,
    /// By address; holding the tool keeps the address from being used again.
    digests: HashMap<usize, (Arc<Tool>, String)>,
}

impl Writer {
    fn run(mut self, incoming: &Inbox) {
        while let Some(first) = incoming.next() {
            let (batch, waiting) = gather(first, incoming);
            let lines: Vec<_> = batch.into_iter().map(|draft| self.finished(draft)).collect();
            if !lines.is_empty()
                && let Err(error) = self.journal.audit(&lines)
            {
                tracing::error!(%error, lines = lines.len(), "lines of the audit were lost");
            }
            for written in waiting {
                written();
            }
        }
    }

    fn finished(&mut self, draft: Draft) -> AuditLine {
        match draft {
            Draft::Call(entry) => self.line(*entry),
            Draft::Whole(line) => *line,
        }
    }

    fn line(&mut self, entry: Entry) -> AuditLine {
        if self.digests.len() > DIGESTS {
            self.digests.clear();
        }
        let known = self.digests.entry(Arc::as_ptr(&entry.tool).addr());
        let (tool, digest) = known.or_insert_with(|| (Arc::clone(&entry.tool), tool_digest(&entry.tool)));
        AuditLine {
            time: entry.time,
            owner: entry.owner,
            tool: tool.name.clone(),
            tool_digest: digest.clone(),
            arguments_digest: entry.arguments_digest,
            decision: entry.decision,
            by: None,
            approval: entry.approval,
            operation: entry.operation,
            outcome: entry.outcome,
            duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// What comes within a short time of the first; at once, if somebody waits.
fn gather(first: Incoming, incoming: &Inbox) -> (Vec<Draft>, Vec<Written>) {
    let end = Instant::now() + BEHIND;
    let (mut batch, mut waiting) = (Vec::from_iter(first.0), Vec::from_iter(first.1));
    while waiting.is_empty() && batch.len() < BATCH {
        let Some((draft, written)) = incoming.next_until(end) else { break };
        batch.extend(draft);
        waiting.extend(written);
    }
    (batch, waiting)
}

fn millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
