//! The messages between a server and its launcher process.
//!
//! A request to start a program is one packet on the control socket, with the descriptors that the
//! program gets. Everything about that one program travels on a status socket of its own: replies to
//! the server, and signals to the program. All integers are little-endian, all lists and texts are
//! preceded by their length. Both sides are the same executable, so there are no versions.

use std::{
    ffi::{CString, OsString},
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::PathBuf,
};

use egress::{HostPort, NetworkAccess};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::{
    opened_path::OpenedPaths,
    sandbox::{Sandbox, SandboxLevel, Violation},
};

/// Maximum length of a packet, in bytes. A longer request is passed in a memory file. Every page of the
/// buffer costs the launcher process a page fault for each request, because it shares the page with the
/// last supervisor.
pub(crate) const MAX_PACKET: usize = 16 * 1024;
/// The packet of a request that is in a memory file, its last descriptor.
pub(crate) const IN_MEMORY: [u8; 1] = [0];
/// Maximum number of descriptors of granted paths in one packet.
pub(crate) const MAX_GRANTED: usize = 128;
/// Maximum number of descriptors in one packet: status socket, three standard streams, granted paths,
/// memory file. The kernel allows 253.
const MAX_DESCRIPTORS: usize = 5 + MAX_GRANTED;

/// A program to start, as the launcher process needs it.
#[derive(Clone, Debug)]
pub(crate) struct StartRequest {
    pub(crate) program: CString,
    pub(crate) argv: Vec<CString>,
    /// `NAME=value`.
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: PathBuf,
    pub(crate) folder: PathBuf,
    /// The soft limit of open files that the program gets at most.
    pub(crate) open_files: u64,
    /// Whether the operator wants the sandbox at all.
    pub(crate) is_sandboxed: bool,
    /// Whether namespaces are used where the kernel allows them.
    pub(crate) uses_namespaces: bool,
    /// Whether the server writes to its standard input as soon as it is started.
    pub(crate) has_stdin: bool,
    /// The granted paths whose descriptors come with the request, in their order.
    pub(crate) granted: Vec<PathBuf>,
    pub(crate) sandbox: Sandbox,
}

/// A report of the launcher process or the supervisor about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProcessReport {
    /// A listener in the network namespace of the program is attached.
    Listening,
    /// The program was executed. Its supervisor has this process id, or 0 if that is not known; the
    /// pidfd of the supervisor is attached.
    Started { pid: u32 },
    /// The program could not be started.
    Failed {
        /// The error number of the operating system; 0 if the step has the whole reason.
        code: i32,
        /// The step that failed; empty if it was the execution of the program.
        step: String,
    },
    /// The program exited with this wait status.
    Exited { status: i32 },
    /// The supervisor kills the program for this violation.
    Killed { violation: Violation },
    /// No process of the program is left. Sent before the supervisor exits, because the kernel
    /// takes longer to remove its namespaces than a short program runs.
    Gone,
}

/// A control message of the server about a running program. Closing the socket kills all of its
/// processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Send this signal to the process group of the program.
    Signal(i32),
    /// Send SIGTERM to all processes of the program.
    Terminate,
}

