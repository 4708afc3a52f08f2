//! One call of a Python function: its session, its worker and its outcome.

use std::{path::PathBuf, sync::Arc};

use catalog::{ErrorType, Failure, Outcome, Tool, failures, implementation::PythonFunction};
use process::Command;
use serde_json::{Map, Value, json};
use toolkit::Arguments;

use super::{
    command::{self, build_worker_command, plan_call},
    conversation::{self, CallEnd, CallResult},
};
use crate::{
    call_options::{ApprovedFiles, CallOptions},
    killed::killed,
    pool::{SessionLease, WorkerPool},
    profile::Language,
    results::{
        JsonResultOptions, MAX_JSON_BYTES, build_failed_outcome, build_outcome, stderr_content,
        stdout_content,
    },
    session::{Session, SessionWorkers},
    worker_failure::WorkerFailure,
};

/// One call of a Python function.
#[derive(Clone, Copy)]
pub struct PythonCall<'a> {
    /// The tool that the function implements.
    pub tool: &'a Tool,
    /// The module and the name of the function.
    pub function: &'a PythonFunction,
    /// The validated arguments, without the name of a session.
    pub arguments: &'a Arguments,
}

impl WorkerPool {
    /// The path of the Python interpreter: the crib's own, else the first one on the `PATH`.
    pub fn find_python(&self) -> Option<PathBuf> {
        command::find_python(&self.settings.crib, &self.settings.environment)
    }

    /// Fails, with instructions, if Python is not installed.
    pub fn check_python(&self, tool: &Tool) -> Result<(), Failure> {
        build_worker_command(&self.settings, tool).map(drop)
    }

    /// The command that shows people what a call does: the interpreter with the call as code. Fails
    /// if Python is not installed.
    pub fn plan_python(&self, call: PythonCall<'_>) -> Result<Command, Failure> {
        plan_call(&self.settings, call)
    }

    /// Calls a Python function in a session.
    pub async fn call_python(
        self: &Arc<Self>,
        lease: &SessionLease,
        call: PythonCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<Outcome, Failure> {
        let session = &lease.session;
        // Dropped after the lock (in reverse order of declaration), so that the session is free
        // when calls that wait for a slot look at it.
        let release_guard = self.release_guard();
        let lock = session.workers(Language::Python).lock();
        let mut workers = options.unless_cancelled(call.tool, lock).await?;
        let mut result = self.call_in(session, &mut workers, call, options).await?;
        if let CallEnd::Stale = result.end {
            // A worker cannot reload modules reliably, so a fresh one runs the edited code.
            result = self.call_in(session, &mut workers, call, options).await?;
        }
        drop(workers);
        drop(release_guard);
        Ok(build_call_outcome(call.tool, result, options).await)
    }

    /// Calls a function in a session that is locked for it.
    async fn call_in(
        self: &Arc<Self>,
        session: &Session,
        workers: &mut SessionWorkers,
        call: PythonCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<CallResult, Failure> {
        // A worker whose last call was dropped halfway still runs that call.
        workers.drop_unusable();
        let profile = options.profile(call.tool);
        let start = self.worker_for(session, workers, call.tool, profile, build_worker_command);
        let index = options.unless_cancelled(call.tool, start).await??;
        let approved = options.check_approved()?;
        let worker = &mut workers.workers[index];
        if let Some(observer) = options.observer {
            // Recorded before the request is sent: a server that crashes during the call must find
            // the process afterwards.
            observer.on_start(worker.process_id());
        }
        let request = self.build_request(call, approved);
        let mut deadline = options.start_deadline(self.settings.grace);
        let result = conversation::call(worker, &request, options, &mut deadline).await?;
        if let CallEnd::WorkerFailed(..) | CallEnd::Stale = result.end {
            // The order of workers carries no meaning: they are found by profile.
            workers.workers.swap_remove(index).kill().await;
        }
        Ok(result)
    }

    fn build_request(&self, call: PythonCall<'_>, approved: Option<ApprovedFiles>) -> Value {
        let PythonFunction { module, function, path } = call.function;
        // `components` removes `.`, so that tracebacks name files as people do.
        let clean = |path: PathBuf| path.components().collect::<PathBuf>();
        let path: Vec<_> =
            path.iter().map(|folder| clean(self.settings.crib.join(folder))).collect();
        let name = |(file, digest): (PathBuf, String)| {
            (clean(file).to_string_lossy().into_owned(), Value::from(digest))
        };
        let approved: Option<Map<_, _>> =
            approved.map(|files| files.into_iter().map(name).collect());
        json!({
            "approved": approved,
            "module": module,
            "function": function,
            "path": path,
            "arguments": call.arguments,
            "max_bytes": MAX_JSON_BYTES,
        })
    }
}

async fn build_call_outcome(tool: &Tool, result: CallResult, options: &CallOptions<'_>) -> Outcome {
    let mut notes = stdout_content(&result.stdout);
    notes.extend(stderr_content(&result.stderr));
    let failure = match result.end {
        CallEnd::Returned(value) => {
            let CallOptions { sink, output_bytes, .. } = *options;
            return build_outcome(tool, value, JsonResultOptions { sink, output_bytes, notes })
                .await;
        }
        CallEnd::Raised(error) => return build_failed_outcome(tool, error, notes),
        CallEnd::Stale => Failure::new(
            ErrorType::InternalError,
            format!(
                "the modules of `{}` changed again while they were reloaded; call it again",
                tool.name
            ),
        ),
        CallEnd::Stopped(reason) | CallEnd::WorkerFailed(_, Some(reason)) => {
            reason.to_failure(&tool.name)
        }
        CallEnd::WorkerFailed(failure, None) => python_exited(&tool.name, &failure),
    };
    let mut outcome = failures::to_outcome(tool, failure);
    outcome.content.extend(notes);
    outcome
}

fn python_exited(name: &str, failure: &WorkerFailure) -> Failure {
    if let WorkerFailure::Killed(violation) = failure {
        return killed(name, *violation, "limits");
    }
    let reason = failure.describe("Python", "os._exit()");
    let message =
        format!("`{name}` did not return: {reason}. The next call starts a new Python process");
    Failure::new(ErrorType::PythonEnded, message)
}
