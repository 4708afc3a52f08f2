//! From what a worker said to an outcome: text and pictures for a model, fields for a program.

use catalog::{Content, ErrorType, Failure, Outcome, Tool};
use process::CapturedOutput;
use serde_json::{Map, Value, json};

use super::conversation::{Ended, RError, Said};
use crate::{
    failures,
    returned::{self, link},
    warm::{Broken, died, stopped},
};

/// The outcome of a call.
pub(super) fn outcome(tool: &Tool, said: Said) -> Outcome {
    match failure(tool, &said.ended) {
        Some(failure) => failed(tool, failure, said),
        None if tool.output.is_some() => structured(said),
        None => printed(said),
    }
}

/// The outcome where a tool says what it returns: that, with the same as text.
fn structured(said: Said) -> Outcome {
    let Some(value) = said.value else {
        return Outcome::default();
    };
    let mut content = value.content();
    content.extend(returned::printed(&said.printed));
    content.extend(asides(&said.warnings, &said.notes, &said.messages));
    content.extend(pictures(said.plots));
    Outcome::structured(content, value.value)
}

/// The outcome where a tool does not say what it returns: what R prints.
fn printed(said: Said) -> Outcome {
    let text = said.shown.unwrap_or(said.printed);
    let mut fields = aside_fields(&said.warnings, &said.notes, &said.messages);
    let rows = said.value.filter(|value| value.value.is_array());
    if text.is_truncated || rows.as_ref().is_some_and(|rows| rows.is_cut) {
        fields.insert("truncated".to_owned(), true.into());
    }
    let whole = text.uri.as_ref().or_else(|| rows.as_ref().and_then(|rows| rows.uri.as_ref()));
    fields.extend(whole.map(|uri| ("output".to_owned(), uri.as_str().into())));
    let mut content = vec![Content::Text(text.text)];
    content.extend(text.uri.map(|uri| link(uri, "stdout", "text/plain")));
    if let Some(rows) = rows {
        content.extend(rows.uri.map(|uri| link(uri, "rows", "application/json")));
        fields.insert("rows".to_owned(), rows.value);
    }
    content.extend(asides(&said.warnings, &said.notes, &said.messages));
    content.extend(pictures(said.plots));
    Outcome {
        content,
        structured: (!fields.is_empty()).then_some(Value::Object(fields)),
        failed: false,
    }
}

fn failed(tool: &Tool, failure: Failure, said: Said) -> Outcome {
    let failure = failures::complete(tool, failure);
    let Value::Object(mut fields) = failure.object() else {
        unreachable!("the standard error object")
    };
    fields.extend(aside_fields(&said.warnings, &said.notes, &said.messages));
    if !said.printed.text.is_empty() {
        fields.insert("printed".to_owned(), said.printed.text.as_str().into());
    }
    let mut content = vec![Content::Text(failure.message)];
    let texts = said.shown.into_iter().chain([said.printed]).filter(|text| !text.text.is_empty());
    content.extend(texts.map(|text| Content::Text(text.text)));
    content.extend(asides(&said.warnings, &said.notes, &said.messages));
    content.extend(pictures(said.plots));
    Outcome { content, structured: Some(Value::Object(fields)), failed: true }
}

/// What is returned apart from the value, for a model.
fn asides(warnings: &[String], notes: &[String], messages: &CapturedOutput) -> Vec<Content> {
    let mut asides = Vec::new();
    if !warnings.is_empty() {
        asides.push(format!("warnings:\n{}", warnings.join("\n")));
    }
    let mut content: Vec<_> = asides.into_iter().map(Content::Text).collect();
    content.extend(returned::messages(messages));
    content.extend(notes.iter().map(|note| Content::Text(format!("note: {note}"))));
    content
}

/// The same for a program.
fn aside_fields(
    warnings: &[String],
    notes: &[String],
    messages: &CapturedOutput,
) -> Map<String, Value> {
    let lines: Vec<_> = messages.text.lines().collect();
    let all = [("warnings", json!(warnings)), ("messages", json!(lines)), ("notes", json!(notes))];
    let said =
        all.into_iter().filter(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
    said.map(|(name, list)| (name.to_owned(), list)).collect()
}

fn pictures(plots: Vec<Vec<u8>>) -> impl Iterator<Item = Content> {
    plots.into_iter().map(|data| Content::Image { data, mime_type: "image/png".to_owned() })
}

fn failure(tool: &Tool, ended: &Ended) -> Option<Failure> {
    let name = &tool.name;
    Some(match ended {
        Ended::Done => return None,
        Ended::Unfit => Failure::new(
            ErrorType::InvalidResult,
            format!(
                "`{name}` ran, but what it returned is not what its definition says it returns; it is shown as R prints it. \
                 Mend `returns` in the definition, or the function"
            ),
        ),
        Ended::Failed(error) => r_error(tool, error),
        Ended::Stopped(why) | Ended::Broken(_, Some(why)) => stopped(name, *why),
        Ended::Broken(broken, None) => r_ended(name, broken),
    })
}

fn r_error(tool: &Tool, error: &RError) -> Failure {
    let kind = ErrorType::from_text(&error.kind);
    if let Some(kind @ (ErrorType::RPackageMissing | ErrorType::RFunctionMissing)) = kind {
        return Failure::new(kind, format!("`{}` cannot be called: {}", tool.name, error.message));
    }
    let place = error.call.as_ref().map(|call| format!(" in `{call}`")).unwrap_or_default();
    let details = json!({"call": error.call, "class": error.classes, "traceback": error.traceback});
    Failure::new(ErrorType::RError, format!("`{}` failed{place}: {}", tool.name, error.message))
        .details(details)
}

fn r_ended(name: &str, broken: &Broken) -> Failure {
    let what = died("R", "quit()", broken);
    let message = format!(
        "`{name}` did not return: {what}. The next call starts R anew, with the state as it was before this one"
    );
    Failure::new(ErrorType::REnded, message)
}
