//! Runs a program to completion and collects its output in memory.

use std::{io, sync::Arc, time::Duration};

use futures_util::future::join3;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::timeout,
};

use crate::{
    command::Command,
    launcher::{LaunchError, Launcher},
    run::write_stdin,
    sandbox::Violation,
};

/// Standard error beyond this is dropped.
const STDERR_BYTES: u64 = 16 * 1024;

/// When to give up on a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramLimits {
    /// Maximum run time.
    pub timeout: Duration,
    /// Maximum bytes of standard output.
    pub max_bytes: u64,
}

/// The result of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Its exit code; `None` if it was killed by a signal.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error, trimmed.
    pub stderr: String,
}

/// Why a program has no output.
#[derive(Debug, thiserror::Error)]
pub enum RunProgramError {
    /// It could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It did not exit in time and was killed.
    #[error("`{program}` did not finish within {seconds} seconds")]
    TimedOut {
        /// Its path.
        program: String,
        /// The timeout.
        seconds: u64,
    },
    /// It printed too much and was killed.
    #[error("`{program}` printed more than {max_bytes} bytes")]
    OutputTooLong {
        /// Its path.
        program: String,
        /// The limit.
        max_bytes: u64,
    },
    /// It was killed with all its processes.
    #[error("`{program}` {}; {}", .violation.describe(), .violation.advice("limits"))]
    Killed {
        /// Its path.
        program: String,
        /// The violation that it was killed for.
        violation: Violation,
    },
    /// Its exit status could not be read.
    #[error("waiting for `{program}` failed: {source}")]
    Wait {
        /// Its path.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// Runs a command within its limits. A non-zero exit code is not an error here.
pub async fn run_program(
    launcher: &Arc<Launcher>,
    command: Command,
    limits: ProgramLimits,
) -> Result<ProgramOutput, RunProgramError> {
    let command = Arc::new(command);
    let program = || command.label.clone();
    let mut child = launcher.start(&command).await?;
    let (input, out, err) =
        (child.child.stdin.take(), child.child.stdout.take(), child.child.stderr.take());
    let text = command.stdin.as_deref().unwrap_or_default();
    let streams = join3(
        write_stdin(input, text.as_bytes()),
        // One byte more shows that there was more.
        read_up_to(out, limits.max_bytes.saturating_add(1)),
        read_up_to(err, STDERR_BYTES),
    );
    // A program may close its output and run on, so its end is waited for within the same time.
    let run = async {
        let (_, stdout, stderr) = streams.await;
        let is_too_long = stdout.len() as u64 > limits.max_bytes;
        // One whose output is not read to the end may never exit.
        let status = if is_too_long { None } else { Some(child.child.wait().await) };
        (stdout, stderr, status)
    };
    let Ok((stdout, stderr, status)) = timeout(limits.timeout, run).await else {
        child.kill().await;
        let seconds = limits.timeout.as_secs();
        return Err(RunProgramError::TimedOut { program: program(), seconds });
    };
    let Some(status) = status else {
        child.kill().await;
        let max_bytes = limits.max_bytes;
        return Err(RunProgramError::OutputTooLong { program: program(), max_bytes });
    };
    let status = status.map_err(|source| RunProgramError::Wait { program: program(), source })?;
    let violation = child.child.violation();
    child.clean_up().await;
    if let Some(violation) = violation {
        return Err(RunProgramError::Killed { program: program(), violation });
    }
    let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
    Ok(ProgramOutput { code: status.code(), stdout, stderr })
}

/// Keeps what was read before an error.
async fn read_up_to(pipe: Option<impl AsyncRead + Unpin>, max_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(max_bytes).read_to_end(&mut bytes).await;
    }
    bytes
}
