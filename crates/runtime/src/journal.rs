//! The record of operations, approvals and calls: the trait, and an implementation in memory.
//!
//! Writes are durable when their future completes: with a journal on disk they survive a crash of this
//! process. The crate `store` has the journal on disk.

mod audit_line;
mod memory;

use std::time::SystemTime;

use toolkit::BoxFuture;

pub use crate::approval::Ruling;
use crate::{
    approval::{Approval, Digest},
    operation::{ApprovalId, Operation, OperationId, Owner, ProcessId, Progress, ServerId, State},
};
pub use audit_line::{AuditLine, RequestDetails};
pub use memory::MemoryJournal;

/// Why a journal request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Another process has locked it for too long.
    #[error("the store is locked by another process")]
    Locked,
    /// The disk is full.
    #[error("the disk of the store is full")]
    Full,
    /// It cannot be opened, for this reason. It is tried again.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// No page of a list ended with this cursor.
    #[error("`{0}` is not a cursor; list again from the start")]
    InvalidCursor(String),
    /// Anything else.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// The future of a journal request.
pub type JournalFuture<'a, T> = BoxFuture<'a, Result<T, JournalError>>;

/// The changing part of a running operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Never a final state.
    pub state: State,
    /// When it left the queue.
    pub started: Option<SystemTime>,
    /// The leader of its process group.
    pub leader: Option<ProcessId>,
    /// Its latest progress.
    pub progress: Progress,
    /// The last line it printed.
    pub last_line: Option<String>,
}

/// Selects operations. Empty and absent fields match everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Selects operations of this owner.
    pub owner: Option<Owner>,
    /// Selects operations with one of these ids.
    pub ids: Vec<OperationId>,
    /// Selects operations of tools whose name has this prefix.
    pub tool: Option<String>,
    /// Selects operations in one of these states.
    pub states: Vec<State>,
}

impl Filter {
    /// Operations that have not ended.
    pub fn unfinished() -> Self {
        let states = State::ALL.into_iter().filter(|state| !state.is_final()).collect();
        Self { states, ..Self::default() }
    }
}

/// A position in a list, opaque to clients. It stays valid while the list grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

impl Cursor {
    /// The cursor after the operation with this number, of the journal's own.
    pub fn from_number(number: i64) -> Self {
        Self(format!("{number:x}"))
    }

    /// The number of that operation.
    pub fn number(&self) -> Result<i64, JournalError> {
        let number = i64::from_str_radix(&self.0, 16).ok().filter(|number| *number >= 0);
        number.ok_or_else(|| JournalError::InvalidCursor(self.0.clone()))
    }
}

/// One page of a list, newest first, without outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The operations of this page.
    pub operations: Vec<Operation>,
    /// The start of the next page, if there is one.
    pub next: Option<Cursor>,
}

/// Retention of ended operations, by age and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Operations that ended before this time are removed.
    pub since: SystemTime,
    /// The oldest operations are removed until about this many bytes are left.
    pub bytes: u64,
}

/// The durable record. An operation is changed only by the server that runs it, except for its end: the
/// first recorded end counts, from whichever server.
pub trait Journal: Send + Sync + 'static {
    /// Records a new operation. Nothing of it may run before this completes.
    fn begin(&self, operation: Operation) -> JournalFuture<'_, ()>;

    /// Records state and progress in the background. A recorded end is not overwritten.
    fn note(&self, id: OperationId, note: Note);

    /// Records the end of an operation. Returns whether it was the first end; if not, nothing changes. An
    /// operation that was pruned meanwhile is added again.
    fn finish(&self, operation: Operation) -> JournalFuture<'_, bool>;

    /// One operation with its outcome.
    fn get(&self, id: OperationId) -> JournalFuture<'_, Option<Operation>>;

    /// Operations by filter, newest first, at most `limit`, from `cursor` on. A malformed cursor is an
    /// error.
    fn list(&self, filter: Filter, cursor: Option<Cursor>, limit: usize)
    -> JournalFuture<'_, Page>;

    /// Ended operations whose owner has not received the outcome, oldest first, at most `limit`, with
    /// outcomes.
    fn uncollected(&self, owner: Owner, limit: usize) -> JournalFuture<'_, Vec<Operation>>;

    /// A number that changes whenever any server has written. Must be cheap; a journal that is not
    /// shared may always return the same.
    fn version(&self) -> JournalFuture<'_, i64>;

    /// Records that the owner has received these outcomes.
    fn collect(&self, ids: Vec<OperationId>) -> JournalFuture<'_, ()>;

    /// Removes ended operations beyond the limits, oldest first; returns which.
    fn prune(&self, retention: Retention) -> JournalFuture<'_, Vec<OperationId>>;

    /// Records a request for approval. If the same one is open already, returns that.
    fn propose(&self, approval: Approval) -> JournalFuture<'_, Approval>;

    /// Records a decision about an open request. Returns the approval as it is then; the first ruling
    /// counts.
    fn decide(&self, id: ApprovalId, ruling: Ruling) -> JournalFuture<'_, Option<Approval>>;

    /// The approvals for this tool and these arguments that can be used at this time, newest first.
    /// Approvals of another plan are included, because the caller reports that the plan has changed.
    fn find_approvals(
        &self,
        digest: Digest,
        owner: Owner,
        now: SystemTime,
    ) -> JournalFuture<'_, Vec<Approval>>;

    /// Uses an approval once. Returns whether a use was left.
    fn use_approval(&self, id: ApprovalId, now: SystemTime) -> JournalFuture<'_, bool>;

    /// Gives a use back: the call asked its client, and is made again with the answer.
    fn return_approval(&self, id: ApprovalId) -> JournalFuture<'_, ()>;

    /// The approval or request with this id, if it exists.
    fn approval(&self, id: ApprovalId) -> JournalFuture<'_, Option<Approval>>;

    /// The requests for approval that are open at this time, oldest first.
    fn open_approvals(&self, now: SystemTime) -> JournalFuture<'_, Vec<Approval>>;

    /// Whether a server that has recorded operations still runs.
    fn is_server_alive(&self, server: &ServerId) -> bool {
        server.is_alive()
    }

    /// A secret key for digests of arguments and plans, the same for all servers of the journal. Empty if nothing is
    /// stored.
    fn digest_key(&self) -> &[u8] {
        &[]
    }

    /// Whether audit lines are stored. If not, none are built.
    fn keeps_audit(&self) -> bool;

    /// Appends audit lines before it returns. One call at a time, on threads of the executor: it should
    /// not wait for more than the page cache.
    fn audit(&self, lines: &[AuditLine]) -> Result<(), JournalError>;
}
