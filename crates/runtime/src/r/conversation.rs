//! What is said between the server and a worker about one call, and what comes of it.

use catalog::Schema;
use process::CapturedOutput;
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
    returned::Returned,
    warm::{Broken, Ears, Patience, Terms, Why, Worker},
};

/// What came of a call.
pub(super) struct Said {
    pub(super) ended: Ended,
    pub(super) value: Option<Returned>,
    /// What was printed, the value among it if it is to be printed.
    pub(super) printed: CapturedOutput,
    /// What was said apart from that, by `message` mostly.
    pub(super) messages: CapturedOutput,
    /// The value as R prints it, where that was asked for later.
    pub(super) shown: Option<CapturedOutput>,
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
pub(super) async fn call(
    worker: &mut Worker,
    request: &RValue,
    terms: &Terms<'_>,
    schema: Option<&Schema>,
) -> Said {
    let expected = schema.map_or(Expected::NOTHING, |schema| Expected::by(schema.object()));
    let mut heard = Heard::new(Collector::new(terms.spill, terms.output_bytes, expected));
    let mut ears = terms.ears();
    let mut patience = terms.patience();
    let ended = talk(worker, request, &mut heard, &mut ears, &mut patience)
        .await
        .unwrap_or_else(|broken| Ended::Broken(broken, patience.ended));
    worker.listen(&mut ears).await;
    let is_silent = schema.is_none() && !heard.is_visible && ears.stdout.is_empty();
    let mut said = heard.finish(ended).await;
    if matches!(said.ended, Ended::Done) && patience.ended.is_none() {
        let fit =
            said.value.as_mut().zip(schema).map_or(Fit::Yes, |(value, schema)| fit(value, schema));
        if is_silent || fit != Fit::Yes {
            let shown = show(worker, terms.ears(), &mut patience, fit, &mut said).await;
            said.ended = shown.unwrap_or_else(|broken| Ended::Broken(broken, patience.ended));
        }
    }
    if patience.ended.is_some() && !matches!(said.ended, Ended::Broken(..)) {
        said.ended = settle(worker, &mut ears, &mut patience).await;
    }
    (said.printed, said.messages) = (ears.stdout.finish().await, ears.stderr.finish().await);
    said
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
    let is_valid =
        |value: &Value| schema.validator().is_ok_and(|validator| validator.is_valid(value));
    let is_good_but_missing = |value: &Value| {
        let schema = with_missing(schema.object()).map(Schema::new);
        schema.is_some_and(|schema| {
            schema.validator().is_ok_and(|validator| validator.is_valid(value))
        })
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

fn as_text(shown: &CapturedOutput) -> Returned {
    let text = shown.text.trim_end_matches('\n').to_owned();
    Returned {
        value: Value::String(text),
        text: None,
        uri: shown.uri.clone(),
        is_cut: shown.is_truncated,
    }
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
    let settled = async {
        worker.send(&word("settle"), patience).await?;
        worker.next(ears, patience).await
    };
    match settled.await {
        Ok(_) => {
            worker.heard_out();
            Ended::Stopped(why)
        }
        Err(broken) => Ended::Broken(broken, Some(why)),
    }
}

/// Has the last value printed, for which some are drawn; says how the call ended by that.
async fn show(
    worker: &mut Worker,
    mut ears: Ears<'_>,
    patience: &mut Patience<'_>,
    fit: Fit,
    said: &mut Said,
) -> Result<Ended, Broken> {
    worker.send(&word("show"), patience).await?;
    let mut last = loop {
        let mut message = message(&worker.next(&mut ears, patience).await?)?;
        if message.kind != "plot" {
            break message;
        }
        said.plots.extend(message.bytes());
    };
    worker.heard_out();
    worker.listen(&mut ears).await;
    let text = ears.stdout.finish().await;
    let problem = last.text();
    said.warnings.extend(last.next().into_texts());
    said.notes.extend(last.next().into_texts());
    if fit == Fit::AsText {
        said.value = Some(as_text(&text));
    }
    said.shown = Some(text);
    Ok(match problem {
        _ if fit == Fit::No => Ended::Unfit,
        Some(problem) => Ended::Failed(RError::of_printing(&problem)),
        None => Ended::Done,
    })
}

/// A request of one word.
fn word(word: &str) -> Vec<u8> {
    encode(&RValue::list(vec![RValue::text(word)]))
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
    async fn take(
        &mut self,
        mut message: Message,
        patience: &Patience<'_>,
    ) -> Result<Option<Ended>, Broken> {
        match message.kind.as_str() {
            "plot" => self.plots.extend(message.bytes()),
            "state" => {
                self.state = Some(match message.bytes() {
                    Some(bytes) => Copied::Bytes(bytes),
                    None => Copied::TooLarge(message.number().unwrap_or_default()),
                });
            }
            "done" | "pieces" => {
                let value = self.close(&mut message);
                if message.kind == "done" {
                    self.collector.value(&value).await;
                }
                self.has_value = true;
                return Ok(Some(Ended::Done));
            }
            "failed" => return Ok(Some(Ended::Failed(RError::new(self.close(&mut message))))),
            "interrupted" => {
                self.close(&mut message);
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

    /// What every last answer has; the value with which it ends is given back.
    fn close(&mut self, message: &mut Message) -> RValue {
        self.is_visible = message.truth();
        self.warnings = message.next().into_texts();
        self.notes = message.next().into_texts();
        message.next()
    }

    /// What came of the call, but for what was printed.
    async fn finish(self, ended: Ended) -> Said {
        let Self { collector, has_value, warnings, notes, plots, state, .. } = self;
        let value = if has_value { Some(collector.finish().await) } else { None };
        let (printed, messages) = (CapturedOutput::default(), CapturedOutput::default());
        Said { ended, value, printed, messages, shown: None, warnings, notes, plots, state }
    }
}

impl RError {
    /// The function returned, and then its value could not be printed.
    fn of_printing(problem: &str) -> Self {
        let message = format!("what it returned could not be printed: {problem}");
        Self {
            kind: "r_error".to_owned(),
            message,
            call: None,
            classes: Vec::new(),
            traceback: Vec::new(),
        }
    }

    fn new(value: RValue) -> Self {
        let items = match value.data {
            Data::List(items) => items,
            _ => Vec::new(),
        };
        let mut items = items.into_iter();
        let mut next = || items.next().unwrap_or_else(RValue::null).into_texts();
        let mut first = || next().into_iter().next();
        let (kind, message, call) = (first(), first(), first());
        Self {
            kind: kind.unwrap_or_default(),
            message: message.unwrap_or_default(),
            call,
            classes: next(),
            traceback: next(),
        }
    }
}
