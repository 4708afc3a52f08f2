//! Workers that wait for sessions to come, so that a caller without a session does not wait for one
//! to start. They are clean: nothing was ever called in them, and each goes to one session.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::Failure;
use parking_lot::{Mutex, MutexGuard};
use process::{Command, Launcher};
use tokio::{sync::OwnedSemaphorePermit, task::JoinHandle};

use super::worker::{Bounds, Worker};

/// Workers that wait for sessions to come, at most one for each kind of bounds.
#[derive(Default)]
pub(super) struct Spares(Mutex<Vec<Spare>>);

struct Spare {
    bounds: Bounds,
    since: Instant,
    worker: JoinHandle<Result<Worker, Failure>>,
}

impl Drop for Spare {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

impl Spares {
    /// Whether there is one with these bounds, or will be soon.
    pub(super) fn has(&self, bounds: &Bounds) -> bool {
        self.all().iter().any(|spare| spare.bounds == *bounds)
    }

    /// Starts one.
    pub(super) fn start(
        &self,
        launcher: &Arc<Launcher>,
        command: Arc<Command>,
        bounds: Bounds,
        seat: OwnedSemaphorePermit,
    ) {
        let launcher = Arc::clone(launcher);
        let own = bounds.clone();
        let worker =
            tokio::spawn(async move { Worker::start(&launcher, &command, own, seat).await });
        self.all().push(Spare { bounds, since: Instant::now(), worker });
    }

    /// Hands out the one with these bounds, when it is ready.
    pub(super) async fn take(&self, bounds: &Bounds) -> Option<Worker> {
        let mut spare = {
            let mut all = self.all();
            let index = all.iter().position(|spare| spare.bounds == *bounds)?;
            all.swap_remove(index)
        };
        let mut worker = (&mut spare.worker).await.ok()?.ok()?;
        worker.used = Instant::now();
        worker.is_idle().then_some(worker)
    }

    /// Ends one, if there is any, to make room.
    pub(super) fn give_way(&self) -> bool {
        self.all().pop().is_some()
    }

    /// Ends those that nobody has wanted for so long.
    pub(super) fn end_idle(&self, idle: Duration) {
        self.all().retain(|spare| spare.since.elapsed() < idle);
    }

    fn all(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.0.lock()
    }
}
