//! Can a tool run on this machine? Asked by its own check, before its first call or by the doctor.

use std::{path::PathBuf, sync::Arc, time::Duration};

use catalog::{Availability, ErrorType, Failure, Implementation, Tool};
use parking_lot::MutexGuard;
use process::ExitReason;
use tokio_util::sync::CancellationToken;

use crate::{
    Runtime,
    backends::CommandRun,
    failures,
    plan::{self, R, interpreter, program},
};

/// A check looks something up; it does no long work.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Runtime {
    /// Whether `tool` can run on this machine: its program is there, and its own check says yes.
    pub async fn available(&self, tool: &Tool) -> Result<(), Failure> {
        let found = match &tool.implementation {
            Implementation::Process(process) => {
                program::locate(&self.settings, tool, &process.program).map(|_| ())
            }
            Implementation::R(_) => plan::r_worker_command(&self.settings, tool).map(|_| ()),
            Implementation::Python(_) => {
                plan::python_worker_command(&self.settings, tool).map(|_| ())
            }
            Implementation::Sequence(_)
            | Implementation::Tool(_)
            | Implementation::Native
            | Implementation::Missing => Ok(()),
        };
        found.map_err(|failure| failures::complete(tool, failure))?;
        self.ask_once(tool).await
    }

    /// Where R is, which functions of R packages run in.
    pub fn r_program(&self) -> Option<PathBuf> {
        program::find(&self.settings, R)
    }

    /// Where Python is, which functions of Python modules run in.
    pub fn python_program(&self) -> Option<PathBuf> {
        interpreter(&self.settings)
    }

    /// Asks the tool's own check. A yes is remembered; after a no the next call asks again, because
    /// someone may have followed the instructions.
    pub(crate) async fn ask_once(&self, tool: &Tool) -> Result<(), Failure> {
        let Some(check) = &tool.availability else {
            return Ok(());
        };
        if self.lock_available().contains(check) {
            return Ok(());
        }
        self.ask(tool, check).await.map_err(|failure| failures::complete(tool, failure))?;
        self.lock_available().push(check.clone());
        Ok(())
    }

    async fn ask(&self, tool: &Tool, check: &Availability) -> Result<(), Failure> {
        let command = Arc::new(plan::check_command(&self.settings, tool, check)?);
        let run = CommandRun {
            command: &command,
            timeout: TIMEOUT,
            cancel: &CancellationToken::new(),
            output_bytes: self.settings.output_bytes,
            live: None,
            pattern: None,
        };
        let finished = self.run_command(run).await?;
        let fits = |code: i32| {
            if check.success.is_empty() { code == 0 } else { check.success.contains(&code) }
        };
        let reason = match &finished.reason {
            ExitReason::Exited(status) if status.code().is_some_and(fits) => return Ok(()),
            ExitReason::Exited(status) => {
                format!("`{}` ended with {status}", check.command.join(" "))
            }
            _ => format!("`{}` did not end", check.command.join(" ")),
        };
        Err(Failure::new(
            ErrorType::NotAvailable,
            with_instructions(tool, format!("`{}` cannot run here: {reason}", tool.name)),
        ))
    }

    fn lock_available(&self) -> MutexGuard<'_, Vec<Availability>> {
        self.available.lock()
    }
}

/// The message, and what the tool says about installing it.
pub(crate) fn with_instructions(tool: &Tool, message: String) -> String {
    match &tool.description.install {
        Some(install) => format!("{message}; to install it: {install}"),
        None => message,
    }
}
