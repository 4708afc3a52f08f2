//! Whose state it is: a session, its workers, and which version of its state each of them has.
//!
//! A session is lazy: until a function is called in it, it is nothing. It ends when nobody
//! holds it any more, and its workers and state end with it.

use std::sync::Arc;

use tokio::{runtime::Handle, sync::Mutex};

use super::{
    state::Snapshot,
    worker::{Bounds, Worker},
};

/// Whose state it is: calls in one session share it, and no others do. It is gone when the last
/// clone is.
#[derive(Clone, Default)]
pub struct Session(pub(super) Arc<Inner>);

impl Session {
    /// Ends it now: its workers, and what is kept for it. Waits for calls that run in it.
    pub async fn end(&self) {
        for place in self.0.places() {
            let place = std::mem::take(&mut *place.lock().await);
            place.end().await;
        }
    }

    /// Wakes the worker that is for a tool, if it waits, by what every request begins with.
    pub(crate) fn rouse(&self, language: Language, bounds: &Bounds, beginning: &[u8]) {
        if let Ok(mut place) = self.place(language).try_lock()
            && let Some(worker) = place.workers.iter_mut().find(|worker| worker.bounds == *bounds)
        {
            worker.rouse(beginning);
        }
    }

    /// What it has of a language. One call at a time has it.
    pub(crate) fn place(&self, language: Language) -> &Mutex<Place> {
        match language {
            Language::R => &self.0.r,
            Language::Python => &self.0.python,
        }
    }
}

/// A language whose functions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    R,
    Python,
}

/// What a session has.
#[derive(Default)]
pub(super) struct Inner {
    r: Mutex<Place>,
    python: Mutex<Place>,
}

impl Inner {
    pub(super) fn places(&self) -> [&Mutex<Place>; 2] {
        [&self.r, &self.python]
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Dropping a worker ends it; what is kept needs someone to forget it.
        for place in [&mut self.r, &mut self.python].map(|place| std::mem::take(place.get_mut())) {
            let is_kept = place.snapshot.as_ref().is_some_and(Snapshot::ends_with_its_session);
            if let (true, Ok(handle)) = (is_kept, Handle::try_current()) {
                handle.spawn(place.end());
            }
        }
    }
}

/// The workers of a session in one language, at most one for each kind of bounds, and its state.
#[derive(Default)]
pub(crate) struct Place {
    pub(crate) workers: Vec<Worker>,
    /// Counts the changes of the state; 0 is empty.
    pub(crate) version: u64,
    /// The newest state, where it could be copied out.
    pub(crate) snapshot: Option<Snapshot>,
    /// Whether the newest state is in its worker alone.
    pub(crate) is_unsaved: bool,
}

impl Place {
    async fn end(self) {
        for worker in self.workers {
            worker.end().await;
        }
        if let Some(snapshot) = self.snapshot {
            snapshot.forget().await;
        }
    }

    /// Takes out the worker that has waited longest.
    pub(super) fn take_oldest(&mut self) -> Option<Worker> {
        let oldest = self.workers.iter().enumerate().min_by_key(|(_, worker)| worker.used)?.0;
        Some(self.workers.swap_remove(oldest))
    }

    /// Takes out the workers that can be spoken to no more.
    pub(crate) fn drop_broken(&mut self) {
        self.workers.retain_mut(|worker| worker.is_idle());
    }

    /// Whether state was lost: the newest was in a worker that is gone. It is empty from now on.
    pub(crate) fn notice_loss(&mut self) -> bool {
        let is_lost =
            self.is_unsaved && !self.workers.iter().any(|worker| worker.holds == self.version);
        if is_lost {
            (self.is_unsaved, self.snapshot) = (false, None);
            self.version += 1;
        }
        is_lost
    }
}
