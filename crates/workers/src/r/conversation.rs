//! The exchange of messages with a worker about one call.

use catalog::Schema;
use process::CapturedOutput;
use serde_json::Value;

use super::{
    collect::ValueCollector,
    decode::decode,
    encode::encode,
    json::{Expected, to_json},
    message::Message,
    missing::with_missing,
    value::{Data, RValue},
};
use crate::{
    call_options::{CallOptions, OutputCapture},
    deadline::{Deadline, StopReason},
    results::ReturnedValue,
    worker::Worker,
    worker_failure::WorkerFailure,
};

/// Maximum number of plots of one call, while the value is computed and while it is printed.
const MAX_PLOTS: usize = 64;
/// Maximum bytes of all plots of one call.
const MAX_PLOT_BYTES: usize = 64 * 1024 * 1024;
/// Maximum number of warnings, notes or lines of a traceback.
const MAX_TEXTS: usize = 200;
/// Maximum bytes of one of them.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// How a call ended, with everything that the worker sent.
pub(super) struct CallResult {
    pub(super) end: CallEnd,
    pub(super) value: Option<ReturnedValue>,
    /// Standard output; includes the value if the function has no output schema.
    pub(super) stdout: CapturedOutput,
    /// Standard error; mostly the output of `message`.
    pub(super) stderr: CapturedOutput,
    /// The value as R prints it, if it was printed by a separate request.
    pub(super) printed_value: Option<CapturedOutput>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    /// PNG images.
    pub(super) plots: Vec<Vec<u8>>,
    pub(super) state: Option<ChangedState>,
}

/// How a call ended.
pub(super) enum CallEnd {
    /// It returned a value that matches the output schema.
    Returned,
    /// It returned a value that does not match.
    Mismatched,
    /// It failed with an R error.
    Failed(RError),
    /// It was interrupted, and the worker is usable.
    Stopped(StopReason),
    /// The worker is unusable, perhaps because the call had to be stopped.
    WorkerFailed(WorkerFailure, Option<StopReason>),
}

/// An R error condition.
pub(super) struct RError {
    /// An [`catalog::ErrorType`] as text.
    pub(super) error_type: String,
    pub(super) message: String,
    pub(super) call: Option<String>,
    pub(super) classes: Vec<String>,
    pub(super) traceback: Vec<String>,
    /// The value of a function that reported its failure by returning it.
    pub(super) value: Option<Value>,
}

/// A state that the function changed.
pub(super) enum ChangedState {
    /// The serialized state.
    Bytes(Vec<u8>),
    /// Too large to copy: its approximate size in R, in bytes.
    TooLarge(f64),
}

/// Makes a call and waits for its end. Without a schema, the worker prints the value.
pub(super) async fn call(
    worker: &mut Worker,
    request: &RValue,
    options: &CallOptions<'_>,
    deadline: &mut Deadline<'_>,
    schema: Option<&Schema>,
) -> CallResult {
    let expected =
        schema.map_or(Expected::ANYTHING, |schema| Expected::from_schema(schema.object()));
    let mut replies =
        Replies::new(ValueCollector::new(options.sink, options.output_bytes, expected));
    let mut capture = options.new_capture();
    let end = exchange(worker, request, &mut replies, &mut capture, deadline)
        .await
        .unwrap_or_else(|failure| CallEnd::WorkerFailed(failure, deadline.stop_reason));
    // The function has printed before it replied, so its output is in the pipes by now.
    worker.capture_output(&mut capture).await;
    // A function that returned invisibly and printed nothing would look like a tool without a
    // result, so its value is printed on request.
    let is_silent = schema.is_none() && !replies.is_visible && capture.stdout.is_empty();
    let mut result = replies.into_result(end).await;
    // After an interrupt the worker must settle first; another request now could be hit by the
    // signal.
    if matches!(result.end, CallEnd::Returned) && deadline.stop_reason.is_none() {
        let fit = result
            .value
            .as_mut()
            .zip(schema)
            .map_or(Fit::Matches, |(value, schema)| fit_value(value, schema));
        // A value that does not match is shown too: the author needs to see what came instead.
        if is_silent || fit != Fit::Matches {
            let printed =
                print_value(worker, options.new_capture(), deadline, fit, &mut result).await;
            result.end = printed
                .unwrap_or_else(|failure| CallEnd::WorkerFailed(failure, deadline.stop_reason));
        }
    }
    if deadline.stop_reason.is_some() && !matches!(result.end, CallEnd::WorkerFailed(..)) {
        result.end = await_settled(worker, &mut capture, deadline).await;
    }
    (result.stdout, result.stderr) = (capture.stdout.finish().await, capture.stderr.finish().await);
    result
}

