//! Runs a request that may ask the client, in as many round trips as it takes.
//!
//! A tool that asks is interrupted, and run again from the start when the answers are there. A
//! modern client gets the questions inside a result and repeats the request with the answers
//! (2026-07-28 forbids server requests). A legacy client is asked by server requests between two
//! attempts. This module is the only one that knows the difference.

use std::{
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::Arc,
};

use catalog::{ErrorType, Failure};
use futures_util::FutureExt;
use rmcp::{
    ErrorData,
    model::{InputRequests, InputRequiredResult},
};
use runtime::QueueKey;
use tokio_util::sync::CancellationToken;
use toolkit::{Capability, Context, Interrupt, Question};

use crate::{
    active_request::ActiveRequest, connection::Connection, era::Era, questions,
    request_limiter::RequestPermit, request_state::InvalidState,
};

/// Attempts at one request of a legacy client.
const MAX_ATTEMPTS: usize = 64;

/// How a request gets to run.
#[derive(Clone, Copy)]
pub(crate) enum Admission<'a> {
    /// It may have to wait; clients take turns, and so do the tools of one client. Named by the tool
    /// or the method.
    Queued(&'a str),
    /// At once: it controls other requests.
    Control,
}

/// The result of a request.
pub(crate) enum Resolution<T> {
    Complete(T),
    /// The client has to answer questions and repeat the request.
    InputRequired(InputRequiredResult),
}

/// Why a request could not be answered.
pub(crate) enum RequestError {
    /// To be reported as a JSON-RPC error.
    Protocol(ErrorData),
    /// To be reported to the model: as a failed result if the request is a call.
    Failed(Failure),
}

impl From<RequestError> for ErrorData {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Protocol(error) => error,
            RequestError::Failed(failure) => {
                Self::internal_error(failure.message.clone(), Some(failure.object()))
            }
        }
    }
}

fn failure_error(error_type: ErrorType, message: impl Into<String>) -> RequestError {
    RequestError::Failed(Failure::new(error_type, message))
}

/// Attempts a request until it completes or a modern client has to answer. State that the client
/// carries is sealed for `binding`.
pub(crate) async fn run<T, F>(
    connection: &Connection,
    request: &Arc<ActiveRequest>,
    admission: Admission<'_>,
    binding: impl Fn() -> Vec<u8>,
    mut attempt: impl FnMut(Context) -> F,
) -> Result<Resolution<T>, RequestError>
where
    F: Future<Output = Result<T, Interrupt>>,
{
    let cancel = connection.shutdown.abort.child_token();
    let attempts = async {
        // One permit for all attempts: a request that waits for its user holds its slot, so that it
        // cannot starve behind new ones.
        let _permit = tokio::select! {
            biased;
            permit = admit(connection, request, admission) => permit.map_err(RequestError::Failed)?,
            () = cancel.cancelled() => {
                return Err(failure_error(ErrorType::Cancelled, "cancelled while waiting in the queue"));
            }
        };
        // A tool that asks a different question each time must come to an end.
        for _ in 0..MAX_ATTEMPTS {
            let context =
                Context::new(request.clone(), cancel.clone()).with_owner(connection.owner.clone());
            let interrupt = match AssertUnwindSafe(attempt(context)).catch_unwind().await {
                Ok(Ok(done)) => return Ok(Resolution::Complete(done)),
                Ok(Err(interrupt)) => interrupt,
                // The protocol library would never answer a request whose handler panicked.
                Err(_) => {
                    let message = "this failed unexpectedly; it is a bug";
                    return Err(failure_error(ErrorType::InternalError, message));
                }
            };
            // Boxed, because few requests ask and all of them would carry the size of this future.
            let handled = handle_interrupt(connection, request, &binding, interrupt, &cancel);
            if let Some(input_required) = Box::pin(handled).await? {
                return Ok(Resolution::InputRequired(input_required));
            }
        }
        let message = format!("still asking after {MAX_ATTEMPTS} attempts");
        Err(failure_error(ErrorType::Unanswered, message))
    };
    forward_cancellation(pin!(attempts), &request.cx.ct, &cancel).await
}

