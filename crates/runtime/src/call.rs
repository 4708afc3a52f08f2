//! A call, as it is requested and as a backend gets it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use catalog::{Catalog, ErrorType, Failure, Policy, Tool};
use parking_lot::Mutex;
use process::SandboxLevel;
use toolkit::{Arguments, Context};
use workers::ApprovedFiles;

use crate::{
    LiveOutput, Session,
    operation::Owner,
    operations::LiveOperation,
    plan::{CallTarget, CommandPlan, Plan, PlanDigest, plan_changed},
};

/// One invocation of a tool.
pub struct Call {
    /// The tool to call.
    pub tool: Arc<Tool>,
    /// Its arguments, which the runtime validates.
    pub arguments: Arguments,
    /// The services that the tool may use, and the token that cancels the call.
    pub context: Context,
    /// The caller's timeout, which can only shorten that of the tool.
    pub limit: Option<Duration>,
    /// The owner of the call, who may see and cancel it if it becomes an operation.
    pub owner: Owner,
    /// The client that calls. Clients take turns where calls have to wait.
    pub caller: Arc<str>,
    /// The client's name and version from `clientInfo`, for the log.
    pub client: Option<Arc<str>>,
    /// Whose state an R or Python function works on.
    pub session: Session,
    /// The tools that a sequence may call.
    pub catalog: Arc<Catalog>,
    /// The rules that allow, ask or deny.
    pub policy: Policy,
    /// The id of the request that it answers, for the log.
    pub request: Option<String>,
    /// Number of calls of other tools that it is nested in.
    pub depth: usize,
    /// Receives the output of the program while it runs. The result contains it as well.
    pub live_output: Option<LiveOutput>,
    /// A file for the system calls of the program, which is then traced instead of sandboxed. Only
    /// for a person who wants to learn what a tool needs.
    pub trace: Option<PathBuf>,
}

impl Call {
    /// A call by the owner of its context, without other tools and under the default policy.
    pub fn new(tool: Arc<Tool>, arguments: Arguments, context: Context) -> Self {
        Self {
            tool,
            arguments,
            owner: Owner(context.owner().to_string()),
            caller: Arc::clone(context.owner()),
            client: None,
            context,
            session: Session::default(),
            limit: None,
            catalog: Arc::default(),
            policy: Policy::default(),
            request: None,
            depth: 0,
            live_output: None,
            trace: None,
        }
    }

    /// The part of the call that planning needs.
    pub(crate) fn target(&self) -> CallTarget<'_> {
        CallTarget { catalog: &self.catalog, tool: &self.tool, arguments: &self.arguments }
    }
}

/// A call that a sequence or a bound tool makes.
pub(crate) struct NestedCall {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: Arguments,
}

/// What a person approved.
pub(crate) struct ApprovedPlan {
    pub(crate) digest: PlanDigest,
    /// The arguments that it was made with. A backend may take some out of its call before it runs.
    pub(crate) arguments: Arguments,
}

impl ApprovedPlan {
    /// Fails unless `plan`, which was made just before the start, is what was approved: while a call
    /// waits, a link may get another target, or a script another content. Returns the approved files.
    pub(crate) fn verify(&self, tool: &Tool, plan: &Plan) -> Result<ApprovedFiles, Failure> {
        let now = plan.digest();
        if now == self.digest {
            return Ok(now.into_files());
        }
        Err(plan_changed(tool, &now.changed_since(&self.digest.to_json())))
    }
}

/// The weakest sandbox level that was applied to a program of a call, for the audit log. Absent until
/// one was started. Clones share it: the steps of a sequence count for the whole.
#[derive(Clone, Default)]
pub(crate) struct AppliedLevel(Arc<Mutex<Option<SandboxLevel>>>);

impl AppliedLevel {
    pub(crate) fn add(&self, level: SandboxLevel) {
        let mut weakest = self.0.lock();
        *weakest = Some(weakest.map_or(level, |known| known.min(level)));
    }

    pub(crate) fn get(&self) -> Option<SandboxLevel> {
        *self.0.lock()
    }
}

/// A call that was validated, allowed and approved, on its way to a backend.
pub(crate) struct ActiveCall {
    pub(crate) call: Call,
    /// The command, if a rehearsal has planned it already.
    pub(crate) plan: Option<CommandPlan>,
    /// What a person approved, if the call needed it.
    pub(crate) approved: Option<ApprovedPlan>,
    /// The operation that it is, or is a step of.
    pub(crate) operation: Option<Arc<LiveOperation>>,
    /// Whether an enclosing sequence holds the scheduler's permit.
    pub(crate) has_permit: bool,
    /// Maximum bytes of each output stream in the result.
    pub(crate) output_bytes: usize,
    /// Which step of which sequence it is: `.2.1` is the first step of the second step. Empty if it is
    /// not a step.
    pub(crate) step: String,
    pub(crate) level: AppliedLevel,
}

impl ActiveCall {
    pub(crate) fn new(call: Call, output_bytes: usize) -> Self {
        Self {
            call,
            plan: None,
            approved: None,
            operation: None,
            has_permit: false,
            output_bytes,
            step: String::new(),
            level: AppliedLevel::default(),
        }
    }

    /// Whether one of its arguments is secret.
    pub(crate) fn has_secrets(&self) -> bool {
        self.call.arguments.keys().any(|name| self.call.tool.is_secret(name))
    }

    /// Number of sequences that it is nested in.
    pub(crate) fn nesting(&self) -> usize {
        self.step.matches('.').count()
    }

    /// The shorter of the caller's timeout and `own`.
    pub(crate) fn timeout(&self, own: Duration) -> Duration {
        self.call.limit.map_or(own, |limit| limit.min(own))
    }

    /// The shorter of the caller's timeout and the one that the tool declares, if there is any.
    pub(crate) fn declared_timeout(&self) -> Option<Duration> {
        self.call.limit.into_iter().chain(self.call.tool.timeout).min()
    }

    /// Completes some work unless the call is cancelled first.
    pub(crate) async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        tokio::select! {
            // A call that was cancelled in the queue must not start, even if its permit has come.
            biased;
            () = self.call.context.cancelled() => {
                let message = format!("`{}` was cancelled before it started", self.call.tool.name);
                Err(Failure::new(ErrorType::Cancelled, message))
            }
            done = work => Ok(done),
        }
    }
}
