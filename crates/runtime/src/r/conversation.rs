//! What is said between the server and a worker about one call, and what comes of it.

use catalog::Schema;
use serde_json::Value;

use super::{
    collect::Collector,
    decode::decode,
    encode::encode,
    json::Expected,
    message::Message,
    missing::with_missing,
    value::{Data, RValue},
};
use crate::{
    capture::Captured,
    returned::Returned,
    warm::{Broken, Ears, Patience, Terms, Why, Worker},
};

/// What came of a call.
pub(super) struct Said {
    pub(super) ended: Ended,
    pub(super) value: Option<Returned>,
    /// What was printed, the value among it if it is to be printed.
    pub(super) printed: Captured,
    /// What was said apart from that, by `message` mostly.
    pub(super) messages: Captured,
    /// The value as R prints it, where that was asked for later.
    pub(super) shown: Option<Captured>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Pictures, as PNG.
    pub(super) plots: Vec<Vec<u8>>,
    pub(super) state: Option<Copied>,
}

/// How a call ended.
pub(super) enum Ended {
    /// With a value that is as the tool says.
    Done,
    /// With a value that is not.
    Unfit,
    /// With an error of R.
    Failed(RError),
    /// It was told to stop, and did.
    Stopped(Why),
    /// With the worker.
    Broken(Broken, Option<Why>),
}

/// An error of R.
pub(super) struct RError {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) call: Option<String>,
    pub(super) classes: Vec<String>,
    pub(super) traceback: Vec<String>,
}

/// A state that was changed.
pub(super) enum Copied {
    Bytes(Vec<u8>),
    /// Too large, by about so many bytes in R.
    TooLarge(f64),
}

/// What has been heard so far.
struct Heard<'a> {
    collector: Collector<'a>,
    /// Whether the function returned its value visibly.
    is_visible: bool,
    has_value: bool,
    warnings: Vec<String>,
    notes: Vec<String>,
    plots: Vec<Vec<u8>>,
    state: Option<Copied>,
}

/// Makes a call, and hears its worker out. The value must be as the schema says; where there is none, it is printed.
pub(super) async fn call(worker: &mut Worker, request: &RValue, terms: &Terms<'_>, schema: Option<&Schema>) -> Said {
    let expected = schema.map_or(Expected::NOTHING, |schema| Expected::by(schema.object()));
    let mut heard = Heard::new(Collector::new(terms.spill, terms.output_bytes, expected));
    let mut ears = terms.ears();
    let mut patience = terms.patience();
    let mut ended = talk(worker, request, &mut heard, &mut ears, &mut patience)
        .await
        .unwrap_or_else(|broken| Ended::Broken(broken, patience.ended));
    worker.listen(&mut ears).await;
    if patience.ended.is_some() && !matches!(ended, Ended::Broken(..)) {
        ended = settle(worker, &mut ears, &mut patience).await;
    }
    let Heard { collector, is_visible, has_value, warnings, mut notes, mut plots, state } = heard;
    let mut value = if has_value { Some(collector.finish().await) } else { None };
    let mut shown = None;
    if matches!(ended, Ended::Done) {
        let is_silent = schema.is_none() && !is_visible && ears.stdout.is_empty();
        let fit = value.as_mut().zip(schema).map(|(value, schema)| fit(value, schema));
        if is_silent || fit.as_ref().is_some_and(|fit| *fit != Fit::Yes) {
            let mut ears = terms.ears();
            match show(worker, &mut plots, &mut ears, &mut patience).await {
                Ok(undrawn) => {
                    notes.extend(undrawn);
                    shown = Some(ears.stdout.finish().await);
                }
                Err(broken) => ended = Ended::Broken(broken, patience.ended),
            }
        }
        match (fit, &shown, &mut value) {
            (Some(Fit::AsText), Some(shown), Some(value)) => *value = as_text(shown),
            (Some(Fit::No), Some(_), _) => ended = Ended::Unfit,
            _ => {}
        }
    }
    let (printed, messages) = (ears.stdout.finish().await, ears.stderr.finish().await);
    Said { ended, value, printed, messages, shown, warnings, notes, plots, state }
}

/// Whether a value is what a tool says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    /// A text is said, so that what R prints will do.
    AsText,
    No,
}

/// Makes a value fit where nothing is lost by that, and says whether it does.
fn fit(value: &mut Returned, schema: &Schema) -> Fit {
    let is_valid = |value: &Value| schema.validator().is_ok_and(|validator| validator.is_valid(value));
    let is_good_but_missing = |value: &Value| {
        let schema = with_missing(schema.object()).map(Schema::new);
        schema.is_some_and(|schema| schema.validator().is_ok_and(|validator| validator.is_valid(value)))
    };
    if is_valid(&value.value) || is_good_but_missing(&value.value) {
        return Fit::Yes;
    }
    let kind = schema.object().get("type").and_then(Value::as_str);
    if kind == Some("string") {
        return Fit::AsText;
    }
    if kind == Some("object") && !value.value.is_object() {
        let member = serde_json::json!({"value": value.value});
        if is_valid(&member) {
            (value.value, value.text) = (member, None);
            return Fit::Yes;
        }
    }
    Fit::No
}

