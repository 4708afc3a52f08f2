//! The path that every call takes: validation, policy, approval, backend, outcome, audit.

mod admit;
mod approve;
mod notify;
mod operate;
mod record;
mod repeat;
mod services;

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use catalog::{Catalog, Decision, ErrorType, Failure, Implementation, Mode, Outcome, Policy, Tool};
use parking_lot::Mutex;
use process::{Launcher, Peer, SandboxLevel};
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolkit::{Arguments, Context, Interrupt, Native, Resources, Storage};

use self::{
    approve::{Granted, policy_denial},
    record::{OperationRecord, Record},
};
use crate::{
    BoundedWork, Call, Operations, Plan, Settings,
    audit::{Audit, Entry},
    backends::{backend_for, unanswerable},
    call::{ActiveCall, NestedCall},
    digest::keyed_text_digest,
    engine::Engine,
    failures,
    journal::{AuditLine, Journal, MemoryJournal},
    log::{CallLog, outcome_kind, result_kind},
    operation::{ApprovalId, Operation, OperationId},
    outputs::{OutputReader, OutputResources},
    plan::{CallTarget, CommandPlan},
    programs::{self, PeerCommand},
};

/// Runs calls. One for a server, shared in an `Arc`.
pub struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) operations: Operations,
    journal: Arc<dyn Journal>,
    audit: Audit,
    /// Validates arguments for which that takes longer than usual.
    validation: BoundedWork,
    /// The requests for approval of which the operator was notified.
    notified: Mutex<HashSet<ApprovalId>>,
}

impl Runtime {
    /// A runtime without native tools whose journal is in memory. Raises the limit of open files of
    /// this process as far as possible, because each running program takes a few.
    pub fn new(settings: Settings) -> Self {
        Self::with_journal(settings, Arc::new(MemoryJournal::default()))
    }

    /// A runtime without native tools.
    pub fn with_journal(settings: Settings, journal: Arc<dyn Journal>) -> Self {
        process::raise_open_file_limit();
        let engine = Engine::new(settings);
        Self {
            operations: Operations::new(
                &engine.settings,
                Arc::clone(&journal),
                Arc::clone(&engine.scheduler),
                Arc::clone(&engine.outputs),
            ),
            audit: Audit::new(Arc::clone(&journal)),
            journal,
            engine,
            validation: BoundedWork::default(),
            notified: Mutex::default(),
        }
    }

    /// Registers the functions of native tools, by name.
    pub fn with_natives(mut self, natives: impl IntoIterator<Item = Native>) -> Self {
        self.engine.natives.register(natives);
        self
    }

