//! Removes containers of servers that were killed, recognized by their labels.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bollard::query_parameters::ListContainersOptionsBuilder;
use serde::{Deserialize, Serialize};

use super::{Engine, container::remove};
use process::ServerId;

/// The label that identifies the owner of a container.
const LABEL: &str = "io.toolcrib.render";
/// Seconds beyond its time limit after which a container is removed in any case.
const MARGIN: u64 = 60;

/// The owner of a container.
#[derive(Serialize, Deserialize)]
struct ContainerOwner {
    server: ServerId,
    /// The pid namespace of the server: its process id means nothing in another one.
    namespace: Option<u64>,
    /// When the container has expired in any case, as a Unix timestamp.
    until: u64,
}

impl ContainerOwner {
    /// Whether the server that waited for the container is gone.
    fn is_orphan(&self) -> bool {
        let is_dead = self.namespace.is_some()
            && self.namespace == process::pid_namespace()
            && !self.server.is_alive();
        // A server in another pid namespace cannot be checked for liveness, so its containers
        // expire.
        is_dead || now() > self.until
    }
}

/// The labels of a container with this time limit.
pub(in super::super) fn labels(timeout: Duration) -> HashMap<String, String> {
    let owner = ContainerOwner {
        server: ServerId::current(),
        namespace: process::pid_namespace(),
        until: now() + timeout.as_secs() + MARGIN,
    };
    HashMap::from([(LABEL.to_owned(), serde_json::to_string(&owner).unwrap_or_default())])
}

/// Removes orphaned containers.
pub(super) async fn sweep(engine: &Engine) {
    let filters = HashMap::from([("label".to_owned(), vec![LABEL.to_owned()])]);
    let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
    let found = match engine.docker.list_containers(Some(options)).await {
        Ok(found) => found,
        Err(error) => {
            return tracing::warn!(%error, "could not list orphaned containers");
        }
    };
    for container in found {
        let label = container.labels.as_ref().and_then(|labels| labels.get(LABEL));
        let is_orphan = label
            .and_then(|label| serde_json::from_str::<ContainerOwner>(label).ok())
            .is_some_and(|owner| owner.is_orphan());
        if let (true, Some(id)) = (is_orphan, &container.id) {
            tracing::info!(container = id, "removing an orphaned container");
            remove(&engine.docker, id).await;
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
