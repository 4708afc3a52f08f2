//! One of the pipes by which a worker prints.

use std::os::fd::AsFd;

use rustix::buffer::spare_capacity;
use tokio::io::{AsyncRead, AsyncReadExt};

/// As much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// A pipe, and what was read of it last.
pub(crate) struct Outlet<P> {
    /// Gone once it has ended.
    pipe: Option<P>,
    pub(crate) chunk: Vec<u8>,
}

impl<P: AsyncRead + AsFd + Unpin> Outlet<P> {
    pub(crate) fn new(pipe: Option<P>) -> Self {
        Self { pipe, chunk: Vec::new() }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Waits for more.
    pub(crate) async fn read(&mut self) {
        self.chunk.clear();
        self.chunk.reserve(CHUNK);
        let Some(pipe) = &mut self.pipe else { return };
        if !matches!(pipe.read_buf(&mut self.chunk).await, Ok(1..)) {
            self.pipe = None;
        }
    }

    /// Takes what is there, without waiting; says whether something was. The kernel is asked, rather
    /// than whoever watches the pipe, because the watcher may not have looked yet.
    pub(crate) fn read_now(&mut self) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        self.chunk.clear();
        self.chunk.reserve(CHUNK);
        rustix::io::read(pipe.as_fd(), spare_capacity(&mut self.chunk)).is_ok_and(|read| read > 0)
    }
}
