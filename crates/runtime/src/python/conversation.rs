//! What is said between the server and a worker about one call, and what comes of it.

use catalog::{ErrorType, Failure};
use process::CapturedOutput;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::warm::{Broken, Ears, Patience, Terms, Why, Worker};

/// What came of a call.
pub(super) struct Said {
    pub(super) ended: Ended,
    pub(super) printed: CapturedOutput,
    pub(super) messages: CapturedOutput,
}

/// How a call ended.
pub(super) enum Ended {
    /// With a value.
    Done(Value),
    /// With an exception, as the standard error object.
    Failed(Map<String, Value>),
    /// It did not begin: files of modules have changed since they were loaded.
    Stale,
    /// It was told to stop, and did.
    Stopped(Why),
    /// With the worker.
    Broken(Broken, Option<Why>),
}

/// An answer of a worker.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Answer {
    Done { value: Value },
    Failed { error: Map<String, Value> },
    Stale,
    Interrupted,
    Settled,
}

/// Makes a call, and hears its worker out.
pub(super) async fn call(
    worker: &mut Worker,
    request: &Value,
    terms: &Terms<'_>,
) -> Result<Said, Failure> {
    let mut ears = terms.ears();
    let mut patience = terms.patience();
    let request = framed(request)?;
    let mut ended = match ask(worker, &request, &mut ears, &mut patience).await {
        Ok(Answer::Done { value }) => Ended::Done(value),
        Ok(Answer::Failed { error }) => Ended::Failed(error),
        Ok(Answer::Stale) => Ended::Stale,
        Ok(Answer::Interrupted | Answer::Settled) => {
            Ended::Stopped(patience.ended.unwrap_or(Why::Cancelled))
        }
        Err(broken) => Ended::Broken(broken, patience.ended),
    };
    worker.listen(&mut ears).await;
    if let (Some(why), false) = (patience.ended, matches!(ended, Ended::Broken(..))) {
        ended = settle(worker, why, &mut ears, &mut patience).await?;
    }
    Ok(Said { ended, printed: ears.stdout.finish().await, messages: ears.stderr.finish().await })
}

/// Makes sure that an interrupt which came too late does not hit the next call.
async fn settle(
    worker: &mut Worker,
    why: Why,
    ears: &mut Ears<'_>,
    patience: &mut Patience<'_>,
) -> Result<Ended, Failure> {
    patience.renew();
    let request = framed(&json!({"settle": true}))?;
    Ok(match ask(worker, &request, ears, patience).await {
        Ok(_) => Ended::Stopped(why),
        Err(broken) => Ended::Broken(broken, Some(why)),
    })
}

/// A request and its answer.
async fn ask(
    worker: &mut Worker,
    request: &[u8],
    ears: &mut Ears<'_>,
    patience: &mut Patience<'_>,
) -> Result<Answer, Broken> {
    worker.send(request, patience).await?;
    let answer = worker.next(ears, patience).await?;
    worker.heard_out();
    Ok(serde_json::from_slice(&answer).unwrap_or_else(|error| unread(&error)))
}

/// What came whole and cannot be read, because it is nested too deeply say.
fn unread(error: &serde_json::Error) -> Answer {
    let failure = Failure::new(
        ErrorType::NotJson,
        format!("what was returned cannot be read as JSON: {error}"),
    );
    let Value::Object(error) = failure.object() else { unreachable!("the standard error object") };
    Answer::Failed { error }
}

/// A request as it is sent: its length, in four bytes with the lowest first, and so many bytes of JSON.
fn framed(request: &Value) -> Result<Vec<u8>, Failure> {
    let text = request.to_string();
    let length = u32::try_from(text.len()).map_err(|_| {
        Failure::new(ErrorType::ArgumentsTooLong, "the arguments are too long; send less")
    })?;
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend(text.as_bytes());
    Ok(frame)
}
