//! The clients that are notified of changes: legacy clients, and open subscription streams.
//!
//! Changes that arrive while earlier ones are being sent are coalesced, so that a thousand changes
//! at once make few notifications. A client that does not read is skipped after a timeout.

#![expect(deprecated, reason = "logging is deprecated, but legacy clients use it")]

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use parking_lot::Mutex;
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

/// Timeout for a client to accept a notification.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);

/// The protocol library does not limit open streams.
const MAX_STREAMS: usize = 1_024;

/// The URIs that a legacy client subscribed to with `resources/subscribe`.
pub(crate) type WatchedUris = Arc<Mutex<HashSet<String>>>;

/// The lowest level of log messages that a legacy client wants (`logging/setLevel`).
pub(crate) type LogThreshold = Arc<Mutex<LoggingLevel>>;

/// A client that completed the `initialize` handshake.
#[derive(Clone)]
pub(crate) struct LegacyClient {
    pub(crate) peer: Peer<RoleServer>,
    /// The owner of its calls.
    pub(crate) owner: Arc<str>,
    pub(crate) log_threshold: LogThreshold,
    pub(crate) watched: WatchedUris,
}

/// An open `subscriptions/listen` stream and its filter.
#[derive(Clone)]
pub(crate) struct SubscriptionStream {
    peer: Peer<RoleServer>,
    id: RequestId,
    accepted: Arc<SubscriptionFilter>,
}

impl SubscriptionStream {
    /// The stream that a `subscriptions/listen` request opens.
    pub(crate) fn new(cx: &RequestContext<RoleServer>, accepted: SubscriptionFilter) -> Self {
        Self { peer: cx.peer.clone(), id: cx.id.clone(), accepted: Arc::new(accepted) }
    }

    /// Sends a notification on this stream. 2026-07-28 requires the id of the request in each one.
    pub(crate) async fn send(
        &self,
        mut notification: ServerNotification,
    ) -> Result<(), ServiceError> {
        notification.get_meta_mut().set_subscription_id(self.id.clone());
        self.peer.send_notification(notification).await
    }

    /// Notifies of a change that the filter accepts.
    async fn notify(&self, change: &Change) {
        let filter = &*self.accepted;
        let watches = |uri| {
            filter.resource_subscriptions.as_ref().is_some_and(|watched| watched.contains(uri))
        };
        let notification = match change {
            Change::Tools if filter.tools_list_changed == Some(true) => {
                ToolListChangedNotification::default().into()
            }
            Change::Prompts if filter.prompts_list_changed == Some(true) => {
                PromptListChangedNotification::default().into()
            }
            Change::Resources if filter.resources_list_changed == Some(true) => {
                ResourceListChangedNotification::default().into()
            }
            Change::Resource(uri) if watches(uri) => {
                ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri)).into()
            }
            _ => return,
        };
        // Fails if the client is gone, which ends the stream anyway.
        let _ = self.send(notification).await;
    }
}

/// The clients that are notified of changes.
#[derive(Default)]
pub(crate) struct Subscribers(Mutex<Registry>);

#[derive(Default)]
struct Registry {
    legacy: Vec<LegacyClient>,
    streams: HashMap<u64, SubscriptionStream>,
    last_stream: u64,
    /// Changes that are not sent yet.
    pending: Vec<Change>,
    /// Whether a task is sending; it takes `pending` along.
    is_sending: bool,
}

impl Subscribers {
    /// Adds a legacy client, which stays until its transport closes.
    pub(crate) fn add_legacy(&self, client: LegacyClient) {
        let mut registry = self.0.lock();
        // The library does not report a closed transport, so closed ones are removed when the list
        // is used.
        registry.legacy.retain(|client| !client.peer.is_transport_closed());
        registry.legacy.push(client);
    }

    /// Adds a stream until the subscription is dropped. `None` if too many are open.
    pub(crate) fn subscribe(self: &Arc<Self>, stream: SubscriptionStream) -> Option<Subscription> {
        let mut registry = self.0.lock();
        if registry.streams.len() >= MAX_STREAMS {
            return None;
        }
        registry.last_stream += 1;
        let key = registry.last_stream;
        registry.streams.insert(key, stream);
        Some(Subscription { subscribers: self.clone(), key })
    }

    /// Notifies everyone of a change and returns when it was sent. If a task is sending already,
    /// leaves the change to it and returns at once.
    pub(crate) async fn notify(self: &Arc<Self>, change: Change) {
        let must_send = {
            let mut registry = self.0.lock();
            // A change that is not sent yet covers later ones of the same kind.
            if !registry.pending.contains(&change) {
                registry.pending.push(change);
            }
            !std::mem::replace(&mut registry.is_sending, true)
        };
        if must_send {
            // Runs in a task of its own: if the caller is cancelled, the others must still be
            // notified.
            let _ = tokio::spawn(Arc::clone(self).send_pending()).await;
        }
    }

    async fn send_pending(self: Arc<Self>) {
        while let Some(changes) = self.take_pending() {
            for change in changes {
                // Read again for each change: clients may have come or gone during the last one.
                let (legacy, streams) = self.open_connections();
                let to_legacy = join_all(
                    legacy.iter().map(|client| timeout(SEND_TIMEOUT, client.notify(&change))),
                );
                let to_streams = join_all(
                    streams.iter().map(|stream| timeout(SEND_TIMEOUT, stream.notify(&change))),
                );
                tokio::join!(to_legacy, to_streams);
            }
        }
    }

    /// Takes the pending changes. `None` if there are none, which ends the sending task: both are
    /// decided under one lock, so that no change is left without a task.
    fn take_pending(&self) -> Option<Vec<Change>> {
        let mut registry = self.0.lock();
        let changes = std::mem::take(&mut registry.pending);
        registry.is_sending = !changes.is_empty();
        registry.is_sending.then_some(changes)
    }

    /// Sends a log message to the legacy clients of one owner that want this level.
    pub(crate) async fn send_log(&self, owner: &str, level: LoggingLevel, data: Value) {
        let (legacy, _) = self.open_connections();
        let wants_it = |client: &&LegacyClient| {
            let threshold = *client.log_threshold.lock();
            *client.owner == *owner && level as u8 >= threshold as u8
        };
        let message = LoggingMessageNotificationParam::new(level, data);
        let sending = legacy.iter().filter(wants_it).map(|client| {
            timeout(SEND_TIMEOUT, client.peer.notify_logging_message(message.clone()))
        });
        join_all(sending).await;
    }

    fn open_connections(&self) -> (Vec<LegacyClient>, Vec<SubscriptionStream>) {
        let mut registry = self.0.lock();
        registry.legacy.retain(|client| !client.peer.is_transport_closed());
        (registry.legacy.clone(), registry.streams.values().cloned().collect())
    }
}

/// Keeps a stream registered until it is dropped.
pub(crate) struct Subscription {
    subscribers: Arc<Subscribers>,
    key: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscribers.0.lock().streams.remove(&self.key);
    }
}

impl LegacyClient {
    async fn notify(&self, change: &Change) -> Result<(), ServiceError> {
        match change {
            Change::Tools => self.peer.notify_tool_list_changed().await,
            Change::Prompts => self.peer.notify_prompt_list_changed().await,
            Change::Resources => self.peer.notify_resource_list_changed().await,
            Change::Resource(uri) => {
                let is_watched = self.watched.lock().contains(uri);
                if !is_watched {
                    return Ok(());
                }
                let updated = ResourceUpdatedNotificationParam::new(uri.clone());
                self.peer.notify_resource_updated(updated).await
            }
        }
    }
}
