//! Operations as tasks, for modern clients that declare the extension
//! `io.modelcontextprotocol/tasks` (SEP-2663).

use std::{collections::BTreeMap, time::Duration};

use catalog::{ErrorType, Failure};
use rmcp::{
    ErrorData,
    model::{
        CreateTaskResult, DetailedTask, GetTaskResult, InputRequests, JsonObject, Task,
        TaskPayload, TaskStatus,
    },
};
use runtime::{
    Viewer,
    operation::{Operation, OperationId, State},
    timestamp,
};
use serde_json::{Value, json};
use toolkit::Answer;

use crate::{connection::Connection, content, era::Era, questions};

/// The poll interval that clients are asked to keep.
const POLL_INTERVAL_MS: u64 = 1_000;

/// Builds the response to a call that became an operation.
pub(crate) async fn create(
    connection: &Connection,
    id: &OperationId,
) -> Result<CreateTaskResult, ErrorData> {
    let owner = connection.owner();
    let operation =
        connection.server.operations().get(Viewer::Owner(&owner), id).await.map_err(to_error)?;
    // Always `working`: the extension has no result here, even if the operation has ended by now.
    let mut result = CreateTaskResult::new(to_task(connection, &operation, TaskStatus::Working));
    result.meta = connection.server.result_meta(Era::Modern);
    Ok(result)
}

/// `tasks/get`. Marks the result as delivered.
pub(crate) async fn get(connection: &Connection, id: &str) -> Result<GetTaskResult, ErrorData> {
    let operations = connection.server.operations();
    let id = parse_id(id)?;
    let operation =
        operations.get(Viewer::Owner(&connection.owner()), &id).await.map_err(to_error)?;
    if operation.state.is_final() && !operation.collected {
        // If this fails, the result is delivered twice, which does no harm.
        let _ = operations.collect(vec![id]).await;
    }
    let mut result = GetTaskResult::new(to_detailed_task(connection, operation));
    result.meta = connection.server.result_meta(Era::Modern);
    Ok(result)
}

/// `tasks/update`: passes answers to the operation. Ignores those that match no open question.
pub(crate) async fn update(
    connection: &Connection,
    id: &str,
    answers: BTreeMap<String, Value>,
) -> Result<(), ErrorData> {
    let operations = connection.server.operations();
    let (id, owner) = (parse_id(id)?, connection.owner());
    let operation = operations.get(Viewer::Owner(&owner), &id).await.map_err(to_error)?;
    if operation.state.is_final() {
        return Ok(());
    }
    let open = operations.questions(Viewer::Owner(&owner), &id);
    let is_answer = |key: &String, answer: &Value| {
        open.iter().any(|(asked, question)| asked == key && questions::is_answer(question, answer))
    };
    let answers = answers
        .into_iter()
        .filter(|(key, answer)| is_answer(key, answer))
        .map(|(key, answer)| (key, Answer(answer)));
    // Fails only if the operation has ended since, and then the answers are not needed.
    let _ = operations.answer(Viewer::Owner(&owner), &id, answers.collect());
    Ok(())
}

/// `tasks/cancel`. Does nothing if the operation has ended.
pub(crate) async fn cancel(connection: &Connection, id: &str) -> Result<(), ErrorData> {
    let owner = connection.owner();
    let cancelled =
        connection.server.operations().cancel(Viewer::Owner(&owner), &parse_id(id)?).await;
    cancelled.map(|_| ()).map_err(to_error)
}

/// Converts an operation to a task with the payload of its status.
pub(crate) fn to_detailed_task(connection: &Connection, operation: Operation) -> DetailedTask {
    let payload = to_payload(connection, &operation);
    DetailedTask::new(to_task(connection, &operation, payload.status()), payload)
}

fn to_payload(connection: &Connection, operation: &Operation) -> TaskPayload {
    match operation.state {
        State::Pending | State::Running => TaskPayload::Working,
        State::WaitingForInput => match input_requests(connection, operation) {
            // The answers have just arrived, and the operation has not resumed yet.
            open if open.is_empty() => TaskPayload::Working,
            input_requests => TaskPayload::InputRequired { input_requests },
        },
        State::Cancelled => TaskPayload::Cancelled,
        State::Completed | State::Failed | State::TimedOut | State::Lost => {
            to_final_payload(operation)
        }
    }
}

fn input_requests(connection: &Connection, operation: &Operation) -> InputRequests {
    let open =
        connection.server.operations().questions(Viewer::Owner(&operation.owner), &operation.id);
    open.into_iter()
        .filter_map(|(key, question)| Some((key, questions::to_input_request(&question)?)))
        .collect()
}

/// A tool that failed completes its task with a result that reports the failure. The status `failed` is for
/// JSON-RPC errors only.
fn to_final_payload(operation: &Operation) -> TaskPayload {
    let outcome = operation.outcome.clone().unwrap_or_default();
    let structured = outcome.structured.as_ref();
    let code = match outcome.error_type() {
        Some(ErrorType::InvalidRequest) => -32602,
        // There is no result of the tool: the server failed.
        Some(ErrorType::InternalError | ErrorType::Lost) => -32603,
        _ => {
            return TaskPayload::Completed {
                result: into_object(
                    serde_json::to_value(content::to_task_result(outcome)).unwrap_or_default(),
                ),
            };
        }
    };
    let message =
        structured.and_then(|object| object["error_message"].as_str()).unwrap_or("this failed");
    TaskPayload::Failed {
        error: into_object(json!({"code": code, "message": message, "data": structured})),
    }
}

fn into_object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::default(),
    }
}

fn to_task(connection: &Connection, operation: &Operation, status: TaskStatus) -> Task {
    // Progress is not counted as a change: clients poll by this time.
    let changed = operation.ended.or(operation.started).unwrap_or(operation.created);
    let mut task =
        Task::new(operation.id.as_str(), status, timestamp(operation.created), timestamp(changed));
    task.status_message = if operation.state.is_final() {
        Some(operation.state.as_str().replace('_', " "))
    } else {
        operation.progress.message.clone().or_else(|| operation.last_line.clone())
    };
    task.poll_interval_ms = Some(POLL_INTERVAL_MS);
    task.ttl_ms = Some(ttl_ms(operation, connection.server.operations().keep()));
    task
}

/// The time to live from the creation of the task: its run time so far, and the retention of ended
/// operations.
fn ttl_ms(operation: &Operation, retention: Duration) -> u64 {
    let run_time = operation
        .ended
        .and_then(|ended| ended.duration_since(operation.created).ok())
        .unwrap_or_default();
    u64::try_from((run_time + retention).as_millis()).unwrap_or(u64::MAX)
}

/// Reports a malformed id as an unknown task.
fn parse_id(id: &str) -> Result<OperationId, ErrorData> {
    id.parse().map_err(|_| unknown_task())
}

fn to_error(failure: Failure) -> ErrorData {
    match failure.error_type {
        ErrorType::UnknownOperation => unknown_task(),
        _ => ErrorData::internal_error(failure.message.clone(), Some(failure.object())),
    }
}

fn unknown_task() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}
