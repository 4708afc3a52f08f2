//! One call of a Python function: in whose session, by which worker, to which outcome.

use std::path::PathBuf;

use catalog::{ErrorType, Failure, Outcome, Tool, implementation::PythonFunction};
use serde_json::{Value, json};

use super::conversation::{self, Ended, Said};
use crate::{
    Session,
    answer::{self, Way},
    call::ActiveCall,
    engine::Engine,
    failures,
    outputs::Spill,
    plan, returned,
    scheduler::ConcurrencyClass,
    warm::{Broken, Language, Place, Start, died, stopped},
};

impl Engine {
    /// Calls a Python function.
    pub(crate) async fn call_python_function(
        &self,
        function: &PythonFunction,
        job: &mut ActiveCall,
    ) -> Result<Outcome, Failure> {
        let (session, _) = self.session(job).await?;
        plan::refuse_outside(&self.settings, &job.call.tool, &job.call.arguments)?;
        let _permit = self.acquire_permit(job, ConcurrencyClass::of(&job.call.tool)).await?;
        let leaving = self.workers.leaving();
        let mut place = job.unless_cancelled(session.place(Language::Python).lock()).await?;
        let spill = self.long_outputs(job);
        let mut said = self.call_python(&session, &mut place, function, job, &spill).await?;
        if let Ended::Stale = said.ended {
            // Whoever edits a module wants to see what it does now.
            said = self.call_python(&session, &mut place, function, job, &spill).await?;
        }
        drop(place);
        drop(leaving);
        Ok(outcome(&job.call.tool, said, &spill, job.output_bytes).await)
    }

    /// Calls a function in a session that is free for it.
    async fn call_python(
        &self,
        session: &Session,
        place: &mut Place,
        function: &PythonFunction,
        job: &ActiveCall,
        spill: &Spill<'_>,
    ) -> Result<Said, Failure> {
        place.drop_broken();
        let start = Start {
            launcher: &self.launcher,
            settings: &self.settings,
            tool: &job.call.tool,
            command: plan::python_worker_command,
        };
        let index = job.unless_cancelled(self.workers.worker(session, place, start)).await??;
        let worker = &mut place.workers[index];
        if let Some(live) = &job.operation {
            live.set_running(worker.leader());
        }
        let said =
            conversation::call(worker, &self.request(function, job), &self.terms(job, spill))
                .await?;
        if let Ended::Broken(..) | Ended::Stale = said.ended {
            place.workers.swap_remove(index).end().await;
        }
        Ok(said)
    }

    fn request(&self, function: &PythonFunction, job: &ActiveCall) -> Value {
        let PythonFunction { module, function, path } = function;
        // Without the dots, so that messages name files as people do.
        let path: Vec<PathBuf> = path
            .iter()
            .map(|folder| self.settings.crib.join(folder).components().collect())
            .collect();
        json!({
            "module": module,
            "function": function,
            "path": path,
            "arguments": job.call.arguments,
            "longest": answer::LONGEST,
        })
    }
}

async fn outcome(tool: &Tool, said: Said, spill: &Spill<'_>, limit: usize) -> Outcome {
    let mut asides = returned::printed(&said.printed);
    asides.extend(returned::messages(&said.messages));
    let failure = match said.ended {
        Ended::Done(value) => {
            return answer::outcome(tool, value, Way { spill, limit, asides }).await;
        }
        Ended::Failed(error) => return answer::failed(tool, error, asides),
        Ended::Stale => Failure::new(
            ErrorType::InternalError,
            format!("the modules of `{}` change all the time", tool.name),
        ),
        Ended::Stopped(why) | Ended::Broken(_, Some(why)) => stopped(&tool.name, why),
        Ended::Broken(broken, None) => ended(&tool.name, &broken),
    };
    let mut outcome = failures::to_outcome(tool, failure);
    outcome.content.extend(asides);
    outcome
}

fn ended(name: &str, broken: &Broken) -> Failure {
    let what = died("Python", "os._exit()", broken);
    let message = format!("`{name}` did not return: {what}. The next call starts Python anew");
    Failure::new(ErrorType::PythonEnded, message)
}
