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
    redaction::Redaction,
};

/// The minimum interval between progress updates to subscribers and the journal.
const UPDATE_INTERVAL: Duration = Duration::from_millis(200);

/// One operation while it runs.
pub(crate) struct LiveOperation {
    id: OperationId,
    operation: Mutex<Operation>,
    redaction: Redaction,
    shared: Arc<Shared>,
    started: OnceLock<Instant>,
    /// The scheduler's ticket, for the position in the queue; 0 if it was never queued.
    ticket: AtomicU64,
    /// Stops its work.
    cancel: CancellationToken,
    /// Why it was cancelled; the first reason counts.
    reason: OnceLock<&'static str>,
    /// Cancelled once its end is recorded.
    done: CancellationToken,
    /// Cancelled once its caller has got the notice that the result will follow.
    detached: CancellationToken,
    recipient: Mutex<Recipient>,
    questions: Mutex<Option<OpenQuestions>>,
    /// Whether a progress update is scheduled.
    is_update_scheduled: AtomicBool,
}

/// The receiver of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recipient {
    /// The call that started it, which still waits.
    Caller,
    /// Its owner, when they ask for it later.
    Owner,
    /// The caller, irrevocably: the outcome is being recorded as collected.
    Settled,
}

/// Questions that wait for answers.
struct OpenQuestions {
    questions: Vec<(String, Question)>,
    answers: HashMap<String, Answer>,
    answered: oneshot::Sender<Vec<Answer>>,
}

impl LiveOperation {
    pub(super) fn new(operation: Operation, redaction: Redaction, shared: Arc<Shared>) -> Self {
        Self {
            redaction,
            id: operation.id.clone(),
            operation: Mutex::new(operation),
            shared,
            started: OnceLock::new(),
            ticket: AtomicU64::new(0),
            cancel: CancellationToken::new(),
            reason: OnceLock::new(),
            done: CancellationToken::new(),
            detached: CancellationToken::new(),
            recipient: Mutex::new(Recipient::Caller),
            questions: Mutex::default(),
            is_update_scheduled: AtomicBool::new(false),
        }
    }

    /// Removes the secrets of its call from texts that are stored.
    pub(super) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    pub(crate) fn id(&self) -> &OperationId {
        &self.id
    }

    /// The path of the private folder of its processes.
    pub(crate) fn folder(&self) -> PathBuf {
        self.operation().folder.clone()
    }

