//! The workers of a server: how many there may be, whose turn it is to go when there are too many,
//! and when one that nobody uses goes by itself.

use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use catalog::{ErrorType, Failure, Tool};
use parking_lot::{Mutex, MutexGuard};
use process::{Command, Launcher};
use tokio::{
    pin, select,
    sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore},
    time::sleep,
};
use toolkit::Storage;

use super::{
    handle,
    session::{Inner, Language, Place, Session},
    spares::Spares,
    state::{self, Life, Snapshot},
    worker::{Bounds, Worker},
};
use crate::{Settings, call::ActiveCall, digest, engine::Engine};

/// How often workers are looked at that nobody may use.
const GLANCE: Duration = Duration::from_secs(30);

/// The workers of a server.
pub(crate) struct Workers {
    seats: Arc<Semaphore>,
    /// How long a worker waits for its next call.
    idle: Duration,
    /// How long a state that is known by a handle is kept without being used.
    life: Duration,
    sessions: Mutex<Vec<Weak<Inner>>>,
    handles: Mutex<HashMap<String, Held>>,
    spares: Spares,
    /// Tells that a call has left its session, whose workers wait from then on.
    left: Notify,
    is_tidied: AtomicBool,
    is_swept: OnceCell<()>,
}

/// What is needed to start a worker.
pub(crate) struct Start<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    pub(crate) settings: &'a Settings,
    pub(crate) tool: &'a Tool,
    /// What makes its command.
    pub(crate) command: fn(&Settings, &Tool) -> Result<Command, Failure>,
}

/// Tells those who wait for a worker, when it is dropped, that there may be one to give way.
pub(crate) struct Leaving<'a>(&'a Notify);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
}

/// A session that is known by a handle.
struct Held {
    session: Session,
    used: Instant,
}

