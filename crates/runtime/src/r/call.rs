//! One call of an R function: in whose session, by which worker, with which state.

use std::sync::Arc;

use catalog::{Failure, Outcome, Schema, implementation::RFunction};

use super::{
    arguments::encoded,
    conversation::{self, Copied, Ended},
    encode,
    json::Expected,
    report,
    value::{Data, RValue},
};
use crate::{
    Session,
    call::{ActiveCall, Call},
    engine::Engine,
    plan::r_worker_command,
    scheduler::ConcurrencyClass,
    warm::{Bounds, Language, Life, Place, Snapshot, Start},
};

/// A call that is ready to be made.
struct Ready<'a> {
    job: &'a ActiveCall,
    function: &'a RFunction,
    arguments: Vec<(String, RValue)>,
    life: Life,
}

/// Wakes the R process that a call is for, so that it is awake when the request arrives.
pub(crate) fn prewarm(call: &Call) {
    call.session.rouse(Language::R, &Bounds::of(&call.tool), encode::HEADER);
}

impl Engine {
    /// Calls an R function.
    pub(crate) async fn call_r_function(
        &self,
        function: &RFunction,
        job: &mut ActiveCall,
    ) -> Result<Outcome, Failure> {
        let tool = Arc::clone(&job.call.tool);
        let (session, life) = self.session(job).await?;
        let arguments = encoded(function, &job.call.arguments)?;
        let _permit = self.acquire_permit(job, ConcurrencyClass::of(&tool)).await?;
        let ready = Ready { job, function, arguments, life };
        let _leaving = self.workers.leaving();
        let mut place = job.unless_cancelled(session.place(Language::R).lock()).await?;
        self.call_r(&session, &mut place, ready).await
    }

    /// Calls a function in a session that is free for it.
    async fn call_r(
        &self,
        session: &Session,
        place: &mut Place,
        ready: Ready<'_>,
    ) -> Result<Outcome, Failure> {
        let (job, tool) = (ready.job, &ready.job.call.tool);
        let mut notes = Vec::new();
        place.drop_broken();
        if place.notice_loss() {
            notes.push("the state of this session was too large to be copied, and was lost with its R process".to_owned());
        }
        let start = Start {
            launcher: &self.launcher,
            settings: &self.settings,
            tool,
            command: r_worker_command,
        };
        let index = job.unless_cancelled(self.workers.worker(session, place, start)).await??;
        let state = state_for(place, index).await.unwrap_or_else(|failure| {
            notes.push(format!("the state of this session is lost: {}", failure.message));
            Some(Vec::new())
        });
        let lacks_state = place.is_unsaved && state.is_some();
        let worker = &mut place.workers[index];
        if lacks_state {
            notes.push(
                "the state of this session is too large to be copied to the R process of this tool, which has none of it"
                    .to_owned(),
            );
        } else {
            worker.holds = place.version;
        }
        if let Some(live) = &job.operation {
            live.set_running(worker.leader());
        }
        let target =
            target(ready.function, tool.output.as_ref(), &self.settings.crib.to_string_lossy());
        let request = request(target, ready.arguments, state);
        let spill = self.long_outputs(job);
        let mut said =
            conversation::call(worker, &request, &self.terms(job, &spill), tool.output.as_ref())
                .await;
        said.notes.splice(0..0, notes);
        let state = said.state.take();
        if let Ended::Broken(..) = said.ended {
            place.workers.swap_remove(index).end().await;
        } else if let Some(state) = state {
            said.notes.extend(self.keep_state(place, index, &ready.life, state).await);
        }
        Ok(report::outcome(tool, said))
    }

    /// Keeps a state that a call changed. Says what a caller should know about that.
    async fn keep_state(
        &self,
        place: &mut Place,
        index: usize,
        life: &Life,
        state: Copied,
    ) -> Option<String> {
        place.version += 1;
        place.workers[index].holds = place.version;
        let older = place.snapshot.take();
        let problem = match state {
            Copied::Bytes(bytes) => {
                match Snapshot::take(older, self.storage.as_ref(), life, bytes).await {
                    Ok(snapshot) => {
                        (place.snapshot, place.is_unsaved) = (Some(snapshot), false);
                        return None;
                    }
                    Err(failure) => failure.message,
                }
            }
            Copied::TooLarge(bytes) => {
                if let Some(older) = older {
                    older.forget().await;
                }
                format!("it takes about {:.0} MB", bytes / 1e6)
            }
        };
        place.is_unsaved = true;
        Some(format!(
            "the state of this session was not copied ({problem}); it is lost if its R process ends"
        ))
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

fn request(target: String, arguments: Vec<(String, RValue)>, state: Option<Vec<u8>>) -> RValue {
    let state = state.map_or_else(RValue::null, |bytes| Data::Raw(bytes).into());
    RValue::list(vec![RValue::text("call"), RValue::text(target), RValue::named(arguments), state])
}

/// Where a function is and how its value is wanted, in one text that a worker need not take apart twice: a line each.
fn target(function: &RFunction, output: Option<&Schema>, crib: &str) -> String {
    let wanted = match output {
        None => "print",
        Some(schema) if Expected::by(schema.object()).wants_columns() => "columns",
        Some(_) => "value",
    };
    let RFunction { package, function, sources, .. } = function;
    match sources.as_ref().map(|folder| folder.as_str()) {
        None => format!("{wanted}\n{package}\n{function}"),
        Some(".") => format!("{wanted}\n{package}\n{function}\n{crib}"),
        Some(inside) => format!("{wanted}\n{package}\n{function}\n{crib}/{inside}"),
    }
}
