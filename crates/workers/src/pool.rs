//! The workers of a server: how many there are, which one is evicted when there are too many, and
//! when idle ones are stopped.

mod named_sessions;

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use catalog::{ErrorType, Failure, Tool};
use parking_lot::Mutex;
use process::{Command, Launcher, trace_with_strace};
use tokio::{
    pin, select,
    sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore},
    time::sleep,
};
use toolkit::{Arguments, Storage};

use self::named_sessions::{Lookup, NamedSessions};
use crate::{
    profile::{Language, WorkerProfile},
    session::{Session, SessionInner, SessionWorkers},
    session_argument::{has_session_argument, take_session_name},
    settings::WorkerSettings,
    spares::SpareWorkers,
    state::{self, StateRetention, StateSnapshot},
    worker::Worker,
};

/// Maximum interval between checks for idle workers.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// The shortest one, for tests with very short idle times.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The R and Python workers of a server. Shared in an `Arc`.
pub struct WorkerPool {
    pub(crate) settings: WorkerSettings,
    pub(crate) launcher: Arc<Launcher>,
    /// Keeps R state across crashes and restarts of the server.
    pub(crate) storage: Option<Arc<dyn Storage>>,
    slots: Arc<Semaphore>,
    /// Sessions that may have workers.
    sessions: Mutex<Vec<Weak<SessionInner>>>,
    named_sessions: NamedSessions,
    spares: SpareWorkers,
    /// Notified when a call has released its session, whose workers can be evicted from then on.
    released: Notify,
    is_checked_for_idle: AtomicBool,
    has_removed_stale_state: OnceCell<()>,
}

/// The caller of a tool, and its default session.
pub struct SessionCaller<'a> {
    /// The owner of the sessions that the caller names: equal names of different owners are
    /// different sessions.
    pub owner: &'a str,
    /// The session of the connection, for calls that name none.
    pub session: &'a Session,
    /// The current time, for expiry.
    pub now: SystemTime,
}

/// The session of one call, and how long its state is kept.
pub struct SessionLease {
    pub(crate) session: Session,
    pub(crate) retention: StateRetention,
}

/// Builds the command of a worker for a tool.
pub(crate) type WorkerCommand = fn(&WorkerSettings, &Tool) -> Result<Command, Failure>;

/// Notifies calls that wait for a slot when it is dropped: a session was released.
pub(crate) struct ReleaseGuard<'a>(&'a Notify);

impl Drop for ReleaseGuard<'_> {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
}

