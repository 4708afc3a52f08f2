//! Drops most capabilities of root. A server that runs as root starts children as root, too: they
//! keep root's file access, which Landlock restricts, and lose the capabilities with which they could
//! inspect other processes or escape the sandbox.

use std::io;

use rustix::{
    io::Errno,
    process::geteuid,
    thread::{
        CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities,
        configure_capability_in_ambient_set, set_capabilities, set_capabilities_secure_bits,
    },
};

const KEPT: [CapabilitySet; 5] = [
    CapabilitySet::CHOWN,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::FOWNER,
    CapabilitySet::SETUID,
    CapabilitySet::SETGID,
];

/// Limits the capabilities of every process that the calling thread starts. Does nothing unless the
/// effective user is root.
///
/// With `NO_ROOT`, being root grants no capabilities; the kept ones are passed on as ambient
/// capabilities. That takes far fewer system calls than dropping all others one by one.
pub(super) fn keep_few() -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    match set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED,
    ) {
        Ok(()) => {}
        // The root user of a container that may not do this has lost its capabilities already.
        Err(Errno::PERM) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    let own = capabilities(None)?;
    let kept = KEPT.into_iter().filter(|capability| own.permitted.contains(*capability));
    // The kernel accepts only inheritable capabilities into the ambient set.
    set_capabilities(None, CapabilitySets { inheritable: kept.clone().collect(), ..own })?;
    for capability in kept {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
