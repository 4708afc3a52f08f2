//! The operations of a server: running ones from memory, ended ones from the journal.

mod begin;
mod client;
mod durations;
mod finish;
mod growth;
mod live;
mod recover;
mod wait;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use catalog::{ErrorType, Failure, Tool, arguments::redact};
use parking_lot::{Mutex, MutexGuard};
use serde_json::json;
use tokio::sync::{broadcast, watch};
use tokio_util::task::TaskTracker;
use toolkit::{Answer, Arguments, Question};

use crate::{
    Clock, Settings, failures,
    journal::{Cursor, Filter, Journal, JournalError, Page, Retention},
    operation::{Operation, OperationId, Owner, Progress, ServerId, State},
    outputs::{OutputKind, OutputStore},
    redaction::Redaction,
    scheduler::Scheduler,
};
pub(crate) use client::OperationClient;
use durations::Durations;
use growth::Growth;
pub(crate) use live::LiveOperation;
use recover::Recovery;
pub use wait::Until;

/// Divisor: operations are pruned when their outputs have grown by an eighth of the limit in bytes.
const GROWTH_SHARE: u64 = 8;

/// Number of events that a slow subscriber may lag behind before it misses some.
const EVENTS: usize = 1024;

/// The requester of information about operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer<'a> {
    /// An owner, who sees their own operations.
    Owner(&'a Owner),
    /// The operator, who sees all operations.
    Operator,
}

impl Viewer<'_> {
    fn may_see(self, operation: &Operation) -> bool {
        match self {
            Self::Owner(owner) => *owner == operation.owner,
            Self::Operator => true,
        }
    }
}

/// Something that happened to an operation.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The operation at that time, with its outcome if it has ended.
    pub operation: Arc<Operation>,
}

/// What happened to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Its state changed.
    State,
    /// Its progress changed.
    Progress,
}

/// The operations of a server. Clones share them.
#[derive(Clone)]
pub struct Operations(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) journal: Arc<dyn Journal>,
    live: Mutex<HashMap<OperationId, Arc<LiveOperation>>>,
    events: broadcast::Sender<Event>,
    scheduler: Arc<Scheduler>,
    outputs: Arc<OutputStore>,
    clock: Clock,
    temp: PathBuf,
    grace: Duration,
    /// Delay of the answer to a call, in which its outcome may arrive.
    answer_within: Duration,
    /// How long ended operations are kept.
    keep: Duration,
    /// Maximum bytes of ended operations to keep.
    keep_bytes: u64,
    growth: Growth,
    durations: Mutex<Durations>,
    /// Whether a task watches for operations that other servers ended.
    is_watching: AtomicBool,
    recovery: watch::Sender<Recovery>,
    /// Clean-up that outlives its operation.
    cleanup: TaskTracker,
}

impl Operations {
    pub(crate) fn new(
        settings: &Settings,
        journal: Arc<dyn Journal>,
        scheduler: Arc<Scheduler>,
        outputs: Arc<OutputStore>,
    ) -> Self {
        Self(Arc::new(Shared {
            journal,
            live: Mutex::default(),
            events: broadcast::channel(EVENTS).0,
            scheduler,
            outputs,
            clock: settings.clock.clone(),
            temp: settings.temp.clone(),
            grace: settings.grace,
            answer_within: settings.answer_within,
            keep: settings.keep,
            keep_bytes: settings.keep_bytes,
            growth: Growth::default(),
            durations: Mutex::default(),
            is_watching: AtomicBool::new(false),
            recovery: watch::Sender::new(Recovery::NotExpected),
            cleanup: TaskTracker::new(),
        }))
    }

