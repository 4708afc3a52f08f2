//! The connection of this process to its launcher process, which is started when it is first needed
//! and again if it died.

use std::{
    fs::File,
    io::{self, Seek, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command, Stdio},
};

use parking_lot::Mutex;
use rustix::{
    fs::{MemfdFlags, memfd_create},
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, socketpair},
};

use crate::{
    launcher::background::own_program,
    launcher_process::VARIABLE,
    protocol::{IN_MEMORY, MAX_PACKET, receive, send},
};

/// One for the whole process, however many launchers it has.
static CONNECTION: Mutex<Option<Connection>> = Mutex::new(None);

struct Connection {
    socket: OwnedFd,
    process: Child,
    has_namespaces: bool,
    has_cgroups: bool,
}

/// Sends a request with its descriptors. Blocks while the launcher process is started.
pub(super) fn send_request(request: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let memory = (request.len() > MAX_PACKET).then(|| write_memory(request)).transpose()?;
    let mut descriptors = descriptors.to_vec();
    descriptors.extend(memory.as_ref().map(AsFd::as_fd));
    let bytes = if memory.is_some() { &IN_MEMORY } else { request };
    let mut connection = CONNECTION.lock();
    let first = connect(&mut connection)?;
    match send(&first.socket, bytes, &descriptors, SendFlags::empty()) {
        // The launcher process was killed. The request was not received, so it can be repeated.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
            ) =>
        {
            if let Some(mut dead) = connection.take() {
                tracing::warn!(%error, "the launcher process died; starting another one");
                // Reaped, or it would stay a zombie.
                let _ = dead.process.wait();
            }
            send(&connect(&mut connection)?.socket, bytes, &descriptors, SendFlags::empty())
        }
        sent => sent,
    }
}

/// Whether a request can be sent without waiting for the launcher process to start.
pub(super) fn is_open() -> bool {
    // The lock is held while the launcher process starts, and `lock` would be the very wait that
    // callers avoid.
    CONNECTION.try_lock().is_some_and(|connection| connection.is_some())
}

/// Whether children get namespaces of their own. Starts the launcher process to find out.
pub(crate) fn has_namespaces() -> io::Result<bool> {
    Ok(connect(&mut CONNECTION.lock())?.has_namespaces)
}

/// Whether children get control groups of their own.
pub(crate) fn has_cgroups() -> io::Result<bool> {
    Ok(connect(&mut CONNECTION.lock())?.has_cgroups)
}

fn connect(connection: &mut Option<Connection>) -> io::Result<&Connection> {
    match connection {
        Some(connection) => Ok(connection),
        None => Ok(connection.insert(Connection::open()?)),
    }
}

impl Connection {
    fn open() -> io::Result<Self> {
        let (socket, other) = packet_sockets()?;
        let mut process = Command::new(own_program()?)
            .arg0("toolcrib-launcher")
            .env(VARIABLE.to_string_lossy().as_ref(), "1")
            // It must not keep a folder busy.
            .current_dir("/")
            .stdin(Stdio::from(other))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        match receive(&socket, 2, RecvFlags::empty()) {
            Ok(Some(hello)) => Ok(Self {
                socket,
                process,
                has_namespaces: hello.bytes.first() == Some(&1),
                has_cgroups: hello.bytes.get(1) == Some(&1),
            }),
            Ok(None) | Err(_) => {
                let _ = process.kill();
                let _ = process.wait();
                Err(io::Error::other("the launcher process could not be started"))
            }
        }
    }
}

/// Two connected sockets that keep the boundaries of messages.
pub(super) fn packet_sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// A memory file with a request that is too long for a packet.
fn write_memory(request: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("request", MemfdFlags::CLOEXEC)?);
    file.write_all(request)?;
    // The receiver gets the same open file, so it would begin to read at this offset.
    file.rewind()?;
    Ok(file.into())
}