    /// The operation as it is now.
    pub(crate) fn snapshot(&self) -> Operation {
        let mut operation = self.operation().clone();
        if !operation.state.is_final() {
            operation.elapsed = self.elapsed();
        }
        // Asked of the scheduler each time, because the position changes without an event of this
        // operation.
        let place = match operation.state {
            State::Pending => {
                self.shared.scheduler.queue_position(self.ticket.load(Ordering::Relaxed))
            }
            _ => 0,
        };
        if place > 0 {
            operation.progress.message = Some(format!("queued at place {place}"));
        }
        operation
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    pub(crate) fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Cancels it. If it is cancelled twice, the first reason counts.
    pub(crate) fn cancel(&self, reason: &'static str) {
        // Set before the token is cancelled, because the task that wakes up reads it.
        let _ = self.reason.set(reason);
        self.cancel.cancel();
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        self.reason.get().copied()
    }

    /// Waits until its end is recorded.
    pub(crate) async fn wait_until_done(&self) {
        self.done.cancelled().await;
    }

    /// A token that is cancelled once its caller has got the notice that the result will follow.
    pub(crate) fn detached(&self) -> &CancellationToken {
        &self.detached
    }

    /// Notes its ticket in the queue.
    pub(crate) fn set_queued(&self, ticket: u64) {
        self.ticket.store(ticket, Ordering::Relaxed);
    }

    /// Notes that it runs, as this process if it has one. A sequence calls it for each step.
    pub(crate) fn set_running(&self, leader: Option<ProcessId>) {
        let is_first = self.started.set(Instant::now()).is_ok();
        {
            let now = self.shared.clock.now();
            let mut operation = self.operation();
            operation.started.get_or_insert(now);
            // A step of a sequence without a process of its own must not erase the process of an
            // earlier step.
            operation.leader = leader.or(operation.leader);
            operation.state = State::Running;
        }
        self.write_note();
        if is_first {
            self.publish(EventKind::State);
        }
    }

    /// Notes progress. Subscribers and the journal learn of it at intervals.
    pub(crate) fn update_progress(
        self: &Arc<Self>,
        mut last_line: Option<String>,
        mut progress: Option<Progress>,
    ) {
        if last_line.is_none() && progress.is_none() {
            return;
        }
        let message = progress.as_mut().and_then(|progress| progress.message.as_mut());
        last_line.as_mut().into_iter().chain(message).for_each(|text| self.redaction.redact(text));
        {
            let mut operation = self.operation();
            // Progress without a line keeps the last line.
            operation.last_line = last_line.or(operation.last_line.take());
            if let Some(mut progress) = progress {
                let fraction = progress.fraction.or(operation.progress.fraction);
                // People and models read it: three decimals are enough.
                progress.fraction = fraction.map(|fraction| (fraction * 1000.0).round() / 1000.0);
                operation.progress = progress;
            }
        }
        if !self.is_update_scheduled.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(self).publish_later());
        }
    }

    /// Publishes all progress of the next interval at once.
    async fn publish_later(self: Arc<Self>) {
        tokio::time::sleep(UPDATE_INTERVAL).await;
        // Cleared before publishing: progress that comes from now on schedules the next update
        // instead of being lost.
        self.is_update_scheduled.store(false, Ordering::Relaxed);
        // The end was published already, and progress after it would confuse subscribers.
        if self.done.is_cancelled() {
            return;
        }
        self.write_note();
        self.publish(EventKind::Progress);
    }

    /// Asks its owner, and waits for the answers.
    pub(crate) async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<Answer>, Interrupt> {
        let (answered, answers) = oneshot::channel();
        *self.questions.lock() =
            Some(OpenQuestions { questions, answers: HashMap::new(), answered });
        self.set_state(State::WaitingForInput);
        let answers = tokio::select! {
            // The sender is dropped if the tool asks again before it got the answers.
            answers = answers => answers.map_err(|_| Interrupt::Unanswered("the tool asked something else".to_owned())),
            () = self.cancel.cancelled() => Err(Interrupt::Unanswered("the operation was cancelled".to_owned())),
        };
        self.questions.lock().take();
        self.set_state(State::Running);
        answers
    }

    /// The questions without an answer.
    pub(super) fn open_questions(&self) -> Vec<(String, Question)> {
        let open = |open: &OpenQuestions| {
            open.questions
                .iter()
                .filter(|(key, _)| !open.answers.contains_key(key))
                .cloned()
                .collect::<Vec<_>>()
        };
        self.questions.lock().as_ref().map(open).unwrap_or_default()
    }

    /// Takes answers. Those to unknown questions are ignored.
    pub(super) fn answer(&self, answers: HashMap<String, Answer>) {
        let mut questions = self.questions.lock();
        let Some(mut open) = questions.take() else {
            return;
        };
        open.answers.extend(
            answers
                .into_iter()
                .filter(|(key, _)| open.questions.iter().any(|(known, _)| known == key)),
        );
        if open.answers.len() < open.questions.len() {
            // Some answers are missing: the rest of the questions stays open.
            *questions = Some(open);
            return;
        }
        let mut answers = open.answers;
        let in_order = open.questions.iter().filter_map(|(key, _)| answers.remove(key)).collect();
        // Fails if the operation was cancelled meanwhile.
        let _ = open.answered.send(in_order);
    }

    /// Notes that the caller stops waiting. Returns false if the caller gets the outcome anyway, because
    /// that is being recorded right now.
    pub(crate) fn detach(&self) -> bool {
        let mut recipient = self.recipient.lock();
        if *recipient == Recipient::Settled {
            return false;
        }
        *recipient = Recipient::Owner;
        self.detached.cancel();
        true
    }

    /// Whether the waiting call gets the outcome. From now on this does not change.
    pub(super) fn settle(&self) -> bool {
        let mut recipient = self.recipient.lock();
        let waits = *recipient == Recipient::Caller;
        if waits {
            *recipient = Recipient::Settled;
        }
        waits
    }

    /// Publishes its end.
    pub(super) fn close(&self, ended: Operation) {
        // The order matters: waiters for `done` read the operation, and subscribers may ask for it at
        // once.
        *self.operation() = ended;
        self.done.cancel();
        self.publish(EventKind::State);
    }

    /// Notes that its owner has received the outcome.
    pub(super) fn set_collected(&self) {
        self.operation().collected = true;
    }

    pub(super) fn publish(&self, kind: EventKind) {
        // A snapshot is a clone, and most operations have no subscriber.
        if self.shared.events.receiver_count() > 0 {
            let _ = self.shared.events.send(Event { kind, operation: Arc::new(self.snapshot()) });
        }
    }

    fn set_state(&self, state: State) {
        self.operation().state = state;
        self.write_note();
        self.publish(EventKind::State);
    }

    fn write_note(&self) {
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
}
