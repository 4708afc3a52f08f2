//! The call path: defaults, validation, policy, plan, backend, outcome.

mod record;

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use catalog::{
    Availability, Catalog, Decision, ErrorType, Failure, Implementation, Mode, Outcome, Policy,
    Tool, arguments,
};
use fancy_regex::Regex;
use parking_lot::Mutex;
use process::Launcher;
use serde_json::Value;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolkit::{Arguments, Context, Interrupt, Native, Resources, Storage};

use self::record::Record;
use crate::{
    Operations, Plan, Session, Settings, answer,
    approval::denied,
    audit::Audit,
    backends::CommandRun,
    failures,
    journal::{Journal, MemoryJournal},
    log::{Log, kind, outcome_kind},
    mismatch,
    native::Natives,
    operation::{ApprovalId, Operation, Owner},
    operations::{LiveOperation, Work},
    outputs::{OutputResources, Outputs, Spill},
    programs::new_launcher,
    r, redirect, report,
    scheduler::{ConcurrencyClass, Permit, Scheduler},
    sequence::Leaf,
    warm::{Workers, unless_cancelled},
};

/// The most patterns for progress that are kept ready.
const PATTERNS: usize = 256;

/// One invocation of a tool.
pub struct Call {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its arguments, not yet checked.
    pub arguments: Arguments,
    /// The services.
    pub context: Context,
    /// The caller's time limit; it can only shorten the tool's.
    pub limit: Option<Duration>,
    /// Who calls.
    pub owner: Owner,
    /// Whose state a function of R works on.
    pub session: Session,
    /// The tools that a sequence may call.
    pub catalog: Arc<Catalog>,
    /// What may be called, and what must be asked about.
    pub policy: Policy,
    /// The request that it answers, for the log.
    pub request: Option<String>,
    /// How many calls of other tools it is inside of.
    pub depth: usize,
    /// The file to write down what the program touches. It is then watched instead of confined:
    /// only for a person who wants to know.
    pub trace: Option<PathBuf>,
}

impl Call {
    /// A call by the owner of its context, of a tool that stands alone, under the policy that annotations
    /// alone make.
    pub fn new(tool: Arc<Tool>, arguments: Arguments, context: Context) -> Self {
        Self {
            tool,
            arguments,
            owner: Owner(context.owner().to_string()),
            context,
            session: Session::default(),
            limit: None,
            catalog: Arc::default(),
            policy: Policy::default(),
            request: None,
            depth: 0,
            trace: None,
        }
    }
}

/// A call that has been decided about, on its way to a backend.
pub(crate) struct Job {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: Arguments,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) context: Context,
    pub(crate) session: Session,
    pub(crate) limit: Option<Duration>,
    /// What it will do, if that was found out already.
    pub(crate) plan: Option<Plan>,
    /// Where to write down what it touches.
    pub(crate) trace: Option<PathBuf>,
    /// The operation that it is, or is a step of.
    pub(crate) live: Option<Arc<LiveOperation>>,
    /// Whether an enclosing sequence has the turn.
    pub(crate) has_permit: bool,
    /// How much of each output stream is answered.
    pub(crate) output_bytes: usize,
    /// Which step of which sequence it is: `.2.1` is the first step of the second step. Empty if none.
    pub(crate) step: String,
    pub(crate) depth: usize,
}

/// What runs calls. One for a server, shared in an `Arc`.
pub struct Runtime {
    pub(crate) settings: Settings,
    pub(crate) outputs: Arc<Outputs>,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) launcher: Arc<Launcher>,
    /// The checks that said yes.
    pub(crate) available: Mutex<Vec<Availability>>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) operations: Operations,
    patterns: Mutex<HashMap<String, Option<Arc<Regex>>>>,
    pub(crate) audit: Audit,
    pub(crate) keep: Option<Arc<dyn Storage>>,
    pub(crate) workers: Arc<Workers>,
    natives: Natives,
}

impl Runtime {
    /// A runtime without native tools that remembers what happens in memory. Raises the limit of
    /// open files of this process as far as it may: each running program takes a few.
    pub fn new(settings: Settings) -> Self {
        Self::with_journal(settings, Arc::new(MemoryJournal::default()))
    }

