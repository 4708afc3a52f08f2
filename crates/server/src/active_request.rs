//! A request being answered, and the client that made it: what a tool reaches through its context.

#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated, but legacy clients use them"
)]

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine, engine::general_purpose::STANDARD};
use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam},
    service::RequestContext,
};
use runtime::value_digest;
use serde_json::Value;
use toolkit::{
    Answer, BoxFuture, Capability, Change, Client, Interrupt, Level, Progress, Question,
};

use crate::{era::Era, questions, request_state::RequestState, subscribers::Subscribers};

/// A request being answered, and the client that made it.
pub(crate) struct ActiveRequest {
    pub(crate) cx: RequestContext<RoleServer>,
    pub(crate) era: Era,
    subscribers: Arc<Subscribers>,
    /// The lowest level of log messages to send; `None` to send none.
    log_threshold: Option<LoggingLevel>,
    /// The last progress value sent.
    progress: Mutex<f64>,
    answers: Mutex<Answers>,
    /// Set when the response is on its way. An operation may outlive its request, and must send
    /// neither progress nor (to modern clients) log messages on the closed stream.
    is_answered: AtomicBool,
    speaks_for_person: bool,
}

/// Answers of the client to questions of the tool.
#[derive(Default)]
pub(crate) struct Answers {
    /// Received but not validated yet, by question key.
    pub(crate) received: BTreeMap<String, Value>,
    /// Validated answers of this and earlier round trips, and the state of the tool.
    pub(crate) accepted: RequestState,
}

impl ActiveRequest {
    /// `connection_threshold` is the level that a legacy client set with `logging/setLevel`; modern
    /// clients put it into each request.
    pub(crate) fn new(
        cx: RequestContext<RoleServer>,
        subscribers: Arc<Subscribers>,
        connection_threshold: LoggingLevel,
        answers: Answers,
    ) -> Self {
        let era = Era::of(&cx);
        let log_threshold = match era {
            Era::Legacy => Some(connection_threshold),
            // Without a level in the request, 2026-07-28 forbids log messages.
            Era::Modern => cx.meta.log_level(),
        };
        Self {
            cx,
            era,
            subscribers,
            log_threshold,
            // Below every number, so that the first report is always sent, even 0.
            progress: Mutex::new(f64::NEG_INFINITY),
            answers: Mutex::new(answers),
            is_answered: AtomicBool::new(false),
            speaks_for_person: true,
        }
    }

    /// Sets whether answers of the client count as those of a person.
    pub(crate) fn speaking_for_person(self, speaks_for_person: bool) -> Self {
        Self { speaks_for_person, ..self }
    }

    /// Stops progress and log messages: the response is about to be sent.
    pub(crate) fn close(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// Whether the client wants log messages of this level.
    pub(crate) fn wants_log(&self, level: Level) -> bool {
        self.log_threshold.is_some_and(|threshold| to_logging_level(level) as u8 >= threshold as u8)
    }

    fn is_answered(&self) -> bool {
        self.is_answered.load(Ordering::Relaxed)
    }

    pub(crate) fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock()
    }

    /// The questions without a valid answer.
    pub(crate) fn unanswered<'a>(
        &self,
        questions: &'a [(String, Question)],
    ) -> Vec<&'a (String, Question)> {
        let answers = self.answers();
        questions.iter().filter(|(key, question)| answers.get(key, question).is_none()).collect()
    }

    /// Records progress. Returns false if it did not increase, because the protocol requires strictly
    /// increasing values.
    fn advance_progress(&self, done: f64) -> bool {
        let mut last = self.progress.lock();
        let advances = done.is_finite() && done > *last;
        if advances {
            *last = done;
        }
        advances
    }
}

impl Answers {
    fn get(&self, key: &str, question: &Question) -> Option<&Value> {
        // Accepted answers first: the client cannot replace an answer that an earlier round trip
        // has validated.
        let answer = self.accepted.answers.get(key).or_else(|| self.received.get(key))?;
        questions::is_answer(question, answer).then_some(answer)
    }

