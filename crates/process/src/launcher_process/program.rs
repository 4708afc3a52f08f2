//! The last steps before a program is executed: what it inherits and what it may do.

use std::{io, os::fd::OwnedFd};

use rustix::process::{chdir, fchdir, setpgid};

use super::{
    raw,
    supervisor::{Isolation, StartFailure},
};
use crate::{
    protocol::StartRequest,
    sandbox::{self, GrantedDescriptors, Restriction},
};

pub(super) use crate::sandbox::Enforcer;

/// The standard streams of a program.
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Turns this process into the program. Returns only if that failed. The `own_places` are absent
/// without namespaces.
pub(super) fn execute(
    request: &StartRequest,
    streams: &Streams,
    granted: &GrantedDescriptors,
    own_places: Option<&[&str]>,
    isolation: Isolation,
    enforcer: &Enforcer,
) -> StartFailure {
    match prepare(request, streams, granted, own_places, isolation, enforcer) {
        Ok(()) => StartFailure::of("")(raw::execute(&request.program, &request.argv, &request.env)),
        Err(failure) => failure,
    }
}

fn prepare(
    request: &StartRequest,
    streams: &Streams,
    granted: &GrantedDescriptors,
    own_places: Option<&[&str]>,
    isolation: Isolation,
    enforcer: &Enforcer,
) -> Result<(), StartFailure> {
    attach(streams).map_err(StartFailure::of("the standard streams could not be attached"))?;
    // The supervisor is in the same session. A process group of its own allows signalling the program and
    // its children without the supervisor.
    let _ = setpgid(None, None);
    raw::reset_signals();
    enter_folder(request, granted)
        .map_err(StartFailure::of("the working directory could not be entered"))?;
    let processes = process_limit(request, isolation);
    sandbox::set_limits(request.sandbox.memory_bytes, request.open_files, processes)
        .map_err(StartFailure::of("the resource limits could not be set"))?;
    // Marked, not closed: Landlock needs the descriptors of granted paths below.
    raw::close_on_exec().map_err(StartFailure::of("inherited descriptors could not be closed"))?;
    // Applied last, because the filter denies `openat2`, which the steps above use.
    if request.is_sandboxed {
        let restriction = Restriction {
            sandbox: &request.sandbox,
            descriptors: granted,
            private_folder: &request.folder,
            own_places,
        };
        enforcer
            .restrict_current_thread(&restriction)
            .map_err(StartFailure::of("the sandbox could not be applied"))?;
    }
    Ok(())
}

/// Enters the working directory. A restricted program does not follow links that another one may have
/// put in its place.
fn enter_folder(request: &StartRequest, granted: &GrantedDescriptors) -> io::Result<()> {
    if request.is_restricted() {
        Ok(fchdir(granted.open(&request.cwd)?.fd)?)
    } else {
        Ok(chdir(&request.cwd)?)
    }
}

/// The value of `RLIMIT_NPROC`, which is enforced on the instant, unlike the limit that the supervisor
/// watches. It is four times as high: if forks failed at the limit, shells would exit, and the supervisor
/// would not find that the program wanted more.
fn process_limit(request: &StartRequest, isolation: Isolation) -> u64 {
    if !request.is_watched() {
        return u64::MAX;
    }
    let others = if isolation.has_user_namespace() { 0 } else { count_tasks() };
    request.sandbox.processes.saturating_mul(4).saturating_add(others)
}

/// The processes and threads of the machine, from the fourth field of the file (`running/all`). Without a
/// user namespace the kernel counts all of the user for `RLIMIT_NPROC`, and those are at most as many.
fn count_tasks() -> u64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = text.split_whitespace().nth(3).and_then(|tasks| tasks.split_once('/'));
    tasks.and_then(|(_, all)| all.parse().ok()).unwrap_or(u64::MAX)
}

fn attach(streams: &Streams) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&streams.stdin)?;
    rustix::stdio::dup2_stdout(&streams.stdout)?;
    rustix::stdio::dup2_stderr(&streams.stderr)?;
    Ok(())
}
