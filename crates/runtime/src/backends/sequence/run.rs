//! Runs the steps of a sequence and combines their outcomes.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{
    Content, ErrorType, Failure, Outcome, Tool,
    implementation::{Sequence, Step},
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::{MAX_DEPTH, folder_of, resolve_step, skip_reason};
use crate::{
    Call,
    backends::{run_detached, verify_approved},
    call::ActiveCall,
    engine::Engine,
    failures,
    natives::wait_for_timeout,
    operation::Progress,
    scheduler::ConcurrencyClass,
};

/// Runs the steps of a sequence until one fails.
pub(super) async fn run(
    sequence: &Sequence,
    engine: &Engine,
    mut call: ActiveCall,
) -> Result<Outcome, Failure> {
    let tool = Arc::clone(&call.call.tool);
    let folder = folder_of(&engine.settings, &call.call.arguments)?;
    // An exclusive sequence keeps its permit during all of its steps.
    let class = ConcurrencyClass::of(&tool);
    let is_exclusive = class == ConcurrencyClass::Exclusive;
    let _permit = if is_exclusive { engine.acquire_permit(&call, class).await? } else { None };
    // A step that asked for a permit of its own would wait for this one forever.
    call.has_permit |= is_exclusive;
    // Compared once, as a whole: later steps may use what earlier ones create.
    engine.plan_bounded(&tool, || verify_approved(engine, &call)).await?;
    let timeout = call.declared_timeout();
    // A token of its own, so that the timeout stops the steps without cancelling the caller's
    // request.
    let cancel = call.call.context.cancel_token().child_token();
    call.call.context = call.call.context.with_cancel(cancel.clone());
    let begun = Instant::now();
    let mut steps = std::pin::pin!(run_steps(sequence, engine, &call, &folder));
    let record = tokio::select! {
        record = &mut steps => record,
        limit = wait_for_timeout(timeout) => {
            cancel.cancel();
            let message = format!("it was stopped after {} seconds, its time limit", limit.as_secs_f64());
            // The running step reacts to the cancellation; its partial result and those of earlier
            // steps are kept.
            Record { failure: Some(Failure::new(ErrorType::TimedOut, message)), ..steps.await }
        }
    };
    Ok(record.into_outcome(&tool, begun.elapsed()))
}

async fn run_steps(
    sequence: &Sequence,
    engine: &Engine,
    call: &ActiveCall,
    folder: &Path,
) -> Record {
    let mut record = Record::default();
    let (count, mut is_first) = (sequence.steps.len(), true);
    for (index, step) in sequence.steps.iter().enumerate() {
        if let Some(why) = skip_reason(step, folder) {
            record.add_skipped(step, &why);
            continue;
        }
        if !is_first {
            pause(call, Duration::from_millis(sequence.delay_ms)).await;
        }
        is_first = false;
        report_step(call, index, count, step);
        let begun = Instant::now();
        let outcome = run_step(engine, call, step, index, count).await;
        let outcome = outcome.unwrap_or_else(Outcome::from);
        record.add_finished(step, outcome, begun.elapsed());
        if record.failure.is_some() {
            break;
        }
    }
    record
}

async fn run_step(
    engine: &Engine,
    call: &ActiveCall,
    step: &Step,
    index: usize,
    count: usize,
) -> Result<Outcome, Failure> {
    let outer = &call.call;
    let name = &outer.tool.name;
    if outer.context.cancel_token().is_cancelled() {
        let message = format!("`{name}` was cancelled before this step");
        return Err(Failure::new(ErrorType::Cancelled, message));
    }
    if call.nesting() >= MAX_DEPTH {
        let message = format!("the steps of `{name}` form a cycle");
        return Err(Failure::new(ErrorType::InvalidDefinition, message));
    }
    let (tool, arguments) = resolve_step(&outer.catalog, &outer.tool, step, &outer.arguments)
        .map_err(|failure| failures::complete(&outer.tool, failure))?;
    let inner = Call {
        catalog: Arc::clone(&outer.catalog),
        caller: Arc::clone(&outer.caller),
        session: outer.session.clone(),
        ..Call::new(tool, arguments, outer.context.clone())
    };
    let inner = ActiveCall {
        operation: call.operation.clone(),
        has_permit: call.has_permit,
        level: call.level.clone(),
        step: format!("{}.{}", call.step, index + 1),
        // The steps share the limit of the whole result, but each can at least report an error.
        ..ActiveCall::new(inner, (call.output_bytes / count).max(1024))
    };
    Ok(Box::pin(run_detached(engine, inner)).await)
}

fn report_step(call: &ActiveCall, index: usize, count: usize, step: &Step) {
    // Only the outermost sequence reports, because inner ones would make the fraction jump back.
    if let Some(live) = call.operation.as_ref().filter(|_| call.nesting() == 0) {
        let message = format!(
            "step {} of {count}: {}",
            index + 1,
            step.description.as_deref().unwrap_or(&step.tool)
        );
        let fraction = Some(index as f64 / count as f64);
        live.update_progress(None, Some(Progress { fraction, message: Some(message) }));
    }
}

async fn pause(call: &ActiveCall, delay: Duration) {
    tokio::select! {
        () = call.call.context.cancelled() => {}
        () = sleep(delay) => {}
    }
}

/// The results of the steps so far.
#[derive(Default)]
struct Record {
    steps: Vec<Value>,
    content: Vec<Content>,
    failure: Option<Failure>,
}

impl Record {
    fn add_skipped(&mut self, step: &Step, why: &str) {
        self.content.push(Content::Text(format!("`{}`: skipped, {why}", step.tool)));
        self.steps.push(json!({"tool": step.tool, "status": "skipped", "reason": why}));
    }

    fn add_finished(&mut self, step: &Step, outcome: Outcome, took: Duration) {
        let status = if outcome.failed { "failed" } else { "ok" };
        let mut entry = json!({"tool": step.tool, "status": status, "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX)});
        let kind = outcome.error_type();
        if let (Value::Object(entry), Some(Value::Object(fields))) =
            (&mut entry, outcome.structured)
        {
            entry.extend(
                fields
                    .into_iter()
                    // The entry has its own values for these names.
                    .filter(|(name, _)| !["status", "duration_ms"].contains(&name.as_str())),
            );
        }
        self.steps.push(entry);
        self.content.push(Content::Text(format!("`{}`: {status}", step.tool)));
        self.content.extend(outcome.content);
        if outcome.failed {
            let kind = match kind {
                // A cancelled step means that the whole call was cancelled, which clients treat
                // differently from a failure.
                Some(ErrorType::Cancelled) => ErrorType::Cancelled,
                _ => ErrorType::StepFailed,
            };
            self.failure = Some(Failure::new(
                kind,
                format!("step {}, `{}`, failed", self.steps.len(), step.tool),
            ));
        }
    }

    fn into_outcome(self, tool: &Tool, took: Duration) -> Outcome {
        let failed = self.failure.is_some();
        let failure = self.failure.map(|failure| {
            let message = format!("`{}`: {}", tool.name, failure.message);
            failures::complete(tool, Failure { message, ..failure })
        });
        let mut content = self.content;
        content.extend(failure.as_ref().map(|failure| Content::Text(failure.message.clone())));
        let mut structured = match failure.as_ref().map(Failure::object) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        structured.insert("steps".to_owned(), Value::Array(self.steps));
        structured.insert(
            "duration_ms".to_owned(),
            u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into(),
        );
        Outcome { content, structured: Some(Value::Object(structured)), failed }
    }
}
