//! Validates the arguments of calls. Cheap validations run right away; others, which a caller can
//! make as expensive as a schema allows, run in [`BoundedWork`].

use std::sync::Arc;

use catalog::{Decision, Failure, Implementation, Tool, budget::Budget};
use serde_json::Value;
use toolkit::Arguments;

use super::Runtime;
use crate::{
    Call, Settings,
    backends::backend_for,
    bounded_work::INLINE_STEPS,
    call::NestedCall,
    failures,
    plan::{find_argument_failures, reject_outside_paths},
};

/// Maximum number of values in arguments for which that is tried.
const INLINE_VALUES: usize = 1_000;

impl Runtime {
    /// [`Runtime::admit`] without blocking an async thread.
    pub(super) async fn admit_bounded(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        arguments: Arguments,
    ) -> Result<Arguments, Failure> {
        let mut values = INLINE_VALUES;
        // The first use of a schema compiles it, which takes seconds with thousands of patterns.
        if tool.input.is_compiled()
            && arguments.values().all(|value| has_at_most(value, &mut values))
        {
            let copy = arguments.clone();
            if let Ok(admitted) = Budget::steps(INLINE_STEPS).run(|| self.admit(tool, copy)) {
                return admitted;
            }
        }
        let (runtime, of) = (Arc::clone(self), Arc::clone(tool));
        let work = self.validation.run(move || runtime.admit(&of, arguments));
        work.await.unwrap_or_else(|reason| Err(reason.failure(tool)))
    }

    /// Decides about a call, and finds the call to make instead if it stands for another one. Both
    /// may validate arguments of other tools.
    pub(super) async fn decide_bounded(
        self: &Arc<Self>,
        call: &Call,
    ) -> (Result<Decision, Failure>, Result<Option<NestedCall>, Failure>) {
        let decide = |runtime: &Self, call: &Call| {
            let redirected = backend_for(&call.tool.implementation).redirect(call.target());
            (runtime.decide(call), redirected)
        };
        if let Ok(decided) = Budget::steps(INLINE_STEPS).run(|| decide(self, call)) {
            return decided;
        }
        let (runtime, tool) = (Arc::clone(self), Arc::clone(&call.tool));
        let copy = Call {
            catalog: Arc::clone(&call.catalog),
            policy: call.policy.clone(),
            ..Call::new(tool, call.arguments.clone(), call.context.clone())
        };
        let decided = self.validation.run(move || decide(&runtime, &copy)).await;
        decided.unwrap_or_else(|reason| (Err(reason.failure(&call.tool)), Ok(None)))
    }
}

/// Returns the arguments, unless they violate a constraint of the tool.
pub(super) fn reject_violations(
    settings: &Settings,
    tool: &Tool,
    arguments: Arguments,
) -> Result<Arguments, Failure> {
    let violations = tool.constraints.iter().filter_map(|rule| rule.find_failure(&arguments));
    let mut found: Vec<_> = violations.collect();
    if !found.is_empty() {
        found.extend(find_path_failures(settings, tool, &arguments));
    }
    failures::combine(found).map_or(Ok(arguments), Err)
}

/// Whether paths in the arguments of a tool are checked before it runs.
pub(super) fn has_path_checks(tool: &Tool) -> bool {
    matches!(tool.implementation, Implementation::Process(_) | Implementation::Python(_))
}

/// The failures that a call with these arguments would have if they fitted the schema.
pub(super) fn find_more_failures(
    settings: &Settings,
    tool: &Tool,
    arguments: &Arguments,
) -> Vec<Failure> {
    let mut found = find_path_failures(settings, tool, arguments);
    // A constraint that cannot be evaluated was given arguments of the wrong type, which are
    // reported anyway.
    let violated = tool.constraints.iter().filter(|rule| rule.is_violated(arguments) == Ok(true));
    found.extend(violated.filter_map(|rule| rule.find_failure(arguments)));
    found
}

fn find_path_failures(settings: &Settings, tool: &Tool, arguments: &Arguments) -> Vec<Failure> {
    match &tool.implementation {
        Implementation::Process(process) => {
            find_argument_failures(settings, tool, process, arguments)
        }
        Implementation::Python(_) => {
            reject_outside_paths(settings, tool, arguments).err().into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether there are at most so many values in a value, including itself. Stops counting then.
fn has_at_most(value: &Value, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter().all(|item| has_at_most(item, left)),
        Value::Object(members) => members.values().all(|member| has_at_most(member, left)),
        Value::String(text) => text.len() <= 1 << 20,
        _ => true,
    }
}
