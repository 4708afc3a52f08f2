//! The call path: defaults, validation, policy, plan, backend, outcome.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use catalog::{Availability, Failure, Launch, Outcome, Tool, arguments};
use serde_json::Value;
use tokio::sync::Semaphore;
use toolkit::{Arguments, Context, Interrupt, Native, Resources};

use crate::{
    Plan, Settings,
    native::Natives,
    outputs::{OutputResources, Outputs},
    policy, refusal, report,
    spawn::Door,
};

/// One invocation of a tool.
pub struct Call {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its arguments, not yet checked.
    pub arguments: Arguments,
    /// The surroundings.
    pub context: Context,
    /// The caller's time limit; it can only shorten the tool's.
    pub limit: Option<Duration>,
}

/// What runs calls. One for a server, shared in an `Arc`.
pub struct Runtime {
    pub(crate) settings: Settings,
    pub(crate) outputs: Arc<Outputs>,
    /// Whoever runs a process holds one of these.
    pub(crate) turns: Semaphore,
    pub(crate) door: Arc<Door>,
    /// The checks that said yes.
    pub(crate) available: Mutex<Vec<Availability>>,
    natives: Natives,
}

impl Runtime {
    /// A runtime without native tools.
    pub fn new(settings: Settings) -> Self {
        Self {
            outputs: Arc::new(Outputs::new(settings.spill.clone(), settings.spill_bytes)),
            turns: Semaphore::new(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            door: Arc::new(Door::new(&settings)),
            available: Mutex::default(),
            natives: Natives::default(),
            settings,
        }
    }

    /// Registers the functions of native tools, by name.
    pub fn with_natives(mut self, natives: impl IntoIterator<Item = Native>) -> Self {
        self.natives.register(natives);
        self
    }

    /// What a call of `tool` would do. The arguments have been checked and their defaults filled in.
    pub fn plan(&self, tool: &Tool, arguments: &Arguments) -> Result<Plan, Failure> {
        let plan = match &tool.launch {
            Launch::Process(process) => Plan::make(&self.settings, tool, process, arguments),
            Launch::Native => {
                Err(Failure::new("not_supported", format!("`{}` runs inside the server and has no plan", tool.name)))
            }
            Launch::Sequence(_) | Launch::Missing => Err(not_runnable(tool)),
        };
        plan.map_err(|failure| refusal::completed(tool, failure))
    }

    /// Checks the arguments, fills in defaults and asks policy: what comes before any plan.
    pub fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        let arguments = checked(tool, arguments).map_err(|failure| refusal::completed(tool, failure))?;
        policy::admit(tool).map_err(|failure| refusal::completed(tool, failure))?;
        Ok(arguments)
    }

    /// Runs one call. Whatever goes wrong with the tool is an outcome.
    pub async fn call(&self, call: Call) -> Result<Outcome, Interrupt> {
        let Call { tool, arguments, context, limit } = call;
        let arguments = match self.admit(&tool, arguments) {
            Ok(arguments) => arguments,
            Err(failure) => return Ok(failure.into()),
        };
        match &tool.launch {
            Launch::Native => {
                let limit = shorter(limit, tool.timeout);
                self.natives.call(&tool, arguments, context, limit).await
            }
            // On the heap, so that calls of native tools do not carry its size around.
            Launch::Process(_) => Ok(Box::pin(self.process(&tool, &arguments, &context, limit)).await),
            Launch::Sequence(_) | Launch::Missing => Ok(refusal::outcome(&tool, not_runnable(&tool))),
        }
    }

    /// Whole outputs that were too long to answer, as resources.
    pub fn outputs(&self) -> Arc<dyn Resources> {
        Arc::new(OutputResources(Arc::clone(&self.outputs)))
    }

    async fn process(&self, tool: &Tool, arguments: &Arguments, context: &Context, limit: Option<Duration>) -> Outcome {
        let plan = match self.plan(tool, arguments) {
            Ok(plan) => Arc::new(plan),
            Err(failure) => return failure.into(),
        };
        if let Err(failure) = self.ask_once(tool).await {
            return failure.into();
        }
        let limit = limit.map_or(plan.timeout, |limit| limit.min(plan.timeout));
        match self.run(Arc::clone(&plan), context.cancel_token(), limit).await {
            Ok(ended) => report::outcome(tool, &plan, ended),
            Err(failure) => refusal::outcome(tool, failure),
        }
    }
}

fn checked(tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
    let value = Value::Object(arguments);
    let faults = arguments::check(&tool.input, &value)
        .map_err(|error| Failure::new("invalid_definition", format!("the input schema of `{}` is broken: {error}", tool.name)))?;
    if !faults.is_empty() {
        return Err(arguments::refusal(&tool.name, &faults));
    }
    let Value::Object(mut arguments) = value else { unreachable!("made of a map above") };
    arguments::apply_defaults(&tool.input, &mut arguments);
    Ok(arguments)
}

fn not_runnable(tool: &Tool) -> Failure {
    match tool.launch {
        Launch::Sequence(_) => {
            Failure::new("not_supported", format!("`{}` is a sequence, and sequences come with operations", tool.name))
        }
        _ => Failure::new("not_callable", format!("`{}` is documented but has no command to run", tool.name)),
    }
}

fn shorter(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one.into_iter().chain(other).min()
}
