//! The outcome of a call: text and images for a model, fields for a program.

use catalog::{Content, ErrorType, Failure, Outcome, Schema, Tool, failures};
use process::{CapturedOutput, Violation};
use serde_json::{Map, Value, json};

use super::{
    conversation::{CallEnd, CallResult, RError},
    missing::with_missing,
};
use crate::{
    killed::killed,
    results::{ReturnedValue, describe_differences, link, stderr_content, stdout_content},
    worker_failure::WorkerFailure,
};

pub(super) fn build_outcome(tool: &Tool, result: CallResult) -> Outcome {
    match find_failure(tool, &result) {
        Some(failure) => build_failed(tool, failure, result),
        None if tool.output.is_some() => build_structured(result),
        None => build_printed(result),
    }
}

/// The outcome of a tool with an output schema: the value, as data and as text.
fn build_structured(result: CallResult) -> Outcome {
    let Some(value) = result.value else {
        return Outcome::default();
    };
    let mut content = value.content();
    content.extend(stdout_content(&result.stdout));
    content.extend(side_content(&result.warnings, &result.notes, &result.stderr));
    content.extend(images(result.plots));
    Outcome::structured(content, value.value)
}

/// The outcome of a tool without an output schema: what R prints, and the rows of a data frame as
/// data.
fn build_printed(result: CallResult) -> Outcome {
    let text = result.printed_value.unwrap_or(result.stdout);
    let mut fields = side_fields(&result.warnings, &result.notes, &result.stderr);
    // Without an output schema, only the rows of a data frame are returned as data; other values
    // are text.
    let rows = result.value.filter(|value| value.value.is_array());
    if text.is_truncated || rows.as_ref().is_some_and(|rows| rows.is_truncated) {
        fields.insert("truncated".to_owned(), true.into());
    }
    let full = text.uri.as_ref().or_else(|| rows.as_ref().and_then(|rows| rows.uri.as_ref()));
    fields.extend(full.map(|uri| ("output".to_owned(), uri.as_str().into())));
    if !fields.is_empty() || rows.is_some() {
        // Some clients show the model only the structured content.
        fields.insert("printed".to_owned(), text.text.as_str().into());
    }
    let mut content = vec![Content::Text(text.text)];
    content.extend(text.uri.map(|uri| link(uri, "stdout", "text/plain")));
    if let Some(rows) = rows {
        content.extend(rows.uri.map(|uri| link(uri, "rows", "application/json")));
        fields.insert("rows".to_owned(), rows.value);
    }
    content.extend(side_content(&result.warnings, &result.notes, &result.stderr));
    content.extend(images(result.plots));
    Outcome {
        content,
        structured: (!fields.is_empty()).then_some(Value::Object(fields)),
        failed: false,
    }
}

fn build_failed(tool: &Tool, failure: Failure, result: CallResult) -> Outcome {
    let failure = failures::complete(tool, failure);
    let Value::Object(mut fields) = failure.object() else {
        unreachable!("the standard error object")
    };
    fields.extend(side_fields(&result.warnings, &result.notes, &result.stderr));
    if !result.stdout.text.is_empty() {
        fields.insert("printed".to_owned(), result.stdout.text.as_str().into());
    }
    let mut content = vec![Content::Text(failure.message)];
    let texts = result.printed_value.into_iter().chain([result.stdout]);
    content.extend(texts.filter(|text| !text.text.is_empty()).map(|text| Content::Text(text.text)));
    content.extend(side_content(&result.warnings, &result.notes, &result.stderr));
    content.extend(images(result.plots));
    Outcome { content, structured: Some(Value::Object(fields)), failed: true }
}

/// Warnings, messages and notes for a model.
fn side_content(warnings: &[String], notes: &[String], stderr: &CapturedOutput) -> Vec<Content> {
    let mut content = Vec::new();
    if !warnings.is_empty() {
        content.push(Content::Text(format!("warnings:\n{}", warnings.join("\n"))));
    }
    content.extend(stderr_content(stderr));
    content.extend(notes.iter().map(|note| Content::Text(format!("note: {note}"))));
    content
}

