//! `subscriptions/listen` with task ids, and what it shares with the one without.
//!
//! The protocol library does not know the filter `taskIds`, which the tasks extension adds, and
//! would ignore it. So the transports rename the filter of such a request ([`reroute`]), the library
//! passes it on as an unknown request, and [`listen`] answers it, including the standard filters.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CustomNotification, CustomRequest, CustomResult, DetailedTask, ServerNotification,
        SubscriptionFilter, SubscriptionsListenResult, TaskStatus, TaskStatusNotification,
        TaskStatusNotificationParams,
    },
    service::RequestContext,
};
use runtime::{Event, EventKind, Viewer, operation::OperationId};
use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::{connection::Connection, questions, subscribers::SubscriptionStream, tasks};

const METHOD: &str = "subscriptions/listen";

/// The parameter that holds the filter of a rerouted request.
const FILTER: &str = "toolcrib/notifications";

/// Resources that one client may subscribe to.
pub(crate) const MAX_WATCHED: usize = 1_024;

/// Tasks that one stream may subscribe to.
const MAX_TASKS: usize = 1_024;

/// Limits the number of resources in a filter.
pub(crate) fn limit_filter(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(watched) = &mut accepted.resource_subscriptions {
        watched.truncate(MAX_WATCHED);
    }
    accepted
}

/// The error for more streams than the server allows.
pub(crate) fn too_many_streams() -> ErrorData {
    ErrorData::internal_error("too many subscriptions are open; try again later", None)
}

/// Rewrites a `subscriptions/listen` request with task ids so that the library passes it on. `None`
/// for other messages.
pub(crate) fn reroute(mut message: Value) -> Option<Value> {
    let params = message.get_mut("params")?.as_object_mut()?;
    // Checked before anything is removed, because other requests must stay untouched.
    params.get("notifications")?.get("taskIds")?;
    let filter = params.remove("notifications")?;
    params.insert(FILTER.to_owned(), filter);
    (message["method"] == METHOD).then_some(message)
}

/// Whether a request was rewritten by [`reroute`].
pub(crate) fn is_rerouted(request: &CustomRequest) -> bool {
    request.method == METHOD
        && request.params.as_ref().is_some_and(|params| params.get(FILTER).is_some())
}

/// Sends notifications until the client cancels the request or the server shuts down.
pub(crate) async fn listen(
    connection: &Connection,
    request: CustomRequest,
    cx: RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    if !cx.client_capabilities().is_some_and(|client| client.supports_tasks()) {
        let needed = questions::to_client_capabilities(toolkit::Capability::Tasks);
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    let filter = request.params.unwrap_or_default()[FILTER].take();
    let malformed =
        || ErrorData::invalid_params(format!("malformed parameters for `{METHOD}`"), None);
    let requested: SubscriptionFilter =
        serde_json::from_value(filter.clone()).map_err(|_| malformed())?;
    let ids: Vec<String> =
        serde_json::from_value(filter["taskIds"].clone()).map_err(|_| malformed())?;
    let accepted = accept_filter(connection, &requested);
    let stream = SubscriptionStream::new(&cx, accepted.clone());
    // Subscribed before the tasks are read, so that no change in between is missed.
    let mut events = connection.server.operations().subscribe();
    let ids = find_owned(connection, ids).await;
    acknowledge(&stream, &accepted, &ids).await?;
    let subscribers = &connection.server.subscribers;
    // Registered after the acknowledgement, because no notification may precede it.
    let _subscription = subscribers.subscribe(stream.clone()).ok_or_else(too_many_streams)?;
    for id in &ids {
        notify_unless_working(connection, &stream, id).await;
    }
    tokio::select! {
        () = notify_changes(connection, &stream, &ids, &mut events) => {}
        // On HTTP this is the client closing the stream.
        () = cx.ct.cancelled() => {}
        () = connection.shutdown.closing.cancelled() => {}
    }
    let result = serde_json::to_value(SubscriptionsListenResult::complete(cx.id.clone()));
    result
        .map(CustomResult::new)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Notifies of every change of these tasks.
async fn notify_changes(
    connection: &Connection,
    stream: &SubscriptionStream,
    ids: &[OperationId],
    events: &mut Receiver<Event>,
) {
    loop {
        match events.recv().await {
            // Progress is not sent: the extension forbids progress notifications for tasks.
            Ok(event) if event.kind == EventKind::State && ids.contains(&event.operation.id) => {
                notify(connection, stream, &event.operation.id).await;
            }
            Ok(_) => {}
            // Some events were lost: send the current status of all tasks.
            Err(RecvError::Lagged(_)) => {
                for id in ids {
                    notify(connection, stream, id).await;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// Accepts the standard filters as the library does for requests without task ids.
fn accept_filter(connection: &Connection, requested: &SubscriptionFilter) -> SubscriptionFilter {
    let limited = limit_filter(requested);
    let advertised = requested.supported_by(&connection.server.config().capabilities);
    requested.intersection(&limited).intersection(&advertised)
}

/// The ids of the client's own operations. Others are left out of the acknowledgement.
async fn find_owned(connection: &Connection, ids: Vec<String>) -> Vec<OperationId> {
    let (operations, owner) = (connection.server.operations(), connection.owner());
    let mut owned = Vec::new();
    for id in ids.into_iter().take(MAX_TASKS) {
        let Ok(id) = id.parse::<OperationId>() else {
            continue;
        };
        // A foreign id is treated like an unknown one, so that ids cannot be probed.
        if !owned.contains(&id) && operations.get(Viewer::Owner(&owner), &id).await.is_ok() {
            owned.push(id);
        }
    }
    owned
}

/// Sends the acknowledgement, which must be the first message on the stream.
async fn acknowledge(
    stream: &SubscriptionStream,
    accepted: &SubscriptionFilter,
    ids: &[OperationId],
) -> Result<(), ErrorData> {
    let mut filter = serde_json::to_value(accepted).unwrap_or_else(|_| json!({}));
    filter["taskIds"] = json!(ids);
    let params = json!({"notifications": filter});
    let notification =
        CustomNotification::new("notifications/subscriptions/acknowledged", Some(params));
    let sent = stream.send(ServerNotification::CustomNotification(notification)).await;
    sent.map_err(|error| ErrorData::internal_error(format!("could not acknowledge: {error}"), None))
}

/// Notifies of the current status of a task.
async fn notify(connection: &Connection, stream: &SubscriptionStream, id: &OperationId) {
    if let Some(task) = read_task(connection, id).await {
        send_status(stream, task).await;
    }
}

/// Notifies of a task that made progress before the stream was opened.
async fn notify_unless_working(
    connection: &Connection,
    stream: &SubscriptionStream,
    id: &OperationId,
) {
    if let Some(task) = read_task(connection, id).await
        && task.status() != TaskStatus::Working
    {
        send_status(stream, task).await;
    }
}

async fn read_task(connection: &Connection, id: &OperationId) -> Option<DetailedTask> {
    let operations = connection.server.operations();
    let operation = operations.get(Viewer::Owner(&connection.owner()), id).await.ok()?;
    Some(tasks::to_detailed_task(connection, operation))
}

async fn send_status(stream: &SubscriptionStream, task: DetailedTask) {
    let notification = TaskStatusNotification::new(TaskStatusNotificationParams::new(task));
    let _ = stream.send(ServerNotification::TaskStatusNotification(notification)).await;
}
