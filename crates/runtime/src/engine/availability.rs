//! A tool's own availability check, run before its first call or by the doctor.

use std::{sync::Arc, time::Duration};

use catalog::{Availability, ErrorType, Failure, Tool};
use process::ExitReason;
use tokio_util::sync::CancellationToken;

use super::{CommandRun, Engine};
use crate::{failures, operation::Owner, outputs::LongOutput, plan};

/// A check looks something up; it does no long work.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Engine {
    /// Runs the tool's own check, if it has one. A success is remembered; after a failure the next
    /// call checks again, because the user may have followed the instructions.
    pub(crate) async fn check_availability(&self, tool: &Tool) -> Result<(), Failure> {
        let Some(check) = &tool.availability else {
            return Ok(());
        };
        if self.available.lock().contains(check) {
            return Ok(());
        }
        let checked = self.run_check(tool, check).await;
        checked.map_err(|failure| failures::complete(tool, failure))?;
        // By check and not by tool: tools of one program often share it.
        self.available.lock().push(check.clone());
        Ok(())
    }

    async fn run_check(&self, tool: &Tool, check: &Availability) -> Result<(), Failure> {
        let command = Arc::new(plan::check_command(&self.settings, tool, check)?);
        // The output of the check is never referred to, so it needs no owner.
        let long_output = LongOutput::new(&self.outputs, Owner(String::new()));
        let run = CommandRun {
            command: &command,
            timeout: TIMEOUT,
            cancel: &CancellationToken::new(),
            output_bytes: self.settings.output_bytes,
            operation: None,
            pattern: None,
            long_output: &long_output,
            live_output: None,
        };
        let finished = self.run_command(run).await?;
        let is_success = |code: i32| {
            if check.success.is_empty() { code == 0 } else { check.success.contains(&code) }
        };
        let reason = match &finished.reason {
            ExitReason::Exited(status) if status.code().is_some_and(is_success) => return Ok(()),
            ExitReason::Exited(status) => {
                format!("`{}` exited with {status}", check.command.join(" "))
            }
            ExitReason::Killed(violation) => {
                format!("`{}` {}", check.command.join(" "), violation.describe())
            }
            _ => format!("`{}` did not exit in time", check.command.join(" ")),
        };
        let message = format!("`{}` cannot run here: {reason}", tool.name);
        Err(Failure::new(ErrorType::NotAvailable, failures::with_instructions(tool, message)))
    }
}
