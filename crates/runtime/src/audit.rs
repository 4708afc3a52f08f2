//! One line for each call, decision and denial: who, what, when, how it went. Never the arguments
//! themselves, only their digest.
//!
//! A thread of its own puts lines together and hands them to the journal, at most 50 ms behind.
//! A call pays for putting a line on a pile; the thread is woken by the first line on it, and by
//! whoever waits, not by each line.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use catalog::Tool;
use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::{
    digest::tool_digest,
    journal::{AuditLine, Journal},
    operation::{ApprovalId, OperationId, Owner},
};

/// How far the lines may be behind.
const BEHIND: Duration = Duration::from_millis(40);
/// The most lines that wait. If the disk falls behind further, lines are lost rather than calls held up, and it is said.
const ROOM: usize = 16 * 1024;
/// How long a flush waits for the disk, and how often it looks whether there is room to ask.
const FLUSH: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(5);
/// The most digests of tools that are remembered.
const DIGESTS: usize = 4096;

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
    pile: Arc<Pile>,
    /// Absent if nothing is kept.
    writer: Option<JoinHandle<()>>,
}

/// What waits to be written.
#[derive(Default)]
struct Pile {
    heap: Mutex<Heap>,
    bell: Condvar,
}

#[derive(Default)]
struct Heap {
    entries: Vec<Incoming>,
    /// Whether somebody waits for one of them.
    is_urgent: bool,
    /// Whether nothing will be added any more.
    is_closed: bool,
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
        let pile = Arc::<Pile>::default();
        if !journal.keeps_audit() {
            return Self { pile, writer: None };
        }
        let incoming = Arc::clone(&pile);
        let write = move || Writer { journal, digests: HashMap::new() }.run(&incoming);
        let writer = thread::Builder::new().name("audit".to_owned()).spawn(write);
        let writer = writer
            .inspect_err(
                |error| tracing::error!(%error, "no audit is kept: its thread did not start"),
            )
            .ok();
        Self { pile, writer }
    }

    /// Whether lines are wanted.
    pub(crate) fn is_kept(&self) -> bool {
        self.writer.is_some()
    }

    /// Adds a line, soon.
    pub(crate) fn add(&self, entry: Entry) {
        if self.is_kept() && self.pile.add((Some(Draft::Call(Box::new(entry))), None)).is_err() {
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
        match self.pile.add((Some(draft), Some(written))) {
            Ok(()) => drop(answer.await),
            Err(_) => tracing::error!("a line of the audit was lost: the disk is too slow"),
        }
    }

    /// Waits, not for ever, until everything that was added is written.
    pub(crate) fn flush(&self) {
        if !self.is_kept() {
            return;
        }
        let end = Instant::now() + FLUSH;
        let (done, answer) = mpsc::channel();
        let mut message: Incoming =
            (None, Some(Box::new(move || done.send(()).unwrap_or_default())));
        while let Err(back) = self.pile.add(message) {
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
        self.pile.heap().is_closed = true;
        self.pile.bell.notify_one();
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

impl Pile {
    /// Adds something, or gives it back if there is no room.
    fn add(&self, message: Incoming) -> Result<(), Incoming> {
        let mut heap = self.heap();
        if heap.entries.len() >= ROOM {
            return Err(message);
        }
        let is_first = heap.entries.is_empty();
        let is_urgent = message.1.is_some();
        heap.entries.push(message);
        heap.is_urgent |= is_urgent;
        drop(heap);
        if is_first || is_urgent {
            self.bell.notify_one();
        }
        Ok(())
    }

    /// What comes within a short time of the first; at once, if somebody waits. None when the audit ends.
    fn take(&self) -> Option<Vec<Incoming>> {
        let waits = |heap: &mut Heap| heap.entries.is_empty() && !heap.is_closed;
        let mut heap = self.heap();
        self.bell.wait_while(&mut heap, waits);
        let gathers = |heap: &mut Heap| !heap.is_urgent && !heap.is_closed;
        self.bell.wait_while_for(&mut heap, gathers, BEHIND);
        heap.is_urgent = false;
        let entries = mem::take(&mut heap.entries);
        (!entries.is_empty()).then_some(entries)
    }

    fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock()
    }
}

struct Writer {
    journal: Arc<dyn Journal>,
    /// By address; holding the tool keeps the address from being used again.
    digests: HashMap<usize, (Arc<Tool>, String)>,
}

impl Writer {
    fn run(mut self, pile: &Pile) {
        while let Some(batch) = pile.take() {
            let (drafts, waiting): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            let lines: Vec<_> =
                drafts.into_iter().flatten().map(|draft| self.finished(draft)).collect();
            if !lines.is_empty()
                && let Err(error) = self.journal.audit(&lines)
            {
                tracing::error!(%error, lines = lines.len(), "lines of the audit were lost");
            }
            for written in waiting.into_iter().flatten() {
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
            outcome: entry.outcome,
            duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
