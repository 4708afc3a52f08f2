//! Tracing a program with strace instead of sandboxing it, to learn which files it needs.

use std::path::Path;

use crate::{
    command::{Command, Word},
    sandbox::SandboxLevel,
};

/// The name of the tracer.
pub const STRACE: &str = "strace";

/// Follow children, print nothing else, resolve file descriptors to paths; file and network calls.
const OPTIONS: [&str; 6] = ["-f", "-qq", "-y", "-e", "trace=%file,%network,fchdir", "-o"];

/// The command that runs the same program under `strace` without a sandbox, with its system calls
/// written to `trace`. Environment and limits stay the same.
pub fn trace_with_strace(mut command: Command, strace: &Path, trace: &Path) -> Command {
    let text = |path: &Path| Word::Text(path.to_string_lossy().into_owned());
    let mut argv = vec![Word::Text(STRACE.to_owned())];
    argv.extend(OPTIONS.map(|option| Word::Text(option.to_owned())));
    argv.extend([text(trace), Word::Text("--".to_owned()), Word::Text(command.program)]);
    argv.extend(command.argv.into_iter().skip(1));
    command.argv = argv;
    command.program = strace.to_string_lossy().into_owned();
    command.sandbox.is_unrestricted = true;
    command.sandbox.level = SandboxLevel::None;
    command
}
