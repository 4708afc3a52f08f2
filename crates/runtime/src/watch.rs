//! Watching a program instead of confining it, to learn what it needs.
//!
//! The program runs under `strace`, with the environment, the time and the limits of any call. What
//! the trace means is for the reader of the trace; here is only what a call would have allowed.

use std::path::Path;

use catalog::{ErrorType, Failure};

use crate::{
    Plan, Runtime,
    confine::files,
    plan::{Word, program},
};

const WATCHER: &str = "strace";

/// Follow children, say nothing else, name what file descriptors stand for; files and sockets.
const OPTIONS: [&str; 6] = ["-f", "-qq", "-y", "-e", "trace=%file,%network,fchdir", "-o"];

impl Runtime {
    /// The plan of running the same program watched, with its system calls written to `trace`.
    pub(crate) fn watched(&self, mut plan: Plan, trace: &Path) -> Result<Plan, Failure> {
        let watcher = program::find(&self.settings, WATCHER).ok_or_else(|| {
            let message = format!("`{WATCHER}` was not found, which watches a program; install the package `{WATCHER}`");
            Failure::new(ErrorType::ProgramNotFound, message)
        })?;
        let text = |path: &Path| Word::Text(path.to_string_lossy().into_owned());
        let mut argv = vec![Word::Text(WATCHER.to_owned())];
        argv.extend(OPTIONS.map(|option| Word::Text(option.to_owned())));
        argv.extend([text(trace), Word::Text("--".to_owned()), Word::Text(plan.program)]);
        argv.extend(plan.argv.into_iter().skip(1));
        plan.argv = argv;
        plan.program = watcher.to_string_lossy().into_owned();
        plan.confinement.is_watched = true;
        Ok(plan)
    }
}

impl Plan {
    /// Whether a call may read this path.
    pub fn may_read(&self, path: &Path) -> bool {
        let bounds = &self.confinement;
        files::is_common(path)
            || bounds.read.iter().chain(&bounds.write).any(|place| path.starts_with(place))
    }

    /// Whether a call may write to this path.
    pub fn may_write(&self, path: &Path) -> bool {
        files::is_sink(path) || self.confinement.write.iter().any(|place| path.starts_with(place))
    }

    /// The folder that the program runs in.
    pub fn folder(&self) -> &Path {
        Path::new(&self.cwd)
    }
}
