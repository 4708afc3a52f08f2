//! Operations as tasks, for modern clients that declare the extension `io.modelcontextprotocol/tasks`.

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

/// How often a client should ask, in milliseconds.
const POLL: u64 = 1_000;

/// The answer to a call that became an operation.
pub(crate) async fn created(
    connection: &Connection,
    id: &OperationId,
) -> Result<CreateTaskResult, ErrorData> {
    let owner = connection.owner();
    let operation =
        connection.server.operations().get(Viewer::Owner(&owner), id).await.map_err(refused)?;
    // It was started as work: what has become of it meanwhile, the client learns when it asks.
    let mut result = CreateTaskResult::new(task(connection, &operation, TaskStatus::Working));
    result.meta = connection.server.stamp(Era::Modern);
    Ok(result)
}

/// `tasks/get`. A result that is given is collected.
pub(crate) async fn get(connection: &Connection, id: &str) -> Result<GetTaskResult, ErrorData> {
    let operations = connection.server.operations();
    let id = parsed(id)?;
    let operation =
        operations.get(Viewer::Owner(&connection.owner()), &id).await.map_err(refused)?;
    if operation.state.is_final() && !operation.collected {
        // If that cannot be noted, it is only delivered once more.
        let _ = operations.collect(vec![id]).await;
    }
    let mut result = GetTaskResult::new(detailed(connection, operation));
    result.meta = connection.server.stamp(Era::Modern);
    Ok(result)
}

/// `tasks/update`: answers to what the operation asked. Those that answer nothing are passed over.
pub(crate) async fn update(
    connection: &Connection,
    id: &str,
    answers: BTreeMap<String, Value>,
) -> Result<(), ErrorData> {
    let operations = connection.server.operations();
    let (id, owner) = (parsed(id)?, connection.owner());
    let operation = operations.get(Viewer::Owner(&owner), &id).await.map_err(refused)?;
    if operation.state.is_final() {
        return Ok(());
    }
    let open = operations.questions(Viewer::Owner(&owner), &id);
    let fits = |key: &String, answer: &Value| {
        open.iter().any(|(asked, question)| asked == key && questions::answers(question, answer))
    };
    let answers = answers
        .into_iter()
        .filter(|(key, answer)| fits(key, answer))
        .map(|(key, answer)| (key, Answer(answer)));
    // It may have ended meanwhile, which leaves nothing to answer.
    let _ = operations.answer(Viewer::Owner(&owner), &id, answers.collect());
    Ok(())
}

/// `tasks/cancel`. What has ended stays as it is.
pub(crate) async fn cancel(connection: &Connection, id: &str) -> Result<(), ErrorData> {
    let owner = connection.owner();
    let cancelled =
        connection.server.operations().cancel(Viewer::Owner(&owner), &parsed(id)?).await;
    cancelled.map(|_| ()).map_err(refused)
}

/// A task with what its status brings.
pub(crate) fn detailed(connection: &Connection, operation: Operation) -> DetailedTask {
    let payload = payload(connection, &operation);
    DetailedTask::new(task(connection, &operation, payload.status()), payload)
}

fn payload(connection: &Connection, operation: &Operation) -> TaskPayload {
    match operation.state {
        State::Pending | State::Running => TaskPayload::Working,
        State::WaitingForInput => match input_requests(connection, operation) {
            open if open.is_empty() => TaskPayload::Working,
            input_requests => TaskPayload::InputRequired { input_requests },
        },
        State::Cancelled => TaskPayload::Cancelled,
        State::Completed | State::Failed | State::TimedOut | State::Lost => ended(operation),
    }
}

fn input_requests(connection: &Connection, operation: &Operation) -> InputRequests {
    let open =
        connection.server.operations().questions(Viewer::Owner(&operation.owner), &operation.id);
    open.into_iter()
        .filter_map(|(key, question)| Some((key, questions::inside_a_result(&question)?)))
        .collect()
}

/// A tool that failed has a result that says so; only where there is none, the task itself failed.
fn ended(operation: &Operation) -> TaskPayload {
    let outcome = operation.outcome.clone().unwrap_or_default();
    let structured = outcome.structured.as_ref();
    let code = match outcome.error_type() {
        Some(ErrorType::InvalidRequest) => -32602,
        Some(ErrorType::InternalError | ErrorType::Lost) => -32603,
        _ => {
            return TaskPayload::Completed {
                result: object(
                    serde_json::to_value(content::task_result(outcome)).unwrap_or_default(),
                ),
            };
        }
    };
    let message =
        structured.and_then(|object| object["error_message"].as_str()).unwrap_or("this failed");
    TaskPayload::Failed {
        error: object(json!({"code": code, "message": message, "data": structured})),
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::default(),
    }
}

fn task(connection: &Connection, operation: &Operation, status: TaskStatus) -> Task {
    let changed = operation.ended.or(operation.started).unwrap_or(operation.created);
    let mut task =
        Task::new(operation.id.as_str(), status, timestamp(operation.created), timestamp(changed));
    task.status_message = match operation.state.is_final() {
        true => Some(operation.state.as_str().replace('_', " ")),
        false => operation.progress.message.clone().or_else(|| operation.last_line.clone()),
    };
    task.poll_interval_ms = Some(POLL);
    task.ttl_ms = Some(life(operation, connection.server.operations().keep()));
    task
}

/// For how many milliseconds from its creation a task is known: until its end, so far none, and for as long as what is
/// over is kept.
fn life(operation: &Operation, keep: Duration) -> u64 {
    let until_end = operation
        .ended
        .and_then(|ended| ended.duration_since(operation.created).ok())
        .unwrap_or_default();
    u64::try_from((until_end + keep).as_millis()).unwrap_or(u64::MAX)
}

/// What cannot be an id is as unknown as an id that never was.
fn parsed(id: &str) -> Result<OperationId, ErrorData> {
    id.parse().map_err(|_| unknown())
}

fn refused(failure: Failure) -> ErrorData {
    match failure.error_type {
        ErrorType::UnknownOperation => unknown(),
        _ => ErrorData::internal_error(failure.message.clone(), Some(failure.object())),
    }
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}
