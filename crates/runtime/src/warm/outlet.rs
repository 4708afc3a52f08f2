//! A pipe by which a worker says something.
//!
//! It is watched only while somebody sleeps until more comes. Otherwise each message would wake the
//! watcher, and to wake a sleeping core may take longer than a call.

use std::{io, os::fd::OwnedFd};

use rustix::{
    buffer::spare_capacity,
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};
use tokio::net::unix::pipe::Receiver;

/// As much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// A pipe, and what was read of it.
pub(crate) struct Outlet {
    pipe: OwnedFd,
    is_open: bool,
    pub(crate) unread: Vec<u8>,
}

impl Outlet {
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        Ok(Self { pipe, is_open: true, unread: Vec::new() })
    }

    /// Whether more may come.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Waits for more and takes it, unless there will be no more.
    pub(crate) async fn read(&mut self) {
        while !self.read_now() && self.is_open {
            self.is_open = self.wait().await.is_ok();
        }
    }

    async fn wait(&self) -> io::Result<()> {
        Receiver::from_owned_fd(self.pipe.try_clone()?)?.readable().await
    }

    /// Takes what is there, without waiting; says whether something was.
    pub(crate) fn read_now(&mut self) -> bool {
        self.unread.reserve(CHUNK);
        let read = rustix::io::read(&self.pipe, spare_capacity(&mut self.unread));
        self.is_open = matches!(read, Ok(1..) | Err(Errno::AGAIN | Errno::INTR));
        matches!(read, Ok(1..))
    }

    /// Done with what was read, but for the memory of it.
    pub(crate) fn clear(&mut self) {
        self.unread.clear();
    }
}
