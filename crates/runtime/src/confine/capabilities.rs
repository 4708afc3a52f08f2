//! What remains of root. A server that runs as root starts children that are root, too: they keep
//! root's way with files, which Landlock bounds, and lose its power over the machine, by which they
//! could look into other processes and step out of their bounds.

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

/// Has what the calling thread starts be root with few capabilities. Only root has any to lose.
///
/// Being root grants nothing any more; the few are handed on as ambient ones. That takes far fewer
/// system calls than dropping all the others.
pub(crate) fn keep_few() -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    match set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED,
    ) {
        Ok(()) => {}
        // A container's root that may not do this has been stripped already.
        Err(Errno::PERM) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    let own = capabilities(None)?;
    let kept = KEPT.into_iter().filter(|capability| own.permitted.contains(*capability));
    set_capabilities(None, CapabilitySets { inheritable: kept.clone().collect(), ..own })?;
    for capability in kept {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