async fn admit(
    connection: &Connection,
    request: &ActiveRequest,
    admission: Admission<'_>,
) -> Result<RequestPermit, Failure> {
    match admission {
        Admission::Control => connection.limiter.acquire_control(),
        Admission::Queued(tool) => {
            let key = || QueueKey { caller: connection.caller(&request.cx), tool: tool.into() };
            connection.limiter.acquire(key).await
        }
    }
}

/// Runs a future to completion and forwards a cancellation to it. The future is not dropped, so that
/// it can kill its processes.
async fn forward_cancellation<T>(
    mut future: Pin<&mut impl Future<Output = T>>,
    from: &CancellationToken,
    to: &CancellationToken,
) -> T {
    tokio::select! {
        biased;
        done = &mut future => return done,
        // On stdio the client has sent `notifications/cancelled`; on modern HTTP it has closed the
        // response stream.
        () = from.cancelled() => to.cancel(),
    }
    future.await
}

/// Handles an interrupt. Returns a result with questions for a modern client, or `None` to try
/// again.
async fn handle_interrupt(
    connection: &Connection,
    request: &ActiveRequest,
    binding: impl Fn() -> Vec<u8>,
    interrupt: Interrupt,
    cancel: &CancellationToken,
) -> Result<Option<InputRequiredResult>, RequestError> {
    match interrupt {
        Interrupt::Ask { questions, state } => {
            // A question without state keeps the state of an earlier one.
            if state.is_some() {
                request.answers().accepted.kept = state;
            }
            match request.era {
                Era::Modern => {
                    build_input_required(connection, request, &binding(), &questions).map(Some)
                }
                Era::Legacy => ask_client(request, &questions, cancel).await.map(|()| None),
            }
        }
        Interrupt::MissingCapability(capability) => {
            Err(missing_capability(request.era, capability))
        }
        Interrupt::Invalid(message) => {
            Err(RequestError::Protocol(ErrorData::invalid_params(message, None)))
        }
        Interrupt::Unanswered(why) => Err(failure_error(ErrorType::Unanswered, why)),
    }
}

fn build_input_required(
    connection: &Connection,
    request: &ActiveRequest,
    binding: &[u8],
    questions: &[(String, Question)],
) -> Result<InputRequiredResult, RequestError> {
    let mut inputs = InputRequests::new();
    for (key, question) in request.unanswered(questions) {
        let input = questions::to_input_request(question)
            .ok_or_else(|| failure_error(ErrorType::InternalError, questions::UNSUPPORTED_FORM))?;
        inputs.insert(key.clone(), input);
    }
    let sealed = connection.server.sealer.seal(&request.answers().accepted, binding);
    let state = sealed.map_err(|InvalidState| {
        failure_error(ErrorType::Unanswered, "the answers are too long for the request state")
    })?;
    let mut result = InputRequiredResult::new(Some(inputs), state);
    result.meta = connection.server.result_meta(request.era);
    Ok(result)
}

async fn ask_client(
    request: &ActiveRequest,
    questions: &[(String, Question)],
    cancel: &CancellationToken,
) -> Result<(), RequestError> {
    // One after the other, because a legacy server request carries a single question.
    for (key, question) in request.unanswered(questions) {
        let answer = tokio::select! {
            answer = questions::ask_client(&request.cx.peer, question) => answer,
            () = cancel.cancelled() => Err("cancelled before the client answered".to_owned()),
        };
        let answer = answer.map_err(|why| failure_error(ErrorType::Unanswered, why))?;
        request.answers().received.insert(key.clone(), answer);
    }
    Ok(())
}

fn missing_capability(era: Era, capability: Capability) -> RequestError {
    match era {
        // -32021 with the needed capabilities.
        Era::Modern => RequestError::Protocol(ErrorData::missing_required_client_capability(
            questions::to_client_capabilities(capability),
        )),
        Era::Legacy => {
            let needed = questions::describe_capability(capability);
            failure_error(
                ErrorType::MissingCapability,
                format!("this needs a client that can {needed}"),
            )
        }
    }
}