    /// A runtime without native tools, and with a journal.
    pub fn with_journal(settings: Settings, journal: Arc<dyn Journal>) -> Self {
        process::raise_open_file_limit();
        let outputs = Arc::new(Outputs::new(settings.spill.clone(), settings.spill_bytes));
        let scheduler = Arc::new(Scheduler::new(settings.concurrency));
        Self {
            operations: Operations::new(
                &settings,
                Arc::clone(&journal),
                Arc::clone(&scheduler),
                Arc::clone(&outputs),
            ),
            outputs,
            scheduler,
            launcher: Arc::new(new_launcher(&settings)),
            available: Mutex::default(),
            audit: Audit::new(Arc::clone(&journal)),
            journal,
            patterns: Mutex::default(),
            keep: None,
            workers: Arc::new(Workers::new(&settings)),
            natives: Natives::default(),
            settings,
        }
    }

    /// Registers the functions of native tools, by name.
    pub fn with_natives(mut self, natives: impl IntoIterator<Item = Native>) -> Self {
        self.natives.register(natives);
        self
    }

    /// Gives native tools a place where they keep things.
    pub fn with_storage(mut self, keep: Arc<dyn Storage>) -> Self {
        self.keep = Some(keep);
        self
    }

    /// How this runtime was configured.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Starts the child processes of this server.
    pub fn launcher(&self) -> &Arc<Launcher> {
        &self.launcher
    }

    /// Tracks clean-up that outlives its call; [`Operations::drain`] waits for it.
    pub fn cleanup_tasks(&self) -> TaskTracker {
        self.operations.0.tidying.clone()
    }

    /// The operations of this server.
    pub fn operations(&self) -> Operations {
        self.operations.clone()
    }

    /// What remembers.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Finds what servers that died left behind, ends it, and says so in the journal. To be called
    /// before the first call.
    pub async fn recover(&self) -> Result<Vec<Operation>, Failure> {
        self.operations.recover().await
    }

    /// Waits, at most about a second, until the audit has everything that happened before. To be
    /// called at the end of a process, which may not drop this.
    pub fn flush_audit(&self) {
        self.audit.flush();
    }

    /// What a call of `tool` would do. The arguments have been checked and their defaults filled in.
    pub fn plan(&self, tool: &Tool, arguments: &Arguments) -> Result<Plan, Failure> {
        let plan = match &tool.implementation {
            Implementation::Process(process) => {
                Plan::make(&self.settings, tool, process, arguments)
            }
            Implementation::Native => Err(Failure::new(
                ErrorType::NotSupported,
                format!("`{}` runs inside the server and has no plan", tool.name),
            )),
            Implementation::Sequence(_) => Err(Failure::new(
                ErrorType::NotSupported,
                format!("`{}` is a sequence; each of its steps has its own plan", tool.name),
            )),
            Implementation::R(function) => {
                Plan::of_r_call(&self.settings, tool, function, arguments)
            }
            Implementation::Python(function) => {
                Plan::of_python_call(&self.settings, tool, function, arguments)
            }
            Implementation::Tool(other) => Err(Failure::new(
                ErrorType::NotSupported,
                format!("`{}` is bound to `{other}`, which has the plan", tool.name),
            )),
            Implementation::Missing => Err(not_callable(tool)),
        };
        plan.map_err(|failure| failures::complete(tool, failure))
    }

