//! The servers that run now, as other processes of the same user reach them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::future::join_all;
use server::control;
use tokio::time::timeout;

/// How long servers may take to follow flags before they are left to it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What tells a server that flags have changed.
pub(crate) const FLAGS: &str = "flags";

/// The socket on which this process listens for a crib.
pub(crate) fn own(crib_state: &Path) -> PathBuf {
    crib_state.join(format!("control-{}.sock", std::process::id()))
}

/// The sockets of the servers of a crib, by the crib's state folder.
pub(crate) fn of_crib(crib_state: &Path) -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let mut found: Vec<_> = entries(crib_state).filter(is_socket).collect();
    found.sort();
    found
}

/// Tells every other server of the user that flags have changed, by the user's state folder.
pub(crate) async fn flags_changed(state: &Path) {
    let own = own(Path::new(""));
    let is_other = |socket: &PathBuf| socket.file_name() != own.file_name();
    let others: Vec<_> =
        entries(&state.join("cribs")).flat_map(|crib| of_crib(&crib)).filter(is_other).collect();
    // One that is stuck finds out when it reads flags again.
    let _ = timeout(PATIENCE, tell(&others, FLAGS)).await;
}

/// Tells servers something, and gives the answers of those that are there. A socket without a
/// server behind it was left by one that was killed.
pub(crate) async fn tell(sockets: &[PathBuf], command: &str) -> Vec<String> {
    let asked = sockets.iter().map(|socket| control::send(socket, command));
    join_all(asked).await.into_iter().filter_map(Result::ok).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
