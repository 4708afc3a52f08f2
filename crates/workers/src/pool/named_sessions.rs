//! Sessions that callers name in an argument, and that outlive connections.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::session::Session;

/// The sessions that callers have named, by key.
pub(super) struct NamedSessions {
    /// Idle timeout of a session.
    lifetime: Duration,
    sessions: Mutex<HashMap<String, NamedSession>>,
}

struct NamedSession {
    session: Session,
    last_used: Instant,
}

/// A lookup in [`NamedSessions`].
pub(super) enum Lookup {
    Found(Session),
    /// It was removed, and must be ended.
    Expired(Session),
    Absent,
}

impl NamedSessions {
    pub(super) fn new(lifetime: Duration) -> Self {
        Self { lifetime, sessions: Mutex::default() }
    }

    /// The key of the session that `owner` calls `name`. It is also its key in the store, so it
    /// must not change between versions.
    pub(super) fn key(owner: &str, name: &str) -> String {
        // A digest, because names are arbitrary text of a caller. The separator keeps owner `a`
        // with name `bc` apart from owner `ab` with name `c`.
        let digest = Sha256::new().chain_update(owner).chain_update("\n").chain_update(name);
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Finds a session, and counts that as use of it.
    pub(super) fn find(&self, key: &str) -> Lookup {
        let mut sessions = self.sessions.lock();
        let Some(named) = sessions.get_mut(key) else {
            return Lookup::Absent;
        };
        if named.last_used.elapsed() < self.lifetime {
            named.last_used = Instant::now();
            return Lookup::Found(named.session.clone());
        }
        sessions.remove(key).map_or(Lookup::Absent, |named| Lookup::Expired(named.session))
    }

    /// Adds a session, unless another call has added one under this key meanwhile. Returns the one
    /// that is kept.
    pub(super) fn insert(&self, key: String, session: Session) -> Session {
        let mut sessions = self.sessions.lock();
        let named = sessions
            .entry(key)
            .or_insert_with(|| NamedSession { session, last_used: Instant::now() });
        named.session.clone()
    }

    /// Removes and returns the sessions whose lifetime is over.
    pub(super) fn take_expired(&self) -> Vec<Session> {
        let mut sessions = self.sessions.lock();
        let expired = sessions.extract_if(|_, named| named.last_used.elapsed() >= self.lifetime);
        expired.map(|(_, named)| named.session).collect()
    }
}
