//! Memory that the kernel allocates on behalf of a program and that belongs to none of its mappings: queues
//! of sockets and pipes, and System V messages and semaphores. A few megabytes of system calls fill
//! gigabytes of it.

use std::{
    collections::HashSet,
    fs::{self, DirEntry},
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    io::ioctl_fionread,
    net::{AddressFamily, sockopt::socket_domain},
    pipe::fcntl_getpipe_size,
    process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open},
};

use super::raw;

/// Memory that one queued byte takes at most: the smallest packet takes 768 bytes, and more in some kernels.
const MAX_OVERHEAD: u64 = 1280;

/// The default size of a socket's buffer, in bytes.
const DEFAULT_BUFFER: u64 = 212_992;

/// The size of a System V semaphore and of the header of a message, aligned to cache lines.
const SMALL_OBJECT: u64 = 64;

/// The queues of sockets and pipes that some processes have open.
pub(super) struct Queues {
    known: HashSet<Vec<u8>>,
    largest_buffer: u64,
    sent: u64,
    received: u64,
    pipes: u64,
}

impl Queues {
    pub(super) fn new() -> Self {
        // Writing to a socket is limited by its own buffer, which is twice what a program asks for.
        let largest = fs::read_to_string("/proc/sys/net/core/wmem_max").unwrap_or_default();
        let largest = largest.trim().parse().unwrap_or(0);
        let largest_buffer = DEFAULT_BUFFER.max(largest) * 2;
        Self { known: HashSet::new(), largest_buffer, sent: 0, received: 0, pipes: 0 }
    }

    /// Adds the queue behind a descriptor, an entry of `/proc/PID/fd` with the target `name`, unless it is
    /// known already.
    pub(super) fn add(&mut self, pid: u32, descriptor: &DirEntry, name: &[u8]) {
        let is_pipe = name.starts_with(b"pipe:");
        if !is_pipe && !name.starts_with(b"socket:") || !self.known.insert(name.to_owned()) {
            return;
        }
        match (duplicate(pid, descriptor), is_pipe) {
            (Some(pipe), true) => {
                let is_empty = ioctl_fionread(&pipe).is_ok_and(|queued| queued == 0);
                let capacity = fcntl_getpipe_size(&pipe).unwrap_or_default();
                self.pipes += if is_empty { 0 } else { u64::try_from(capacity).unwrap_or(0) };
            }
            (Some(socket), false) => self.add_socket(&socket),
            // A program that forbids to inspect it could have any queue.
            (None, false) => self.received += DEFAULT_BUFFER,
            (None, true) => {}
        }
    }

    fn add_socket(&mut self, socket: &OwnedFd) {
        // The kernel limits the buffers of Internet sockets for all programs together.
        if socket_domain(socket).is_ok_and(|family| family != AddressFamily::UNIX) {
            return;
        }
        // What was sent counts with its overhead. If the sender was closed, only the receiver is left, which
        // counts bytes without it.
        self.sent += raw::count_sent(socket.as_fd());
        let queued = ioctl_fionread(socket).unwrap_or_default();
        self.received += queued.saturating_mul(MAX_OVERHEAD).min(self.largest_buffer).max(queued);
    }

    /// The memory of all of them, in bytes. Usually both ends are open, so the same packets were counted
    /// twice.
    pub(super) fn bytes(&self) -> u64 {
        self.sent.max(self.received) + self.pipes
    }
}

fn duplicate(pid: u32, descriptor: &DirEntry) -> Option<OwnedFd> {
    let number = descriptor.file_name().to_str()?.parse().ok()?;
    let process = pidfd_open(Pid::from_raw(pid.cast_signed())?, PidfdFlags::empty()).ok()?;
    pidfd_getfd(process, number, PidfdGetfdFlags::empty()).ok()
}

/// The bytes of System V messages and semaphores in this ipc namespace.
pub(super) fn count_messages_and_semaphores() -> u64 {
    let read = |name: &str| fs::read_to_string(format!("/proc/sysvipc/{name}")).unwrap_or_default();
    // The columns are `cbytes` and `qnum` of messages, and `nsems` of semaphores.
    let messages = sum_rows(&read("msg"), |row| match row {
        [_, _, _, bytes, messages, ..] => bytes + (messages + 1) * SMALL_OBJECT,
        _ => 0,
    });
    let semaphores = sum_rows(&read("sem"), |row| match row {
        [_, _, _, semaphores, ..] => (semaphores + 1) * SMALL_OBJECT,
        _ => 0,
    });
    messages + semaphores
}

/// Adds up the rows of a table, of which the first line has the names. Negative numbers count as 0.
fn sum_rows(table: &str, count: fn(&[u64]) -> u64) -> u64 {
    let rows = table.lines().skip(1).map(|line| {
        line.split_whitespace().map(|number| number.parse().unwrap_or(0)).collect::<Vec<_>>()
    });
    rows.map(|row| count(&row)).sum()
}
