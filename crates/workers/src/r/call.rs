//! One call of an R function: its session, its worker and its state.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{ErrorType, Failure, Outcome, Schema, Tool, implementation::RFunction};
use process::Command;
use toolkit::Arguments;

use super::{
    approved_sources::copy_sources,
    arguments::encode_arguments,
    command::{self, build_worker_command, plan_call},
    conversation::{self, CallEnd, ChangedState},
    encode,
    json::Expected,
    report,
    value::{Data, RValue},
};
use crate::{
    call_options::{ApprovedFiles, CallOptions},
    pool::{SessionLease, WorkerPool},
    profile::{Language, WorkerProfile},
    session::{Session, SessionWorkers},
    state::{StateRetention, StateSnapshot},
    worker::Worker,
};

/// One call of an R function.
pub struct RCall<'a> {
    pub(super) tool: &'a Tool,
    pub(super) function: &'a RFunction,
    /// R values by name, in the order of the definition.
    pub(super) arguments: Vec<(String, RValue)>,
}

impl<'a> RCall<'a> {
    /// Converts validated arguments to R values. Fails if one of them cannot be what the definition
    /// declares.
    pub fn new(
        tool: &'a Tool,
        function: &'a RFunction,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        Ok(Self { tool, function, arguments: encode_arguments(function, arguments)? })
    }
}

impl Session {
    /// Wakes the worker that would run an R tool, so that it is awake when the request comes. Cheap
    /// enough for every call, and does nothing if there is no idle worker.
    pub fn prewarm_r(&self, tool: &Tool) {
        self.prewarm(Language::R, &WorkerProfile::of(tool, false, None), encode::HEADER);
    }
}

impl WorkerPool {
    /// The path of R, if it is installed.
    pub fn find_r(&self) -> Option<PathBuf> {
        command::find_r(&self.settings)
    }

    /// Fails, with instructions, if R is not installed.
    pub fn check_r(&self, tool: &Tool) -> Result<(), Failure> {
        build_worker_command(&self.settings, tool).map(drop)
    }

    /// The command that shows people what a call does: R with the call as code. Fails if R is not
    /// installed.
    pub fn plan_r(&self, call: &RCall<'_>) -> Result<Command, Failure> {
        plan_call(&self.settings, call)
    }

