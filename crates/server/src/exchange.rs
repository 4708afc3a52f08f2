//! One request and the client that made it, as a tool sees it.

#![expect(
    deprecated,
    reason = "sampling, roots and logging are on their way out, but older clients have them"
)]

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::Value;
use toolkit::{
    Answer, BoxFuture, Capability, Change, Client, Interrupt, Level, Progress, Question,
};

use crate::{audience::Audience, era::Era, questions, seal::Travelling};

/// One request and the client that made it.
pub(crate) struct Exchange {
    pub(crate) cx: RequestContext<RoleServer>,
    pub(crate) era: Era,
    audience: Arc<Audience>,
    /// The least weight of log messages that the client wants; none if it wants none.
    loudness: Option<LoggingLevel>,
    progress: Mutex<f64>,
    known: Mutex<Known>,
    /// Set once the answer is on its way: what goes on after it has no stream to speak on.
    is_answered: AtomicBool,
}

/// What is known from earlier rounds of the same request.
#[derive(Default)]
pub(crate) struct Known {
    /// What the client sent, not looked at yet.
    pub(crate) offered: BTreeMap<String, Value>,
    /// What the tool asked for and got, and what it left for itself.
    pub(crate) settled: Travelling,
}

impl Exchange {
    /// `loudness` is what the connection's client asked for once and for all; modern clients say
    /// it with each request instead.
    pub(crate) fn new(
        cx: RequestContext<RoleServer>,
        audience: Arc<Audience>,
        loudness: LoggingLevel,
        known: Known,
    ) -> Self {
        let era = Era::of(&cx);
        let loudness = match era {
            Era::Legacy => Some(loudness),
            Era::Modern => cx.meta.log_level(),
        };
        Self {
            cx,
            era,
            audience,
            loudness,
            progress: Mutex::new(f64::NEG_INFINITY),
            known: Mutex::new(known),
            is_answered: AtomicBool::new(false),
        }
    }

    /// Nothing more is said under this request.
    pub(crate) fn close(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// Whether a message of this weight is wanted on the client's connection.
    pub(crate) fn hears(&self, level: Level) -> bool {
        self.loudness.is_some_and(|loudness| on_the_wire(level) as u8 >= loudness as u8)
    }

    fn is_answered(&self) -> bool {
        self.is_answered.load(Ordering::Relaxed)
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }

    /// The questions that have no usable answer yet.
    pub(crate) fn open<'a>(
        &self,
        questions: &'a [(String, Question)],
    ) -> Vec<&'a (String, Question)> {
        let known = self.known();
        questions.iter().filter(|(key, question)| known.answer(key, question).is_none()).collect()
    }

    /// Whether progress has come further than was last said: clients are promised no less.
    fn advances(&self, done: f64) -> bool {
        let mut last = self.progress.lock();
        let advances = done.is_finite() && done > *last;
        if advances {
            *last = done;
        }
        advances
    }
}

impl Known {
    fn answer(&self, key: &str, question: &Question) -> Option<&Value> {
        let answer = self.settled.answers.get(key).or_else(|| self.offered.get(key))?;
        questions::answers(question, answer).then_some(answer)
    }

    /// Every answer in order, settled from now on; nothing if one is missing. A new answer to
    /// questions that come with something to keep counts only if that came back with it.
    fn settle(
        &mut self,
        questions: &[(String, Question)],
        kept: Option<&[u8]>,
    ) -> Option<Vec<Answer>> {
        if kept.is_some() && kept != self.settled.kept.as_deref() {
            questions.iter().for_each(|(key, _)| drop(self.offered.remove(key)));
        }
        let mut all = Vec::with_capacity(questions.len());
        for (key, question) in questions {
            if let Some(answer) = self.answer(key, question).cloned() {
                self.settled.answers.insert(key.clone(), answer.clone());
                all.push(Answer(answer));
            }
        }
        (all.len() == questions.len()).then_some(all)
    }
}

/// As exact as anybody wants to know.
fn rounded(progress: f64) -> f64 {
    (progress * 1000.0).round() / 1000.0
}

impl Client for Exchange {
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(token) = self.cx.meta.get_progress_token() else {
                return;
            };
            let done = rounded(progress.done);
            if self.is_answered() || !self.advances(done) {
                return;
            }
            let mut message = ProgressNotificationParam::new(token, done);
            message.total = progress.total.map(rounded);
            message.message = progress.message;
            let _ = self.cx.peer.notify_progress(message).await;
        })
    }

    fn log(&self, level: Level, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.hears(level) && !(self.era == Era::Modern && self.is_answered()) {
                let message = LoggingMessageNotificationParam::new(on_the_wire(level), data);
                let _ = self.cx.peer.notify_logging_message(message).await;
            }
        })
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        let answers = self.known().settle(&questions, state.as_deref());
        let result = match answers {
            Some(answers) => Ok(answers),
            None => match self
                .open(&questions)
                .into_iter()
                .find(|(_, question)| !self.supports(question.capability()))
            {
                Some((_, question)) => Err(Interrupt::MissingCapability(question.capability())),
                None => Err(Interrupt::Ask { questions, state }),
            },
        };
        Box::pin(std::future::ready(result))
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        self.known().settled.kept.clone()
    }

    fn supports(&self, capability: Capability) -> bool {
        let Some(client) = self.cx.client_capabilities() else {
            return false;
        };
        match capability {
            // An empty declaration is the old way of saying forms.
            Capability::Forms => {
                client.elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
            }
            Capability::Sampling => client.sampling.is_some(),
            Capability::Roots => client.roots.is_some(),
            Capability::Tasks => self.era == Era::Modern && client.supports_tasks(),
        }
    }

    fn notify_changed(&self, change: Change) -> BoxFuture<'_, ()> {
        let audience = self.audience.clone();
        // Nobody's tool waits for somebody else's client.
        tokio::spawn(async move { audience.announce(change).await });
        Box::pin(std::future::ready(()))
    }
}

fn on_the_wire(level: Level) -> LoggingLevel {
    match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Warning => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
    }
}