/// Whether a value matches the output schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Matches,
    /// The schema wants a string, so the value is replaced by what R prints of it.
    AsPrinted,
    Mismatched,
}

/// Checks a value against the output schema, and adapts it where nothing is lost by that.
fn fit_value(value: &mut ReturnedValue, schema: &Schema) -> Fit {
    let is_valid =
        |value: &Value| schema.validator().is_ok_and(|validator| validator.is_valid(value));
    // Built on demand, because compiling a second validator takes longer than most calls.
    let is_valid_with_missing = |value: &Value| {
        let schema = with_missing(schema.object()).map(Schema::new);
        schema.is_some_and(|schema| {
            schema.validator().is_ok_and(|validator| validator.is_valid(value))
        })
    };
    // Every R vector may contain NA, whatever the definition says.
    if is_valid(&value.value) || is_valid_with_missing(&value.value) {
        return Fit::Matches;
    }
    let kind = schema.object().get("type").and_then(Value::as_str);
    if kind == Some("string") {
        return Fit::AsPrinted;
    }
    // Results of MCP tools are objects, so definitions declare `{value: ...}` for functions that
    // return a plain vector.
    if kind == Some("object") && !value.value.is_object() {
        let object = serde_json::json!({"value": value.value});
        if is_valid(&object) {
            (value.value, value.text) = (object, None);
            return Fit::Matches;
        }
    }
    Fit::Mismatched
}

fn to_printed_value(printed: &CapturedOutput) -> ReturnedValue {
    let text = printed.text.trim_end_matches('\n').to_owned();
    ReturnedValue {
        value: Value::String(text),
        text: None,
        uri: printed.uri.clone(),
        // The notice in the text already explains how to read the rest.
        access: None,
        is_truncated: printed.is_truncated,
    }
}

/// Sends a request and reads its replies up to the last one.
async fn exchange(
    worker: &mut Worker,
    request: &RValue,
    replies: &mut Replies<'_>,
    capture: &mut OutputCapture<'_>,
    deadline: &mut Deadline<'_>,
) -> Result<CallEnd, WorkerFailure> {
    worker.send(&encode(request), deadline).await?;
    loop {
        let message = parse_message(&worker.next_reply(capture, deadline).await?)?;
        if let Some(end) = replies.add(message, deadline).await? {
            worker.finish_request();
            return Ok(end);
        }
    }
}

/// Makes sure that a late interrupt does not hit the next call. The signal may arrive after the
/// function has returned; the worker replies to this request once it has been delivered and
/// ignored.
async fn await_settled(
    worker: &mut Worker,
    capture: &mut OutputCapture<'_>,
    deadline: &mut Deadline<'_>,
) -> CallEnd {
    let reason = deadline.stop_reason.unwrap_or(StopReason::Cancelled);
    deadline.restart_grace();
    let settled = async {
        worker.send(&encode_command("settle"), deadline).await?;
        worker.next_reply(capture, deadline).await
    };
    match settled.await {
        Ok(_) => {
            worker.finish_request();
            CallEnd::Stopped(reason)
        }
        Err(failure) => CallEnd::WorkerFailed(failure, Some(reason)),
    }
}

/// Lets the worker print the last value, which may also draw plots. Returns how the call ended.
async fn print_value(
    worker: &mut Worker,
    mut capture: OutputCapture<'_>,
    deadline: &mut Deadline<'_>,
    fit: Fit,
    result: &mut CallResult,
) -> Result<CallEnd, WorkerFailure> {
    worker.send(&encode_command("show"), deadline).await?;
    let mut last = loop {
        let mut message = parse_message(&worker.next_reply(&mut capture, deadline).await?)?;
        if message.kind != "plot" {
            break message;
        }
        add_plot(&mut result.plots, &mut message)?;
    };
    worker.finish_request();
    worker.capture_output(&mut capture).await;
    let printed = capture.stdout.finish().await;
    let problem = last.next_text();
    result.warnings.extend(limit_texts(last.next_value()));
    result.notes.extend(limit_texts(last.next_value()));
    if fit == Fit::AsPrinted {
        result.value = Some(to_printed_value(&printed));
    }
    result.printed_value = Some(printed);
    Ok(match problem {
        _ if fit == Fit::Mismatched => CallEnd::Mismatched,
        Some(problem) => CallEnd::Failed(RError::printing_error(&problem)),
        None => CallEnd::Returned,
    })
}

