//! One operation while it runs.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolkit::{Answer, Interrupt, Question};

use super::{Event, EventKind, Shared};
use crate::{
    journal::Note,
    operation::{Operation, OperationId, ProcessId, Progress, State},
};

/// How far behind progress is told: listeners and the journal are not bothered more often.
const BEHIND: Duration = Duration::from_millis(200);

/// One operation while it runs.
pub(crate) struct LiveOperation {
    id: OperationId,
    operation: Mutex<Operation>,
    shared: Arc<Shared>,
    started: OnceLock<Instant>,
    /// Its place in the queue is found by this; 0 if it never waited.
    ticket: AtomicU64,
    /// Ends it.
    cancel: CancellationToken,
    /// Why it was ended; the first reason counts.
    reason: OnceLock<&'static str>,
    /// Set once it is over and taken down.
    done: CancellationToken,
    /// Set once its caller has been told that the result will follow.
    detached: CancellationToken,
    reader: Mutex<Reader>,
    question: Mutex<Option<Open>>,
    /// Whether someone is about to tell of what was heard.
    will_tell: AtomicBool,
}

/// Who gets the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The call that started it waits.
    Caller,
    /// Nobody yet.
    Nobody,
    /// The caller, for certain: the outcome is being taken down as collected.
    Settled,
}

/// Questions without answers.
struct Open {
    questions: Vec<(String, Question)>,
    answers: HashMap<String, Answer>,
    answered: oneshot::Sender<Vec<Answer>>,
}

impl LiveOperation {
    pub(super) fn new(operation: Operation, shared: Arc<Shared>) -> Self {
        Self {
            id: operation.id.clone(),
            operation: Mutex::new(operation),
            shared,
            started: OnceLock::new(),
            ticket: AtomicU64::new(0),
            cancel: CancellationToken::new(),
            reason: OnceLock::new(),
            done: CancellationToken::new(),
            detached: CancellationToken::new(),
            reader: Mutex::new(Reader::Caller),
            question: Mutex::default(),
            will_tell: AtomicBool::new(false),
        }
    }

    pub(crate) fn id(&self) -> &OperationId {
        &self.id
    }

    /// Where the private folder of its processes is.
    pub(crate) fn folder(&self) -> PathBuf {
        self.operation().folder.clone()
    }

