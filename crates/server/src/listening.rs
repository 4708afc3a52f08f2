//! `subscriptions/listen` with task ids.
//!
//! The protocol library has no such filter, so a request with task ids is led around it: what
//! stands before the library renames the filter, the library takes the request for one it does not
//! know, and it is answered here, with everything else that the filter asks for.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CustomNotification, CustomRequest, CustomResult, ServerNotification, SubscriptionFilter,
        SubscriptionsListenResult, TaskStatus, TaskStatusNotification,
        TaskStatusNotificationParams,
    },
    service::RequestContext,
};
use runtime::{Event, EventKind, Viewer, operation::OperationId};
use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::{
    audience::Stream,
    connection::{Connection, too_many},
    questions, tasks,
};

const METHOD: &str = "subscriptions/listen";

/// The name of the filter on the detour.
const FILTER: &str = "toolcrib/notifications";

/// The most tasks of one stream.
const MOST_TASKS: usize = 1_024;

/// The message on the detour, if it is a request to listen that names tasks.
pub(crate) fn detour(mut message: Value) -> Option<Value> {
    let params = message.get_mut("params")?.as_object_mut()?;
    params.get("notifications")?.get("taskIds")?;
    let filter = params.remove("notifications")?;
    params.insert(FILTER.to_owned(), filter);
    (message["method"] == METHOD).then_some(message)
}

/// Whether this is a request on the detour.
pub(crate) fn is_detoured(request: &CustomRequest) -> bool {
    request.method == METHOD
        && request.params.as_ref().is_some_and(|params| params.get(FILTER).is_some())
}

/// Listens until the client ends it or the server does.
pub(crate) async fn listen(
    connection: &Connection,
    request: CustomRequest,
    cx: RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    if !cx.client_capabilities().is_some_and(|client| client.supports_tasks()) {
        let needed = questions::declaration(toolkit::Capability::Tasks);
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    let filter = request.params.unwrap_or_default()[FILTER].take();
    let malformed =
        || ErrorData::invalid_params(format!("malformed parameters for `{METHOD}`"), None);
    let requested: SubscriptionFilter =
        serde_json::from_value(filter.clone()).map_err(|_| malformed())?;
    let ids: Vec<String> =
        serde_json::from_value(filter["taskIds"].clone()).map_err(|_| malformed())?;
    let accepted = accepted(connection, &requested);
    let stream = Stream::new(&cx, accepted.clone());
    // What happens from here on is not missed.
    let mut events = connection.server.operations().subscribe();
    let ids = known(connection, ids).await;
    acknowledge(&stream, &accepted, &ids).await?;
    let _seat = connection.server.audience.subscribe(stream.clone()).ok_or_else(too_many)?;
    for id in &ids {
        tell(connection, &stream, id, false).await;
    }
    tokio::select! {
        () = push(connection, &stream, &ids, &mut events) => {}
        () = cx.ct.cancelled() => {}
        () = connection.lifetime.closing.cancelled() => {}
    }
    let result = serde_json::to_value(SubscriptionsListenResult::complete(cx.id.clone()));
    result
        .map(CustomResult::new)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Tells of every change of these tasks.
async fn push(
    connection: &Connection,
    stream: &Stream,
    ids: &[OperationId],
    events: &mut Receiver<Event>,
) {
    loop {
        match events.recv().await {
            Ok(event) if event.kind == EventKind::State && ids.contains(&event.operation.id) => {
                tell(connection, stream, &event.operation.id, true).await;
            }
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                for id in ids {
                    tell(connection, stream, id, true).await;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

fn accepted(connection: &Connection, requested: &SubscriptionFilter) -> SubscriptionFilter {
    let offered = connection.accepted_subscription_filter(requested).unwrap_or_default();
    let advertised = requested.supported_by(&connection.get_info().capabilities);
    requested.intersection(&offered).intersection(&advertised)
}

/// Those that are the client's. The others are left out of what is acknowledged.
async fn known(connection: &Connection, ids: Vec<String>) -> Vec<OperationId> {
    let (operations, owner) = (connection.server.operations(), connection.owner());
    let mut known = Vec::new();
    for id in ids.into_iter().take(MOST_TASKS) {
        let Ok(id) = id.parse::<OperationId>() else {
            continue;
        };
        if !known.contains(&id) && operations.get(Viewer::Owner(&owner), &id).await.is_ok() {
            known.push(id);
        }
    }
    known
}

async fn acknowledge(
    stream: &Stream,
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

/// Tells of a task as it is now; at the beginning only if something has happened to it already.
async fn tell(connection: &Connection, stream: &Stream, id: &OperationId, always: bool) {
    let owner = connection.owner();
    let Ok(operation) = connection.server.operations().get(Viewer::Owner(&owner), id).await else {
        return;
    };
    let task = tasks::detailed(connection, operation);
    if always || task.status() != TaskStatus::Working {
        let notification = TaskStatusNotification::new(TaskStatusNotificationParams::new(task));
        let _ = stream.send(ServerNotification::TaskStatusNotification(notification)).await;
    }
}
