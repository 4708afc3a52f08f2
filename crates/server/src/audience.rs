//! Who is told of changes: clients that shook hands, and open subscription streams.
//!
//! Changes are gathered while earlier ones go out, so that a thousand changes at once make few
//! notifications. A client that does not read is passed over, never waited for by a tool.

#![expect(deprecated, reason = "logging is on its way out, but older clients have it")]

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    Peer, RoleServer,
    model::{
        GetMeta, LoggingLevel, LoggingMessageNotificationParam, PromptListChangedNotification,
        RequestId, ResourceListChangedNotification, ResourceUpdatedNotification,
        ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
        ToolListChangedNotification,
    },
    service::{RequestContext, ServiceError},
};
use serde_json::Value;
use tokio::time::timeout;
use toolkit::Change;

/// How long a client may take to accept a notification.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most subscription streams that are open at once.
const MOST_STREAMS: usize = 1_024;

/// The addresses of the resources that one client watches.
pub(crate) type Watched = Arc<Mutex<HashSet<String>>>;

/// The least weight of log messages that one client wants.
pub(crate) type Loudness = Arc<Mutex<LoggingLevel>>;

/// A client that shook hands.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) peer: Peer<RoleServer>,
    /// Whose its calls are.
    pub(crate) owner: Arc<str>,
    pub(crate) loudness: Loudness,
    pub(crate) watched: Watched,
}

/// An open subscription stream, and what was asked of it.
#[derive(Clone)]
pub(crate) struct Stream {
    peer: Peer<RoleServer>,
    id: RequestId,
    accepted: Arc<SubscriptionFilter>,
}

impl Stream {
    /// The stream of a request to listen.
    pub(crate) fn new(cx: &RequestContext<RoleServer>, accepted: SubscriptionFilter) -> Self {
        Self { peer: cx.peer.clone(), id: cx.id.clone(), accepted: Arc::new(accepted) }
    }

    /// Sends a notification as one of this stream's.
    pub(crate) async fn send(
        &self,
        mut notification: ServerNotification,
    ) -> Result<(), ServiceError> {
        notification.get_meta_mut().set_subscription_id(self.id.clone());
        self.peer.send_notification(notification).await
    }

    /// Tells of a change, if that was asked for.
    async fn tell(&self, change: &Change) {
        let asked = &*self.accepted;
        let watches = |uri| {
            asked.resource_subscriptions.as_ref().is_some_and(|watched| watched.contains(uri))
        };
        let notification = match change {
            Change::Tools if asked.tools_list_changed == Some(true) => {
                ToolListChangedNotification::default().into()
            }
            Change::Prompts if asked.prompts_list_changed == Some(true) => {
                PromptListChangedNotification::default().into()
            }
            Change::Resources if asked.resources_list_changed == Some(true) => {
                ResourceListChangedNotification::default().into()
            }
            Change::Resource(uri) if watches(uri) => {
                ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri)).into()
            }
            _ => return,
        };
        let _ = self.send(notification).await;
    }
}

/// Who is told of changes.
#[derive(Default)]
pub(crate) struct Audience(Mutex<Members>);

#[derive(Default)]
struct Members {
    peers: Vec<Listener>,
    streams: HashMap<u64, Stream>,
    next: u64,
    pending: Vec<Change>,
    delivering: bool,
}

impl Audience {
    /// Adds a client that shook hands.
    pub(crate) fn join(&self, listener: Listener) {
        let mut members = self.members();
        members.peers.retain(|listener| !listener.peer.is_transport_closed());
        members.peers.push(listener);
    }

    /// Adds a stream for as long as the seat is kept; nothing if there are too many.
    pub(crate) fn subscribe(self: &Arc<Self>, stream: Stream) -> Option<Seat> {
        let mut members = self.members();
        if members.streams.len() >= MOST_STREAMS {
            return None;
        }
        members.next += 1;
        let key = members.next;
        members.streams.insert(key, stream);
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
                let told = join_all(
                    peers.iter().map(|listener| timeout(PATIENCE, listener.tell(&change))),
                );
                let streamed =
                    join_all(streams.iter().map(|stream| timeout(PATIENCE, stream.tell(&change))));
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

    /// Sends a log message to every client of one owner that shook hands and wants such messages.
    pub(crate) async fn inform(&self, owner: &str, level: LoggingLevel, data: Value) {
        let (peers, _) = self.present();
        let wanted = |listener: &&Listener| {
            let loudness = *listener.loudness.lock();
            *listener.owner == *owner && level as u8 >= loudness as u8
        };
        let message = LoggingMessageNotificationParam::new(level, data);
        let told = peers.iter().filter(wanted).map(|listener| {
            timeout(PATIENCE, listener.peer.notify_logging_message(message.clone()))
        });
        join_all(told).await;
    }

    fn present(&self) -> (Vec<Listener>, Vec<Stream>) {
        let mut members = self.members();
        members.peers.retain(|listener| !listener.peer.is_transport_closed());
        (members.peers.clone(), members.streams.values().cloned().collect())
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.0.lock()
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

impl Listener {
    async fn tell(&self, change: &Change) -> Result<(), ServiceError> {
        match change {
            Change::Tools => self.peer.notify_tool_list_changed().await,
            Change::Prompts => self.peer.notify_prompt_list_changed().await,
            Change::Resources => self.peer.notify_resource_list_changed().await,
            Change::Resource(uri) => {
                let is_watched = self.watched.lock().contains(uri);
                match is_watched {
                    true => {
                        self.peer
                            .notify_resource_updated(ResourceUpdatedNotificationParam::new(
                                uri.clone(),
                            ))
                            .await
                    }
                    false => Ok(()),
                }
            }
        }
    }
}