impl Workers {
    /// Nothing is started before a function is called.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            seats: Arc::new(Semaphore::new(settings.workers.max(1))),
            idle: settings.worker_idle,
            life: settings.handle_life,
            sessions: Mutex::default(),
            handles: Mutex::default(),
            spares: Spares::default(),
            left: Notify::new(),
            is_tidied: AtomicBool::new(false),
            is_swept: OnceCell::new(),
        }
    }

    /// Forgets, once, what former servers left behind.
    pub(crate) async fn sweep(&self, keep: Option<&Arc<dyn Storage>>, now: SystemTime) {
        if let Some(keep) = keep {
            self.is_swept.get_or_init(|| state::sweep(keep, now)).await;
        }
    }

    /// The session that an owner knows by a handle, and how long its state is kept.
    pub(crate) async fn by_handle(
        &self,
        owner: &str,
        handle: &str,
        keep: Option<&Arc<dyn Storage>>,
        now: SystemTime,
    ) -> (Session, Life) {
        let key = digest::together([owner, "\n", handle]);
        let life = Life::Until(key.clone(), now + self.life);
        match self.held(&key) {
            Some(Ok(session)) => return (session, life),
            Some(Err(over)) => over.end().await,
            None => {}
        }
        let session = Session::default();
        if let Some(keep) = keep
            && let Some(snapshot) = Snapshot::find(keep, &key, now).await
        {
            let mut place = session.place(Language::R).lock().await;
            (place.version, place.snapshot) = (1, Some(snapshot));
        }
        // Another call may have been faster.
        let mut handles = self.handles();
        let held = handles.entry(key).or_insert_with(|| Held { session, used: Instant::now() });
        (held.session.clone(), life)
    }

    /// The session under a key; one that is over is taken out, and is an error.
    fn held(&self, key: &str) -> Option<Result<Session, Session>> {
        let mut handles = self.handles();
        let held = handles.get_mut(key)?;
        if held.used.elapsed() < self.life {
            held.used = Instant::now();
            return Some(Ok(held.session.clone()));
        }
        handles.remove(key).map(|held| Err(held.session))
    }

    /// To be dropped once a session is left.
    pub(crate) fn leaving(&self) -> Leaving<'_> {
        Leaving(&self.left)
    }

    /// Which worker of a session is for a tool; it is started if need be.
    pub(crate) async fn worker(
        self: &Arc<Self>,
        session: &Session,
        place: &mut Place,
        start: Start<'_>,
    ) -> Result<usize, Failure> {
        let bounds = Bounds::of(start.tool);
        if let Some(index) = place.workers.iter().position(|worker| worker.bounds == bounds) {
            return Ok(index);
        }
        let command = Arc::new((start.command)(start.settings, start.tool)?);
        let worker = match self.spares.take(&bounds).await {
            Some(worker) => worker,
            None => {
                Worker::start(start.launcher, &command, bounds.clone(), self.seat(place).await?)
                    .await?
            }
        };
        place.workers.push(worker);
        self.look_after(session);
        if handle::is_offered(start.tool) {
            self.prepare(start.launcher, command, bounds);
        }
        Ok(place.workers.len() - 1)
    }

    /// Starts a worker for a session to come, if there is room for it.
    fn prepare(&self, launcher: &Arc<Launcher>, command: Arc<Command>, bounds: Bounds) {
        if self.spares.has(&bounds) {
            return;
        }
        if let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() {
            self.spares.start(launcher, command, bounds, seat);
        }
    }

    /// Room for one more. If there is none, one that nobody has goes, else the one that has waited longest, else one
    /// of the session's own. If all are busy, it is the turn of whichever is done first.
    async fn seat(&self, own: &mut Place) -> Result<OwnedSemaphorePermit, Failure> {
        loop {
            let left = self.left.notified();
            pin!(left);
            // From here on, nobody is missed.
            left.as_mut().enable();
            if let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() {
                return Ok(seat);
            }
            if !self.spares.give_way()
                && let Some(worker) = self.longest_idle().or_else(|| own.take_oldest())
            {
                worker.end().await;
            }
            select! {
                biased;
                seat = Arc::clone(&self.seats).acquire_owned() => {
                    return seat.map_err(|_| Failure::new(ErrorType::InternalError, "no workers are started any more"));
                }
                () = left => {}
            }
        }
    }

    /// The worker that has waited longest; rather one whose session can do without it.
    fn longest_idle(&self) -> Option<Worker> {
        let sessions = self.live_sessions();
        let waiting = sessions.iter().flat_map(|session| session.places()).filter_map(|place| {
            let held = place.try_lock().ok()?;
            let used = held.workers.iter().map(|worker| worker.used).min()?;
            Some(((held.is_unsaved, used), place))
        });
        let (_, place) = waiting.min_by_key(|(order, _)| *order)?;
        place.try_lock().ok()?.take_oldest()
    }

    /// Sees to it that the workers of a session go when nobody uses them.
    fn look_after(self: &Arc<Self>, session: &Session) {
        let mut sessions = self.sessions();
        sessions.retain(|known| known.strong_count() > 0);
        let this = Arc::downgrade(&session.0);
        if !sessions.iter().any(|known| known.ptr_eq(&this)) {
            sessions.push(this);
        }
        drop(sessions);
        if !self.is_tidied.swap(true, Ordering::SeqCst) {
            tokio::spawn(tidy(
                Arc::downgrade(self),
                GLANCE.min(self.idle.min(self.life) / 2).max(Duration::from_millis(50)),
            ));
        }
    }

    /// Ends what nobody has used for too long.
    fn end_idle(&self) {
        self.spares.end_idle(self.idle);
        let is_over = |held: &Held| held.used.elapsed() >= self.life;
        let expired: Vec<_> = self
            .handles()
            .extract_if(|_, held| is_over(held))
            .map(|(_, held)| held.session)
            .collect();
        for session in expired {
            tokio::spawn(async move { session.end().await });
        }
        for place in self.live_sessions().iter().flat_map(|session| session.places()) {
            let Ok(mut place) = place.try_lock() else {
                continue;
            };
            // Whoever has the only copy of a state stays.
            if !place.is_unsaved {
                place.workers.retain(|worker| worker.used.elapsed() < self.idle);
            }
        }
    }

    fn live_sessions(&self) -> Vec<Arc<Inner>> {
        self.sessions().iter().filter_map(Weak::upgrade).collect()
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<Inner>>> {
        self.sessions.lock()
    }

    fn handles(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.handles.lock()
    }
}

impl Engine {
    /// The session that a call works in, and how long its state is kept: the one that its arguments name, else its own.
    pub(crate) async fn session(&self, job: &mut ActiveCall) -> Result<(Session, Life), Failure> {
        let handle = handle::take(&job.call.tool, &mut job.call.arguments)?;
        let now = self.settings.clock.now();
        self.workers.sweep(self.storage.as_ref(), now).await;
        Ok(match handle {
            Some(handle) => {
                self.workers
                    .by_handle(job.call.context.owner(), &handle, self.storage.as_ref(), now)
                    .await
            }
            None => (job.call.session.clone(), Life::Server),
        })
    }
}

async fn tidy(workers: Weak<Workers>, pause: Duration) {
    loop {
        sleep(pause).await;
        let Some(workers) = workers.upgrade() else {
            return;
        };
        workers.end_idle();
    }
}