/// Keeps a plot. The worker sends no more than the limits allow, but a function can write to the
/// pipe.
fn add_plot(plots: &mut Vec<Vec<u8>>, message: &mut Message) -> Result<(), WorkerFailure> {
    plots.extend(message.next_bytes());
    if plots.len() > MAX_PLOTS || plots.iter().map(Vec::len).sum::<usize>() > MAX_PLOT_BYTES {
        return Err(WorkerFailure::Protocol("too many plots".to_owned()));
    }
    Ok(())
}

/// The texts of a reply, as many and as long as a worker itself sends.
fn limit_texts(value: RValue) -> Vec<String> {
    let mut texts = value.into_texts();
    texts.truncate(MAX_TEXTS);
    for text in &mut texts {
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    }
    texts
}

/// A request that is a single word.
fn encode_command(word: &str) -> Vec<u8> {
    encode(&RValue::list(vec![RValue::text(word)]))
}

fn parse_message(reply: &[u8]) -> Result<Message, WorkerFailure> {
    let value = decode(reply).map_err(|error| WorkerFailure::Protocol(error.to_string()))?;
    Message::new(value).ok_or_else(|| WorkerFailure::Protocol("a malformed reply".to_owned()))
}

/// The replies to a call so far.
struct Replies<'a> {
    collector: ValueCollector<'a>,
    /// Whether the function returned its value visibly, as R calls it.
    is_visible: bool,
    has_value: bool,
    warnings: Vec<String>,
    notes: Vec<String>,
    plots: Vec<Vec<u8>>,
    state: Option<ChangedState>,
}

impl<'a> Replies<'a> {
    fn new(collector: ValueCollector<'a>) -> Self {
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

    /// Adds a reply. Returns how the call ended if it is the last one.
    async fn add(
        &mut self,
        mut message: Message,
        deadline: &Deadline<'_>,
    ) -> Result<Option<CallEnd>, WorkerFailure> {
        match message.kind.as_str() {
            "plot" => add_plot(&mut self.plots, &mut message)?,
            "state" => {
                self.state = Some(match message.next_bytes() {
                    Some(bytes) => ChangedState::Bytes(bytes),
                    None => ChangedState::TooLarge(message.next_number().unwrap_or_default()),
                });
            }
            "done" | "pieces" => {
                let value = self.read_last(&mut message);
                if message.kind == "done" {
                    self.collector.add_value(&value).await;
                }
                self.has_value = true;
                return Ok(Some(CallEnd::Returned));
            }
            // The error list takes the place of the value in the message.
            "failed" => {
                let error = RError::from_value(self.read_last(&mut message));
                return Ok(Some(CallEnd::Failed(error)));
            }
            "interrupted" => {
                self.read_last(&mut message);
                let reason = deadline.stop_reason.unwrap_or(StopReason::Cancelled);
                return Ok(Some(CallEnd::Stopped(reason)));
            }
            _ => self.collector.add_chunk(message).await.map_err(WorkerFailure::Protocol)?,
        }
        Ok(None)
    }

    /// Reads the fields that every last reply has, and returns its value.
    fn read_last(&mut self, message: &mut Message) -> RValue {
        self.is_visible = message.next_is_true();
        self.warnings = limit_texts(message.next_value());
        self.notes = limit_texts(message.next_value());
        message.next_value()
    }

    /// The result, still without output.
    async fn into_result(self, end: CallEnd) -> CallResult {
        let Self { collector, has_value, warnings, notes, plots, state, .. } = self;
        let value = if has_value { Some(collector.finish().await) } else { None };
        CallResult {
            end,
            value,
            stdout: CapturedOutput::default(),
            stderr: CapturedOutput::default(),
            printed_value: None,
            warnings,
            notes,
            plots,
            state,
        }
    }
}

impl RError {
    /// The function returned, but its value could not be printed.
    fn printing_error(problem: &str) -> Self {
        Self {
            error_type: "r_error".to_owned(),
            message: format!("the returned value could not be printed: {problem}"),
            call: None,
            classes: Vec::new(),
            traceback: Vec::new(),
            value: None,
        }
    }

    /// Reads the list that `worker.R` makes of a condition.
    fn from_value(value: RValue) -> Self {
        let items = match value.data {
            Data::List(items) => items,
            _ => Vec::new(),
        };
        let value = items.get(5).filter(|value| !matches!(value.data, Data::Null));
        let value = value.map(|value| to_json(value, Expected::ANYTHING));
        let mut items = items.into_iter();
        let mut next = || limit_texts(items.next().unwrap_or_else(RValue::null));
        let mut first = || next().into_iter().next();
        let (error_type, message, call) = (first(), first(), first());
        Self {
            error_type: error_type.unwrap_or_default(),
            message: message.unwrap_or_default(),
            call,
            classes: next(),
            traceback: next(),
            value,
        }
    }
}
