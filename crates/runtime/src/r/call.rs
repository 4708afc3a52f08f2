//! One call of an R function: in whose session, by which worker, with which state.

use std::sync::Arc;

use catalog::{Failure, Launch, Outcome, Schema, Tool, launch::RFunction};
use serde_json::{Value, json};
use toolkit::Arguments;

use super::{
    arguments::encoded,
    conversation::{self, Copied, Ended, Terms},
    report,
    session::{Place, Session},
    state::{Life, Snapshot},
    value::{Data, RValue},
};
use crate::{Runtime, call::Job, lanes::Lane, outputs::Spill, refusal};

/// The argument by which a caller names the session that is meant, where a tool has none of that name.
const HANDLE: &str = "session";

/// The longest handle, in bytes.
const LONGEST_HANDLE: usize = 256;

/// The same tool with an argument by which a caller names the session that is meant; none if it is
/// no function of R, or has an argument of that name itself.
pub fn with_handle(tool: &Tool) -> Option<Tool> {
    let Launch::R(function) = &tool.launch else { return None };
    if has_handle(function) || tool.input.property(HANDLE).is_some() {
        return None;
    }
    let mut object = (**tool.input.object()).clone();
    let properties = object.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    let description = "A name of your choice for a session: calls with the same name share what the tools of R keep between \
                       calls, until it was not used for a while. Without one, nothing is shared";
    properties.insert(
        HANDLE.to_owned(),
        json!({"type": "string", "minLength": 1, "maxLength": LONGEST_HANDLE, "description": description}),
    );
    Some(Tool { input: Schema::new(object), ..tool.clone() })
}

/// Whether the callers of a tool may come without a session, each with a state of its own.
pub(super) fn is_for_many(tool: &Tool) -> bool {
    matches!(&tool.launch, Launch::R(function) if !has_handle(function)) && tool.input.property(HANDLE).is_some()
}

fn has_handle(function: &RFunction) -> bool {
    function.formals.iter().any(|formal| formal.parameter == HANDLE)
}

/// A call that is ready to be made.
struct Ready<'a> {
    job: &'a Job,
    function: &'a RFunction,
    arguments: Vec<(String, RValue)>,
    life: Life,
}

impl Runtime {
    /// Calls an R function.
    pub(crate) async fn r(self: &Arc<Self>, mut job: Job) -> Outcome {
        let tool = Arc::clone(&job.tool);
        let outcome = self.prepare_r(&mut job).await;
        outcome.unwrap_or_else(|failure| refusal::outcome(&tool, failure))
    }

    async fn prepare_r(self: &Arc<Self>, job: &mut Job) -> Result<Outcome, Failure> {
        let tool = Arc::clone(&job.tool);
        let Launch::R(function) = &tool.launch else { unreachable!("called for R functions only") };
        let handle = take_handle(function, &mut job.arguments)?;
        let arguments = encoded(function, &job.arguments)?;
        let _turn = if job.has_turn { None } else { self.turn(job, Lane::of(&tool)).await? };
        let now = self.settings.clock.now();
        self.r.sweep(self.keep.as_ref(), now).await;
        let (session, life) = match handle {
            Some(handle) => self.r.by_handle(job.context.owner(), &handle, self.keep.as_ref(), now).await,
            None => (job.session.clone(), Life::Server),
        };
        let ready = Ready { job, function, arguments, life };
        let mut place = tokio::select! {
            biased;
            () = job.context.cancelled() => return Err(cancelled(&tool)),
            place = session.0.place.lock() => place,
        };
        self.call_r(&session, &mut place, ready).await
    }

