//! The operations of a server: those that run, by what they say of themselves, and those that are
//! over, by what the journal remembers.

mod client;
mod durations;
mod finish;
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
    time::Duration,
};

use catalog::{ErrorType, Failure, Tool, arguments::redact};
use parking_lot::{Mutex, MutexGuard};
use serde_json::json;
use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;
use toolkit::{Answer, Arguments, Question};

use crate::{
    Clock, Settings, failures,
    journal::{Cursor, Filter, Journal, JournalError, Page, Retention},
    operation::{Operation, OperationId, Owner, Progress, ServerId, State},
    outputs::{OutputKind, Outputs},
    scheduler::Scheduler,
};
pub(crate) use client::OperationClient;
use durations::Durations;
pub(crate) use live::LiveOperation;
pub use wait::Until;

/// How many events a slow listener may be behind before it misses some.
const EVENTS: usize = 1024;

/// Who asks about operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer<'a> {
    /// Someone who sees what is theirs.
    Owner(&'a Owner),
    /// The person at the machine, who sees everything.
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
    /// The operation as it is now; with its outcome, if it is over.
    pub operation: Arc<Operation>,
}

/// What happened to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It has another state.
    State,
    /// It has come further.
    Progress,
}

/// The operations of a server. Clones are the same.
#[derive(Clone)]
pub struct Operations(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) journal: Arc<dyn Journal>,
    live: Mutex<HashMap<OperationId, Arc<LiveOperation>>>,
    events: broadcast::Sender<Event>,
    scheduler: Arc<Scheduler>,
    outputs: Arc<Outputs>,
    clock: Clock,
    temp: PathBuf,
    grace: Duration,
    /// How long the answer to a call is held back in case the outcome is there by then.
    answer_within: Duration,
    keep: Duration,
    durations: Mutex<Durations>,
    /// Whether someone looks at what other servers do.
    heeds: AtomicBool,
    /// What is still being removed after work that was ended.
    tidying: TaskTracker,
}