    /// Calls an R function in a session.
    pub async fn call_r(
        self: &Arc<Self>,
        lease: &SessionLease,
        call: RCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<Outcome, Failure> {
        // Declared first, so it is dropped after the lock: calls that wait for a slot must find the
        // session free.
        let _release_guard = self.release_guard();
        let lock = lease.session.workers(Language::R).lock();
        let mut workers = options.unless_cancelled(call.tool, lock).await?;
        self.call_r_in(lease, &mut workers, call, options).await
    }

    /// Calls a function in a session that is locked for it.
    async fn call_r_in(
        self: &Arc<Self>,
        lease: &SessionLease,
        workers: &mut SessionWorkers,
        call: RCall<'_>,
        options: &CallOptions<'_>,
    ) -> Result<Outcome, Failure> {
        let tool = call.tool;
        let mut notes = Vec::new();
        // A worker whose last call was dropped halfway still runs that call.
        workers.drop_unusable();
        if workers.detect_state_loss() {
            notes.push("the state of this session was too large to be copied, and was lost with its R process".to_owned());
        }
        let profile = options.profile(tool);
        let start = self.worker_for(&lease.session, workers, tool, profile, build_worker_command);
        let index = options.unless_cancelled(tool, start).await??;
        let approved = options.check_approved()?;
        let sources = self.find_sources(&call, &mut workers.workers[index], approved)?;
        // Losing the state is a note, not a failure: most functions work without it, and the caller
        // sees what happened.
        let state = state_to_send(workers, index).await.unwrap_or_else(|failure| {
            notes.push(format!("the state of this session is lost: {}", failure.message));
            Some(Vec::new())
        });
        // Tools with other access rights use another process. A state that is too large to copy
        // stays in the process that made it.
        let lacks_state = workers.is_unsaved && state.is_some();
        let worker = &mut workers.workers[index];
        if lacks_state {
            notes.push(
                "the state of this session is too large to be copied to the R process of this tool, which has none of it"
                    .to_owned(),
            );
        } else {
            // The request carries the state, so the worker has it as soon as the call starts.
            worker.state_version = workers.version;
        }
        if let Some(observer) = options.observer {
            observer.on_start(worker.process_id());
        }
        worker.has_run = true;
        let target = format_target(call.function, tool.output.as_ref(), sources.as_deref());
        let request = build_request(target, call.arguments, state);
        let mut deadline = options.start_deadline(self.settings.grace);
        let schema = tool.output.as_ref();
        let mut result = conversation::call(worker, &request, options, &mut deadline, schema).await;
        // Notes about the state come first: they explain what the function may complain about.
        result.notes.splice(0..0, notes);
        let state = result.state.take();
        if let CallEnd::WorkerFailed(..) = result.end {
            workers.workers.swap_remove(index).kill().await;
        } else if let Some(state) = state {
            let note = self.save_state(workers, index, &lease.retention, state).await;
            result.notes.extend(note);
        }
        Ok(report::build_outcome(tool, result))
    }

    /// The folder with the sources of a function: for an approved call a copy in the private folder
    /// of its worker, because other tools could still change the sources before R has read them.
    fn find_sources(
        &self,
        call: &RCall<'_>,
        worker: &mut Worker,
        approved: Option<ApprovedFiles>,
    ) -> Result<Option<PathBuf>, Failure> {
        let Some(inside) = &call.function.sources else {
            return Ok(None);
        };
        // `components` removes `.`.
        let sources: PathBuf = self.settings.crib.join(inside).components().collect();
        // R loads a package once. A function that ran before may have put a link into the folder,
        // which must not be followed here.
        if worker.has_run {
            return Ok(worker.approved_sources.clone().or(Some(sources)));
        }
        let (Some(private), Some(files)) = (worker.folder(), approved) else {
            return Ok(Some(sources));
        };
        let copy = private.join("approved");
        copy_sources(&sources, &files, &copy).map_err(|error| {
            let message = format!(
                "`{}` was not started: its sources could not be copied after it was approved: {error}; nothing was \
                 run. Make the same call again to request a new approval",
                call.tool.name
            );
            Failure::new(ErrorType::ApprovalRequired, message)
        })?;
        worker.approved_sources = Some(copy.clone());
        Ok(Some(copy))
    }

    /// Saves a state that a call changed. Returns a note for the caller if that was not possible.
    async fn save_state(
        &self,
        workers: &mut SessionWorkers,
        index: usize,
        retention: &StateRetention,
        state: ChangedState,
    ) -> Option<String> {
        // Recorded before anything can fail, because other workers of the session are outdated in
        // any case.
        workers.version += 1;
        workers.workers[index].state_version = workers.version;
        let older = workers.snapshot.take();
        let problem = match state {
            ChangedState::Bytes(state) => {
                match StateSnapshot::save(older, self.storage.as_ref(), retention, state).await {
                    Ok(snapshot) => {
                        (workers.snapshot, workers.is_unsaved) = (Some(snapshot), false);
                        return None;
                    }
                    Err(failure) => failure.message,
                }
            }
            ChangedState::TooLarge(bytes) => {
                // The older state must not come back after a crash: it would look current.
                if let Some(older) = older {
                    older.remove().await;
                }
                format!("it takes about {:.0} MB", bytes / 1e6)
            }
        };
        workers.is_unsaved = true;
        Some(format!(
            "the state of this session was not copied ({problem}); it is lost if its R process ends"
        ))
    }
}

/// The state that a worker must be given with its next call; `None` if it has the current one.
async fn state_to_send(workers: &SessionWorkers, index: usize) -> Result<Option<Vec<u8>>, Failure> {
    match &workers.snapshot {
        _ if workers.workers[index].state_version == workers.version => Ok(None),
        Some(snapshot) => snapshot.load().await.map(Some),
        None => Ok(Some(Vec::new())),
    }
}

fn build_request(
    target: String,
    arguments: Vec<(String, RValue)>,
    state: Option<Vec<u8>>,
) -> RValue {
    // `NULL` keeps the state that the worker has; an empty raw vector clears it.
    let state = state.map_or_else(RValue::null, |bytes| Data::Raw(bytes).into());
    RValue::list(vec![RValue::text("call"), RValue::text(target), RValue::named(arguments), state])
}

/// Where a function is and in which form its value is wanted, one per line: form, package, function
/// and the folder of the sources, if any. It is a single string because the worker uses it as the
/// key of a cache, and parses it once.
fn format_target(function: &RFunction, output: Option<&Schema>, sources: Option<&Path>) -> String {
    let form = match output {
        None => "print",
        Some(schema) if Expected::from_schema(schema.object()).wants_columns() => "columns",
        Some(_) => "value",
    };
    let RFunction { package, function, .. } = function;
    match sources {
        None => format!("{form}\n{package}\n{function}"),
        Some(folder) => format!("{form}\n{package}\n{function}\n{}", folder.display()),
    }
}
