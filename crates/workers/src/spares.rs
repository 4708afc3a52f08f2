//! Spare workers, started ahead of time so that a new session does not have to wait for one. No
//! function was ever called in them, and each is given to one session.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::Failure;
use parking_lot::Mutex;
use process::{Command, Launcher};
use tokio::{sync::OwnedSemaphorePermit, task::JoinHandle};

use crate::{profile::WorkerProfile, worker::Worker};

/// Workers without a session, at most one per profile.
#[derive(Default)]
pub(crate) struct SpareWorkers(Mutex<Vec<SpareWorker>>);

struct SpareWorker {
    profile: WorkerProfile,
    since: Instant,
    worker: JoinHandle<Result<Worker, Failure>>,
}

impl Drop for SpareWorker {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

impl SpareWorkers {
    /// Whether there is one with this profile, or one is starting.
    pub(crate) fn contains(&self, profile: &WorkerProfile) -> bool {
        self.0.lock().iter().any(|spare| spare.profile == *profile)
    }

    /// Starts one in the background.
    pub(crate) fn start(
        &self,
        launcher: &Arc<Launcher>,
        command: Arc<Command>,
        profile: WorkerProfile,
        slot: OwnedSemaphorePermit,
    ) {
        let launcher = Arc::clone(launcher);
        let own = profile.clone();
        let worker =
            tokio::spawn(async move { Worker::start(&launcher, &command, own, slot).await });
        self.0.lock().push(SpareWorker { profile, since: Instant::now(), worker });
    }

    /// Takes the one with this profile, once it is ready.
    pub(crate) async fn take(&self, profile: &WorkerProfile) -> Option<Worker> {
        let mut spare = {
            let mut spares = self.0.lock();
            let index = spares.iter().position(|spare| spare.profile == *profile)?;
            spares.swap_remove(index)
        };
        // A spare that fails to start is no failure of the call: the caller starts a worker itself
        // and reports that error.
        let mut worker = (&mut spare.worker).await.ok()?.ok()?;
        worker.last_used = Instant::now();
        // It may have exited or been killed for lack of memory while it waited.
        worker.is_idle().then_some(worker)
    }

    /// Kills one to free its slot. Returns whether there was one.
    pub(crate) fn evict_one(&self) -> bool {
        self.0.lock().pop().is_some()
    }

    /// Kills those that have waited for at least `idle_time`.
    pub(crate) fn evict_idle(&self, idle_time: Duration) {
        self.0.lock().retain(|spare| spare.since.elapsed() < idle_time);
    }
}