    /// The operation as it is now.
    pub(crate) fn snapshot(&self) -> Operation {
        let mut operation = self.operation().clone();
        if !operation.state.is_final() {
            operation.elapsed = self.elapsed();
        }
        let place = match operation.state {
            State::Pending => {
                self.shared.scheduler.queue_position(self.ticket.load(Ordering::Relaxed))
            }
            _ => 0,
        };
        if place > 0 {
            operation.progress.message =
                Some(format!("waits for its turn: place {place} in the queue"));
        }
        operation
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Has it ended, for this reason unless there was one before.
    pub(crate) fn end(&self, reason: &'static str) {
        let _ = self.reason.set(reason);
        self.cancel.cancel();
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        self.reason.get().copied()
    }

    pub(crate) async fn done(&self) {
        self.done.cancelled().await;
    }

    /// Cancelled once its caller has been told that the result will follow.
    pub(crate) fn detached(&self) -> &CancellationToken {
        &self.detached
    }

    /// It waits in the queue.
    pub(crate) fn set_queued(&self, ticket: u64) {
        self.ticket.store(ticket, Ordering::Relaxed);
    }

    /// It runs, as this process if it has one. A sequence says so for each step.
    pub(crate) fn set_running(&self, leader: Option<ProcessId>) {
        let is_first = self.started.set(Instant::now()).is_ok();
        {
            let now = self.shared.clock.now();
            let mut operation = self.operation();
            operation.started.get_or_insert(now);
            operation.leader = leader.or(operation.leader);
            operation.state = State::Running;
        }
        self.note();
        if is_first {
            self.announce(EventKind::State);
        }
    }

    /// It printed something.
    pub(crate) fn update_progress(
        self: &Arc<Self>,
        last_line: Option<String>,
        progress: Option<Progress>,
    ) {
        if last_line.is_none() && progress.is_none() {
            return;
        }
        {
            let mut operation = self.operation();
            operation.last_line = last_line.or(operation.last_line.take());
            if let Some(mut progress) = progress {
                let fraction = progress.fraction.or(operation.progress.fraction);
                // People and models read it.
                progress.fraction = fraction.map(|fraction| (fraction * 1000.0).round() / 1000.0);
                operation.progress = progress;
            }
        }
        if !self.will_tell.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(self).tell());
        }
    }

    /// Tells of what was heard: soon, and of everything that is heard until then at once.
    async fn tell(self: Arc<Self>) {
        tokio::time::sleep(BEHIND).await;
        self.will_tell.store(false, Ordering::Relaxed);
        if self.done.is_cancelled() {
            return;
        }
        self.note();
        self.announce(EventKind::Progress);
    }

    /// Asks its owner, and waits for the answers.
    pub(crate) async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<Answer>, Interrupt> {
        let (answered, answers) = oneshot::channel();
        *self.question() = Some(Open { questions, answers: HashMap::new(), answered });
        self.set_state(State::WaitingForInput);
        let answers = tokio::select! {
            answers = answers => answers.map_err(|_| Interrupt::Unanswered("asked something else".to_owned())),
            () = self.cancel.cancelled() => Err(Interrupt::Unanswered("the operation was cancelled".to_owned())),
        };
        self.question().take();
        self.set_state(State::Running);
        answers
    }

    pub(super) fn questions(&self) -> Vec<(String, Question)> {
        let open = |open: &Open| {
            open.questions
                .iter()
                .filter(|(key, _)| !open.answers.contains_key(key))
                .cloned()
                .collect::<Vec<_>>()
        };
        self.question().as_ref().map(open).unwrap_or_default()
    }

    /// Answers that nobody asked for are passed over.
    pub(super) fn answer(&self, answers: HashMap<String, Answer>) {
        let mut question = self.question();
        let Some(mut open) = question.take() else {
            return;
        };
        open.answers.extend(
            answers
                .into_iter()
                .filter(|(key, _)| open.questions.iter().any(|(known, _)| known == key)),
        );
        if open.answers.len() < open.questions.len() {
            *question = Some(open);
            return;
        }
        let mut answers = open.answers;
        let in_order = open.questions.iter().filter_map(|(key, _)| answers.remove(key)).collect();
        let _ = open.answered.send(in_order);
    }

    /// The caller waits no longer. Says no if it need not: the outcome is all but there.
    pub(crate) fn detach(&self) -> bool {
        let mut reader = self.reader();
        if *reader == Reader::Settled {
            return false;
        }
        *reader = Reader::Nobody;
        self.detached.cancel();
        true
    }

    /// Whether the call that started it gets the outcome: from now on for certain.
    pub(super) fn settle(&self) -> bool {
        let mut reader = self.reader();
        let waits = *reader == Reader::Caller;
        if waits {
            *reader = Reader::Settled;
        }
        waits
    }

    /// It is over.
    pub(super) fn close(&self, ended: Operation) {
        *self.operation() = ended;
        self.done.cancel();
        self.announce(EventKind::State);
    }

    /// Its owner has been given the outcome, though it could not be recorded yet.
    pub(super) fn collected(&self) {
        self.operation().collected = true;
    }

    pub(super) fn announce(&self, kind: EventKind) {
        if self.shared.events.receiver_count() > 0 {
            let _ = self.shared.events.send(Event { kind, operation: Arc::new(self.snapshot()) });
        }
    }

    fn set_state(&self, state: State) {
        self.operation().state = state;
        self.note();
        self.announce(EventKind::State);
    }

    fn note(&self) {
        let note = {
            let operation = self.operation();
            Note {
                state: operation.state,
                started: operation.started,
                leader: operation.leader,
                progress: operation.progress.clone(),
                last_line: operation.last_line.clone(),
            }
        };
        self.shared.journal.note(self.id.clone(), note);
    }

    fn operation(&self) -> MutexGuard<'_, Operation> {
        self.operation.lock()
    }

    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock()
    }

    fn question(&self) -> MutexGuard<'_, Option<Open>> {
        self.question.lock()
    }
}