    /// Records a new operation, before anything of it runs. Waits for a locked journal up to `limit`.
    pub(crate) async fn begin(
        &self,
        tool: &Tool,
        arguments: &Arguments,
        owner: Owner,
        limit: Duration,
    ) -> Result<Arc<LiveOperation>, Failure> {
        let shared = &self.0;
        let id = OperationId::random();
        let operation = Operation {
            // Derived from the id, so that it is known, and journaled, before anything is created.
            folder: shared.temp.join(format!("toolcrib-{id}")),
            id,
            owner,
            tool: tool.name.clone(),
            arguments: redact(tool, arguments),
            state: State::Pending,
            created: shared.clock.now(),
            started: None,
            ended: None,
            elapsed: Duration::ZERO,
            server: ServerId::current(),
            leader: None,
            progress: Progress::default(),
            last_line: None,
            hint: tool.description.hint.clone(),
            outcome: None,
            collected: false,
            output_bytes: 0,
        };
        // The record comes first: an operation that runs without one could never be found after a
        // crash.
        let begun = shared.record_begin(operation.clone(), limit).await;
        begun.map_err(|error| failures::complete(tool, not_recorded(tool, error)))?;
        let redaction = Redaction::new(tool, arguments);
        let live = Arc::new(LiveOperation::new(operation, redaction, Arc::clone(shared)));
        shared.live().insert(live.id().clone(), Arc::clone(&live));
        live.publish(EventKind::State);
        if !shared.is_watching.swap(true, Ordering::SeqCst) {
            tokio::spawn(Arc::clone(shared).watch_other_servers());
        }
        Ok(live)
    }

    /// The events of this server's operations from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.events.subscribe()
    }

    /// One operation with its outcome.
    pub async fn get(&self, viewer: Viewer<'_>, id: &OperationId) -> Result<Operation, Failure> {
        self.wait_for_newest().await;
        let found = match self.0.find(id) {
            Some(live) => Some(live.snapshot()),
            None => self.0.journal.get(id.clone()).await.map_err(store_failed)?,
        };
        found.filter(|operation| viewer.may_see(operation)).ok_or_else(|| unknown_operation(id))
    }

    /// Operations by filter, newest first, without outcomes.
    pub async fn list(
        &self,
        filter: Filter,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page, Failure> {
        self.wait_for_newest().await;
        let mut page = self.0.journal.list(filter, cursor, limit).await.map_err(store_failed)?;
        for operation in page.operations.iter_mut().filter(|operation| !operation.state.is_final())
        {
            // The journal learns of progress with a delay; for operations of this server memory is
            // newer.
            if let Some(live) = self.0.find(&operation.id) {
                *operation = Operation { outcome: None, ..live.snapshot() };
            }
        }
        Ok(page)
    }

    /// The queued operations of this server; their progress has the position.
    pub fn waiting(&self) -> Vec<Operation> {
        let all = self.0.all().into_iter().map(|live| live.snapshot());
        all.filter(|operation| operation.state == State::Pending).collect()
    }

    /// Ended operations whose owner has not received the outcome yet, oldest first.
    pub async fn uncollected(
        &self,
        owner: &Owner,
        limit: usize,
    ) -> Result<Vec<Operation>, Failure> {
        self.wait_for_newest().await;
        let mut found =
            self.0.journal.uncollected(owner.clone(), limit).await.map_err(store_failed)?;
        // Outcomes that could not be recorded yet are in memory only.
        // They stay in the live map until `retry` succeeds.
        let unrecorded = self.0.all().into_iter().map(|live| live.snapshot());
        found.extend(
            unrecorded
                .filter(|over| over.state.is_final() && !over.collected && over.owner == *owner),
        );
        found.truncate(limit);
        Ok(found)
    }

    /// A number that changes whenever any server has written to the journal.
    pub async fn version(&self) -> Result<i64, Failure> {
        self.0.journal.version().await.map_err(store_failed)
    }

    /// Records that the owner has received these outcomes.
    pub async fn collect(&self, ids: Vec<OperationId>) -> Result<(), Failure> {
        // Marked in memory as well, because an outcome that is not recorded yet must not be delivered
        // twice.
        ids.iter().filter_map(|id| self.0.find(id)).for_each(|live| live.set_collected());
        self.0.journal.collect(ids).await.map_err(store_failed)
    }

    pub(crate) fn cleanup_tasks(&self) -> TaskTracker {
        self.0.cleanup.clone()
    }

    /// How long ended operations are kept.
    pub fn keep(&self) -> Duration {
        self.0.keep
    }

    /// Removes ended operations beyond the limits of the settings.
    pub async fn prune_by_settings(&self) -> Result<Vec<OperationId>, Failure> {
        self.0.growth.reset();
        // A retention longer than the time since 1970 keeps everything.
        let since = self.0.clock.now().checked_sub(self.0.keep);
        let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
        self.prune(Retention { since, bytes: self.0.keep_bytes }).await
    }

    /// Waits until the outputs of ended operations have grown enough to prune.
    pub async fn wait_for_growth(&self) {
        self.0.growth.exceeds(self.0.keep_bytes / GROWTH_SHARE).await;
    }

    /// Removes ended operations beyond the retention limits, with their outputs; returns which.
    pub async fn prune(&self, retention: Retention) -> Result<Vec<OperationId>, Failure> {
        let pruned = self.0.journal.prune(retention).await.map_err(store_failed)?;
        let (outputs, ids) = (Arc::clone(&self.0.outputs), pruned.clone());
        // The operations are gone either way; a failure only leaves files behind.
        let _ = tokio::task::spawn_blocking(move || outputs.remove(&ids)).await;
        Ok(pruned)
    }

    /// The file with the standard output of an operation, during and after its run.
    pub fn output_file(&self, id: &OperationId) -> PathBuf {
        self.0.outputs.file(id.as_str(), OutputKind::Stdout)
    }

    /// The open questions of an operation that waits for input.
    pub fn questions(&self, viewer: Viewer<'_>, id: &OperationId) -> Vec<(String, Question)> {
        let live = self.0.find(id).filter(|live| viewer.may_see(&live.snapshot()));
        live.map(|live| live.open_questions()).unwrap_or_default()
    }

    /// Answers questions of an operation, which continues once all are answered.
    pub fn answer(
        &self,
        viewer: Viewer<'_>,
        id: &OperationId,
        answers: HashMap<String, Answer>,
    ) -> Result<(), Failure> {
        let live = self
            .0
            .find(id)
            .filter(|live| viewer.may_see(&live.snapshot()))
            .ok_or_else(|| unknown_operation(id))?;
        live.answer(answers);
        Ok(())
    }
}