fn as_text(shown: &Captured) -> Returned {
    let text = shown.text.trim_end_matches('\n').to_owned();
    Returned { value: Value::String(text), text: None, uri: shown.uri.clone(), is_cut: shown.is_cut }
}

/// The request and its answers, up to the last.
async fn talk(
    worker: &mut Worker,
    request: &RValue,
    heard: &mut Heard<'_>,
    ears: &mut Ears<'_>,
    patience: &mut Patience<'_>,
) -> Result<Ended, Broken> {
    worker.send(&encode(request), patience).await?;
    loop {
        let message = message(&worker.next(ears, patience).await?)?;
        if let Some(ended) = heard.take(message, patience).await? {
            worker.heard_out();
            return Ok(ended);
        }
    }
}

/// Makes sure that an interrupt which came too late does not hit the next call.
async fn settle(worker: &mut Worker, ears: &mut Ears<'_>, patience: &mut Patience<'_>) -> Ended {
    let why = patience.ended.unwrap_or(Why::Cancelled);
    patience.renew();
    match short(worker, "settle", ears, patience).await {
        Ok(_) => Ended::Stopped(why),
        Err(broken) => Ended::Broken(broken, Some(why)),
    }
}

/// Has the last value printed, which may draw it, and says what could not be drawn.
async fn show(
    worker: &mut Worker,
    plots: &mut Vec<Vec<u8>>,
    ears: &mut Ears<'_>,
    patience: &mut Patience<'_>,
) -> Result<Vec<String>, Broken> {
    worker.send(&encode(&RValue::list(vec![RValue::text("show")])), patience).await?;
    loop {
        let mut message = message(&worker.next(ears, patience).await?)?;
        if message.kind == "plot" {
            plots.extend(message.bytes());
            continue;
        }
        worker.heard_out();
        worker.listen(ears).await;
        message.next();
        return Ok(message.next().into_texts());
    }
}

/// A request of one word with one answer.
async fn short(worker: &mut Worker, word: &str, ears: &mut Ears<'_>, patience: &mut Patience<'_>) -> Result<Message, Broken> {
    worker.send(&encode(&RValue::list(vec![RValue::text(word)])), patience).await?;
    let message = message(&worker.next(ears, patience).await?)?;
    worker.heard_out();
    Ok(message)
}

/// What an answer says.
fn message(answer: &[u8]) -> Result<Message, Broken> {
    let value = decode(answer).map_err(|error| Broken::Garbled(error.to_string()))?;
    Message::new(value).ok_or_else(|| Broken::Garbled("an answer that is none".to_owned()))
}

impl<'a> Heard<'a> {
    fn new(collector: Collector<'a>) -> Self {
        Self {
            collector,
            is_visible: false,
            has_value: false,
            warnings: Vec::new(),
            notes: Vec::new(),
            plots: Vec::new(),
            state: None,
        }
    }

    /// Takes an answer; says how the call ended if it is the last.
    async fn take(&mut self, mut message: Message, patience: &Patience<'_>) -> Result<Option<Ended>, Broken> {
        match message.kind.as_str() {
            "plot" => self.plots.extend(message.bytes()),
            "state" => {
                self.state = Some(match message.bytes() {
                    Some(bytes) => Copied::Bytes(bytes),
                    None => Copied::TooLarge(message.number().unwrap_or_default()),
                });
            }
            "done" | "pieces" => {
                let value = message.next();
                if message.kind == "done" {
                    self.collector.value(&value).await;
                }
                self.has_value = true;
                self.finish(message);
                return Ok(Some(Ended::Done));
            }
            "failed" => {
                let error = RError::new(message.next());
                self.finish(message);
                return Ok(Some(Ended::Failed(error)));
            }
            "interrupted" => {
                message.next();
                self.finish(message);
                return Ok(Some(Ended::Stopped(patience.ended.unwrap_or(Why::Cancelled))));
            }
            _ => {
                let kind = message.kind.clone();
                if !self.collector.take(message).await {
                    return Err(Broken::Garbled(format!("an answer called `{kind}`")));
                }
            }
        }
        Ok(None)
    }

    /// What every last answer has.
    fn finish(&mut self, mut message: Message) {
        self.is_visible = message.truth();
        self.warnings = message.next().into_texts();
        self.notes = message.next().into_texts();
    }
}

impl RError {
    fn new(value: RValue) -> Self {
        let items = match value.data {
            Data::List(items) => items,
            _ => Vec::new(),
        };
        let mut items = items.into_iter();
        let mut next = || items.next().unwrap_or_else(RValue::null).into_texts();
        let mut first = || next().into_iter().next();
        let (kind, message, call) = (first(), first(), first());
        Self { kind: kind.unwrap_or_default(), message: message.unwrap_or_default(), call, classes: next(), traceback: next() }
    }
}
