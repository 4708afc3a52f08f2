//! The access of a call's process: roots, crib and the paths that the operator added, or exactly the
//! paths that the call names.

use std::{path::Path, sync::Arc};

use catalog::{Annotations, Implementation, Tool};
use process::{AccessNeeds, Sandbox, SandboxLevel};

use super::{path_access::PathAccess, program};
use crate::{Grant, Settings};

/// The sandbox of a program. Roots are writable only for tools that are not declared read-only: a
/// tool that is served as read-only is read-only to the kernel, too.
pub(super) fn build(settings: &Settings, annotations: &Annotations, program: &Path) -> Sandbox {
    let needs = AccessNeeds {
        is_read_only: annotations.is_read_only(),
        network: annotations.network.clone().unwrap_or_default(),
    };
    settings.access().sandbox(program, needs)
}

/// Adds what the program gets of the user's files, and returns the variables that it gets.
pub(super) fn apply_grant(
    sandbox: &mut Sandbox,
    annotations: &Annotations,
    grant: Grant,
) -> Vec<(String, String)> {
    if annotations.is_read_only() {
        sandbox.allow_read(grant.write);
    } else {
        sandbox.allow_write(grant.write);
    }
    sandbox.allow_read(grant.read);
    sandbox.unix_sockets |= grant.unix_sockets;
    grant.variables
}

/// Whether the programs of these tools can read a file, or change it. Without an enforced sandbox they
/// can. `path` has no links.
pub fn can_tools_read(settings: &Settings, tools: &[Arc<Tool>], path: &Path) -> bool {
    let sandbox = |program: &Path| {
        let needs = AccessNeeds { is_read_only: false, network: Default::default() };
        settings.access().sandbox(program, needs)
    };
    // The access that all programs have: `/` has no folder of its own.
    let any_program = sandbox(Path::new("/"));
    let has_access = |tool: &Tool| match &tool.implementation {
        // The sandbox includes the folder of the program.
        Implementation::Process(process) if process.program.contains('/') => {
            sandbox(&settings.crib.join(&process.program)).may_read(path)
        }
        Implementation::Python(function) => {
            let folders = function.path.iter().map(|folder| settings.crib.join(folder));
            folders.into_iter().any(|folder| path.starts_with(folder))
        }
        _ => false,
    };
    any_program.level == SandboxLevel::None
        || any_program.may_read(path)
        || tools.iter().any(|tool| has_access(tool))
}

/// Replaces the crib and the roots by the paths that this call names. A program inside of them stays
/// readable, its neighbours do not.
pub(super) fn narrow(
    sandbox: &mut Sandbox,
    settings: &Settings,
    annotations: &Annotations,
    program: &Path,
    access: PathAccess,
) {
    let is_own = |path: &Path| {
        path.starts_with(&settings.crib) || settings.roots.iter().any(|root| path.starts_with(root))
    };
    let real = settings.access().real_program(program);
    let (mut read, mut write) = (access.read, Vec::new());
    // A tool that is served as read-only is read-only to the kernel, whatever a parameter declares.
    let written = if annotations.is_read_only() { &mut read } else { &mut write };
    written.extend(access.write);
    let delicate = |folder: &Path| settings.access().is_delicate(folder);
    let path = program::folders(settings).filter(|folder| !delicate(folder));
    read.extend(settings.read.iter().cloned().chain(path));
    // An installed program usually needs the files next to it; inside the crib those may be other
    // tools and their data.
    let neighbours = real.parent().filter(|folder| !is_own(&real) && !delicate(folder));
    read.push(neighbours.unwrap_or(&real).to_owned());
    write.extend(settings.write.iter().cloned());
    (sandbox.read, sandbox.write) = (Vec::new(), Vec::new());
    sandbox.allow_read(read);
    sandbox.allow_write(write);
}
