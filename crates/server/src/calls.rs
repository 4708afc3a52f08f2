//! `tools/list` and `tools/call`.

use std::time::Duration;

use catalog::{Content, Failure, Mode, Outcome};
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
    connection::Connection,
    content, delivery,
    era::Era,
    exchange::Exchange,
    rounds::{self, Reply, Stop},
    seal,
    snapshot::Served,
    tasks,
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
    let (tools, next_cursor) =
        connection.server.snapshot().page(cursor.as_deref(), era).map_err(|_| {
            ErrorData::invalid_params("unknown cursor; list again from the start", None)
        })?;
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
    let exchange = connection.exchange(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        request,
    )?;
    let attempt = |context| {
        let call = Call {
            limit,
            request: Some(exchange.cx.id.to_string()),
            catalog: snapshot.catalog.clone(),
            policy: snapshot.policy.clone(),
            session: connection.session.clone(),
            ..Call::new(served.tool.clone(), arguments.clone(), context)
        };
        connection.server.runtime.call(call)
    };
    let answered = rounds::answer(connection, &exchange, request, attempt).await;
    exchange.close();
    let outcome = match answered {
        Ok(Reply::Complete(outcome)) => outcome,
        Ok(Reply::Ask(asked)) => return Ok(asked.into()),
        Err(Stop::Failed(failure)) => refused(served, failure),
        Err(Stop::Protocol(error)) => return Err(error),
    };
    finish(connection, &snapshot, served, &exchange, outcome).await
}

/// An outcome as this client takes it: a task if it can follow one, else with what it should know
/// of its operations.
async fn finish(
    connection: &Connection,
    snapshot: &Snapshot,
    served: &Served,
    exchange: &Exchange,
    mut outcome: Outcome,
) -> Result<CallToolResponse, ErrorData> {
    let started =
        Operation::started_by(&outcome).filter(|_| served.tool.mode == Mode::Asynchronous);
    if exchange.supports(Capability::Tasks) {
        if let Some(id) = started {
            return tasks::created(connection, &id).await.map(Into::into);
        }
    } else if !served.is_built_in() {
        outcome.content.extend(started.map(|_| Content::Text(delivery::how(snapshot, exchange))));
        outcome
            .content
            .extend(delivery::since_last_call(connection, snapshot).await.map(Content::Text));
    }
    let mut result = content::result(served, exchange.era, outcome);
    result.meta = connection.server.stamp(exchange.era);
    Ok(result.into())
}

/// The outcome of a call that the runtime never saw, or could not finish: with the same document
/// about it as the runtime's own refusals.
fn refused(served: &Served, failure: Failure) -> Outcome {
    let document = json!({"error": failure.message, "tool": served.tool.name, "details": []});
    Outcome::from(failure.details(document)).with_errors(served.tool.errors)
}

fn unknown(snapshot: &Snapshot, name: &str) -> ErrorData {
    if let Some(why) = snapshot.absent(name) {
        return ErrorData::invalid_params(
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

fn time_limit(meta: &RequestMetaObject) -> Result<Option<Duration>, ErrorData> {
    let Some(seconds) = meta.get(TIMEOUT) else {
        return Ok(None);
    };
    let limit = seconds.as_f64().filter(|seconds| *seconds > 0.0).map(Duration::try_from_secs_f64);
    match limit {
        Some(Ok(limit)) => Ok(Some(limit)),
        _ => Err(ErrorData::invalid_params(
            format!("`{TIMEOUT}` must be a positive number"),
            Some(seconds.clone()),
        )),
    }
}
