//! A request from its first attempt to its answer, however many questions lie between.
//!
//! A tool that asks is tried again once the answers are there. Modern clients bring them with a
//! repeated request; the others are asked here and now, between two attempts. So the same tool
//! serves both, and this is the only place that knows the difference.

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
use tokio_util::sync::CancellationToken;
use toolkit::{Capability, Context, Interrupt, Question};

use crate::{connection::Connection, era::Era, exchange::Exchange, questions, seal::Broken};

/// The most attempts at one request of a client that is asked in between.
const MOST_ATTEMPTS: usize = 64;

/// What came of a request.
pub(crate) enum Reply<T> {
    /// It is answered.
    Complete(T),
    /// The client has to answer something first.
    Ask(InputRequiredResult),
}

/// Why a request has no answer.
pub(crate) enum Stop {
    /// In the protocol's own words.
    Protocol(ErrorData),
    /// In words for a model.
    Failed(Failure),
}

impl From<Stop> for ErrorData {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Protocol(error) => error,
            Stop::Failed(failure) => {
                Self::internal_error(failure.message.clone(), Some(failure.object()))
            }
        }
    }
}

/// Attempts a request until it is answered or the client has to be asked. `request` is what state
/// that travels through the client is bound to.
pub(crate) async fn answer<T, F>(
    connection: &Connection,
    exchange: &Arc<Exchange>,
    request: impl Fn() -> Vec<u8>,
    mut attempt: impl FnMut(Context) -> F,
) -> Result<Reply<T>, Stop>
where
    F: Future<Output = Result<T, Interrupt>>,
{
    let cancel = connection.lifetime.abort.child_token();
    let rounds = async {
        let _turn = tokio::select! {
            biased;
            turn = connection.gate.enter() => turn.map_err(Stop::Failed)?,
            () = cancel.cancelled() => return Err(Stop::Failed(Failure::new(ErrorType::Cancelled, "cancelled while it waited its turn"))),
        };
        for _ in 0..MOST_ATTEMPTS {
            let context =
                Context::new(exchange.clone(), cancel.clone()).with_owner(connection.owner.clone());
            let interrupt = match AssertUnwindSafe(attempt(context)).catch_unwind().await {
                Ok(Ok(done)) => return Ok(Reply::Complete(done)),
                Ok(Err(interrupt)) => interrupt,
                Err(_) => {
                    return Err(Stop::Failed(Failure::new(
                        ErrorType::InternalError,
                        "this failed unexpectedly; it is a bug",
                    )));
                }
            };
            // On the heap, because few requests ask, and all would carry its size around.
            match Box::pin(settle(connection, exchange, &request, interrupt, &cancel)).await? {
                Some(asked) => return Ok(Reply::Ask(asked)),
                None => continue,
            }
        }
        Err(Stop::Failed(Failure::new(
            ErrorType::Unanswered,
            format!("still not answered after {MOST_ATTEMPTS} questions"),
        )))
    };
    linked(pin!(rounds), &exchange.cx.ct, &cancel).await
}

/// Runs a future to its end and passes a cancellation on to it.
async fn linked<T>(
    mut future: Pin<&mut impl Future<Output = T>>,
    from: &CancellationToken,
    to: &CancellationToken,
) -> T {
    tokio::select! {
        biased;
        done = &mut future => return done,
        () = from.cancelled() => to.cancel(),
    }
    future.await
}

/// What is to be done about an interrupt: ask through a result, or try again.
async fn settle(
    connection: &Connection,
    exchange: &Exchange,
    request: impl Fn() -> Vec<u8>,
    interrupt: Interrupt,
    cancel: &CancellationToken,
) -> Result<Option<InputRequiredResult>, Stop> {
    match interrupt {
        Interrupt::Ask { questions, state } => {
            if state.is_some() {
                exchange.known().settled.kept = state;
            }
            match exchange.era {
                Era::Modern => {
                    ask_through_result(connection, exchange, &request(), &questions).map(Some)
                }
                Era::Legacy => ask_now(exchange, &questions, cancel).await.map(|()| None),
            }
        }
        Interrupt::MissingCapability(capability) => Err(lacks(exchange.era, capability)),
        Interrupt::Invalid(message) => {
            Err(Stop::Protocol(ErrorData::invalid_params(message, None)))
        }
        Interrupt::Unanswered(why) => Err(Stop::Failed(Failure::new(ErrorType::Unanswered, why))),
    }
}

fn ask_through_result(
    connection: &Connection,
    exchange: &Exchange,
    request: &[u8],
    questions: &[(String, Question)],
) -> Result<InputRequiredResult, Stop> {
    let mut asked = InputRequests::new();
    for (key, question) in exchange.open(questions) {
        let Some(request) = questions::inside_a_result(question) else {
            return Err(Stop::Failed(Failure::new(
                ErrorType::InternalError,
                "the form has a schema that no client can show",
            )));
        };
        asked.insert(key.clone(), request);
    }
    let sealed = connection.server.seal.close(&exchange.known().settled, request);
    let state = sealed.map_err(|Broken| {
        Stop::Failed(Failure::new(ErrorType::Unanswered, "the answers are too long to be kept"))
    })?;
    let mut result = InputRequiredResult::new(Some(asked), state);
    result.meta = connection.server.stamp(exchange.era);
    Ok(result)
}

async fn ask_now(
    exchange: &Exchange,
    questions: &[(String, Question)],
    cancel: &CancellationToken,
) -> Result<(), Stop> {
    for (key, question) in exchange.open(questions) {
        let answer = tokio::select! {
            answer = questions::ask(&exchange.cx.peer, question) => answer,
            () = cancel.cancelled() => Err("cancelled before the client had answered".to_owned()),
        };
        let answer =
            answer.map_err(|why| Stop::Failed(Failure::new(ErrorType::Unanswered, why)))?;
        exchange.known().offered.insert(key.clone(), answer);
    }
    Ok(())
}

fn lacks(era: Era, capability: Capability) -> Stop {
    match era {
        Era::Modern => Stop::Protocol(ErrorData::missing_required_client_capability(
            questions::declaration(capability),
        )),
        Era::Legacy => {
            let message =
                format!("this needs a client that can {}", questions::in_words(capability));
            Stop::Failed(Failure::new(ErrorType::MissingCapability, message))
        }
    }
}
