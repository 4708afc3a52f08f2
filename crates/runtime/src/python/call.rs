//! One call of a Python function: in whose session, by which worker, to which outcome.

use std::{path::PathBuf, sync::Arc};

use catalog::{ErrorType, Failure, Implementation, Outcome, Tool, implementation::PythonFunction};
use serde_json::{Value, json};

use super::conversation::{self, Ended, Said};
use crate::{
    Runtime, Session,
    answer::{self, Way},
    call::Job,
    failures,
    outputs::Spill,
    plan, returned,
    scheduler::ConcurrencyClass,
    warm::{Broken, Language, Place, Start, died, stopped, unless_cancelled},
};

impl Runtime {
    /// Calls a Python function.
    pub(crate) async fn python(self: &Arc<Self>, mut job: Job) -> Outcome {
        let tool = Arc::clone(&job.tool);
        let outcome = self.prepare_python(&mut job).await;
        outcome.unwrap_or_else(|failure| failures::to_outcome(&tool, failure))
    }

    async fn prepare_python(self: &Arc<Self>, job: &mut Job) -> Result<Outcome, Failure> {
        let (session, _) = self.session(job).await?;
        plan::refuse_outside(&self.settings, &job.tool, &job.arguments)?;
        let _permit = if job.has_permit {
            None
        } else {
            self.acquire_permit(job, ConcurrencyClass::of(&job.tool)).await?
        };
        let leaving = self.workers.leaving();
        let mut place = unless_cancelled(job, session.place(Language::Python).lock()).await?;
        let spill = self.spill(job);
        let mut said = self.call_python(&session, &mut place, job, &spill).await?;
        if let Ended::Stale = said.ended {
            // Whoever edits a module wants to see what it does now.
            said = self.call_python(&session, &mut place, job, &spill).await?;
        }
        drop(place);
        drop(leaving);
        Ok(outcome(&job.tool, said, &spill, job.output_bytes).await)
    }

    /// Calls a function in a session that is free for it.
    async fn call_python(
        self: &Arc<Self>,
        session: &Session,
        place: &mut Place,
        job: &Job,
        spill: &Spill<'_>,
    ) -> Result<Said, Failure> {
        place.drop_broken();
        let start = Start {
            launcher: &self.launcher,
            settings: &self.settings,
            tool: &job.tool,
            command: plan::python_worker_command,
        };
        let index = unless_cancelled(job, self.workers.worker(session, place, start)).await??;
        let worker = &mut place.workers[index];
        if let Some(live) = &job.live {
            live.running(worker.leader());
        }
        let said = conversation::call(worker, &self.request(job), &self.terms(job, spill)).await?;
        if let Ended::Broken(..) | Ended::Stale = said.ended {
            place.workers.swap_remove(index).end().await;
        }
        Ok(said)
    }

    fn request(&self, job: &Job) -> Value {
        let Implementation::Python(PythonFunction { module, function, path }) =
            &job.tool.implementation
        else {
            unreachable!("called for Python functions only")
        };
        // Without the dots, so that messages name files as people do.
        let path: Vec<PathBuf> = path
            .iter()
            .map(|folder| self.settings.crib.join(folder).components().collect())
            .collect();
        json!({
            "module": module,
            "function": function,
            "path": path,
            "arguments": job.arguments,
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
