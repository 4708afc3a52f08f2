//! Writes one audit line for each call, decision and denial. Lines have the digest of the arguments,
//! never the arguments themselves.
//!
//! A dedicated thread batches lines and passes them to the journal within 50 ms. A call only pays for
//! pushing an entry on a queue: the thread is woken by the first entry of a batch and by callers that
//! wait, not by each entry.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use catalog::Tool;
use parking_lot::{Condvar, Mutex, MutexGuard};
use process::SandboxLevel;
use tokio::sync::oneshot;

use crate::{
    digest::tool_digest,
    journal::{AuditLine, Journal},
    operation::{ApprovalId, OperationId, Owner},
};

/// How long lines are collected before they are written.
const BATCH_TIME: Duration = Duration::from_millis(40);
/// The most queued lines. If the disk is slower than that, lines are dropped with an error in the log,
/// rather than calls delayed.
const MAX_QUEUED: usize = 16 * 1024;
/// How long a flush waits for the disk.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);
/// How often a flush retries while the queue is full.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// The most cached tool digests.
const MAX_DIGESTS: usize = 4096;

/// An audit line without the digest of its tool, which the writer adds.
pub(crate) struct Entry {
    pub(crate) time: SystemTime,
    pub(crate) owner: Owner,
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments_digest: String,
    pub(crate) decision: &'static str,
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) operation: Option<OperationId>,
    pub(crate) sandbox: Option<SandboxLevel>,
    pub(crate) outcome: String,
    pub(crate) duration: Duration,
}

/// Queues audit lines for the writer.
pub(crate) struct Audit {
    queue: Arc<Queue>,
    /// Absent if the journal stores no audit lines.
    writer: Option<JoinHandle<()>>,
}

/// Entries that wait to be written.
#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    entries: Vec<Incoming>,
    /// Whether a caller waits for one of them.
    is_urgent: bool,
    /// Whether no more entries will come.
    is_closed: bool,
}

/// A line, if any, and a callback for when it and everything before it are written.
type Incoming = (Option<Draft>, Option<OnWritten>);

enum Draft {
    Call(Box<Entry>),
    Complete(Box<AuditLine>),
}

/// Called once the journal has got the lines, whether or not it could store them.
type OnWritten = Box<dyn FnOnce() + Send>;

impl Audit {
    /// Starts the writer, if the journal stores audit lines.
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Self {
        let queue = Arc::<Queue>::default();
        // No thread, no digests: a server without a state folder pays nothing for the audit.
        if !journal.keeps_audit() {
            return Self { queue, writer: None };
        }
        let incoming = Arc::clone(&queue);
        let write = move || Writer { journal, digests: HashMap::new() }.run(&incoming);
        let writer = thread::Builder::new().name("audit".to_owned()).spawn(write);
        let writer = writer
            .inspect_err(
                |error| tracing::error!(%error, "the audit log is off: its thread did not start"),
            )
            .ok();
        Self { queue, writer }
    }

    /// Whether lines are stored at all.
    pub(crate) fn is_enabled(&self) -> bool {
        self.writer.is_some()
    }

    /// Queues a line.
    pub(crate) fn add(&self, entry: Entry) {
        if self.is_enabled() && self.queue.add((Some(Draft::Call(Box::new(entry))), None)).is_err()
        {
            tracing::error!("an audit record was dropped: the disk is too slow");
        }
    }

    /// Queues a line, and waits until it is written.
    pub(crate) async fn add_now(&self, entry: Entry) {
        self.send_now(Draft::Call(Box::new(entry))).await;
    }

    /// Queues a complete line, and waits until it is written.
    pub(crate) async fn add_line(&self, line: AuditLine) {
        self.send_now(Draft::Complete(Box::new(line))).await;
    }

    async fn send_now(&self, draft: Draft) {
        if !self.is_enabled() {
            return;
        }
        let (written, answer) = oneshot::channel();
        let written: OnWritten = Box::new(move || written.send(()).unwrap_or_default());
        match self.queue.add((Some(draft), Some(written))) {
            Ok(()) => drop(answer.await),
            Err(_) => tracing::error!("an audit record was dropped: the disk is too slow"),
        }
    }

