//! Outcomes of programs that print text.

use std::{os::unix::process::ExitStatusExt, sync::OnceLock};

use catalog::{Content, ErrorType, Failure, Outcome, Schema, Tool};
use process::{CapturedOutput, ExitReason, Finished};
use serde_json::{Map, Value, json};

use super::denial::explain_program_denial;
use crate::{failures, plan::CommandPlan};

/// The schema of every process tool's structured result. It is sent once for each tool, so it is as
/// short as possible. It requires nothing and allows more, so that it also admits a started operation
/// and a failure.
pub fn process_output_schema() -> Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(build_schema).clone()
}

fn build_schema() -> Schema {
    let text = || json!({"type": "string"});
    let object = json!({
        "type": "object",
        "properties": {
            "exit_code": {"type": ["integer", "null"]},
            "stdout": text(),
            "stderr": text(),
            "duration_ms": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "output": text(),
        },
    });
    let Value::Object(object) = object else { unreachable!("written as an object above") };
    Schema::new(object)
}

/// The outcome of a program that ran.
pub(crate) fn build_process_outcome(
    tool: &Tool,
    plan: &CommandPlan,
    finished: Finished,
) -> Outcome {
    let failure = find_failure(tool, &finished.reason);
    let failure = failure.map(|failure| explain(failure, tool, plan, &finished));
    let failure = failure.map(|failure| failures::complete(tool, failure));
    let Finished { reason, duration, stdout, stderr, killed, .. } = finished;
    let mut structured = match failure.as_ref().map(Failure::object) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    let (exit_code, signal) = match &reason {
        ExitReason::Exited(status) => (status.code(), status.signal()),
        _ => (None, None),
    };
    structured.insert("exit_code".to_owned(), exit_code.into());
    structured.extend(signal.map(|signal| ("signal".to_owned(), signal.into())));
    structured.insert("stdout".to_owned(), stdout.text.as_str().into());
    structured.insert("stderr".to_owned(), stderr.text.as_str().into());
    structured.insert(
        "duration_ms".to_owned(),
        u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).into(),
    );
    structured.insert("truncated".to_owned(), (stdout.is_truncated || stderr.is_truncated).into());
    // A background process that is left after a success is killed too, but that is not news for the
    // caller.
    if failure.is_some() && !killed.is_empty() {
        structured.insert("killed".to_owned(), json!(killed));
    }
    let whole = stdout.uri.as_ref().or(stderr.uri.as_ref());
    structured.extend(whole.map(|uri| ("output".to_owned(), uri.as_str().into())));
    // The notice is repeated at the end, because Codex shows the model only the first and last parts
    // of a long result.
    let notice = find_notice(&stdout.text).or_else(|| find_notice(&stderr.text));
    structured.extend(notice.map(|notice| ("notice".to_owned(), notice.into())));
    Outcome {
        failed: failure.is_some(),
        content: build_content(failure, exit_code, stdout, stderr),
        structured: Some(Value::Object(structured)),
    }
}

/// Finds the notice of a truncated output, which says how to read the rest.
fn find_notice(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with("[… ") && line.contains(" left out; "))
}

/// Adds the likely cause to the message, if that is the sandbox.
fn explain(mut failure: Failure, tool: &Tool, plan: &CommandPlan, finished: &Finished) -> Failure {
    if let (ErrorType::NonzeroExit, Some(cause)) =
        (failure.error_type, explain_program_denial(tool, plan, &finished.stderr.text))
    {
        failure.message = format!("{}: {cause}", failure.message);
    }
    failure
}

/// Standard output comes first, then standard error with a label: many programs print warnings there
/// and succeed. No block is empty, because APIs of models reject empty text.
fn build_content(
    failure: Option<Failure>,
    exit_code: Option<i32>,
    stdout: CapturedOutput,
    stderr: CapturedOutput,
) -> Vec<Content> {
    let links =
        [("stdout", &stdout), ("stderr", &stderr)].into_iter().filter_map(|(name, stream)| {
            let uri = stream.uri.clone()?;
            Some(Content::Link { uri, name: name.to_owned(), mime_type: "text/plain".to_owned() })
        });
    let links: Vec<_> = links.collect();
    let mut texts = Vec::new();
    texts.extend((!stdout.text.is_empty()).then_some(stdout.text));
    texts.extend((!stderr.text.is_empty()).then(|| format!("stderr:\n{}", stderr.text)));
    // A definition can declare exit codes other than 0 as success. The code is then part of the
    // result.
    let unusual = exit_code.filter(|code| failure.is_none() && *code != 0);
    texts.extend(failure.map(|failure| failure.message));
    match unusual {
        Some(code) if texts.is_empty() => texts.push(format!("(no output, exit code {code})")),
        Some(code) => texts.push(format!("exit code {code}")),
        None if texts.is_empty() => texts.push("(no output)".to_owned()),
        None => {}
    }
    let mut content: Vec<_> = texts.into_iter().map(Content::Text).collect();
    content.extend(links);
    content
}

/// The failure that an exit reason means, if it means one.
pub(super) fn find_failure(tool: &Tool, reason: &ExitReason) -> Option<Failure> {
    let is_success = |code: i32| code == 0 || tool.success_exit_codes.contains(&code);
    let tool = &tool.name;
    let failure = match reason {
        ExitReason::Exited(status) if status.code().is_some_and(is_success) => return None,
        ExitReason::Exited(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Failure::new(
                ErrorType::NonzeroExit,
                format!("`{tool}` failed with exit code {code}"),
            ),
            (None, Some(signal)) => Failure::new(
                ErrorType::KilledBySignal,
                format!("`{tool}` was killed by signal {signal}"),
            ),
            (None, None) => Failure::new(
                ErrorType::KilledBySignal,
                format!("`{tool}` ended without an exit code"),
            ),
        },
        ExitReason::TimedOut(limit) => {
            let seconds = limit.as_secs_f64();
            Failure::new(
                ErrorType::TimedOut,
                format!(
                    "`{tool}` was stopped after {seconds} seconds, its time limit; its output is incomplete"
                ),
            )
        }
        ExitReason::Killed(violation) => workers::killed(tool, *violation, "limits"),
        ExitReason::Cancelled => Failure::new(
            ErrorType::Cancelled,
            format!(
                "`{tool}` was cancelled and its processes were killed; its output is incomplete"
            ),
        ),
        ExitReason::WaitFailed(error) => Failure::new(
            ErrorType::InternalError,
            format!("`{tool}` could not be waited for: {error}"),
        ),
    };
    Some(failure)
}
