//! What must be remembered of operations, approvals and calls: the trait, and a journal in memory.
//!
//! Writes are durable when their future is done, which for a journal on disk means that they
//! survive the death of this process. The journal on disk is another crate's.

mod audit_line;
mod memory;

use std::time::SystemTime;

use toolkit::BoxFuture;

pub use crate::approval::Ruling;
use crate::{
    approval::{Approval, Digest},
    operation::{ApprovalId, Operation, OperationId, Owner, ProcessId, Progress, State},
};
pub use audit_line::AuditLine;
pub use memory::MemoryJournal;

/// Why a journal could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Another process holds it for too long.
    #[error("the store is locked by another process")]
    Locked,
    /// The disk is full.
    #[error("the disk of the store is full")]
    Full,
    /// Anything else.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// What a journal answers, later.
pub type Answered<'a, T> = BoxFuture<'a, Result<T, JournalError>>;

/// How an operation is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Not a final state.
    pub state: State,
    /// When it got its turn.
    pub started: Option<SystemTime>,
    /// The leader of its process group.
    pub leader: Option<ProcessId>,
    /// How far it is.
    pub progress: Progress,
    /// The last line it printed.
    pub last_line: Option<String>,
}

/// Which operations are wanted. What is empty or absent does not restrict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Whose.
    pub owner: Option<Owner>,
    /// One of these.
    pub ids: Vec<OperationId>,
    /// Of tools whose name begins so.
    pub tool: Option<String>,
    /// In one of these states.
    pub states: Vec<State>,
}

/// A place in a list, opaque to clients. A list that grows meanwhile does not move it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A part of a list, newest first, without outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The operations.
    pub operations: Vec<Operation>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// How long what is over is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Nothing that ended before this.
    pub since: SystemTime,
    /// At most about this much, by the size of what is kept.
    pub bytes: u64,
}

/// What remembers. An operation is changed only by the server that runs it, except that the first
/// ending counts, whoever brings it.
pub trait Journal: Send + Sync + 'static {
    /// Takes down a new operation. Nothing of it may run before this is done.
    fn begin(&self, operation: Operation) -> Answered<'_, ()>;

    /// Notes state and progress, some time soon. Nobody waits for it, and an ending wins.
    fn note(&self, id: OperationId, note: Note);

    /// Takes down an operation that has ended. Says whether this end was the first; if not, nothing
    /// changes. An operation that was forgotten meanwhile is known again.
    fn finish(&self, operation: Operation) -> Answered<'_, bool>;

    /// One operation with its outcome.
    fn get(&self, id: OperationId) -> Answered<'_, Option<Operation>>;

    /// Operations by filter, newest first, at most `limit`, from `cursor` on.
    fn list(&self, filter: Filter, cursor: Option<Cursor>, limit: usize) -> Answered<'_, Page>;

    /// Operations, of whatever server, that have not ended.
    fn unfinished(&self) -> Answered<'_, Vec<Operation>>;

    /// What ended and was not given to its owner yet, oldest first, at most `limit`, with outcomes.
    fn uncollected(&self, owner: Owner, limit: usize) -> Answered<'_, Vec<Operation>>;

    /// A number that is another one whenever something was written since, by whatever server. To be
    /// had for almost nothing; for a journal that is not shared always the same.
    fn version(&self) -> Answered<'_, i64>;

    /// Notes that the owner has been given these outcomes.
    fn collect(&self, ids: Vec<OperationId>) -> Answered<'_, ()>;

    /// Forgets what is over and too old or too much, oldest first; says which.
    fn prune(&self, retention: Retention) -> Answered<'_, Vec<OperationId>>;

    /// Takes down a question for approval. If the same is open already, that one is answered.
    fn propose(&self, approval: Approval) -> Answered<'_, Approval>;

    /// Takes down a yes or no to an open question. Answers what is known then; the first ruling counts.
    fn decide(&self, id: ApprovalId, ruling: Ruling) -> Answered<'_, Option<Approval>>;

    /// An approval for exactly this call that can be used at this time.
    fn find_approval(
        &self,
        digest: Digest,
        owner: Owner,
        now: SystemTime,
    ) -> Answered<'_, Option<Approval>>;

    /// Takes one use of an approval. Says whether there was one.
    fn use_approval(&self, id: ApprovalId, now: SystemTime) -> Answered<'_, bool>;

    /// One approval.
    fn approval(&self, id: ApprovalId) -> Answered<'_, Option<Approval>>;

    /// The questions for approval that are open at this time, oldest first.
    fn open_approvals(&self, now: SystemTime) -> Answered<'_, Vec<Approval>>;

    /// Whether lines of the audit are kept. If not, none are made.
    fn keeps_audit(&self) -> bool;

    /// Adds lines to the audit. Called by one thread of its own, which may wait.
    fn audit(&self, lines: &[AuditLine]) -> Result<(), JournalError>;
}