    /// Calls a function in a session that is free for it.
    async fn call_r(self: &Arc<Self>, session: &Session, place: &mut Place, ready: Ready<'_>) -> Result<Outcome, Failure> {
        let (job, tool) = (ready.job, &ready.job.tool);
        let mut notes = Vec::new();
        place.drop_broken();
        if place.notice_loss() {
            notes.push("the state of this session was too large to be copied, and was lost with its R process".to_owned());
        }
        let index = tokio::select! {
            biased;
            () = job.context.cancelled() => return Err(cancelled(tool)),
            index = self.r.worker(session, place, &self.door, &self.settings, tool) => index?,
        };
        let state = state_for(place, index).await.unwrap_or_else(|failure| {
            notes.push(format!("the state of this session is lost: {}", failure.message));
            Some(Vec::new())
        });
        let worker = &mut place.workers[index];
        worker.holds = place.version;
        if let Some(live) = &job.live {
            live.running(worker.leader());
        }
        let request = request(&ready, &self.settings.crib.to_string_lossy(), state);
        let spill = match &job.live {
            Some(live) => Spill::of_operation(&self.outputs, format!("{}{}", live.id(), job.step)),
            None => Spill::new(&self.outputs),
        };
        let mut said = conversation::call(worker, &request, self.terms(job, &spill)).await;
        said.notes.splice(0..0, notes);
        let state = said.state.take();
        if let Ended::Broken(..) = said.ended {
            place.workers.swap_remove(index).end().await;
        } else if let Some(state) = state {
            said.notes.extend(self.keep_state(place, index, &ready.life, state).await);
        }
        Ok(report::outcome(tool, said))
    }

    fn terms<'a>(&'a self, job: &'a Job, spill: &'a Spill<'a>) -> Terms<'a> {
        let own = self.settings.time_for_r(&job.tool);
        Terms {
            cancel: job.context.cancel_token(),
            limit: job.limit.map_or(own, |limit| limit.min(own)),
            grace: self.settings.grace,
            output_bytes: job.output_bytes,
            spill,
            live: job.live.as_ref(),
            pattern: job.live.as_ref().and(job.tool.progress.as_deref()).and_then(|pattern| self.pattern(pattern)),
            schema: job.tool.output.as_ref(),
        }
    }

    /// Keeps a state that a call changed. Says what a caller should know about that.
    async fn keep_state(&self, place: &mut Place, index: usize, life: &Life, state: Copied) -> Option<String> {
        place.version += 1;
        place.workers[index].holds = place.version;
        let older = place.snapshot.take();
        let problem = match state {
            Copied::Bytes(bytes) => match Snapshot::take(older, self.keep.as_ref(), life, bytes).await {
                Ok(snapshot) => {
                    (place.snapshot, place.is_unsaved) = (Some(snapshot), false);
                    return None;
                }
                Err(failure) => failure.message,
            },
            Copied::TooLarge(bytes) => {
                if let Some(older) = older {
                    older.forget().await;
                }
                format!("it takes about {:.0} MB", bytes / 1e6)
            }
        };
        place.is_unsaved = true;
        Some(format!("the state of this session was not copied ({problem}); it is lost if its R process ends"))
    }
}

/// What a worker must be told of the state; nothing if it has the newest.
async fn state_for(place: &Place, index: usize) -> Result<Option<Vec<u8>>, Failure> {
    match &place.snapshot {
        _ if place.workers[index].holds == place.version => Ok(None),
        Some(snapshot) => snapshot.bytes().await.map(Some),
        None => Ok(Some(Vec::new())),
    }
}

fn request(ready: &Ready<'_>, crib: &str, state: Option<Vec<u8>>) -> RValue {
    let RFunction { package, function, sources, .. } = ready.function;
    let sources = sources.as_ref().map(|folder| match folder.as_str() {
        "." => crib.to_owned(),
        inside => format!("{crib}/{inside}"),
    });
    let members = vec![
        RValue::text("call"),
        RValue::text(package),
        RValue::text(function),
        sources.map_or_else(RValue::null, RValue::text),
        RValue::named(ready.arguments.clone()),
        RValue::logical(ready.job.tool.output.is_none()),
        state.map_or_else(RValue::null, |bytes| Data::Raw(bytes).into()),
        RValue::text(format!("{package}::{function}")),
    ];
    RValue::list(members)
}

/// The handle of a session, taken out of the arguments.
fn take_handle(function: &RFunction, arguments: &mut Arguments) -> Result<Option<String>, Failure> {
    if has_handle(function) {
        return Ok(None);
    }
    match arguments.shift_remove(HANDLE) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(handle)) if !handle.is_empty() && handle.len() <= LONGEST_HANDLE => Ok(Some(handle)),
        Some(other) => {
            let message = format!("'{HANDLE}' must be a text of 1 to 256 characters that names a session");
            Err(refusal::argument(HANDLE, message, "a text of 1 to 256 characters", other))
        }
    }
}

fn cancelled(tool: &Tool) -> Failure {
    Failure::new("cancelled", format!("`{}` was cancelled before it started", tool.name))
}
