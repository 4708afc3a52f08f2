//! What tools keep between calls, copied out of R, so that a worker that crashes takes nothing with
//! it. The copy is in the store where there is one, else in memory.

use std::{sync::Arc, time::SystemTime};

use base64::{Engine, engine::general_purpose::STANDARD};
use catalog::{ErrorType, Failure};
use process::random_id;
use serde_json::{Value, json};
use toolkit::Storage;

use crate::operation::ServerId;

/// Where states are, by session.
const STATES: &str = "r/state";
/// Who keeps each of them, and until when.
const HOLDERS: &str = "r/sessions";

/// A copy of a state.
pub(crate) enum Snapshot {
    /// In memory.
    Held(Vec<u8>),
    /// In the store, under this key; it may be kept for servers to come.
    Stored { keep: Arc<dyn Storage>, key: String, is_lasting: bool },
}

/// How long a state is kept.
#[derive(Clone, Debug)]
pub(crate) enum Life {
    /// As long as this server runs.
    Server,
    /// Under this key, until that time, whoever serves.
    Until(String, SystemTime),
}

impl Snapshot {
    /// Keeps a state in the place of an older one.
    pub(crate) async fn take(
        older: Option<Self>,
        keep: Option<&Arc<dyn Storage>>,
        life: &Life,
        bytes: Vec<u8>,
    ) -> Result<Self, Failure> {
        let Some(keep) = keep else {
            return Ok(Self::Held(bytes));
        };
        let (key, expires) = match (older, life) {
            (Some(Self::Stored { key, .. }), Life::Server) => (key, None),
            (_, Life::Server) => (random_id().map_err(no_randomness)?, None),
            (_, Life::Until(key, time)) => (key.clone(), Some(unix(*time))),
        };
        // Who keeps it first: a state that nobody keeps would never go.
        let holder = json!({"server": ServerId::this(), "expires": expires});
        keep.set(HOLDERS, &key, Some(holder)).await?;
        keep.set(STATES, &key, Some(Value::String(STANDARD.encode(bytes)))).await?;
        Ok(Self::Stored { keep: Arc::clone(keep), key, is_lasting: expires.is_some() })
    }

    /// The state under a key, if there is one that has not expired.
    pub(crate) async fn find(keep: &Arc<dyn Storage>, key: &str, now: SystemTime) -> Option<Self> {
        let holder = keep.get(HOLDERS, key).await.ok()??;
        let is_fresh = holder["expires"].as_u64().is_some_and(|expires| expires > unix(now));
        is_fresh.then(|| Self::Stored {
            keep: Arc::clone(keep),
            key: key.to_owned(),
            is_lasting: true,
        })
    }

    /// The state.
    pub(crate) async fn bytes(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Held(bytes) => Ok(bytes.clone()),
            Self::Stored { keep, key, .. } => {
                let found = keep.get(STATES, key).await?;
                let bytes = found
                    .as_ref()
                    .and_then(Value::as_str)
                    .and_then(|text| STANDARD.decode(text).ok());
                bytes.ok_or_else(|| {
                    Failure::new(
                        ErrorType::StoreFailed,
                        "the state of this session is not in the store any more",
                    )
                })
            }
        }
    }

    /// Whether someone must forget it when its session is gone.
    pub(crate) fn ends_with_its_session(&self) -> bool {
        matches!(self, Self::Stored { is_lasting: false, .. })
    }

    /// Keeps it no longer.
    pub(crate) async fn forget(self) {
        if let Self::Stored { keep, key, .. } = self {
            forget(&keep, &key).await;
        }
    }
}

/// Forgets what servers left that are gone, and what has expired.
pub(crate) async fn sweep(keep: &Arc<dyn Storage>, now: SystemTime) {
    let holders = keep.all(HOLDERS).await.unwrap_or_default();
    for (key, holder) in holders {
        let is_over = match holder["expires"].as_u64() {
            Some(expires) => expires <= unix(now),
            None => !serde_json::from_value::<ServerId>(holder["server"].clone())
                .is_ok_and(|server| server.is_alive()),
        };
        if is_over {
            forget(keep, &key).await;
        }
    }
}

async fn forget(keep: &Arc<dyn Storage>, key: &str) {
    for space in [STATES, HOLDERS] {
        if let Err(failure) = keep.set(space, key, None).await {
            tracing::warn!("the state of an R session could not be removed: {}", failure.message);
        }
    }
}

fn unix(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn no_randomness(error: std::io::Error) -> Failure {
    Failure::new(
        ErrorType::InternalError,
        format!("no key for the state of an R session could be made: {error}"),
    )
}
