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

/// Not `.sock`, which are control sockets.
const SOCKET: &str = "background.socket";
const LOG: &str = "background.log";
/// A longer log is emptied when the server starts.
const MAX_LOG_BYTES: u64 = 4 << 20;
/// How long a server may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// The version that both sides must have.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The background server of a crib, whether or not it runs.
pub struct Background {
    state: PathBuf,
}

impl Background {
    /// The background server of this crib.
    pub fn of(crib: &Crib) -> Self {
        Self { state: crib.state_folder() }
    }

    /// The file with its log.
    pub fn log_file(&self) -> PathBuf {
        self.state.join(LOG)
    }

    /// Binds its socket: what the server itself does first.
    pub async fn bind(&self) -> io::Result<BackgroundSocket> {
        BackgroundSocket::bind(&self.socket()).await
    }

    /// Its status; `None` if it does not run.
    pub async fn status(&self) -> io::Result<Option<Status>> {
        ask(&self.socket(), VERSION, Request::Status).await
    }

    /// Joins it; `None` if it does not run.
    pub async fn join(&self) -> io::Result<Option<Joined>> {
        join(&self.socket(), VERSION).await
    }

    /// Starts it with this command line, and waits until it answers. `None` if it ended or did not answer in
    /// time: its log has the reason.
    pub async fn start(&self, arguments: &[OsString]) -> io::Result<Option<Status>> {
        let mut child = runtime::start_background(arguments, self.open_log()?)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.status().await? {
                return Ok(Some(status));
            }
            if child.has_ended() || Instant::now() > deadline {
                // Another process may have started one at the same moment.
                return self.status().await;
            }
            sleep(POLL).await;
        }
    }

    /// Stops it, and waits until it is gone. Returns what it was; `None` if it did not run.
    pub async fn stop(&self) -> io::Result<Option<Status>> {
        let Some(status) = ask(&self.socket(), VERSION, Request::Stop).await? else {
            return Ok(None);
        };
        let deadline = Instant::now() + PATIENCE;
        // While it stops, it holds its socket and answers nothing, which is an error here.
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