    /// Checks the arguments and fills in defaults: what comes before any plan.
    pub fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        let arguments = if tool.implementation == Implementation::Native {
            unwrapped(tool, arguments)
        } else {
            arguments
        };
        checked(tool, arguments).map_err(|failure| failures::complete(tool, failure))
    }

    /// Whole outputs that were too long to answer, as resources.
    pub fn outputs(&self) -> Arc<dyn Resources> {
        Arc::new(OutputResources(Arc::clone(&self.outputs)))
    }

    /// Runs one call. Whatever goes wrong with the tool is an outcome. A call of an asynchronous
    /// tool becomes an operation.
    pub async fn call(self: &Arc<Self>, call: Call) -> Result<Outcome, Interrupt> {
        r::rouse(&call);
        let log = Log::called(&call.tool, call.request.as_deref());
        let tool = Arc::clone(&call.tool);
        let result = self.decided(call, &log).await.map(|outcome| match tool.implementation {
            Implementation::Tool(_) => mismatch::judged(&tool, outcome).with_errors(tool.errors),
            _ => outcome.with_errors(tool.errors),
        });
        log.ended(result.as_ref());
        result
    }

    /// Checks a call, decides about it, and runs it if it may.
    async fn decided(self: &Arc<Self>, mut call: Call, log: &Log) -> Result<Outcome, Interrupt> {
        let record = self.audit.is_kept().then(|| Record::of(self, &call));
        call.arguments = match self.admit(&call.tool, std::mem::take(&mut call.arguments)) {
            Ok(arguments) => arguments,
            Err(failure) => return Ok(self.recorded(record, "invalid", failure.into())),
        };
        let reason = match self.decide(&call) {
            Ok(Decision::Allow) => None,
            Ok(Decision::Ask { reason }) => Some(reason),
            Ok(Decision::Deny { reason }) => {
                let failure = failures::complete(&call.tool, denied(&call.tool, &reason));
                return Ok(self.refused(record, "deny", failure).await);
            }
            Err(failure) => return Ok(self.recorded(record, "invalid", failure.into())),
        };
        if let Implementation::Tool(_) = call.tool.implementation {
            match redirect::target(&call.catalog, &call.tool, &call.arguments) {
                Ok(Leaf { tool, arguments }) => (call.tool, call.arguments) = (tool, arguments),
                Err(failure) => {
                    return Ok(self.recorded(
                        record,
                        "invalid",
                        failures::to_outcome(&call.tool, failure),
                    ));
                }
            }
        }
        if call.tool.implementation == Implementation::Native {
            call.context = self.surround(&call);
        }
        if let (Implementation::Native, Mode::Asynchronous) =
            (&call.tool.implementation, call.tool.mode)
        {
            let arguments = std::mem::take(&mut call.arguments);
            call.arguments =
                Box::pin(self.natives.prepare(&call.tool, arguments, call.context.clone())).await?;
        }
        let Some(reason) = reason else {
            return self.granted(call, log, record, None).await;
        };
        // On the heap, as everything that is rare or slow: plain calls do not carry its size around.
        match Box::pin(self.approve(&call, reason)).await? {
            Ok(approval) => Box::pin(self.granted(call, log, record, Some(approval))).await,
            Err(failure) => {
                let failure = failures::complete(&call.tool, failure);
                Ok(self.refused(record, "ask", failure).await)
            }
        }
    }

    /// Runs one call for the program itself: nobody can be asked, and nobody cancels it.
    pub async fn call_alone(self: &Arc<Self>, tool: Arc<Tool>, arguments: Arguments) -> Outcome {
        let call =
            Call::new(Arc::clone(&tool), arguments, Context::detached(CancellationToken::new()));
        let result = self.call(call).await;
        result
            .unwrap_or_else(|interrupt| failures::to_outcome(&tool, cannot_ask(&tool, &interrupt)))
    }

    async fn granted(
        self: &Arc<Self>,
        call: Call,
        log: &Log,
        record: Option<Record>,
        approval: Option<ApprovalId>,
    ) -> Result<Outcome, Interrupt> {
        let decision = if approval.is_some() { "approved" } else { "allow" };
        let mut operation = None;
        let result = match (&call.tool.implementation, call.tool.mode) {
            (Implementation::Missing | Implementation::Tool(_), _) => {
                Ok(failures::to_outcome(&call.tool, not_callable(&call.tool)))
            }
            (_, Mode::Asynchronous) => {
                let work =
                    Work { owner: call.owner.clone(), log: log.clone(), job: self.job(call) };
                let (outcome, live) = Box::pin(self.operate(work)).await;
                operation = live.map(|live| live.id().clone());
                Ok(outcome)
            }
            (Implementation::Native, Mode::Synchronous) => {
                let limit = shorter(call.limit, call.tool.timeout);
                self.natives.call(&call.tool, call.arguments, call.context, limit).await
            }
            (
                Implementation::Process(_)
                | Implementation::Sequence(_)
                | Implementation::R(_)
                | Implementation::Python(_),
                Mode::Synchronous,
            ) => Ok(Box::pin(self.perform(self.job(call))).await),
        };
        if let Some(record) = record {
            self.audit.add(record.entry(decision, approval, operation, kind(&result)));
        }
        result
    }

    fn job(&self, call: Call) -> Job {
        Job {
            tool: call.tool,
            arguments: call.arguments,
            catalog: call.catalog,
            context: call.context,
            session: call.session,
            limit: call.limit,
            plan: None,
            trace: call.trace,
            live: None,
            has_permit: false,
            output_bytes: self.settings.output_bytes,
            step: String::new(),
            depth: 0,
        }
    }

    /// Carries out what has been decided.
    pub(crate) async fn perform(self: &Arc<Self>, job: Job) -> Outcome {
        match &job.tool.implementation {
            Implementation::Process(_) => self.process(job).await,
            Implementation::Sequence(_) => self.sequence(job).await,
            Implementation::R(_) => self.r(job).await,
            Implementation::Python(_) => self.python(job).await,
            Implementation::Tool(_) => self.redirect(job).await,
            Implementation::Missing => failures::to_outcome(&job.tool, not_callable(&job.tool)),
            Implementation::Native => {
                if let Some(live) = &job.live {
                    live.running(None);
                }
                let limit = shorter(job.limit, job.tool.timeout);
                let result = self.natives.call(&job.tool, job.arguments, job.context, limit).await;
                let outcome = result.unwrap_or_else(|interrupt| {
                    failures::to_outcome(&job.tool, cannot_ask(&job.tool, &interrupt))
                });
                outcome.with_errors(job.tool.errors)
            }
        }
    }

    /// Finds out whether a job could start at all, and what it will do.
    pub(crate) fn rehearse(&self, job: &mut Job) -> Result<(), Failure> {
        match &job.tool.implementation {
            Implementation::Process(_) => {
                job.plan = Some(self.planned(job)?);
                Ok(())
            }
            Implementation::R(_) | Implementation::Python(_) => {
                self.plan(&job.tool, &job.arguments).map(|_| ())
            }
            Implementation::Sequence(_) => {
                crate::sequence::leaves(&job.catalog, &job.tool, &job.arguments).map(|_| ())
            }
            Implementation::Native | Implementation::Tool(_) | Implementation::Missing => Ok(()),
        }
    }

    /// Waits for the turn of a job, unless it has one.
    pub(crate) async fn acquire_permit(
        &self,
        job: &Job,
        class: ConcurrencyClass,
    ) -> Result<Option<Permit>, Failure> {
        let queued = |ticket| {
            if let Some(live) = &job.live {
                live.queued(ticket);
            }
        };
        unless_cancelled(job, self.scheduler.acquire(class, queued)).await
    }

    async fn process(&self, mut job: Job) -> Outcome {
        let plan = match job.plan.take().map_or_else(|| self.planned(&job), Ok) {
            Ok(plan) => plan,
            Err(failure) => return failure.into(),
        };
        if let Err(failure) = self.ask_once(&job.tool).await {
            return failure.into();
        }
        let _permit = match job.has_permit {
            true => None,
            false => match self.acquire_permit(&job, ConcurrencyClass::of(&job.tool)).await {
                Ok(permit) => permit,
                Err(failure) => return failures::to_outcome(&job.tool, failure),
            },
        };
        let speaks_json = matches!(&job.tool.implementation, Implementation::Process(process) if process.speaks_json());
        let run = CommandRun {
            command: &plan.command,
            cancel: job.context.cancel_token(),
            timeout: job.limit.map_or(plan.timeout, |limit| limit.min(plan.timeout)),
            output_bytes: if speaks_json { answer::LONGEST } else { job.output_bytes },
            live: job.live.as_ref().map(|live| (live, job.step.as_str())),
            pattern: job
                .live
                .as_ref()
                .and(job.tool.progress.as_deref())
                .and_then(|pattern| self.pattern(pattern)),
        };
        match self.run_command(run).await {
            Ok(finished) if speaks_json => {
                let spill = self.spill(&job);
                answer::of_program(&job.tool, &plan, finished, &spill, job.output_bytes).await
            }
            Ok(finished) => report::outcome(&job.tool, &plan, finished),
            Err(failure) => failures::to_outcome(&job.tool, failure),
        }
    }

    /// Where what is long of a job goes.
    pub(crate) fn spill(&self, job: &Job) -> Spill<'_> {
        match &job.live {
            Some(live) => Spill::of_operation(&self.outputs, format!("{}{}", live.id(), job.step)),
            None => Spill::new(&self.outputs),
        }
    }

    fn planned(&self, job: &Job) -> Result<Plan, Failure> {
        let plan = self.plan(&job.tool, &job.arguments)?;
        match &job.trace {
            Some(trace) => plan.traced(&self.settings, trace),
            None => Ok(plan),
        }
    }

    /// A pattern for progress, ready for use. One that is broken was reported when it was read.
    pub(crate) fn pattern(&self, text: &str) -> Option<Arc<Regex>> {
        let mut patterns = self.patterns.lock();
        if patterns.len() > PATTERNS {
            patterns.clear();
        }
        let made =
            patterns.entry(text.to_owned()).or_insert_with(|| Regex::new(text).ok().map(Arc::new));
        made.clone()
    }

    fn recorded(
        &self,
        record: Option<Record>,
        decision: &'static str,
        outcome: Outcome,
    ) -> Outcome {
        if let Some(record) = record {
            self.audit.add(record.entry(decision, None, None, outcome_kind(&outcome)));
        }
        outcome
    }

    /// A refusal is taken down before it is told.
    async fn refused(
        &self,
        record: Option<Record>,
        decision: &'static str,
        failure: Failure,
    ) -> Outcome {
        let approval =
            failure.details.get("approval").and_then(Value::as_str).and_then(|id| id.parse().ok());
        if let Some(record) = record {
            Box::pin(self.audit.add_now(record.entry(
                decision,
                approval,
                None,
                failure.error_type.to_string(),
            )))
            .await;
        }
        failure.into()
    }
}