    /// Lets native tools and sessions keep state in `storage`.
    pub fn with_storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.engine.set_storage(storage);
        self
    }

    /// How this runtime was configured.
    pub fn settings(&self) -> &Settings {
        &self.engine.settings
    }

    /// Starts the child processes of this server.
    pub fn launcher(&self) -> &Arc<Launcher> {
        &self.engine.launcher
    }

    /// Tracks clean-up that outlives its call; [`Operations::drain`] waits for it.
    pub fn cleanup_tasks(&self) -> TaskTracker {
        self.operations.cleanup_tasks()
    }

    /// The operations of this server.
    pub fn operations(&self) -> Operations {
        self.operations.clone()
    }

    /// The journal of operations and approvals.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// The digest of a secret text, by which it can be recognized and not be guessed.
    pub fn digest_secret(&self, text: &str) -> String {
        keyed_text_digest(self.journal.digest_key(), text)
    }

    /// Finds operations of servers that died, kills their processes and records them as lost. Call it
    /// before the first call.
    pub async fn recover(&self) -> Result<Vec<Operation>, Failure> {
        let temp = self.engine.settings.temp.clone();
        // A failure to remove is not reported: the folders are in the way of nothing.
        let _ = spawn_blocking(move || process::remove_abandoned_folders(&temp)).await;
        let lost = self.operations.recover().await?;
        lost.iter().for_each(|operation| self.audit.add_line(lost_line(operation)));
        Ok(lost)
    }

    /// Writes audit lines that a slow disk has left behind. Call it at the end of a process.
    pub fn flush_audit(&self) {
        self.audit.flush();
    }

    /// The complete texts of outputs that were too long for their result, as resources.
    pub fn outputs(&self) -> Arc<dyn Resources> {
        Arc::new(OutputResources(Arc::clone(&self.engine.outputs)))
    }

    /// Reads long outputs in parts.
    pub fn output_reader(&self) -> OutputReader {
        let outputs = Arc::clone(&self.engine.outputs);
        OutputReader { outputs, max_bytes: self.engine.settings.output_bytes }
    }

    /// The R interpreter, if it is installed.
    pub fn r_program(&self) -> Option<PathBuf> {
        self.engine.workers.find_r()
    }

    /// The Python interpreter, if it is installed.
    pub fn python_program(&self) -> Option<PathBuf> {
        self.engine.workers.find_python()
    }

    /// Starts a program that exchanges messages over stdio. It runs unrestricted, with the user's
    /// rights.
    pub async fn start_peer(&self, peer: PeerCommand) -> Result<Peer, Failure> {
        programs::start_peer(&self.engine.launcher, &self.engine.settings, peer).await
    }

    /// Whether `tool` can run on this machine: its program is installed, and its own check succeeds.
    pub async fn available(&self, tool: &Tool) -> Result<(), Failure> {
        let installed = backend_for(&tool.implementation).check_installed(&self.engine, tool);
        installed.map_err(|failure| failures::complete(tool, failure))?;
        self.engine.check_availability(tool).await
    }

    /// Validates arguments and fills in defaults: the first step of every call.
    pub fn admit(&self, tool: &Tool, arguments: Arguments) -> Result<Arguments, Failure> {
        let is_checked = admit::has_path_checks(tool) || !tool.constraints.is_empty();
        let given = is_checked.then(|| arguments.clone());
        let admitted = backend_for(&tool.implementation).admit(tool, arguments);
        let settings = &self.engine.settings;
        let admitted =
            admitted.and_then(|admitted| admit::reject_violations(settings, tool, admitted));
        admitted.map_err(|failure| {
            let more = given.map(|given| admit::find_more_failures(settings, tool, &given));
            failures::complete(tool, failures::extend(failure, more.unwrap_or_default()))
        })
    }

    /// Plans a call of `tool`. The arguments come from [`Runtime::admit`]; `catalog` has the tools
    /// that a sequence calls.
    pub fn plan(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<Plan, Failure> {
        let target = CallTarget { catalog, tool, arguments };
        let planned = backend_for(&tool.implementation).plan(&self.engine, target);
        planned.map_err(|failure| failures::complete(tool, failure))
    }

    /// Plans a call for a person who writes a definition. Unlike [`Runtime::plan`], it returns the
    /// command line even if the program is not installed, together with that failure.
    pub fn preview(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<(Plan, Option<Failure>), Failure> {
        let failure = match self.plan(catalog, tool, arguments) {
            Ok(plan) => return Ok((plan, None)),
            Err(failure) => failure,
        };
        match &tool.implementation {
            Implementation::Process(process)
                if failure.error_type == ErrorType::ProgramNotFound =>
            {
                let settings = &self.engine.settings;
                let target = CallTarget { catalog, tool, arguments };
                let plan = Plan::command(settings, target, |arguments| {
                    CommandPlan::without_program(settings, tool, process, arguments)
                })?;
                Ok((plan, Some(failure)))
            }
            _ => Err(failure),
        }
    }

    /// Runs one call. Every problem with the tool is an outcome. A call of an asynchronous tool
    /// becomes an operation.
    pub async fn call(self: &Arc<Self>, call: Call) -> Result<Outcome, Interrupt> {
        let tool = Arc::clone(&call.tool);
        let backend = backend_for(&tool.implementation);
        // Done first, because waking a process takes longer than validating the arguments.
        backend.prewarm(&call);
        let log = CallLog::start(&call.tool, &call.arguments, call.request.as_deref());
        let result = self.validate_and_run(call, &log).await;
        let result =
            result.map(|outcome| backend.adapt_outcome(&tool, outcome).with_errors(tool.errors));
        log.finish(result.as_ref());
        result
    }

    /// Runs one call on behalf of the program itself: its questions cannot be answered, and it is
    /// never cancelled.
    pub async fn call_alone(self: &Arc<Self>, tool: Arc<Tool>, arguments: Arguments) -> Outcome {
        let context = Context::detached(CancellationToken::new());
        // The program is the caller, not a model, and there is no person to ask.
        let policy = Policy::allow_all();
        let call = Call { policy, ..Call::new(Arc::clone(&tool), arguments, context) };
        let result = self.call(call).await;
        result.unwrap_or_else(|interrupt| {
            failures::to_outcome(&tool, unanswerable(&tool, &interrupt))
        })
    }

    /// Validates a call, decides about it, and runs it if it is allowed or approved.
    async fn validate_and_run(
        self: &Arc<Self>,
        mut call: Call,
        log: &CallLog,
    ) -> Result<Outcome, Interrupt> {
        let record =
            // Computed before validation, because the digest is that of the arguments as they were
            // sent.
            self.audit.is_enabled().then(|| {
                let now = self.engine.settings.clock.now();
                Record::of(now, &call, self.journal.digest_key(), log)
            });
        let arguments = std::mem::take(&mut call.arguments);
        call.arguments = match self.admit_bounded(&call.tool, arguments).await {
            Ok(arguments) => arguments,
            Err(failure) => return Ok(self.record_invalid(record, failure)),
        };
        // Decided for the named tool, before a redirect: policy rules are written for names that
        // people see. The target is decided about as a nested call.
        let (decision, redirected) = self.decide_bounded(&call).await;
        let reason = match decision {
            Ok(Decision::Allow) => None,
            Ok(Decision::Ask { reason }) => Some(reason),
            Ok(Decision::Deny { reason }) => {
                let failure = failures::complete(&call.tool, policy_denial(&call.tool, &reason));
                return Ok(self.record_refused(record, "deny", failure));
            }
            Err(failure) => return Ok(self.record_invalid(record, failure)),
        };
        match redirected {
            Ok(None) => {}
            Ok(Some(NestedCall { tool, arguments })) => {
                (call.tool, call.arguments) = (tool, arguments);
            }
            Err(failure) => {
                let failure = failures::complete(&call.tool, failure);
                return Ok(self.record_invalid(record, failure));
            }
        }
        // Done before the approval: a tool may ask for missing arguments, and an approval covers exact
        // arguments.
        self.prepare(&mut call).await?;
        let lost = match self.find_lost_duplicate(&call).await {
            Ok(lost) => lost,
            Err(failure) => return Ok(self.record_invalid(record, failure)),
        };
        let Some(reason) = reason.or(lost) else {
            return self.run_granted(call, log, record, None).await;
        };
        // Boxed like everything that is rare or slow, so that plain calls do not carry its size.
        match Box::pin(self.approve(&call, reason)).await? {
            Ok(granted) => Box::pin(self.run_granted(call, log, record, Some(granted))).await,
            Err(failure) => {
                let failure = failures::complete(&call.tool, failure);
                Ok(self.record_refused(record, "ask", failure))
            }
        }
    }

    /// Gives a call the services that its backend needs, and lets it ask before it becomes an
    /// operation.
    async fn prepare(self: &Arc<Self>, call: &mut Call) -> Result<(), Interrupt> {
        let tool = Arc::clone(&call.tool);
        let backend = backend_for(&tool.implementation);
        if backend.calls_tools() {
            call.context = self.context_for(call);
        }
        if tool.mode == Mode::Asynchronous {
            let arguments = std::mem::take(&mut call.arguments);
            let context = call.context.clone();
            call.arguments = backend.prepare(&self.engine, &tool, arguments, context).await?;
        }
        Ok(())
    }

    /// Runs a call that is allowed or approved.
    async fn run_granted(
        self: &Arc<Self>,
        call: Call,
        log: &CallLog,
        mut record: Option<Record>,
        granted: Option<Granted>,
    ) -> Result<Outcome, Interrupt> {
        let decision = if granted.is_some() { "approved" } else { "allow" };
        let tool = Arc::clone(&call.tool);
        let mut call =
            ActiveCall::new(call, tool.output_bytes.unwrap_or(self.engine.settings.output_bytes));
        let approval = granted.map(|granted| {
            call.approved = Some(granted.plan);
            granted.id
        });
        let level = call.level.clone();
        let mut record_start = |operation| {
            if let Some(record) = &mut record {
                let number = self.audit.number_call();
                let entry = record.start(number, decision, approval.clone(), operation);
                self.audit.add(Entry { sandbox: self.planned_level(&tool), ..entry });
            }
            record.clone()
        };
        let mut is_operation = false;
        let result = match tool.mode {
            Mode::Asynchronous => {
                let on_begin = |operation: OperationId| {
                    let record = record_start(Some(operation.clone()))?;
                    let (approval, level) = (approval.clone(), level.clone());
                    Some(OperationRecord { record, decision, approval, operation, level })
                };
                let (outcome, live) = Box::pin(self.operate(call, log, on_begin)).await;
                is_operation = live.is_some();
                Ok(outcome)
            }
            Mode::Synchronous => {
                if needs_start_line(&tool) {
                    record_start(None);
                }
                backend_for(&tool.implementation).run(&self.engine, call).await
            }
        };
        if let (Err(Interrupt::Ask { .. }), Some(id)) = (&result, &approval) {
            // The call asks its client and is then made again. It is still the one call that was
            // approved; a replay of a finished call finds no use left.
            let returned = self.journal.return_approval(id.clone()).await;
            let _ = returned.inspect_err(|error| tracing::error!(%error, "an approval is lost"));
        }
        let kind = result_kind(&result);
        // An operation writes its own last line, possibly after this answer.
        if let Some(record) = record.filter(|_| !is_operation) {
            let entry = record.into_entry(decision, approval, None, kind);
            self.audit.add(Entry { sandbox: level.get(), ..entry });
        }
        result
    }

    /// The level of the sandbox that a program of this tool is about to get.
    fn planned_level(&self, tool: &Tool) -> Option<SandboxLevel> {
        let is_confined = self.engine.settings.confine;
        let level = if is_confined { self.engine.launcher.level() } else { SandboxLevel::None };
        runs_program(tool).then_some(level)
    }

    /// Audits a call that could not be made.
    fn record_invalid(&self, record: Option<Record>, failure: Failure) -> Outcome {
        let outcome = Outcome::from(failure);
        if let Some(record) = record {
            let kind = outcome_kind(&outcome);
            self.audit.add(record.into_entry("invalid", None, None, kind));
        }
        outcome
    }

    /// Audits a refusal.
    fn record_refused(
        &self,
        record: Option<Record>,
        decision: &'static str,
        failure: Failure,
    ) -> Outcome {
        let approval =
            failure.details.get("approval").and_then(Value::as_str).and_then(|id| id.parse().ok());
        if let Some(record) = record {
            let kind = failure.error_type.to_string();
            let entry = record.into_entry(decision, approval, None, kind);
            self.audit.add(entry);
        }
        failure.into()
    }
}

/// The audit line of an operation whose server died.
fn lost_line(operation: &Operation) -> AuditLine {
    AuditLine {
        time: operation.ended.unwrap_or(operation.created),
        owner: operation.owner.clone(),
        tool: operation.tool.clone(),
        tool_digest: String::new(),
        arguments_digest: String::new(),
        request: None,
        decision: "allow",
        by: None,
        approval: None,
        operation: Some(operation.id.clone()),
        sandbox: None,
        outcome: "lost".to_owned(),
        duration_ms: u64::try_from(operation.elapsed.as_millis()).unwrap_or(u64::MAX),
        call: None,
    }
}

/// Whether a call has an audit line before it runs. A function of this server that changes nothing has
/// only the one before its answer: it could be killed without a trace, but also without an effect, and
/// these calls are so short that a second line would make them noticeably slower.
fn needs_start_line(tool: &Tool) -> bool {
    !(matches!(tool.implementation, Implementation::Native) && tool.annotations.is_read_only())
}

/// Whether calls of a tool run a program, rather than functions of the server or other tools.
fn runs_program(tool: &Tool) -> bool {
    use Implementation::{Process, Python, R};
    matches!(tool.implementation, Process(_) | R(_) | Python(_))
}
