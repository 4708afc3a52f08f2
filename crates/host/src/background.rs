//! The background server of a crib: `toolcrib up` starts it, `toolcrib serve` joins it.

use std::{
    ffi::OsString,
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::PathBuf,
    time::Duration,
};

pub use server::background::{BackgroundSocket, Joined, Status};
use server::background::{Request, ask, join};
use tokio::time::{Instant, sleep};
use workspace::Crib;

/// The extension differs from `.sock`, which marks control sockets.
const SOCKET: &str = "background.socket";
const LOG: &str = "background.log";
/// When the server starts, a larger log is truncated.
const MAX_LOG_BYTES: u64 = 4 << 20;
/// Timeout for a server to start or to stop.
const TIMEOUT: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// The version, which must be the same on both sides.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A handle to the background server of a crib, which may not be running.
pub struct Background {
    state: PathBuf,
}

impl Background {
    /// The background server of this crib.
    pub fn of(crib: &Crib) -> Self {
        Self { state: crib.state_folder() }
    }

    /// The path of the log file.
    pub fn log_file(&self) -> PathBuf {
        self.state.join(LOG)
    }

    /// Binds the socket, as the first step of the server.
    pub async fn bind(&self) -> io::Result<BackgroundSocket> {
        BackgroundSocket::bind(&self.socket()).await
    }

    /// Queries the status; `None` if the server is not running.
    pub async fn status(&self) -> io::Result<Option<Status>> {
        ask(&self.socket(), VERSION, Request::Status).await
    }

    /// Joins the server; `None` if it is not running.
    pub async fn join(&self) -> io::Result<Option<Joined>> {
        join(&self.socket(), VERSION).await
    }

    /// Starts the server with this command line and waits until it answers. `None` if it exited or
    /// timed out; the log has the reason.
    pub async fn start(&self, arguments: &[OsString]) -> io::Result<Option<Status>> {
        let mut child = runtime::start_background(arguments, self.open_log()?)?;
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.status().await? {
                return Ok(Some(status));
            }
            if child.has_ended() || Instant::now() > deadline {
                // The process exits if another process has just started the server.
                return self.status().await;
            }
            sleep(POLL).await;
        }
    }

    /// Stops the server and waits until it has exited. Returns its last status; `None` if it was
    /// not running.
    pub async fn stop(&self) -> io::Result<Option<Status>> {
        let Some(status) = ask(&self.socket(), VERSION, Request::Stop).await? else {
            return Ok(None);
        };
        let deadline = Instant::now() + TIMEOUT;
        // While it shuts down, it still holds its socket but does not answer, so a status request
        // fails.
        while !matches!(self.status().await, Ok(None)) {
            if Instant::now() > deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            sleep(POLL).await;
        }
        Ok(Some(status))
    }

    fn socket(&self) -> PathBuf {
        self.state.join(SOCKET)
    }

    fn open_log(&self) -> io::Result<File> {
        let path = self.log_file();
        DirBuilder::new().recursive(true).mode(0o700).create(&self.state)?;
        let log = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        if log.metadata()?.len() > MAX_LOG_BYTES {
            log.set_len(0)?;
        }
        Ok(log)
    }
}
