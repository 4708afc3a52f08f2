//! The services for backends: the launcher, the scheduler, worker pools, native functions and long
//! outputs of one server.

mod availability;

use std::{collections::HashMap, sync::Arc, time::Duration};

use catalog::{Availability, ErrorType, Failure, Tool, name};
use fancy_regex::Regex;
use parking_lot::Mutex;
use process::{Command, Finished, Launcher, OutputBuffer, OutputStream, RunOptions, run_to_exit};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolkit::Storage;
use workers::WorkerPool;

use crate::{
    BoundedWork, Call, LiveOutput, Settings,
    bounded_work::WORK_TIME,
    call::ActiveCall,
    fair_queue::QueueKey,
    live_output::LiveListener,
    natives::Natives,
    operations::LiveOperation,
    outputs::{LongOutput, OutputStore},
    programs::{cannot_start, new_launcher},
    progress::ProgressListener,
    scheduler::{ConcurrencyClass, Permit, Scheduler},
};

/// Maximum wait of a call in the queue. Most clients give up after a minute, too.
const QUEUE_TIME: Duration = Duration::from_secs(60);

/// Maximum time for a plan and its comparison with an approved one.
const PLANNING_TIME: Duration = WORK_TIME.saturating_mul(5);

/// Maximum number of compiled progress patterns in the cache.
const PATTERNS: usize = 256;

/// The resources that all backends share.
pub(crate) struct Engine {
    pub(crate) settings: Settings,
    pub(crate) outputs: Arc<OutputStore>,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) workers: Arc<WorkerPool>,
    /// Where native tools keep state, if this server keeps any.
    pub(crate) storage: Option<Arc<dyn Storage>>,
    pub(crate) natives: Natives,
    /// Plans calls whose arguments name many files, or that run large ones.
    planning: BoundedWork,
    /// Availability checks that succeeded.
    available: Mutex<Vec<Availability>>,
    patterns: Mutex<HashMap<String, Option<Arc<Regex>>>>,
}

fn busy(tool: &str) -> Failure {
    let message = format!(
        "the server is busy: `{tool}` did not get its turn within {} s; try again later",
        QUEUE_TIME.as_secs()
    );
    Failure::new(ErrorType::TooManyCalls, message)
}

/// One run of a command.
pub(crate) struct CommandRun<'a> {
    pub(crate) command: &'a Arc<Command>,
    pub(crate) timeout: Duration,
    pub(crate) cancel: &'a CancellationToken,
    /// Maximum bytes of each output stream in memory.
    pub(crate) output_bytes: usize,
    /// The operation that it belongs to.
    pub(crate) operation: Option<&'a Arc<LiveOperation>>,
    /// Finds progress in its output.
    pub(crate) pattern: Option<Arc<Regex>>,
    /// The store for its long outputs.
    pub(crate) long_output: &'a LongOutput<'a>,
    /// Receives the output while the program runs.
    pub(crate) live_output: Option<&'a LiveOutput>,
}

impl Engine {
    pub(crate) fn new(mut settings: Settings) -> Self {
        // Opened before the settings are copied to the workers, which need the descriptors as well.
        settings.open_paths();
        let launcher = Arc::new(new_launcher(&settings));
        Self {
            outputs: Arc::new(OutputStore::new(
                settings.output_folder.clone(),
                settings.output_file_bytes,
                settings.keep_bytes,
                format!("{}{}", settings.decoration, name::READ_OUTPUT),
            )),
            scheduler: Arc::new(Scheduler::new(settings.concurrency)),
            workers: Arc::new(WorkerPool::new(settings.for_workers(), Arc::clone(&launcher))),
            launcher,
            storage: None,
            natives: Natives::default(),
            planning: BoundedWork::with_limit(PLANNING_TIME),
            available: Mutex::default(),
            patterns: Mutex::default(),
            settings,
        }
    }

