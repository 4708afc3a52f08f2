//! `tools/list` and `tools/call`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use catalog::{Failure, Mode, Outcome};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult,
        PaginatedRequestParams, RequestMetaObject,
    },
    service::RequestContext,
};
use runtime::{Call, operation::Operation};
use serde_json::json;
use toolkit::{Capability, Client};

use crate::{
    Snapshot,
    active_request::ActiveRequest,
    connection::{Connection, unknown_cursor},
    content, delivery,
    era::Era,
    request_state::request_binding,
    response_sent::ResponseSent,
    round_trips::{self, Admission, RequestError, Resolution},
    snapshot::ServedTool,
    tasks,
    write_order::WriteTurn,
};

/// Time for which a client may cache the list, unless it is notified of a change.
const LIST_TTL_MS: u64 = 30_000;

/// Delay after a list before its memory is returned to the system.
const TRIM_DELAY: Duration = Duration::from_millis(200);

/// The metadata key of a call that shortens its timeout.
const TIMEOUT_KEY: &str = "toolcrib/timeoutSeconds";

pub(crate) fn list_tools(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListToolsResult, ErrorData> {
    let era = Era::of(cx);
    let cursor = request.and_then(|request| request.cursor);
    let snapshot = connection.server.snapshot();
    let clients = snapshot.clients_with(connection.client(cx).as_deref());
    let (tools, next_cursor) =
        snapshot.page(cursor.as_deref(), era, &clients).map_err(|_| unknown_cursor())?;
    if cursor.is_some() && next_cursor.is_none() {
        trim_memory_soon();
    }
    let mut result = ListToolsResult::with_all_items(tools);
    result.next_cursor = next_cursor;
    result.meta = connection.server.result_meta(era);
    Ok(match era {
        // Private, because the list may depend on the caller.
        Era::Modern => result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private),
        Era::Legacy => result,
    })
}

/// Returns the memory of a list with several pages to the system once the last page is sent: clients
/// list so many tools rarely.
fn trim_memory_soon() {
    static IS_SCHEDULED: AtomicBool = AtomicBool::new(false);
    if IS_SCHEDULED.swap(true, Ordering::Relaxed) {
        return;
    }
    tokio::spawn(async {
        tokio::time::sleep(TRIM_DELAY).await;
        IS_SCHEDULED.store(false, Ordering::Relaxed);
        let _ = tokio::task::spawn_blocking(runtime::trim_memory).await;
    });
}

pub(crate) async fn call_tool(
    connection: &Connection,
    mut params: CallToolRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let _turn = WriteTurn::wait(&cx.extensions).await;
    let snapshot = connection.server.snapshot();
    let served =
        snapshot.find(&params.name).ok_or_else(|| unknown_tool(&snapshot, &params.name))?;
    // Parsed before the request is opened, so that a malformed timeout is a protocol error rather
    // than a failed call.
    let limit = requested_timeout(&cx.meta)?;
    let mut arguments = params.arguments.take().unwrap_or_default();
    let clients = snapshot.clients_with(connection.client(&cx).as_deref());
    // Skipped without clients, because reading the schema takes time on every call.
    if !clients.is_empty() {
        clients::restore_arguments(served.tool.input.object(), &clients, &mut arguments);
    }
    // Built only if there is state to open or seal, which is rare.
    let binding = || request_binding("tools/call", &params.name, Some(&arguments));
    let request = connection.open_request(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        binding,
    )?;
    let caller = connection.caller(&request.cx);
    let client = connection.client(&request.cx);
    let attempt = |context| {
        let call = Call {
            limit,
            caller: Arc::clone(&caller),
            client: client.clone(),
            request: Some(request.cx.id.to_string()),
            catalog: snapshot.catalog.clone(),
            policy: snapshot.policy.clone(),
            session: connection.session.clone(),
            ..Call::new(served.tool.clone(), arguments.clone(), context)
        };
        connection.server.runtime.call(call)
    };
    let admission =
        if served.is_control() { Admission::Control } else { Admission::Queued(&params.name) };
    let resolved = round_trips::run(connection, &request, admission, binding, attempt).await;
    // Stopped before the response is built, because an operation that continues must not send
    // progress after it.
    request.close();
    let outcome = match resolved {
        Ok(Resolution::Complete(outcome)) => outcome,
        Ok(Resolution::InputRequired(result)) => return Ok(result.into()),
        Err(RequestError::Failed(failure)) => to_outcome(served, failure),
        Err(RequestError::Protocol(error)) => return Err(error),
    };
    build_response(connection, &snapshot, served, &request, outcome).await
}

/// Builds the response: a task if the client supports tasks and the call became an operation, else a
/// result with undelivered results of earlier operations.
async fn build_response(
    connection: &Connection,
    snapshot: &Snapshot,
    served: &ServedTool,
    request: &ActiveRequest,
    mut outcome: Outcome,
) -> Result<CallToolResponse, ErrorData> {
    let started =
        Operation::started_by(&outcome).filter(|_| served.tool.mode == Mode::Asynchronous);
    if request.supports(Capability::Tasks) {
        if let Some(id) = started {
            return tasks::create(connection, &id).await.map(Into::into);
        }
    // `await` and `status` return results themselves; appending them here would deliver them twice.
    } else if !served.is_built_in() {
        let server = &connection.server;
        let operations = server.operations();
        let ends = connection.ends_operations;
        let how = started.map(|_| delivery::describe_delivery(snapshot, request, ends));
        let owner = &connection.owner;
        let (pending, sent) = (&server.pending_results, ResponseSent::of(&request.cx.extensions));
        let results = delivery::take_results(pending, &operations, owner, snapshot, sent).await;
        let notices = [("instruction", how), ("since_last_call", results)];
        let notices = notices.into_iter().filter_map(|(name, text)| Some((name, text?)));
        for (name, text) in notices {
            served.add_notice(&mut outcome, name, text);
        }
    }
    let mut result = content::to_call_result(served, request.era, outcome);
    result.meta = connection.server.result_meta(request.era);
    Ok(result.into())
}

/// The outcome of a call that did not reach the runtime or was not finished by it. Its details have
/// the same form as the runtime's own failures.
fn to_outcome(served: &ServedTool, failure: Failure) -> Outcome {
    let details = json!({"error": failure.message, "tool": served.tool.name, "details": []});
    Outcome::from(failure.details(details)).with_errors(served.tool.errors)
}

fn unknown_tool(snapshot: &Snapshot, name: &str) -> ErrorData {
    if let Some(why) = snapshot.why_unavailable(name) {
        return ErrorData::invalid_params(
            // Names come from clients: escaped, they cannot forge lines in logs or terminals.
            format!("`{}` is not served now: {why}", name.escape_debug()),
            None,
        );
    }
    let hint = match snapshot.closest(name) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    ErrorData::invalid_params(format!("unknown tool `{}`{hint}", name.escape_debug()), None)
}

fn requested_timeout(meta: &RequestMetaObject) -> Result<Option<Duration>, ErrorData> {
    let Some(seconds) = meta.get(TIMEOUT_KEY) else {
        return Ok(None);
    };
    // Rejected and not ignored: a caller that relies on its timeout must not wait for ours.
    let limit = seconds.as_f64().filter(|seconds| *seconds > 0.0).map(Duration::try_from_secs_f64);
    match limit {
        Some(Ok(limit)) => Ok(Some(limit)),
        _ => Err(ErrorData::invalid_params(
            format!("`{TIMEOUT_KEY}` must be a positive number"),
            Some(seconds.clone()),
        )),
    }
}
