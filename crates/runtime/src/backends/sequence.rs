//! Sequences: other tools, one after the other, until one fails.
//!
//! A sequence is decided about as a whole, before it starts. Each step is then validated, planned and
//! run as a call of its own would be.

mod run;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{
    Catalog, ErrorType, Failure, Implementation, Outcome, Tool,
    arguments::redact,
    implementation::{Sequence, Step},
};
use toolkit::{Arguments, BoxFuture, Interrupt};

use super::{backend_for, redirect};
use crate::{
    Plan, Settings,
    backend::Backend,
    call::{ActiveCall, NestedCall},
    engine::Engine,
    failures,
    plan::{self, CallTarget, CommandPlan, PlannedStep, StepPlan},
};

/// How deep sequences may be nested.
const MAX_DEPTH: usize = 8;
/// Maximum number of steps, including those of inner sequences.
const MAX_STEPS: usize = 1000;
/// The argument that names the folder of a call.
const FOLDER: &str = "working_directory";

impl Backend for Sequence {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        // Finds cycles, and steps that would be rejected, before the first step.
        collect_nested_calls(target)?;
        let folder = folder_of(&engine.settings, target.arguments)?;
        let steps = self.steps.iter().map(|step| plan_step(engine, target, step, &folder));
        let steps = steps.collect::<Result<_, _>>()?;
        Ok(Plan::steps(target, folder, steps))
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let tool = Arc::clone(&call.call.tool);
            let outcome = run::run(self, engine, call).await;
            Ok(outcome.unwrap_or_else(|failure| failures::to_outcome(&tool, failure)))
        })
    }

    fn rehearse(&self, _: &Engine, call: &ActiveCall) -> Result<Option<CommandPlan>, Failure> {
        collect_nested_calls(call.call.target()).map(|_| None)
    }

    fn nested_calls(&self, target: CallTarget<'_>) -> Result<Vec<NestedCall>, Failure> {
        collect_nested_calls(target)
    }
}

fn plan_step(
    engine: &Engine,
    target: CallTarget<'_>,
    step: &Step,
    folder: &Path,
) -> Result<StepPlan, Failure> {
    let CallTarget { catalog, tool, arguments } = target;
    let (called, arguments) = resolve_step(catalog, tool, step, arguments)?;
    let inner = CallTarget { catalog, tool: &called, arguments: &arguments };
    let plan = match backend_for(&called.implementation).plan(engine, inner) {
        Ok(plan) => PlannedStep::Plan(Box::new(plan)),
        Err(failure) => {
            // A message may quote the value that it is about.
            let has_secrets = arguments.keys().any(|name| called.is_secret(name));
            let message =
                if has_secrets { failure.error_type.to_string() } else { failure.message };
            PlannedStep::Problem { message, arguments: redact(&called, &arguments) }
        }
    };
    Ok(StepPlan { tool: step.tool.clone(), skipped: skip_reason(step, folder), plan })
}

/// The folder in which a sequence looks for files, and which it passes on to its steps.
fn folder_of(settings: &Settings, arguments: &Arguments) -> Result<PathBuf, Failure> {
    plan::folder(settings, FOLDER, arguments.get(FOLDER))
}

/// Every call that a sequence would make if no step were skipped, including those of inner sequences
/// and the targets of bound tools.
pub(super) fn collect_nested_calls(target: CallTarget<'_>) -> Result<Vec<NestedCall>, Failure> {
    let CallTarget { catalog, tool, arguments } = target;
    let mut calls = Vec::new();
    collect_into(&mut calls, catalog, tool, arguments, 0)
        .map_err(|failure| failures::complete(tool, failure))?;
    Ok(calls)
}

fn collect_into(
    calls: &mut Vec<NestedCall>,
    catalog: &Catalog,
    tool: &Tool,
    given: &Arguments,
    depth: usize,
) -> Result<(), Failure> {
    if let Implementation::Tool(_) = tool.implementation {
        let NestedCall { tool, arguments } = redirect::resolve_target(catalog, tool, given)?;
        calls.push(NestedCall { tool: Arc::clone(&tool), arguments: arguments.clone() });
        // The same depth: a redirect is not a nested sequence, and has its own limit.
        return collect_into(calls, catalog, &tool, &arguments, depth);
    }
    let Implementation::Sequence(sequence) = &tool.implementation else {
        return Ok(());
    };
    if depth >= MAX_DEPTH || calls.len() + sequence.steps.len() > MAX_STEPS {
        let message =
            format!("the steps of `{}` form a cycle, or are more than {MAX_STEPS}", tool.name);
        return Err(Failure::new(ErrorType::InvalidDefinition, message));
    }
    for step in &sequence.steps {
        let (called, arguments) = resolve_step(catalog, tool, step, given)?;
        calls.push(NestedCall { tool: Arc::clone(&called), arguments: arguments.clone() });
        collect_into(calls, catalog, &called, &arguments, depth + 1)?;
    }
    Ok(())
}

/// The tool of a step and its validated arguments, with the folder of the sequence if the tool takes
/// one.
fn resolve_step(
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
        // A folder in the definition of the step is the author's choice and wins over the caller's.
        && !arguments.contains_key(FOLDER)
    {
        arguments.insert(FOLDER.to_owned(), folder.clone());
    }
    let backend = backend_for(&called.implementation);
    let arguments = backend.admit(called, arguments).map_err(|failure| {
        let message =
            format!("a step of `{}` has invalid arguments: {}", tool.name, failure.message);
        // The caller did not write these arguments and cannot correct them: it is the definition
        // that is wrong.
        Failure { message, error_type: ErrorType::InvalidDefinition, ..failure }
    })?;
    Ok((Arc::clone(called), arguments))
}

/// Why a step is skipped, if it is.
fn skip_reason(step: &Step, folder: &Path) -> Option<String> {
    let exists = |path: &String| folder.join(path).exists();
    if let Some(path) = step.skip_if_exists.as_ref().filter(|path| exists(path)) {
        return Some(format!("because `{path}` exists"));
    }
    step.skip_if_missing
        .as_ref()
        .filter(|path| !exists(path))
        .map(|path| format!("because `{path}` is missing"))
}
