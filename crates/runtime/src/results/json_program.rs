//! Outcomes of programs that print JSON.

use catalog::{Content, ErrorType, Failure, Outcome, Tool};
use process::{CapturedOutput, Finished};
use serde_json::{Value, json};
use workers::results::{
    JsonResultOptions, MAX_JSON_BYTES, build_failed_outcome, build_outcome, find_reported_failure,
    link, stderr_content,
};

use super::process::{build_process_outcome, find_failure};
use crate::{failures, outputs::LongOutput, plan::CommandPlan};

/// The outcome of a program whose standard output is its result as JSON.
pub(crate) async fn build_json_outcome(
    tool: &Tool,
    plan: &CommandPlan,
    finished: Finished,
    long_output: &LongOutput<'_>,
    max_bytes: usize,
) -> Outcome {
    let notes = stderr_content(&finished.stderr);
    let value = serde_json::from_str::<Value>(&finished.stdout.text);
    match (find_failure(tool, &finished.reason), value) {
        (None, Ok(value)) => {
            let options = JsonResultOptions { sink: long_output, output_bytes: max_bytes, notes };
            build_outcome(tool, value, options).await
        }
        (None, Err(error)) => build_not_json_outcome(tool, &finished.stdout, &error, notes),
        // A program may explain in JSON why it exits with a status other than 0.
        (Some(_), Ok(value)) => match find_reported_failure(&value) {
            Some(failure) => build_failed_outcome(tool, failure, notes),
            None => build_process_outcome(tool, plan, finished),
        },
        (Some(_), Err(_)) => build_process_outcome(tool, plan, finished),
    }
}

fn build_not_json_outcome(
    tool: &Tool,
    stdout: &CapturedOutput,
    error: &serde_json::Error,
    notes: Vec<Content>,
) -> Outcome {
    let name = &tool.name;
    let failure = if stdout.is_truncated {
        Failure::new(
            ErrorType::ResultTooLarge,
            format!("`{name}` returned more than {MAX_JSON_BYTES} bytes; return less"),
        )
    } else {
        Failure::new(
            ErrorType::NotJson,
            format!("`{name}` ran, but its output is not JSON: {error}; print only the result"),
        )
    };
    // Enough to see what was printed instead: usually a warning in front of the JSON.
    let shown: String = stdout.text.chars().take(1000).collect();
    let mut outcome = failures::to_outcome(tool, failure.details(json!({"stdout": shown})));
    outcome.content.extend(stdout.uri.clone().map(|uri| link(uri, "stdout", "text/plain")));
    outcome.content.extend(notes);
    outcome
}
