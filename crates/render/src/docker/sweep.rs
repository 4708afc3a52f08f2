//! Containers that a server left behind because it was killed: known by their labels, and removed.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bollard::query_parameters::ListContainersOptionsBuilder;
use serde::{Deserialize, Serialize};

use super::{Engine, container::remove};
use process::ServerId;

/// The label that says whose a container is.
const LABEL: &str = "io.toolcrib.render";
/// How much longer than its time a container is left alone.
const MARGIN: u64 = 60;

/// Whose a container is.
#[derive(Serialize, Deserialize)]
struct Mark {
    server: ServerId,
    /// Where the server's process id has its meaning.
    namespace: Option<u64>,
    /// When the container is over in any case, in seconds since 1970.
    until: u64,
}

impl Mark {
    /// Whether nobody waits for the container any more.
    fn is_orphan(&self) -> bool {
        let is_dead = self.namespace.is_some()
            && self.namespace == process::pid_namespace()
            && !self.server.is_alive();
        is_dead || now() > self.until
    }
}

/// What a container of this server is labelled with, if it may take so long.
pub(in super::super) fn labels(timeout: Duration) -> HashMap<String, String> {
    let mark = Mark {
        server: ServerId::this(),
        namespace: process::pid_namespace(),
        until: now() + timeout.as_secs() + MARGIN,
    };
    HashMap::from([(LABEL.to_owned(), serde_json::to_string(&mark).unwrap_or_default())])
}

/// Removes containers whose server is no more.
pub(super) async fn sweep(engine: &Engine) {
    let filters = HashMap::from([("label".to_owned(), vec![LABEL.to_owned()])]);
    let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
    let found = match engine.docker.list_containers(Some(options)).await {
        Ok(found) => found,
        Err(error) => {
            return tracing::warn!(%error, "containers that were left behind could not be looked for");
        }
    };
    for container in found {
        let label = container.labels.as_ref().and_then(|labels| labels.get(LABEL));
        let is_orphan = label
            .and_then(|label| serde_json::from_str::<Mark>(label).ok())
            .is_some_and(|mark| mark.is_orphan());
        if let (true, Some(id)) = (is_orphan, &container.id) {
            tracing::info!(container = id, "a container that a server left behind is removed");
            remove(&engine.docker, id).await;
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
