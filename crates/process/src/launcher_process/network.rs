//! The network namespace of a program with a list of destinations: only loopback, and the listeners
//! that the server connects to the destinations.

use std::{
    io,
    net::TcpListener,
    os::fd::{AsFd, OwnedFd},
};

use egress::{HostPort, NetworkAccess, listen_addresses};
use rustix::net::SendFlags;

use super::{raw, supervisor::StartFailure};
use crate::protocol::{ProcessReport, StartRequest, send};

/// The list of destinations, if the request has one.
pub(super) fn destinations(request: &StartRequest) -> Option<&[HostPort]> {
    match &request.sandbox.network {
        NetworkAccess::Only(list) => Some(list),
        NetworkAccess::None | NetworkAccess::Internet => None,
    }
}

/// Opens the listeners and sends them to the server. The calling process is in the new namespace.
pub(super) fn open_listeners(list: &[HostPort], status: &OwnedFd) -> Result<(), StartFailure> {
    raw::enable_loopback().map_err(StartFailure::of("loopback could not be enabled"))?;
    for address in listen_addresses(list) {
        let listener = match TcpListener::bind(address) {
            // The machine has no IPv6, so there is nothing to be forwarded to either.
            Err(error) if address.is_ipv6() && is_unavailable(&error) => continue,
            bound => bound.map_err(StartFailure::of("a listener could not be opened"))?,
        };
        let mut packet = Vec::new();
        ProcessReport::Listening.encode_to(&mut packet);
        send(status, &packet, &[listener.as_fd()], SendFlags::empty())
            .map_err(StartFailure::of("a listener could not be sent to the server"))?;
    }
    Ok(())
}

fn is_unavailable(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [libc::EADDRNOTAVAIL, libc::EAFNOSUPPORT].into_iter().any(|other| code == Some(other))
}
