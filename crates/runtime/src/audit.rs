//! Writes audit lines: when a call starts and when it has ended, and for each decision and denial.
//! Secret arguments are masked.
//!
//! The first line of a call is written before it runs, the last one before it is answered: the log has
//! every call that may have changed something or that a client got an answer to, even if the server is
//! killed at that moment. The calling thread writes the line itself, which costs a `write` to the page
//! cache but no switch to another thread. Lines that are added during a write are batched into the
//! next one.

mod loggable;

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
    mem,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use catalog::Tool;
use parking_lot::Mutex;
use process::SandboxLevel;

use crate::{
    digest::tool_digest,
    journal::{AuditLine, Journal, RequestDetails},
    operation::{ApprovalId, OperationId, Owner},
};
pub(crate) use loggable::to_loggable;

/// Maximum number of queued lines. If the disk is too slow, lines are dropped with an error in the
/// log, rather than calls delayed.
const MAX_QUEUED: usize = 16 * 1024;
/// Maximum wait of a call for a disk that another call writes to. Its line stays queued then.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Maximum number of cached tool digests.
const MAX_DIGESTS: usize = 4096;

/// An audit line without the digest of its tool, which the writer adds.
pub(crate) struct Entry {
    pub(crate) time: SystemTime,
    pub(crate) owner: Owner,
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments_digest: String,
    pub(crate) request: Option<RequestDetails>,
    pub(crate) decision: &'static str,
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) operation: Option<OperationId>,
    pub(crate) sandbox: Option<SandboxLevel>,
    pub(crate) outcome: String,
    pub(crate) duration: Duration,
    pub(crate) call: Option<u64>,
}

/// Writes audit lines, several callers at a time.
pub(crate) struct Audit {
    /// The number of the next call.
    next_call: AtomicU64,
    /// Lines that the next write takes along.
    queue: Mutex<Vec<Draft>>,
    /// Absent if the journal stores no audit lines: no digests are computed then.
    writer: Option<Mutex<Writer>>,
}

enum Draft {
    Call(Box<Entry>),
    Complete(Box<AuditLine>),
}

impl Audit {
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Self {
        let writer = journal.keeps_audit().then(|| Writer::new(journal)).map(Mutex::new);
        // A random start: the lines of several servers are in one file.
        let next_call = AtomicU64::new(RandomState::new().build_hasher().finish());
        Self { next_call, queue: Mutex::default(), writer }
    }

    /// A number that the lines of one call have in common.
    pub(crate) fn number_call(&self) -> u64 {
        self.next_call.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether lines are stored at all.
    pub(crate) fn is_enabled(&self) -> bool {
        self.writer.is_some()
    }

    /// Writes the line of a call.
    pub(crate) fn add(&self, entry: Entry) {
        self.write(Draft::Call(Box::new(entry)));
    }

    /// Writes a complete line.
    pub(crate) fn add_line(&self, line: AuditLine) {
        self.write(Draft::Complete(Box::new(line)));
    }

    fn write(&self, draft: Draft) {
        if !self.is_enabled() {
            return;
        }
        {
            let mut queue = self.queue.lock();
            if queue.len() >= MAX_QUEUED {
                tracing::error!("an audit record was dropped: the disk is too slow");
                return;
            }
            queue.push(draft);
        }
        self.flush();
    }

    /// Writes what is queued; waits for a disk that hangs, but not forever.
    pub(crate) fn flush(&self) {
        if let Some(mut writer) = self.writer.as_ref().and_then(|lock| lock.try_lock_for(MAX_WAIT))
        {
            // Taken after the writer is free. If it is empty, the previous holder has written the
            // line of this caller with its own.
            let drafts = mem::take(&mut *self.queue.lock());
            writer.write(drafts);
        }
    }
}

struct Writer {
    journal: Arc<dyn Journal>,
    /// By address of the tool. The entry holds the tool, so that its address is not reused.
    digests: HashMap<usize, (Arc<Tool>, String)>,
    /// Whether the last write failed: a full disk is logged once, not for each call.
    is_failing: bool,
}

impl Writer {
    fn new(journal: Arc<dyn Journal>) -> Self {
        Self { journal, digests: HashMap::new(), is_failing: false }
    }

    fn write(&mut self, drafts: Vec<Draft>) {
        if drafts.is_empty() {
            return;
        }
        let lines: Vec<_> = drafts.into_iter().map(|draft| self.complete(draft)).collect();
        let result = self.journal.audit(&lines);
        if let Err(error) = &result
            && !self.is_failing
        {
            tracing::error!(%error, "audit records are lost until the log can be written");
        }
        self.is_failing = result.is_err();
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
        // The entry keeps its tool alive, so no other tool can get the same address.
        let known = self.digests.entry(Arc::as_ptr(&entry.tool).addr());
        let (tool, digest) =
            known.or_insert_with(|| (Arc::clone(&entry.tool), tool_digest(&entry.tool)));
        AuditLine {
            time: entry.time,
            owner: entry.owner,
            tool: tool.name.clone(),
            tool_digest: digest.clone(),
            arguments_digest: entry.arguments_digest,
            request: entry.request,
            decision: entry.decision,
            by: None,
            approval: entry.approval,
            operation: entry.operation,
            sandbox: entry.sandbox,
            outcome: entry.outcome,
            duration_ms: u64::try_from(entry.duration.as_millis()).unwrap_or(u64::MAX),
            call: entry.call.map(|number| format!("{number:016x}")),
        }
    }
}