impl Operations {
    pub(crate) fn new(
        settings: &Settings,
        journal: Arc<dyn Journal>,
        scheduler: Arc<Scheduler>,
        outputs: Arc<Outputs>,
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
            answer_within: settings.patience,
            keep: settings.keep,
            durations: Mutex::default(),
            heeds: AtomicBool::new(false),
            tidying: TaskTracker::new(),
        }))
    }

    /// Records a new operation, before anything of it runs.
    pub(crate) async fn begin(
        &self,
        tool: &Tool,
        arguments: &Arguments,
        owner: Owner,
    ) -> Result<Arc<LiveOperation>, Failure> {
        let shared = &self.0;
        let id = OperationId::random();
        let operation = Operation {
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
            server: ServerId::this(),
            leader: None,
            progress: Progress::default(),
            last_line: None,
            hint: tool.description.hint.clone(),
            outcome: None,
            collected: false,
        };
        let begun = shared.journal.begin(operation.clone()).await;
        begun.map_err(|error| failures::complete(tool, not_recorded(tool, error)))?;
        let live = Arc::new(LiveOperation::new(operation, Arc::clone(shared)));
        shared.live().insert(live.id().clone(), Arc::clone(&live));
        live.announce(EventKind::State);
        if !shared.heeds.swap(true, Ordering::SeqCst) {
            tokio::spawn(Arc::clone(shared).heed_others());
        }
        Ok(live)
    }

    /// What happens to operations of this server from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.events.subscribe()
    }

    /// One operation with its outcome.
    pub async fn get(&self, viewer: Viewer<'_>, id: &OperationId) -> Result<Operation, Failure> {
        let found = match self.0.find(id) {
            Some(live) => Some(live.snapshot()),
            None => self.0.journal.get(id.clone()).await.map_err(store_failed)?,
        };
        found.filter(|operation| viewer.may_see(operation)).ok_or_else(|| unknown(id))
    }

    /// Operations by filter, newest first, without outcomes.
    pub async fn list(
        &self,
        filter: Filter,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page, Failure> {
        let mut page = self.0.journal.list(filter, cursor, limit).await.map_err(store_failed)?;
        for operation in page.operations.iter_mut().filter(|operation| !operation.state.is_final())
        {
            if let Some(live) = self.0.find(&operation.id) {
                *operation = Operation { outcome: None, ..live.snapshot() };
            }
        }
        Ok(page)
    }

    /// Those of this server that wait for their turn; their progress says at which place.
    pub fn waiting(&self) -> Vec<Operation> {
        let all = self.0.all().into_iter().map(|live| live.snapshot());
        all.filter(|operation| operation.state == State::Pending).collect()
    }

    /// What ended and was not given to its owner yet, oldest first.
    pub async fn uncollected(
        &self,
        owner: &Owner,
        limit: usize,
    ) -> Result<Vec<Operation>, Failure> {
        let mut found =
            self.0.journal.uncollected(owner.clone(), limit).await.map_err(store_failed)?;
        // What could not be recorded yet is here all the same.
        let unrecorded = self.0.all().into_iter().map(|live| live.snapshot());
        found.extend(
            unrecorded
                .filter(|over| over.state.is_final() && !over.collected && over.owner == *owner),
        );
        found.truncate(limit);
        Ok(found)
    }

    /// A number that is another one if anything was written to the journal since, by whatever server.
    pub async fn version(&self) -> Result<i64, Failure> {
        self.0.journal.version().await.map_err(store_failed)
    }

    /// Notes that the owner has been given these outcomes.
    pub async fn collect(&self, ids: Vec<OperationId>) -> Result<(), Failure> {
        ids.iter().filter_map(|id| self.0.find(id)).for_each(|live| live.collected());
        self.0.journal.collect(ids).await.map_err(store_failed)
    }

    pub(crate) fn cleanup_tasks(&self) -> TaskTracker {
        self.0.tidying.clone()
    }

    /// How long what is over is kept.
    pub fn keep(&self) -> Duration {
        self.0.keep
    }

    /// Forgets what is over and too old or too much, with its outputs; says what.
    pub async fn prune(&self, retention: Retention) -> Result<Vec<OperationId>, Failure> {
        let pruned = self.0.journal.prune(retention).await.map_err(store_failed)?;
        let (outputs, ids) = (Arc::clone(&self.0.outputs), pruned.clone());
        let _ = tokio::task::spawn_blocking(move || outputs.forget(&ids)).await;
        Ok(pruned)
    }

    /// The file that takes the standard output of an operation while it runs, and keeps it after.
    pub fn output_file(&self, id: &OperationId) -> PathBuf {
        self.0.outputs.file(id.as_str(), OutputKind::Stdout)
    }

    /// What an operation that waits for input wants to know.
    pub fn questions(&self, viewer: Viewer<'_>, id: &OperationId) -> Vec<(String, Question)> {
        let live = self.0.find(id).filter(|live| viewer.may_see(&live.snapshot()));
        live.map(|live| live.questions()).unwrap_or_default()
    }

    /// Answers what an operation asked. It goes on once every question is answered.
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
            .ok_or_else(|| unknown(id))?;
        live.answer(answers);
        Ok(())
    }
}

impl Shared {
    pub(crate) fn find(&self, id: &OperationId) -> Option<Arc<LiveOperation>> {
        self.live().get(id).cloned()
    }

    /// Nobody looks from now on, unless something was begun meanwhile.
    fn stop_heeding(&self) -> bool {
        let live = self.live();
        if live.is_empty() {
            self.heeds.store(false, Ordering::SeqCst);
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

/// A failure of the journal, for a caller.
pub(crate) fn store_failed(error: JournalError) -> Failure {
    Failure::new(ErrorType::StoreFailed, format!("{error}; try again, or look at the server's log"))
}

fn not_recorded(tool: &Tool, error: JournalError) -> Failure {
    let message =
        format!("`{}` was not started, because it could not be recorded: {error}", tool.name);
    Failure::new(ErrorType::StoreFailed, message)
}

/// Someone else's operation is as unknown as one that never was.
fn unknown(id: &OperationId) -> Failure {
    let message = format!("there is no operation `{id}`; ask for `status` to see yours");
    Failure::new(ErrorType::UnknownOperation, message).details(json!({"operation_id": id}))
}