    /// Waits until everything queued so far is written, at most for the flush timeout.
    pub(crate) fn flush(&self) {
        if !self.is_enabled() {
            return;
        }
        let end = Instant::now() + FLUSH_TIMEOUT;
        let (done, answer) = mpsc::channel();
        let mut message: Incoming =
            (None, Some(Box::new(move || done.send(()).unwrap_or_default())));
        // Unlike a line, the request to flush must not be dropped, or the end of the process would
        // not wait.
        while let Err(back) = self.queue.add(message) {
            if Instant::now() >= end {
                break;
            }
            message = back;
            thread::sleep(RETRY_INTERVAL);
        }
        if answer.recv_timeout(end.saturating_duration_since(Instant::now())).is_err() {
            tracing::error!("the last audit records may be lost: the disk is too slow");
        }
    }
}

impl Drop for Audit {
    /// Waits for the writer, so that queued lines are not lost.
    fn drop(&mut self) {
        self.queue.state().is_closed = true;
        self.queue.changed.notify_one();
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

impl Queue {
    /// Adds an entry, or returns it if the queue is full.
    fn add(&self, message: Incoming) -> Result<(), Incoming> {
        let mut state = self.state();
        if state.entries.len() >= MAX_QUEUED {
            return Err(message);
        }
        let is_first = state.entries.is_empty();
        let is_urgent = message.1.is_some();
        state.entries.push(message);
        state.is_urgent |= is_urgent;
        // Before notifying, so that the writer does not wake up only to wait for the lock.
        drop(state);
        if is_first || is_urgent {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// The entries that come within the batch time of the first; at once, if a caller waits. `None` when
    /// the queue is closed and empty.
    fn take(&self) -> Option<Vec<Incoming>> {
        let waits = |state: &mut QueueState| state.entries.is_empty() && !state.is_closed;
        let mut state = self.state();
        self.changed.wait_while(&mut state, waits);
        let gathers = |state: &mut QueueState| !state.is_urgent && !state.is_closed;
        // Releases the lock while it waits, so callers add their lines meanwhile.
        self.changed.wait_while_for(&mut state, gathers, BATCH_TIME);
        state.is_urgent = false;
        let entries = mem::take(&mut state.entries);
        (!entries.is_empty()).then_some(entries)
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock()
    }
}

struct Writer {
    journal: Arc<dyn Journal>,
    /// By address of the tool. The entry holds the tool, so that its address is not reused.
    digests: HashMap<usize, (Arc<Tool>, String)>,
}

impl Writer {
    fn run(mut self, queue: &Queue) {
        while let Some(batch) = queue.take() {
            let (drafts, waiting): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            let lines: Vec<_> =
                drafts.into_iter().flatten().map(|draft| self.complete(draft)).collect();
            if !lines.is_empty()
                && let Err(error) = self.journal.audit(&lines)
            {
                tracing::error!(%error, lines = lines.len(), "audit records were lost");
            }
            for written in waiting.into_iter().flatten() {
                written();
            }
        }
    }

    fn complete(&mut self, draft: Draft) -> AuditLine {
        match draft {
            Draft::Call(entry) => self.build_line(*entry),
            Draft::Complete(line) => *line,
        }
    }

    fn build_line(&mut self, entry: Entry) -> AuditLine {
        if self.digests.len() > MAX_DIGESTS {
            // Reloads make new tools, whose old digests are never used again. Clearing everything
            // is rare and simpler than tracking their age.
            self.digests.clear();
        }
        let known = self.digests.entry(Arc::as_ptr(&entry.tool).addr());
        let (tool, digest) =
            known.or_insert_with(|| (Arc::clone(&entry.tool), tool_digest(&entry.tool)));
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
            sandbox: entry.sandbox,
            outcome: entry.outcome,
            duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
