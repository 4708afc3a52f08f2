//! Tracing a program with strace instead of sandboxing it, to learn which files it needs.

use std::path::Path;

use crate::{
    command::{Command, Word},
    find_program,
    sandbox::SandboxLevel,
};

/// The name of the tracer.
const STRACE: &str = "strace";

/// The tracer is not installed.
#[derive(Debug, thiserror::Error)]
#[error("tracing needs `{STRACE}`, which was not found; install the package `{STRACE}`")]
pub struct MissingStrace;

/// Follow children, print nothing else, resolve file descriptors to paths; file and network calls.
const OPTIONS: [&str; 6] = ["-f", "-qq", "-y", "-e", "trace=%file,%network,fchdir", "-o"];

/// The command that runs the same program under `strace` without a sandbox, with its system calls
/// written to `trace`. Environment and limits stay the same. `strace` is found with the `PATH` of
/// `environment`.
pub fn trace_with_strace(
    mut command: Command,
    environment: &[(String, String)],
    trace: &Path,
) -> Result<Command, MissingStrace> {
    let strace = find_program(environment, STRACE).ok_or(MissingStrace)?;
    let text = |path: &Path| Word::Text(path.to_string_lossy().into_owned());
    let mut argv = vec![Word::Text(STRACE.to_owned())];
    argv.extend(OPTIONS.map(|option| Word::Text(option.to_owned())));
    argv.extend([text(trace), Word::Text("--".to_owned()), Word::Text(command.program)]);
    argv.extend(command.argv.into_iter().skip(1));
    command.argv = argv;
    command.program = strace.to_string_lossy().into_owned();
    command.sandbox.is_unrestricted = true;
    command.sandbox.level = SandboxLevel::None;
    Ok(command)
}
