//! What systemd and a service agree on: a socket that systemd has opened, and messages about the state of
//! the service. See `sd_listen_fds(3)` and `sd_notify(3)`.

use std::{
    io,
    net::TcpListener,
    os::unix::net::{SocketAddr, UnixDatagram},
};

use listenfd::ListenFd;
use workspace::Environment;

/// The server accepts connections.
pub(crate) const READY: &str = "READY=1";
/// The server shuts down; calls still run.
pub(crate) const STOPPING: &str = "STOPPING=1";

/// The TCP socket that systemd passed to this process, if it passed one. Changes the environment, so no
/// other thread may run yet.
pub(crate) fn take_listener() -> io::Result<Option<TcpListener>> {
    let listener = ListenFd::from_env().take_tcp_listener(0)?;
    if let Some(listener) = &listener {
        listener.set_nonblocking(true)?;
    }
    Ok(listener)
}

/// Reports a state to the service manager, if this process has one. A failure is only logged: the
/// service manager has a timeout of its own.
pub(crate) fn notify(environment: &Environment, state: &str) {
    let Some(address) = environment.get("NOTIFY_SOCKET") else {
        return;
    };
    if let Err(error) = send(address, state) {
        tracing::warn!(%error, "the service manager could not be notified");
    }
}

fn send(address: &str, state: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&to_address(address)?)?;
    socket.send(state.as_bytes())?;
    Ok(())
}

/// An address with `@` is a name in Linux's abstract namespace.
fn to_address(text: &str) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = text.strip_prefix('@') {
        return <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name);
    }
    SocketAddr::from_pathname(text)
}