    /// Accepts the valid answers. Returns all of them in the order of the questions, or `None` if
    /// one is missing. If the question carries tool state, answers count only if they were given with
    /// that state: otherwise they may answer an older question of the same key.
    fn accept(
        &mut self,
        questions: &[(String, Question)],
        state: Option<&[u8]>,
    ) -> Option<Vec<Answer>> {
        if state.is_some() && state != self.accepted.kept.as_deref() {
            // An approval of one plan must not be replayed for another: see `save_state` in the
            // approval of calls.
            questions.iter().for_each(|(key, _)| drop(self.received.remove(key)));
        }
        let asked_with = state.map(digest_state);
        let mut all = Vec::with_capacity(questions.len());
        for (key, question) in questions {
            // The same for answers of earlier round trips: a tool may call several tools that need
            // approval, and all of them ask with the same key.
            if asked_with.is_some() && self.accepted.asked_with.get(key) != asked_with.as_ref() {
                self.accepted.answers.remove(key);
            }
            if let Some(answer) = self.get(key, question).cloned() {
                self.accepted.answers.insert(key.clone(), answer.clone());
                let state = asked_with.clone().map(|state| (key.clone(), state));
                self.accepted.asked_with.extend(state);
                all.push(Answer(answer));
            }
        }
        (all.len() == questions.len()).then_some(all)
    }
}

/// A state of any length is compared by its digest, so that request state stays short.
fn digest_state(state: &[u8]) -> String {
    value_digest(&Value::from(STANDARD.encode(state)))
}

/// Rounds progress to three decimals.
fn round_progress(progress: f64) -> f64 {
    (progress * 1000.0).round() / 1000.0
}

impl Client for ActiveRequest {
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(token) = self.cx.meta.get_progress_token() else {
                return;
            };
            // Rounded before the comparison, so that two values which look equal on the wire are
            // not both sent.
            let done = round_progress(progress.done);
            if self.is_answered() || !self.advance_progress(done) {
                return;
            }
            let mut message = ProgressNotificationParam::new(token, done);
            message.total = progress.total.map(round_progress);
            message.message = progress.message;
            // Awaited, because only then the library keeps notifications in order. A client that is
            // gone does not concern the tool.
            let _ = self.cx.peer.notify_progress(message).await;
        })
    }

    fn log(&self, level: Level, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Legacy clients get log messages outside of any request; modern ones only on the
            // stream of a request that is still open.
            if self.wants_log(level) && !(self.era == Era::Modern && self.is_answered()) {
                let message = LoggingMessageNotificationParam::new(to_logging_level(level), data);
                let _ = self.cx.peer.notify_logging_message(message).await;
            }
        })
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        let accepted = self.answers().accept(&questions, state.as_deref());
        let result = match accepted {
            Some(answers) => Ok(answers),
            None => {
                let mut needed = self
                    .unanswered(&questions)
                    .into_iter()
                    .map(|(_, question)| question.capability());
                // 2026-07-28 allows only requests that the client has declared a capability for.
                match needed.find(|capability| !self.supports(*capability)) {
                    Some(capability) => Err(Interrupt::MissingCapability(capability)),
                    None => Err(Interrupt::Ask { questions, state }),
                }
            }
        };
        Box::pin(std::future::ready(result))
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        self.answers().accepted.kept.clone()
    }

    fn supports(&self, capability: Capability) -> bool {
        let Some(client) = self.cx.client_capabilities() else {
            return false;
        };
        match capability {
            // `elicitation: {}` means forms: revisions before 2025-11-25 had no other mode.
            Capability::Forms => {
                // A client that declares only `url` cannot show forms.
                client.elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
            }
            Capability::Sampling => client.sampling.is_some(),
            Capability::Roots => client.roots.is_some(),
            Capability::Tasks => self.era == Era::Modern && client.supports_tasks(),
        }
    }

    fn speaks_for_person(&self) -> bool {
        self.speaks_for_person
    }

    fn notify_changed(&self, change: Change) -> BoxFuture<'_, ()> {
        let subscribers = self.subscribers.clone();
        // Runs in a task of its own, so that the tool does not wait for other clients to read.
        tokio::spawn(async move { subscribers.notify(change).await });
        Box::pin(std::future::ready(()))
    }
}

fn to_logging_level(level: Level) -> LoggingLevel {
    match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Warning => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
    }
}