impl Shared {
    pub(crate) fn find(&self, id: &OperationId) -> Option<Arc<LiveOperation>> {
        self.live().get(id).cloned()
    }

    /// Stops the watching task if no operation is left. The lock makes sure that an operation which
    /// begins meanwhile starts a new task.
    fn stop_watching(&self) -> bool {
        let live = self.live();
        if live.is_empty() {
            self.is_watching.store(false, Ordering::SeqCst);
        }
        live.is_empty()
    }

    fn all(&self) -> Vec<Arc<LiveOperation>> {
        self.live().values().cloned().collect()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<OperationId, Arc<LiveOperation>>> {
        self.live.lock()
    }
}

/// The failure of a call because of a journal error.
pub(crate) fn store_failed(error: JournalError) -> Failure {
    if matches!(error, JournalError::InvalidCursor(_)) {
        return Failure::new(ErrorType::InvalidArguments, error.to_string());
    }
    Failure::new(ErrorType::StoreFailed, format!("{error}; try again, or look at the server's log"))
}

fn not_recorded(tool: &Tool, error: JournalError) -> Failure {
    let message =
        format!("`{}` was not started, because it could not be recorded: {error}", tool.name);
    Failure::new(ErrorType::StoreFailed, message)
}

/// Also returned for operations of other owners, so that ids cannot be probed.
fn unknown_operation(id: &OperationId) -> Failure {
    let message = format!("there is no operation `{id}`; call `status` to list yours");
    Failure::new(ErrorType::UnknownOperation, message).details(json!({"operation_id": id}))
}