impl StartRequest {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        let sandbox = &self.sandbox;
        out.bytes(self.program.as_bytes());
        out.list(self.argv.iter().map(|word| word.as_bytes()));
        out.list(self.env.iter().map(|variable| variable.as_bytes()));
        out.bytes(self.cwd.as_os_str().as_bytes());
        out.bytes(self.folder.as_os_str().as_bytes());
        out.number(self.open_files);
        for limit in [sandbox.memory_bytes, sandbox.processes, sandbox.temp_bytes] {
            out.number(limit);
        }
        let flags = [
            self.is_sandboxed,
            self.uses_namespaces,
            self.has_stdin,
            sandbox.network.is_granted(),
            sandbox.unix_sockets,
            sandbox.changes_metadata,
            sandbox.is_unrestricted,
            sandbox.is_watched,
        ];
        for flag in flags {
            out.0.push(flag.into());
        }
        let destinations = match &sandbox.network {
            NetworkAccess::Only(list) => list.iter().map(ToString::to_string).collect(),
            NetworkAccess::None | NetworkAccess::Internet => Vec::new(),
        };
        out.list(destinations.iter().map(String::as_bytes));
        for paths in [sandbox.read.as_slice(), &sandbox.write, &sandbox.protected, &self.granted] {
            out.list(paths.iter().map(|path| path.as_os_str().as_bytes()));
        }
        out.0
    }

    /// `None` if the bytes are not a complete request.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Decoder(bytes);
        let program = input.c_string()?;
        let argv = input.list(Decoder::c_string)?;
        let env = input.list(Decoder::c_string)?;
        let (cwd, folder) = (input.path()?, input.path()?);
        let (open_files, memory_bytes) = (input.number()?, input.number()?);
        let (processes, temp_bytes) = (input.number()?, input.number()?);
        let mut flags = [false; 8];
        for flag in &mut flags {
            *flag = input.flag()?;
        }
        let [
            is_sandboxed,
            uses_namespaces,
            has_stdin,
            has_network,
            unix_sockets,
            changes_metadata,
            is_unrestricted,
            is_watched,
        ] = flags;
        let destinations = input.list(Decoder::destination)?;
        let network = match (has_network, destinations.is_empty()) {
            (_, true) => has_network.into(),
            (true, false) => NetworkAccess::from_destinations(destinations).ok()?,
            // No encoder writes this. A request has exactly one encoding, see
            // `check_start_request`.
            (false, false) => return None,
        };
        let sandbox = Sandbox {
            // Plans alone need the level: the launcher process finds out itself what it can apply.
            level: SandboxLevel::None,
            network,
            unix_sockets,
            changes_metadata,
            is_unrestricted,
            is_watched,
            memory_bytes,
            processes,
            temp_bytes,
            read: input.list(Decoder::path)?,
            write: input.list(Decoder::path)?,
            protected: input.list(Decoder::path)?.into(),
            opened: OpenedPaths::default(),
        };
        let granted = input.list(Decoder::path)?;
        input.0.is_empty().then_some(Self {
            program,
            argv,
            env,
            cwd,
            folder,
            open_files,
            is_sandboxed,
            uses_namespaces,
            has_stdin,
            granted,
            sandbox,
        })
    }

    /// Whether the program is restricted at all.
    pub(crate) fn is_restricted(&self) -> bool {
        self.is_sandboxed && !self.sandbox.is_unrestricted
    }

    /// Whether the limits of all its processes together are enforced.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_restricted() && self.sandbox.is_watched
    }
}

/// Whether bytes are a request that the launcher process accepts, and whether encoding it gives the
/// same bytes. For fuzzing.
#[doc(hidden)]
pub fn check_start_request(bytes: &[u8]) -> Option<bool> {
    StartRequest::decode(bytes).map(|request| request.encode() == bytes)
}

impl ProcessReport {
    /// Appends it to a packet, which may have several replies. [`ProcessReport::Failed`] comes last, because
    /// its text has no length.
    pub(crate) fn encode_to(&self, packet: &mut Vec<u8>) {
        match self {
            Self::Started { pid } => {
                packet.push(1);
                packet.extend(pid.to_le_bytes());
            }
            Self::Failed { code, step } => {
                packet.push(2);
                packet.extend(code.to_le_bytes());
                packet.extend(step.as_bytes());
            }
            Self::Exited { status } => {
                packet.push(3);
                packet.extend(status.to_le_bytes());
            }
            Self::Gone => packet.push(4),
            Self::Listening => packet.push(5),
            Self::Killed { violation } => packet.extend([6, *violation as u8]),
        }
    }

    /// The replies of a packet; `None` if it is malformed.
    pub(crate) fn decode_all(mut bytes: &[u8]) -> Option<Vec<Self>> {
        let mut replies = Vec::new();
        while let Some((kind, rest)) = bytes.split_first() {
            let number = rest.split_first_chunk();
            let (reply, rest) = match (kind, number) {
                (1, Some((pid, rest))) => (Self::Started { pid: u32::from_le_bytes(*pid) }, rest),
                (2, Some((code, step))) => {
                    let step = String::from_utf8_lossy(step).into_owned();
                    // The text has no length, so it takes the rest of the packet.
                    (Self::Failed { code: i32::from_le_bytes(*code), step }, &[][..])
                }
                (3, Some((status, rest))) => {
                    (Self::Exited { status: i32::from_le_bytes(*status) }, rest)
                }
                (4, _) => (Self::Gone, rest),
                (5, _) => (Self::Listening, rest),
                (6, _) => {
                    let (violation, rest) = rest.split_first()?;
                    let violation = Violation::ALL.get(usize::from(*violation)).copied()?;
                    (Self::Killed { violation }, rest)
                }
                _ => return None,
            };
            replies.push(reply);
            bytes = rest;
        }
        Some(replies)
    }
}