impl WorkerPool {
    /// A pool without workers: none is started before the first call. R state is kept in memory.
    pub fn new(settings: WorkerSettings, launcher: Arc<Launcher>) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(settings.max_workers.max(1))),
            named_sessions: NamedSessions::new(settings.session_lifetime),
            settings,
            launcher,
            storage: None,
            sessions: Mutex::default(),
            spares: SpareWorkers::default(),
            released: Notify::new(),
            is_checked_for_idle: AtomicBool::new(false),
            has_removed_stale_state: OnceCell::new(),
        }
    }

    /// Keeps R state in a store, where it survives a crash of the server.
    pub fn with_storage(self, storage: Arc<dyn Storage>) -> Self {
        Self { storage: Some(storage), ..self }
    }

    /// The session of a call: the one that its arguments name, else that of the connection. Removes
    /// the name from the arguments, and fails if it is invalid.
    pub async fn open_session(
        &self,
        tool: &Tool,
        arguments: &mut Arguments,
        caller: SessionCaller<'_>,
    ) -> Result<SessionLease, Failure> {
        let name = take_session_name(tool, arguments)?;
        if let Some(storage) = &self.storage {
            let remove = || state::remove_stale(storage, caller.now);
            // Done with the first call rather than at start: a server whose functions are never
            // called has nothing to remove.
            self.has_removed_stale_state.get_or_init(remove).await;
        }
        Ok(match name {
            Some(name) => self.open_named_session(caller.owner, &name, caller.now).await,
            None => {
                SessionLease { session: caller.session.clone(), retention: StateRetention::Session }
            }
        })
    }

    async fn open_named_session(&self, owner: &str, name: &str, now: SystemTime) -> SessionLease {
        let key = NamedSessions::key(owner, name);
        let retention = StateRetention::Until(key.clone(), now + self.settings.session_lifetime);
        match self.named_sessions.find(&key) {
            Lookup::Found(session) => return SessionLease { session, retention },
            // The periodic check has not removed it yet. Its state must be gone before the name is
            // used again, or the caller would see the state of an expired session.
            Lookup::Expired(session) => session.end().await,
            Lookup::Absent => {}
        }
        let session = Session::default();
        if let Some(storage) = &self.storage
            && let Some(snapshot) = StateSnapshot::find(storage, &key, now).await
        {
            let mut workers = session.workers(Language::R).lock().await;
            // Any version above that of a new worker (0) makes the worker load the snapshot.
            (workers.version, workers.snapshot) = (1, Some(snapshot));
        }
        SessionLease { session: self.named_sessions.insert(key, session), retention }
    }

    /// To be dropped after the lock of the session.
    pub(crate) fn release_guard(&self) -> ReleaseGuard<'_> {
        ReleaseGuard(&self.released)
    }

    /// The index of the session's worker for a tool. Starts it if necessary.
    pub(crate) async fn worker_for(
        self: &Arc<Self>,
        session: &Session,
        workers: &mut SessionWorkers,
        tool: &Tool,
        profile: WorkerProfile,
        build_command: WorkerCommand,
    ) -> Result<usize, Failure> {
        let absence = workers.begin_call();
        if let Some(index) = workers.workers.iter().position(|worker| worker.profile == profile) {
            return Ok(index);
        }
        // Checked before a slot is taken, because a missing interpreter must not cost another
        // session its worker.
        let mut command = build_command(&self.settings, tool)?;
        if let Some(trace) = &profile.trace {
            command = trace_with_strace(command, &self.settings.environment, trace)
                .map_err(|error| Failure::new(ErrorType::ProgramNotFound, error.to_string()))?;
        }
        let command = Arc::new(command);
        let mut worker = match self.spares.take(&profile).await {
            Some(worker) => worker,
            None => {
                let slot = self.acquire_slot(workers, absence).await?;
                Worker::start(&self.launcher, &command, profile.clone(), slot).await?
            }
        };
        worker.absence = absence.unwrap_or_default();
        workers.workers.push(worker);
        self.register(session);
        // Callers that name sessions open new ones often, so the next one should find a worker.
        if has_session_argument(tool) && profile.trace.is_none() {
            self.start_spare(command, profile);
        }
        Ok(workers.workers.len() - 1)
    }

    /// Starts a spare worker if there is a free slot.
    fn start_spare(&self, command: Arc<Command>, profile: WorkerProfile) {
        if self.spares.contains(&profile) {
            return;
        }
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            self.spares.start(&self.launcher, command, profile, slot);
        }
    }

    /// Waits for a slot. If all are taken, evicts a worker: a spare one, else an idle one of
    /// another session, else one of the session's own. If all are busy, the first one to become
    /// idle is evicted.
    async fn acquire_slot(
        &self,
        own: &mut SessionWorkers,
        absence: Option<Duration>,
    ) -> Result<OwnedSemaphorePermit, Failure> {
        loop {
            let released = self.released.notified();
            pin!(released);
            // Subscribe before looking for an idle worker, so that none that is released in between
            // is missed.
            released.as_mut().enable();
            if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
                return Ok(slot);
            }
            if !self.spares.evict_one()
                && let Some(worker) = self.take_idle(absence).or_else(|| own.take_oldest())
            {
                // Dropping would kill it too, but in the background; its slot is free only when it
                // is gone.
                worker.kill().await;
            }
            select! {
                biased;
                // Either the evicted worker has released its slot, or another worker has exited.
                slot = Arc::clone(&self.slots).acquire_owned() => {
                    return slot.map_err(|_| {
                        Failure::new(ErrorType::InternalError, "no workers are started any more")
                    });
                }
                // A session was released whose worker can be evicted in the next round.
                () = released => {}
            }
        }
    }

    /// Removes and returns an idle worker, preferably one that is not the only one with its
    /// session's state: the least recently used one.
    ///
    /// The exception are more sessions in turn than there are slots. Evicting the least recently
    /// used worker would then evict the one that is needed next, and each call would start a
    /// process. It shows in the session that needs the slot: its `absence` is longer than any
    /// worker has been idle. Then the worker is evicted whose session was absent for the longest
    /// time before it started. So the sessions that do not fit take turns in one slot, and the
    /// others keep their workers.
    fn take_idle(&self, absence: Option<Duration>) -> Option<Worker> {
        let sessions = self.live_sessions();
        let idle = sessions.iter().flat_map(|session| session.languages()).filter_map(|workers| {
            // A locked session runs a call. Waiting for it here could deadlock with that call,
            // which may wait for a slot itself.
            let locked = workers.try_lock().ok()?;
            let oldest = locked.oldest()?;
            Some((locked.is_unsaved, oldest.last_used, oldest.absence, workers))
        });
        let idle: Vec<_> = idle.collect();
        let oldest =
            idle.iter().min_by_key(|(is_unsaved, last_used, ..)| (is_unsaved, last_used))?;
        let is_cycle = absence.is_some_and(|absence| absence > oldest.1.elapsed());
        let evicted = if is_cycle {
            idle.iter().max_by_key(|(is_unsaved, last_used, absence, _)| {
                (!is_unsaved, *absence, *last_used)
            })?
        } else {
            oldest
        };
        // The lock was released while the candidates were compared, so the session may be in use
        // now; the caller tries again.
        evicted.3.try_lock().ok()?.take_oldest()
    }

    /// Includes a session in the checks for idle workers, and starts these checks.
    fn register(self: &Arc<Self>, session: &Session) {
        // Weak references: a session ends when its last clone is dropped, and the pool must not
        // keep it alive.
        let mut sessions = self.sessions.lock();
        sessions.retain(|known| known.strong_count() > 0);
        let this = Arc::downgrade(&session.0);
        if !sessions.iter().any(|known| known.ptr_eq(&this)) {
            sessions.push(this);
        }
        drop(sessions);
        // The task starts with the first worker, because `new` may run outside of a runtime.
        if !self.is_checked_for_idle.swap(true, Ordering::SeqCst) {
            let shortest = self.settings.idle_time.min(self.settings.session_lifetime);
            // Half of the shortest lifetime, so that nothing outlives its lifetime by more than
            // half of it.
            let interval = MAX_CHECK_INTERVAL.min(shortest / 2).max(MIN_CHECK_INTERVAL);
            tokio::spawn(check_for_idle(Arc::downgrade(self), interval));
        }
    }

    /// Stops workers that have been idle for too long, and ends sessions that have expired.
    fn stop_idle(&self) {
        let idle_time = self.settings.idle_time;
        self.spares.evict_idle(idle_time);
        for session in self.named_sessions.take_expired() {
            // Runs in a task of its own, because ending waits for a call that still runs in the
            // session.
            tokio::spawn(async move { session.end().await });
        }
        for workers in self.live_sessions().iter().flat_map(|session| session.languages()) {
            // A session that is locked is in use.
            let Ok(mut workers) = workers.try_lock() else {
                continue;
            };
            // A worker with the only copy of a state stays.
            if !workers.is_unsaved {
                workers.workers.retain(|worker| worker.last_used.elapsed() < idle_time);
            }
        }
    }

    fn live_sessions(&self) -> Vec<Arc<SessionInner>> {
        self.sessions.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

/// Stops idle workers regularly, until the pool is dropped.
async fn check_for_idle(pool: Weak<WorkerPool>, interval: Duration) {
    loop {
        sleep(interval).await;
        let Some(pool) = pool.upgrade() else {
            return;
        };
        pool.stop_idle();
    }
}
