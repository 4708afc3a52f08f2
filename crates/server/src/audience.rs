//! Who is told of changes: clients that shook hands, and open subscription streams.
//!
//! Changes are gathered while earlier ones go out, so that a thousand changes at once make few
//! notifications. A client that does not read is passed over, never waited for by a tool.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use rmcp::{
    Peer, RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{ServiceError, SubscriptionSink},
};
use tokio::time::timeout;
use toolkit::Change;

/// How long a client may take to accept a notification.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most subscription streams that are open at once.
const MOST_STREAMS: usize = 1_024;

/// The addresses of the resources that one client watches.
pub(crate) type Watched = Arc<Mutex<HashSet<String>>>;

/// Who is told of changes.
#[derive(Default)]
pub(crate) struct Audience(Mutex<Members>);

#[derive(Default)]
struct Members {
    peers: Vec<(Peer<RoleServer>, Watched)>,
    streams: HashMap<u64, SubscriptionSink>,
    next: u64,
    pending: Vec<Change>,
    delivering: bool,
}

impl Audience {
    /// Adds a client that shook hands.
    pub(crate) fn join(&self, peer: Peer<RoleServer>, watched: Watched) {
        let mut members = self.members();
        members.peers.retain(|(peer, _)| !peer.is_transport_closed());
        members.peers.push((peer, watched));
    }

    /// Adds a stream for as long as the seat is kept; nothing if there are too many.
    pub(crate) fn subscribe(self: &Arc<Self>, sink: SubscriptionSink) -> Option<Seat> {
        let mut members = self.members();
        if members.streams.len() >= MOST_STREAMS {
            return None;
        }
        members.next += 1;
        let key = members.next;
        members.streams.insert(key, sink);
        Some(Seat { audience: self.clone(), key })
    }

    /// Tells everybody, and is done when they have been told; if others are being told already,
    /// this goes out with the next round.
    pub(crate) async fn announce(self: &Arc<Self>, change: Change) {
        let must_deliver = {
            let mut members = self.members();
            if !members.pending.contains(&change) {
                members.pending.push(change);
            }
            !std::mem::replace(&mut members.delivering, true)
        };
        if must_deliver {
            // A task of its own: a cancelled caller must not leave the others untold.
            let _ = tokio::spawn(Arc::clone(self).deliver()).await;
        }
    }

    async fn deliver(self: Arc<Self>) {
        while let Some(changes) = self.take() {
            for change in changes {
                let (peers, streams) = self.present();
                let told = join_all(peers.iter().map(|(peer, watched)| timeout(PATIENCE, tell(peer, watched, &change))));
                let streamed = join_all(streams.iter().map(|sink| timeout(PATIENCE, stream(sink, &change))));
                tokio::join!(told, streamed);
            }
        }
    }

    /// What is to be told next; nothing, and the round ends, if that is all.
    fn take(&self) -> Option<Vec<Change>> {
        let mut members = self.members();
        let changes = std::mem::take(&mut members.pending);
        members.delivering = !changes.is_empty();
        members.delivering.then_some(changes)
    }

    fn present(&self) -> (Vec<(Peer<RoleServer>, Watched)>, Vec<SubscriptionSink>) {
        let mut members = self.members();
        members.peers.retain(|(peer, _)| !peer.is_transport_closed());
        (members.peers.clone(), members.streams.values().cloned().collect())
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream's place in the audience.
pub(crate) struct Seat {
    audience: Arc<Audience>,
    key: u64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.audience.members().streams.remove(&self.key);
    }
}

async fn tell(peer: &Peer<RoleServer>, watched: &Watched, change: &Change) -> Result<(), ServiceError> {
    match change {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Resource(uri) => {
            let is_watched = watched.lock().unwrap_or_else(PoisonError::into_inner).contains(uri);
            match is_watched {
                true => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri.clone())).await,
                false => Ok(()),
            }
        }
    }
}

/// The stream itself knows what was asked of it and refuses the rest.
async fn stream(sink: &SubscriptionSink, change: &Change) {
    let _ = match change {
        Change::Tools => sink.notify_tool_list_changed().await,
        Change::Prompts => sink.notify_prompt_list_changed().await,
        Change::Resources => sink.notify_resource_list_changed().await,
        Change::Resource(uri) => sink.notify_resource_updated(uri.clone()).await,
    };
}
