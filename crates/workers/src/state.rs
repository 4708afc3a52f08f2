//! Snapshots of the state that R functions keep between calls. They are copied out of the worker,
//! so that a crash loses nothing, and kept in the store if there is one, else in memory.

use std::{sync::Arc, time::SystemTime};

use base64::{Engine, engine::general_purpose::STANDARD};
use catalog::{ErrorType, Failure};
use process::{ServerId, random_id};
use serde_json::{Value, json};
use toolkit::Storage;

/// The namespace of the snapshots, by key.
const STATES: &str = "r/state";
/// The namespace of the records of which server keeps each snapshot, and until when.
const HOLDERS: &str = "r/sessions";

/// A copy of a session's state.
pub(crate) enum StateSnapshot {
    /// The serialized state.
    InMemory(Vec<u8>),
    /// A snapshot in the store under `key`; `outlives_session` if later servers may use it.
    Stored { storage: Arc<dyn Storage>, key: String, outlives_session: bool },
}

/// The retention of a state.
#[derive(Clone, Debug)]
pub(crate) enum StateRetention {
    /// Until the session ends, or at the latest this server.
    Session,
    /// Under this key until that time, across restarts of the server.
    Until(String, SystemTime),
}

impl StateSnapshot {
    /// Saves a state in place of an older one.
    pub(crate) async fn save(
        older: Option<Self>,
        storage: Option<&Arc<dyn Storage>>,
        retention: &StateRetention,
        state: Vec<u8>,
    ) -> Result<Self, Failure> {
        let Some(storage) = storage else {
            return Ok(Self::InMemory(state));
        };
        let (key, expires) = match (older, retention) {
            // Reuses the key, so that the new state replaces the older one.
            (Some(Self::Stored { key, .. }), StateRetention::Session) => (key, None),
            (_, StateRetention::Session) => (random_id().map_err(no_randomness)?, None),
            (_, StateRetention::Until(key, time)) => (key.clone(), Some(unix_seconds(*time))),
        };
        // The holder comes first: after a crash in between, a state without a holder would never be
        // removed, but a holder without a state is harmless.
        let holder = json!({"server": ServerId::current(), "expires": expires});
        storage.set(HOLDERS, &key, Some(holder)).await?;
        storage.set(STATES, &key, Some(Value::String(STANDARD.encode(state)))).await?;
        Ok(Self::Stored { storage: Arc::clone(storage), key, outlives_session: expires.is_some() })
    }

    /// Finds the state under a key, if it has not expired.
    pub(crate) async fn find(
        storage: &Arc<dyn Storage>,
        key: &str,
        now: SystemTime,
    ) -> Option<Self> {
        let holder = storage.get(HOLDERS, key).await.ok()??;
        let is_valid =
            holder["expires"].as_u64().is_some_and(|expires| expires > unix_seconds(now));
        is_valid.then(|| Self::Stored {
            storage: Arc::clone(storage),
            key: key.to_owned(),
            outlives_session: true,
        })
    }

    /// The serialized state.
    pub(crate) async fn load(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::InMemory(state) => Ok(state.clone()),
            Self::Stored { storage, key, .. } => {
                let found = storage.get(STATES, key).await?;
                let state = found
                    .as_ref()
                    .and_then(Value::as_str)
                    .and_then(|text| STANDARD.decode(text).ok());
                state.ok_or_else(|| {
                    Failure::new(
                        ErrorType::StoreFailed,
                        "the state of this session is not in the store any more",
                    )
                })
            }
        }
    }

    /// Whether it must be removed from the store when its session ends.
    pub(crate) fn ends_with_session(&self) -> bool {
        matches!(self, Self::Stored { outlives_session: false, .. })
    }

    /// Removes it from the store.
    pub(crate) async fn remove(self) {
        if let Self::Stored { storage, key, .. } = self {
            remove(&storage, &key).await;
        }
    }
}

/// Removes snapshots that have expired, and those of servers that no longer run.
pub(crate) async fn remove_stale(storage: &Arc<dyn Storage>, now: SystemTime) {
    let holders = storage.all(HOLDERS).await.unwrap_or_default();
    for (key, holder) in holders {
        let is_stale = match holder["expires"].as_u64() {
            Some(expires) => expires <= unix_seconds(now),
            // A record without a valid server cannot belong to one that runs.
            None => !serde_json::from_value::<ServerId>(holder["server"].clone())
                .is_ok_and(|server| server.is_alive()),
        };
        if is_stale {
            remove(storage, &key).await;
        }
    }
}

/// The holder goes last, so that an interrupted removal is completed by [`remove_stale`].
async fn remove(storage: &Arc<dyn Storage>, key: &str) {
    for namespace in [STATES, HOLDERS] {
        if let Err(failure) = storage.set(namespace, key, None).await {
            tracing::warn!("the state of an R session could not be removed: {}", failure.message);
        }
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn no_randomness(error: std::io::Error) -> Failure {
    Failure::new(
        ErrorType::InternalError,
        format!("no key for the state of an R session could be generated: {error}"),
    )
}