/// Warnings, messages and notes for a program; empty lists are left out.
fn side_fields(
    warnings: &[String],
    notes: &[String],
    stderr: &CapturedOutput,
) -> Map<String, Value> {
    let messages: Vec<_> = stderr.text.lines().collect();
    let lists =
        [("warnings", json!(warnings)), ("messages", json!(messages)), ("notes", json!(notes))];
    let lists =
        lists.into_iter().filter(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
    lists.map(|(name, list)| (name.to_owned(), list)).collect()
}

fn images(plots: Vec<Vec<u8>>) -> impl Iterator<Item = Content> {
    plots.into_iter().map(|data| Content::Image { data, mime_type: "image/png".to_owned() })
}

fn find_failure(tool: &Tool, result: &CallResult) -> Option<Failure> {
    let name = &tool.name;
    Some(match &result.end {
        CallEnd::Returned => return None,
        CallEnd::Mismatched => mismatch(tool, result.value.as_ref()),
        CallEnd::Failed(error) => r_error(tool, error),
        CallEnd::Stopped(reason) | CallEnd::WorkerFailed(_, Some(reason)) => {
            reason.to_failure(name)
        }
        CallEnd::WorkerFailed(failure, None) => r_exited(name, failure),
    })
}

/// The failure for a value that does not match `returns`, with the differences.
fn mismatch(tool: &Tool, value: Option<&ReturnedValue>) -> Failure {
    // Missing values are allowed everywhere, so they are not among the differences.
    let schema = tool
        .output
        .as_ref()
        .map(|schema| with_missing(schema.object()).map_or_else(|| schema.clone(), Schema::new));
    let found =
        schema.zip(value).map(|(schema, value)| describe_differences(&schema, &value.value));
    let found = found.unwrap_or_default();
    let parts = if found.is_empty() { String::new() } else { format!(": {}", found.join("; ")) };
    let message = format!(
        "`{}` ran, but its value does not match `returns` in its definition{parts}. The value is shown as R prints it. \
         Correct the function, or `@return` in its comments and build again",
        tool.name
    );
    Failure::new(ErrorType::InvalidResult, message).details(json!({"mismatches": found}))
}

fn r_error(tool: &Tool, error: &RError) -> Failure {
    let error_type = ErrorType::from_text(&error.error_type);
    // These are problems of the installation, so the location and traceback of the R error would
    // only distract.
    if let Some(missing @ (ErrorType::RPackageMissing | ErrorType::RFunctionMissing)) = error_type {
        let message = format!("`{}` cannot be called: {}", tool.name, error.message);
        return Failure::new(missing, message);
    }
    if let Some(value) = &error.value {
        // The function returned normally, so there is neither a location nor a traceback.
        let message = format!("`{}` failed: {}", tool.name, error.message);
        return Failure::new(ErrorType::RError, message).details(json!({"value": value}));
    }
    if error.classes.iter().any(|class| class == "packageNotFoundError") {
        // The location is left out, because only the package matters.
        let package = error.message.split(['‘', '’', '\'', '"', '`']).nth(1).unwrap_or("NAME");
        let message = format!(
            "`{}` failed: {}; run install.packages(\"{package}\") in R",
            tool.name, error.message
        );
        return Failure::new(ErrorType::RPackageMissing, message);
    }
    let location = error.call.as_ref().map(|call| format!(" in `{call}`")).unwrap_or_default();
    let details = json!({"call": error.call, "class": error.classes, "traceback": error.traceback});
    let message = format!("`{}` failed{location}: {}", tool.name, error.message);
    Failure::new(ErrorType::RError, message).details(details)
}

fn r_exited(name: &str, failure: &WorkerFailure) -> Failure {
    if let WorkerFailure::Killed(violation) = failure {
        // R may have a memory limit of its own.
        let table = if *violation == Violation::Memory { "r" } else { "limits" };
        return killed(name, *violation, table);
    }
    let reason = failure.describe("R", "quit()");
    let message = format!(
        "`{name}` did not return: {reason}. The next call starts a new R process with the state from before this call"
    );
    Failure::new(ErrorType::REnded, message)
}