/// The arguments, checked and with defaults.
pub(crate) fn checked(tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
    let value = Value::Object(arguments);
    let faults = arguments::validate(&tool.input, &value).map_err(|error| {
        Failure::new(
            ErrorType::InvalidDefinition,
            format!("the input schema of `{}` is broken: {error}", tool.name),
        )
    })?;
    if !faults.is_empty() {
        return Err(arguments::build_failure(tool, &faults));
    }
    let Value::Object(mut arguments) = value else { unreachable!("made of a map above") };
    // R knows its own defaults, and a function may ask whether an argument was given.
    if !matches!(tool.implementation, Implementation::R(_)) {
        arguments::apply_defaults(&tool.input, &mut arguments);
    }
    Ok(arguments)
}

/// The arguments of a client that puts them all into one called `args`.
fn unwrapped(tool: &Tool, mut arguments: Arguments) -> Arguments {
    let is_wrapped = arguments.len() == 1 && tool.input.property("args").is_none();
    match arguments.get_mut("args") {
        Some(Value::Object(inside)) if is_wrapped => {
            tracing::info!(tool = tool.name, "arguments were taken out of `args`");
            std::mem::take(inside)
        }
        _ => arguments,
    }
}

fn not_callable(tool: &Tool) -> Failure {
    Failure::new(
        ErrorType::NotCallable,
        format!("`{}` is documented but has no command to run", tool.name),
    )
}

fn cannot_ask(tool: &Tool, interrupt: &Interrupt) -> Failure {
    if let Interrupt::Invalid(why) = interrupt {
        return Failure::new(ErrorType::InvalidRequest, why);
    }
    let why = match interrupt {
        Interrupt::Ask { .. } => "it has questions that cannot be asked here".to_owned(),
        Interrupt::MissingCapability(capability) => {
            format!("the client cannot do what it needs: {capability:?}")
        }
        Interrupt::Invalid(why) | Interrupt::Unanswered(why) => why.clone(),
    };
    Failure::new(ErrorType::Unanswered, format!("`{}` could not go on: {why}", tool.name))
}

fn shorter(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one.into_iter().chain(other).min()
}
