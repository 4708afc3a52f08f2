//! Sessions: calls in the same session share workers and state.
//!
//! A session is lazy: it has no worker before its first call. When the last clone is dropped, its
//! workers are killed and its state is removed.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::Mutex};

use crate::{
    profile::{Language, WorkerProfile},
    state::StateSnapshot,
    worker::Worker,
};

/// Calls in the same session share workers and state, and no others do. It ends with its last
/// clone.
#[derive(Clone, Default)]
pub struct Session(pub(crate) Arc<SessionInner>);

impl Session {
    /// Ends it now: kills its workers and removes its state. Waits for calls that run in it.
    pub async fn end(&self) {
        for workers in self.0.languages() {
            let workers = std::mem::take(&mut *workers.lock().await);
            workers.end().await;
        }
    }

    /// Wakes the worker with this profile, if there is an idle one.
    pub(crate) fn prewarm(&self, language: Language, profile: &WorkerProfile, header: &[u8]) {
        if let Ok(mut session) = self.workers(language).try_lock()
            && let Some(worker) =
                session.workers.iter_mut().find(|worker| worker.profile == *profile)
        {
            worker.prewarm(header);
        }
    }

    /// Its workers of one language. The lock is held for a whole call, so that the calls of a
    /// session run one after the other.
    pub(crate) fn workers(&self, language: Language) -> &Mutex<SessionWorkers> {
        match language {
            Language::R => &self.0.r,
            Language::Python => &self.0.python,
        }
    }
}

#[derive(Default)]
pub(crate) struct SessionInner {
    r: Mutex<SessionWorkers>,
    python: Mutex<SessionWorkers>,
}

impl SessionInner {
    pub(crate) fn languages(&self) -> [&Mutex<SessionWorkers>; 2] {
        [&self.r, &self.python]
    }
}

impl Drop for SessionInner {
    fn drop(&mut self) {
        // Dropping a worker kills it, but a stored snapshot needs async work to be removed.
        for workers in [&mut self.r, &mut self.python].map(|own| std::mem::take(own.get_mut())) {
            let is_stored = workers.snapshot.as_ref().is_some_and(StateSnapshot::ends_with_session);
            // Without a runtime (at the end of the process) the next server removes it as stale.
            if let (true, Ok(handle)) = (is_stored, Handle::try_current()) {
                handle.spawn(workers.end());
            }
        }
    }
}

/// The workers of a session in one language, at most one per profile, and the state they share.
///
/// Each worker has its own copy of the state. The version tells which copies are current: a worker
/// with an older version gets the snapshot with its next call.
#[derive(Default)]
pub(crate) struct SessionWorkers {
    pub(crate) workers: Vec<Worker>,
    /// Incremented by each change of the state; 0 is the empty state.
    pub(crate) version: u64,
    /// The current state, if it could be copied out of its worker.
    pub(crate) snapshot: Option<StateSnapshot>,
    /// Whether the current state exists in its worker only.
    pub(crate) is_unsaved: bool,
    /// When its last call began. Known also when its workers were evicted.
    last_call: Option<Instant>,
}

impl SessionWorkers {
    async fn end(self) {
        for worker in self.workers {
            worker.kill().await;
        }
        if let Some(snapshot) = self.snapshot {
            snapshot.remove().await;
        }
    }

    /// The worker that has been idle for the longest time.
    pub(crate) fn oldest(&self) -> Option<&Worker> {
        self.workers.iter().min_by_key(|worker| worker.last_used)
    }

    /// Removes and returns the worker that has been idle for the longest time.
    pub(crate) fn take_oldest(&mut self) -> Option<Worker> {
        let oldest = self.workers.iter().enumerate().min_by_key(|(_, worker)| worker.last_used)?.0;
        Some(self.workers.swap_remove(oldest))
    }

    /// Notes that a call begins. Returns how long ago the previous one began, if there was one.
    pub(crate) fn begin_call(&mut self) -> Option<Duration> {
        self.last_call.replace(Instant::now()).map(|previous| previous.elapsed())
    }

    /// Drops, and so kills, workers that exited or whose last call was abandoned.
    pub(crate) fn drop_unusable(&mut self) {
        self.workers.retain_mut(Worker::is_idle);
    }

    /// Returns whether the state was lost because the only worker that had it is gone. The state is
    /// empty afterwards.
    pub(crate) fn detect_state_loss(&mut self) -> bool {
        let is_lost = self.is_unsaved
            && !self.workers.iter().any(|worker| worker.state_version == self.version);
        if is_lost {
            (self.is_unsaved, self.snapshot) = (false, None);
            // Workers that are left have an outdated copy. A new version makes them start from the
            // empty state like new ones.
            self.version += 1;
        }
        is_lost
    }
}
