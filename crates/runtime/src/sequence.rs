//! The backend of sequences: other tools, one after the other, until one fails.
//!
//! A sequence is decided about as a whole, before it starts; each step is then checked, planned and
//! run as a call of its own would be.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{
    Catalog, Content, ErrorType, Failure, Implementation, Outcome, Tool,
    implementation::{Sequence, Step},
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use toolkit::Arguments;

use crate::{
    Runtime,
    call::{Job, checked},
    failures,
    native::elapsed,
    operation::Progress,
    plan, redirect,
    scheduler::ConcurrencyClass,
};

/// How deep sequences may lie in each other.
const DEPTH: usize = 8;
/// The most steps, those of inner sequences counted.
const STEPS: usize = 1000;
/// The argument that says where a tool runs.
const FOLDER: &str = "working_directory";

/// A call that a sequence makes.
pub(crate) struct Leaf {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: Arguments,
}

/// Every call that a sequence would make if no step were skipped; inner sequences among them. Of a tool that is bound
/// to another, that one.
pub(crate) fn leaves(
    catalog: &Catalog,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<Vec<Leaf>, Failure> {
    let mut leaves = Vec::new();
    gather(catalog, tool, arguments, 0, &mut leaves)
        .map_err(|failure| failures::complete(tool, failure))?;
    Ok(leaves)
}

fn gather(
    catalog: &Catalog,
    tool: &Tool,
    given: &Arguments,
    depth: usize,
    leaves: &mut Vec<Leaf>,
) -> Result<(), Failure> {
    if let Implementation::Tool(_) = tool.implementation {
        let Leaf { tool, arguments } = redirect::target(catalog, tool, given)?;
        leaves.push(Leaf { tool: Arc::clone(&tool), arguments: arguments.clone() });
        return gather(catalog, &tool, &arguments, depth, leaves);
    }
    let Implementation::Sequence(sequence) = &tool.implementation else {
        return Ok(());
    };
    if depth >= DEPTH || leaves.len() + sequence.steps.len() > STEPS {
        let message =
            format!("the steps of `{}` never come to an end, or are more than {STEPS}", tool.name);
        return Err(Failure::new(ErrorType::InvalidDefinition, message));
    }
    for step in &sequence.steps {
        let (called, arguments) = resolve(catalog, tool, step, given)?;
        leaves.push(Leaf { tool: Arc::clone(&called), arguments: arguments.clone() });
        gather(catalog, &called, &arguments, depth + 1, leaves)?;
    }
    Ok(())
}

/// The tool of a step, and its arguments: checked, and with the folder of the sequence where it takes one.
pub(crate) fn resolve(
    catalog: &Catalog,
    tool: &Tool,
    step: &Step,
    given: &Arguments,
) -> Result<(Arc<Tool>, Arguments), Failure> {
    let called =
        catalog.get(&step.tool).filter(|called| called.is_callable()).ok_or_else(|| {
            Failure::new(
                ErrorType::InvalidDefinition,
                format!("the sequence `{}` calls `{}`, which is not served", tool.name, step.tool),
            )
        })?;
    let mut arguments = step.arguments.as_object().cloned().unwrap_or_default();
    if let Some(folder) = given.get(FOLDER)
        && called.input.property(FOLDER).is_some()
        && !arguments.contains_key(FOLDER)
    {
        arguments.insert(FOLDER.to_owned(), folder.clone());
    }
    let arguments = checked(called, arguments).map_err(|failure| {
        let message = format!("a step of `{}` does not fit: {}", tool.name, failure.message);
        Failure { message, error_type: ErrorType::InvalidDefinition, ..failure }
    })?;
    Ok((Arc::clone(called), arguments))
}

/// What became of the steps so far.
#[derive(Default)]
struct Record {
    steps: Vec<Value>,
    content: Vec<Content>,
    failure: Option<Failure>,
}

impl Runtime {
    /// Runs the steps of a sequence.
    pub(crate) async fn sequence(self: &Arc<Self>, mut job: Job) -> Outcome {
        let tool = Arc::clone(&job.tool);
        let Implementation::Sequence(sequence) = &tool.implementation else {
            unreachable!("called for sequences only")
        };
        let folder = match self.sequence_folder(&job.arguments) {
            Ok(folder) => folder,
            Err(failure) => return failures::to_outcome(&tool, failure),
        };
        // An exclusive sequence has the turn for all of its steps.
        let class = ConcurrencyClass::of(&tool);
        let _permit = match class {
            ConcurrencyClass::Exclusive if !job.has_permit => {
                match self.acquire_permit(&job, class).await {
                    Ok(permit) => permit,
                    Err(failure) => return failures::to_outcome(&tool, failure),
                }
            }
            _ => None,
        };
        job.has_permit |= class == ConcurrencyClass::Exclusive;
        let limit = job.limit.into_iter().chain(tool.timeout).min();
        let cancel = job.context.cancel_token().child_token();
        job.context = job.context.with_cancel(cancel.clone());
        let begun = Instant::now();
        let mut steps = std::pin::pin!(self.steps(&job, sequence, &folder));
        let record = tokio::select! {
            record = &mut steps => record,
            limit = elapsed(limit) => {
                cancel.cancel();
                let message = format!("it was stopped after {} seconds, its time limit", limit.as_secs_f64());
                Record { failure: Some(Failure::new(ErrorType::TimedOut, message)), ..steps.await }
            }
        };
        record.outcome(&tool, begun.elapsed())
    }

    /// The folder in which a sequence looks for files, and which it hands on to its steps.
    pub(crate) fn sequence_folder(&self, arguments: &Arguments) -> Result<PathBuf, Failure> {
        plan::folder(&self.settings, FOLDER, arguments.get(FOLDER))
    }

    async fn steps(self: &Arc<Self>, job: &Job, sequence: &Sequence, folder: &Path) -> Record {
        let mut record = Record::default();
        let (count, mut is_first) = (sequence.steps.len(), true);
        for (index, step) in sequence.steps.iter().enumerate() {
            if let Some(why) = skip(step, folder) {
                record.skipped(step, &why);
                continue;
            }
            if !is_first {
                pause(job, Duration::from_millis(sequence.delay_ms)).await;
            }
            is_first = false;
            self.report_step(job, index, count, step);
            let begun = Instant::now();
            let outcome = self.step(job, step, index, count).await;
            record.ran(step, outcome, begun.elapsed());
            if record.failure.is_some() {
                break;
            }
        }
        record
    }

    async fn step(self: &Arc<Self>, job: &Job, step: &Step, index: usize, count: usize) -> Outcome {
        if job.context.cancel_token().is_cancelled() {
            return Failure::new(
                ErrorType::Cancelled,
                format!("`{}` was cancelled before this step", job.tool.name),
            )
            .into();
        }
        if job.depth >= DEPTH {
            return Failure::new(
                ErrorType::InvalidDefinition,
                format!("the steps of `{}` never come to an end", job.tool.name),
            )
            .into();
        }
        match resolve(&job.catalog, &job.tool, step, &job.arguments) {
            Ok((tool, arguments)) => {
                let inner = Job {
                    tool,
                    arguments,
                    catalog: Arc::clone(&job.catalog),
                    context: job.context.clone(),
                    session: job.session.clone(),
                    limit: None,
                    plan: None,
                    trace: None,
                    live: job.live.clone(),
                    has_permit: job.has_permit,
                    output_bytes: (job.output_bytes / count).max(1024),
                    step: format!("{}.{}", job.step, index + 1),
                    depth: job.depth + 1,
                };
                Box::pin(self.perform(inner)).await
            }
            Err(failure) => failures::to_outcome(&job.tool, failure),
        }
    }

    fn report_step(&self, job: &Job, index: usize, count: usize, step: &Step) {
        if let Some(live) = job.live.as_ref().filter(|_| job.depth == 0) {
            let message = format!(
                "step {} of {count}: {}",
                index + 1,
                step.description.as_deref().unwrap_or(&step.tool)
            );
            let fraction = Some(index as f64 / count as f64);
            live.heard(None, Some(Progress { fraction, message: Some(message) }));
        }
    }
}

impl Record {
    fn skipped(&mut self, step: &Step, why: &str) {
        self.content.push(Content::Text(format!("`{}`: skipped, {why}", step.tool)));
        self.steps.push(json!({"tool": step.tool, "status": "skipped", "reason": why}));
    }

    fn ran(&mut self, step: &Step, outcome: Outcome, took: Duration) {
        let status = if outcome.failed { "failed" } else { "ok" };
        let mut entry = json!({"tool": step.tool, "status": status, "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX)});
        let kind = outcome.error_type();
        if let (Value::Object(entry), Some(Value::Object(fields))) =
            (&mut entry, outcome.structured)
        {
            entry.extend(
                fields
                    .into_iter()
                    .filter(|(name, _)| !["status", "duration_ms"].contains(&name.as_str())),
            );
        }
        self.steps.push(entry);
        self.content.push(Content::Text(format!("`{}`: {status}", step.tool)));
        self.content.extend(outcome.content);
        if outcome.failed {
            let kind = match kind {
                Some(ErrorType::Cancelled) => ErrorType::Cancelled,
                _ => ErrorType::StepFailed,
            };
            self.failure = Some(Failure::new(
                kind,
                format!("step {} of it, `{}`, failed", self.steps.len(), step.tool),
            ));
        }
    }

    fn outcome(self, tool: &Tool, took: Duration) -> Outcome {
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

/// Why a step is left out, if it is.
pub(crate) fn skip(step: &Step, folder: &Path) -> Option<String> {
    let exists = |path: &String| folder.join(path).exists();
    if let Some(path) = step.skip_if_exists.as_ref().filter(|path| exists(path)) {
        return Some(format!("because `{path}` exists"));
    }
    step.skip_if_missing
        .as_ref()
        .filter(|path| !exists(path))
        .map(|path| format!("because `{path}` is missing"))
}

async fn pause(job: &Job, delay: Duration) {
    tokio::select! {
        () = job.context.cancelled() => {}
        () = sleep(delay) => {}
    }
}
