//! Programs.

use catalog::{Failure, Outcome, Tool, implementation::Process};
use toolkit::{BoxFuture, Interrupt};
use workers::results::MAX_JSON_BYTES;

use crate::{
    Plan,
    backend::Backend,
    call::ActiveCall,
    engine::{CommandRun, Engine},
    failures,
    plan::{CallTarget, CommandPlan, program},
    results::{bound_failure, build_json_outcome, build_process_outcome},
    scheduler::ConcurrencyClass,
};

impl Backend for Process {
    fn plan(&self, engine: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        let settings = &engine.settings;
        Plan::command(settings, target, |arguments| {
            CommandPlan::for_process(settings, target.tool, self, arguments)
        })
    }

    fn run<'a>(
        &'a self,
        engine: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        Box::pin(async move {
            let outcome = run(self, engine, &call).await;
            Ok(outcome.unwrap_or_else(|failure| failures::to_outcome(&call.call.tool, failure)))
        })
    }

    fn check_installed(&self, engine: &Engine, tool: &Tool) -> Result<(), Failure> {
        program::locate(&engine.settings, tool, &self.program).map(drop)
    }

    fn rehearse(&self, engine: &Engine, call: &ActiveCall) -> Result<Option<CommandPlan>, Failure> {
        plan(self, engine, call).map(Some)
    }
}

fn plan(process: &Process, engine: &Engine, call: &ActiveCall) -> Result<CommandPlan, Failure> {
    let (settings, approved, call) = (&engine.settings, &call.approved, &call.call);
    let mut plan = CommandPlan::for_process(settings, &call.tool, process, &call.arguments)?;
    if let Some(approved) = approved {
        let fresh = Plan::command(settings, call.target(), |_| Ok(plan.clone()))?;
        let files = approved.verify(&call.tool, &fresh)?;
        plan = plan.seal(settings, &call.tool, &files)?;
    }
    match &call.trace {
        Some(trace) => plan.with_strace(settings, trace),
        None => Ok(plan),
    }
}

async fn run(process: &Process, engine: &Engine, call: &ActiveCall) -> Result<Outcome, Failure> {
    let tool = &call.call.tool;
    let plan = match &call.plan {
        Some(plan) => plan.clone(),
        None => engine.plan_bounded(tool, || self::plan(process, engine, call)).await?,
    };
    // Checked before the permit, because the check may wait for another program while others run.
    engine.check_availability(tool).await?;
    let _permit = engine.acquire_permit(call, ConcurrencyClass::of(tool)).await?;
    // The approved files may have changed while the call waited. The command that is compared is
    // the one that runs.
    let plan = match call.approved {
        Some(_) => engine.plan_bounded(tool, || self::plan(process, engine, call)).await?,
        None => plan,
    };
    let speaks_json = process.speaks_json();
    let long_output = engine.long_output(call);
    let run = CommandRun {
        command: &plan.command,
        cancel: call.call.context.cancel_token(),
        timeout: call.timeout(plan.timeout),
        // JSON must be complete to be parsed; it is truncated afterwards, member by member.
        output_bytes: if speaks_json { MAX_JSON_BYTES } else { call.output_bytes },
        operation: call.operation.as_ref(),
        pattern: engine.progress_pattern(call),
        long_output: &long_output,
        // JSON is parsed into the result, so its text is not shown.
        live_output: call.call.live_output.as_ref().filter(|_| !speaks_json),
    };
    let finished = engine.run_command(run).await?;
    call.level.add(finished.level);
    let outcome = if speaks_json {
        build_json_outcome(tool, &plan, finished, &long_output, call.output_bytes).await
    } else {
        build_process_outcome(tool, &plan, finished)
    };
    Ok(bound_failure(outcome, &long_output).await)
}