    /// Lets native tools and R sessions keep state in `storage`.
    pub(crate) fn set_storage(&mut self, storage: Arc<dyn Storage>) {
        // The pool has started nothing yet, so replacing it loses nothing.
        let workers = WorkerPool::new(self.settings.for_workers(), Arc::clone(&self.launcher));
        self.workers = Arc::new(workers.with_storage(Arc::clone(&storage)));
        self.storage = Some(storage);
    }

    /// Plans a call of `tool`, or compares its plan, without blocking an async thread for long.
    pub(crate) async fn plan_bounded<T>(
        &self,
        tool: &Tool,
        work: impl Fn() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let planned = self.planning.run_here(work).await;
        planned.unwrap_or_else(|reason| Err(reason.failure(tool)))
    }

    /// Waits until a call may run. `None` if its class needs no permit, or an enclosing sequence has
    /// one.
    pub(crate) async fn acquire_permit(
        &self,
        call: &ActiveCall,
        class: ConcurrencyClass,
    ) -> Result<Option<Permit>, Failure> {
        if call.has_permit {
            return Ok(None);
        }
        let on_queued = |ticket| {
            if let Some(operation) = &call.operation {
                operation.set_queued(ticket);
            }
        };
        let Call { caller, tool, .. } = &call.call;
        let key = || QueueKey { caller: Arc::clone(caller), tool: tool.name.as_str().into() };
        let permit = self.scheduler.acquire(class, key, on_queued);
        if call.operation.is_some() {
            // Its caller can follow the queue, and cancel it.
            return call.unless_cancelled(permit).await;
        }
        let permit = call.unless_cancelled(timeout(QUEUE_TIME, permit)).await?;
        permit.map_err(|_| busy(&tool.name))
    }

    /// Where the long outputs of a call go.
    pub(crate) fn long_output(&self, call: &ActiveCall) -> LongOutput<'_> {
        let owner = call.call.owner.clone();
        let long_output = match &call.operation {
            Some(live) => {
                let id = format!("{}{}", live.id(), call.step);
                LongOutput::of_operation(&self.outputs, id, owner)
            }
            None => LongOutput::new(&self.outputs, owner),
        };
        long_output.with_secrets(call.has_secrets())
    }

    /// The compiled progress pattern of a call that runs as an operation. An invalid pattern was
    /// reported when its definition was read.
    pub(crate) fn progress_pattern(&self, call: &ActiveCall) -> Option<Arc<Regex>> {
        let text = call.operation.as_ref().and(call.call.tool.progress.as_deref())?;
        let mut patterns = self.patterns.lock();
        if patterns.len() > PATTERNS {
            // Patterns come from definitions, so there are few; the bound is for cribs that are
            // reloaded often.
            patterns.clear();
        }
        let compiled =
            patterns.entry(text.to_owned()).or_insert_with(|| Regex::new(text).ok().map(Arc::new));
        compiled.clone()
    }

    /// Runs a command to its end.
    pub(crate) async fn run_command(&self, run: CommandRun<'_>) -> Result<Finished, Failure> {
        let started = match run.operation {
            // The folder was journaled before the start, so recovery can find the process even if
            // this server dies right now.
            Some(live) => self.launcher.start_in(run.command, live.folder()).await,
            None => self.launcher.start(run.command).await,
        };
        let child = started.map_err(|error| cannot_start(&error))?;
        if let Some(live) = run.operation {
            live.set_running(child.leader());
        }
        let buffer = |stream| {
            let listener =
                run.operation.map(|live| ProgressListener::boxed(live, run.pattern.as_ref()));
            let listener = match run.live_output {
                Some(live) => Some(LiveListener::boxed(stream, live, listener)),
                None => listener,
            };
            OutputBuffer::new(stream, run.output_bytes, run.long_output).with_listener(listener)
        };
        let options = RunOptions {
            timeout: run.timeout,
            grace: self.settings.grace,
            cancel: run.cancel,
            stdout: buffer(OutputStream::Stdout),
            stderr: buffer(OutputStream::Stderr),
        };
        Ok(run_to_exit(child, run.command, options).await)
    }
}
