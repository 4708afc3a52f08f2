//! The exchange of messages with a worker about one call.

use catalog::{ErrorType, Failure};
use process::CapturedOutput;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    call_options::{CallOptions, OutputCapture},
    deadline::{Deadline, StopReason},
    worker::Worker,
    worker_failure::WorkerFailure,
};

/// How a call ended, and its output.
pub(super) struct CallResult {
    pub(super) end: CallEnd,
    pub(super) stdout: CapturedOutput,
    pub(super) stderr: CapturedOutput,
}

/// How a call ended.
pub(super) enum CallEnd {
    Returned(Value),
    /// It ended with an exception, given as the standard error object.
    Raised(Map<String, Value>),
    /// It did not start: files of modules have changed since they were loaded.
    Stale,
    /// It was interrupted, and the worker is usable.
    Stopped(StopReason),
    /// The worker is unusable, perhaps because the call had to be stopped.
    WorkerFailed(WorkerFailure, Option<StopReason>),
}

/// A reply of a worker.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum WorkerReply {
    Done { value: Value },
    Failed { error: Map<String, Value> },
    Stale,
    Interrupted,
    Settled,
}

/// Makes a call and waits for its end.
pub(super) async fn call(
    worker: &mut Worker,
    request: &Value,
    options: &CallOptions<'_>,
    deadline: &mut Deadline<'_>,
) -> Result<CallResult, Failure> {
    let mut capture = options.new_capture();
    let request = encode_frame(request)?;
    let mut end = match exchange(worker, &request, &mut capture, deadline).await {
        Ok(WorkerReply::Done { value }) => CallEnd::Returned(value),
        Ok(WorkerReply::Failed { error }) => CallEnd::Raised(error),
        Ok(WorkerReply::Stale) => CallEnd::Stale,
        // `Settled` cannot be the reply to a call; treating it as stopped is safe because nothing
        // was returned.
        Ok(WorkerReply::Interrupted | WorkerReply::Settled) => {
            CallEnd::Stopped(deadline.stop_reason.unwrap_or(StopReason::Cancelled))
        }
        Err(failure) => CallEnd::WorkerFailed(failure, deadline.stop_reason),
    };
    // Read before settling, because printed output belongs to this call even if it was interrupted.
    worker.capture_output(&mut capture).await;
    if let (Some(reason), false) = (deadline.stop_reason, matches!(end, CallEnd::WorkerFailed(..)))
    {
        end = await_settled(worker, reason, &mut capture, deadline).await?;
    }
    let (stdout, stderr) = (capture.stdout.finish().await, capture.stderr.finish().await);
    Ok(CallResult { end, stdout, stderr })
}

/// Makes sure that a late interrupt does not hit the next call. The signal may arrive after the
/// function has returned; once the worker replies to this request, it has been delivered and
/// ignored.
async fn await_settled(
    worker: &mut Worker,
    reason: StopReason,
    capture: &mut OutputCapture<'_>,
    deadline: &mut Deadline<'_>,
) -> Result<CallEnd, Failure> {
    deadline.restart_grace();
    let request = encode_frame(&json!({"settle": true}))?;
    Ok(match exchange(worker, &request, capture, deadline).await {
        Ok(_) => CallEnd::Stopped(reason),
        Err(failure) => CallEnd::WorkerFailed(failure, Some(reason)),
    })
}

/// Sends a request and reads its reply.
async fn exchange(
    worker: &mut Worker,
    request: &[u8],
    capture: &mut OutputCapture<'_>,
    deadline: &mut Deadline<'_>,
) -> Result<WorkerReply, WorkerFailure> {
    worker.send(request, deadline).await?;
    let reply = worker.next_reply(capture, deadline).await?;
    worker.finish_request();
    Ok(serde_json::from_slice(&reply).unwrap_or_else(|error| unreadable_reply(&error)))
}

/// A reply that is complete but cannot be parsed, because it is nested too deeply for example. The
/// worker stays usable.
fn unreadable_reply(error: &serde_json::Error) -> WorkerReply {
    let failure = Failure::new(
        ErrorType::NotJson,
        format!("the returned value cannot be parsed as JSON: {error}"),
    );
    let Value::Object(error) = failure.object() else { unreachable!("the standard error object") };
    WorkerReply::Failed { error }
}

/// Encodes a request: its length as a little-endian `u32`, then JSON. One buffer, so that it is
/// written with one system call.
fn encode_frame(request: &Value) -> Result<Vec<u8>, Failure> {
    let text = request.to_string();
    let length = u32::try_from(text.len()).map_err(|_| {
        Failure::new(ErrorType::ArgumentsTooLong, "the arguments are too long; send less")
    })?;
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend(text.as_bytes());
    Ok(frame)
}