impl Control {
    pub(crate) fn encode(self) -> [u8; 4] {
        match self {
            Self::Signal(number) => number.to_le_bytes(),
            // Zero is not a signal number, so it is free for this request.
            Self::Terminate => 0_i32.to_le_bytes(),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        match i32::from_le_bytes(bytes.try_into().ok()?) {
            0 => Some(Self::Terminate),
            number => Some(Self::Signal(number)),
        }
    }
}

/// One received packet.
pub(crate) struct Packet {
    pub(crate) bytes: Vec<u8>,
    pub(crate) descriptors: Vec<OwnedFd>,
}

/// Sends one packet. Never raises SIGPIPE.
pub(crate) fn send(
    socket: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
    flags: SendFlags,
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many descriptors in one packet"));
    }
    let flags = flags | SendFlags::NOSIGNAL;
    retry(|| sendmsg(&socket, &[IoSlice::new(bytes)], &mut control, flags))?;
    Ok(())
}

/// Receives one packet; `None` if the other side closed the socket. A packet that was truncated is an
/// error.
pub(crate) fn receive(
    socket: impl AsFd,
    max_bytes: usize,
    flags: RecvFlags,
) -> io::Result<Option<Packet>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = vec![0; max_bytes];
    // Close-on-exec from the start: a process that another thread starts meanwhile must not inherit the
    // descriptors.
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let received =
        retry(|| recvmsg(&socket, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags))?;
    let rights = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights),
        _ => None,
    });
    // Collected before the packet is checked, so that the descriptors of a rejected packet are closed.
    let descriptors: Vec<_> = rights.flatten().collect();
    // Neither side sends empty packets, so this is EOF.
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::other("a packet was truncated"));
    }
    bytes.truncate(received.bytes);
    Ok(Some(Packet { bytes, descriptors }))
}

fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> io::Result<T> {
    Ok(rustix::io::retry_on_intr(&mut call)?)
}

#[derive(Default)]
struct Encoder(Vec<u8>);

impl Encoder {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        let length = u32::try_from(length).expect("a request is far shorter than 4 GiB");
        self.0.extend(length.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend(bytes);
    }

    fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.length(items.len());
        for item in items {
            self.bytes(item);
        }
    }
}

struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn length(&mut self) -> Option<usize> {
        let (length, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        usize::try_from(u32::from_le_bytes(*length)).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        let (flag, rest) = self.0.split_first()?;
        self.0 = rest;
        match flag {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn c_string(&mut self) -> Option<CString> {
        CString::new(self.bytes()?).ok()
    }

    /// Only as it is written, so that there is one encoding of a request.
    fn destination(&mut self) -> Option<HostPort> {
        let text = std::str::from_utf8(self.bytes()?).ok()?;
        text.parse().ok().filter(|found: &HostPort| found.to_string() == text)
    }

    fn path(&mut self) -> Option<PathBuf> {
        Some(PathBuf::from(OsString::from_vec(self.bytes()?.to_vec())))
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // The buffer is not allocated ahead, because the length may be wrong.
        let length = self.length()?;
        (0..length).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, ProcessReport, Violation};

    #[test]
    fn replies_survive_the_wire() {
        let replies = [
            ProcessReport::Listening,
            ProcessReport::Started { pid: 7 },
            ProcessReport::Exited { status: 256 },
            ProcessReport::Killed { violation: Violation::TempFiles },
            ProcessReport::Gone,
            ProcessReport::Failed { code: 2, step: "step".to_owned() },
        ];
        let mut packet = Vec::new();
        replies.iter().for_each(|reply| reply.encode_to(&mut packet));
        assert_eq!(ProcessReport::decode_all(&packet).as_deref(), Some(&replies[..]));
        for control in [Control::Signal(2), Control::Terminate] {
            assert_eq!(Control::decode(&control.encode()), Some(control));
        }
        assert_eq!(ProcessReport::decode_all(&[]), Some(Vec::new()));
        assert_eq!(ProcessReport::decode_all(&[1, 0]), None);
        assert_eq!(ProcessReport::decode_all(&[4, 9]), None);
        assert_eq!(ProcessReport::decode_all(&[6, 4]), None);
    }
}
