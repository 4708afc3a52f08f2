//! `tools/list` and `tools/call`.

use std::{sync::Arc, time::Duration};

use catalog::{Failure, Outcome, Tool};
use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, RequestMetaObject},
    service::RequestContext,
};
use runtime::Call;
use serde_json::json;

use crate::{
    Snapshot,
    connection::Connection,
    content,
    era::Era,
    rounds::{self, Reply, Stop},
    seal,
    snapshot::Served,
};

/// How long a client may take the list for fresh, unless it is told of a change.
const FRESH_MS: u64 = 30_000;

/// The member of a call's metadata that shortens its time limit.
const TIMEOUT: &str = "toolcrib/timeoutSeconds";

pub(crate) fn list(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListToolsResult, ErrorData> {
    let era = Era::of(cx);
    let cursor = request.and_then(|request| request.cursor);
    let (tools, next_cursor) = connection
        .server
        .snapshot()
        .page(cursor.as_deref(), era)
        .map_err(|_| ErrorData::invalid_params("unknown cursor; list again from the start", None))?;
    let mut result = ListToolsResult::with_all_items(tools);
    result.next_cursor = next_cursor;
    result.meta = connection.server.stamp(era);
    Ok(match era {
        Era::Modern => result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private),
        Era::Legacy => result,
    })
}

pub(crate) async fn call(
    connection: &Connection,
    mut params: CallToolRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let snapshot = connection.server.snapshot();
    let served = snapshot.find(&params.name).ok_or_else(|| unknown(&snapshot, &params.name))?;
    let limit = time_limit(&cx.meta)?;
    let arguments = params.arguments.take().unwrap_or_default();
    let request = || seal::request("tools/call", &params.name, Some(&arguments));
    let exchange = connection.exchange(cx, params.request_state.as_deref(), params.input_responses, request)?;
    let era = exchange.era;
    let attempt = |context| run(connection, &served.tool, &arguments, context, limit);
    let outcome = match rounds::answer(connection, &exchange, request, attempt).await {
        Ok(Reply::Complete(outcome)) => outcome,
        Ok(Reply::Ask(asked)) => return Ok(asked.into()),
        Err(Stop::Failed(failure)) => refused(served, failure),
        Err(Stop::Protocol(error)) => return Err(error),
    };
    let mut result = content::result(served, era, outcome);
    result.meta = connection.server.stamp(era);
    Ok(result.into())
}

fn run<'a>(
    connection: &'a Connection,
    tool: &Arc<Tool>,
    arguments: &toolkit::Arguments,
    context: toolkit::Context,
    limit: Option<Duration>,
) -> impl Future<Output = Result<Outcome, toolkit::Interrupt>> + use<'a> {
    let call = Call { tool: tool.clone(), arguments: arguments.clone(), context, limit };
    connection.server.runtime.call(call)
}

/// The outcome of a call that the runtime never saw, or could not finish: with the same document
/// about it as the runtime's own refusals.
fn refused(served: &Served, failure: Failure) -> Outcome {
    let document = json!({"error": failure.message, "tool": served.tool.name, "details": []});
    failure.details(document).into()
}

fn unknown(snapshot: &Snapshot, name: &str) -> ErrorData {
    let hint = match snapshot.closest(name) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    ErrorData::invalid_params(format!("unknown tool `{}`{hint}", name.escape_debug()), None)
}

fn time_limit(meta: &RequestMetaObject) -> Result<Option<Duration>, ErrorData> {
    let Some(seconds) = meta.get(TIMEOUT) else { return Ok(None) };
    let limit = seconds.as_f64().filter(|seconds| *seconds > 0.0).map(Duration::try_from_secs_f64);
    match limit {
        Some(Ok(limit)) => Ok(Some(limit)),
        _ => Err(ErrorData::invalid_params(format!("`{TIMEOUT}` must be a positive number"), Some(seconds.clone()))),
    }
}
