//! The reading end of a worker's pipe.
//!
//! The pipe is registered with the event loop only while a call waits for it. If it were always
//! registered, each message would wake the thread that polls the event loop, and waking a sleeping
//! core can take longer than a call.

use std::{io, os::fd::OwnedFd};

use rustix::{
    buffer::spare_capacity,
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};
use tokio::net::unix::pipe::Receiver;

/// The capacity of a pipe on Linux.
const PIPE_BYTES: usize = 64 * 1024;

/// The reading end of a worker's pipe, with a buffer.
pub(crate) struct WorkerPipe {
    fd: OwnedFd,
    is_open: bool,
    pub(crate) buffer: Vec<u8>,
}

impl WorkerPipe {
    /// Makes the pipe non-blocking.
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&fd, fcntl_getfl(&fd)? | OFlags::NONBLOCK)?;
        Ok(Self { fd, is_open: true, buffer: Vec::new() })
    }

    /// False after EOF or a read error.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Reads into the buffer as soon as there is something to read. Returns without reading at EOF.
    pub(crate) async fn read(&mut self) {
        while !self.try_read() && self.is_open {
            self.is_open = self.wait_readable().await.is_ok();
        }
    }

    async fn wait_readable(&self) -> io::Result<()> {
        // The copy is registered with the event loop, and unregistered when it is dropped.
        Receiver::from_owned_fd(self.fd.try_clone()?)?.readable().await
    }

    /// Reads into the buffer without waiting. Returns whether there was something to read.
    pub(crate) fn try_read(&mut self) -> bool {
        self.buffer.reserve(PIPE_BYTES);
        let read = rustix::io::read(&self.fd, spare_capacity(&mut self.buffer));
        // `AGAIN` is an empty pipe and `INTR` a signal during the read; zero bytes are EOF.
        self.is_open = matches!(read, Ok(1..) | Err(Errno::AGAIN | Errno::INTR));
        matches!(read, Ok(1..))
    }

    /// Clears the buffer and keeps its allocation.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
    }
}
