//! The servers that run now, as other processes of the same user reach them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::future::join_all;
use server::control;
use tokio::time::timeout;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

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

/// The sockets of the servers of every crib, by the user's state folder.
pub(crate) fn of_all(state: &Path) -> Vec<PathBuf> {
    entries(&state.join("cribs")).flat_map(|crib| of_crib(&crib)).collect()
}

/// Tells servers something, and gives the answers of those that are there. A socket without a
/// server behind it was left by one that was killed.
pub(crate) async fn tell(sockets: &[PathBuf], command: &str) -> Vec<String> {
    let asked = sockets.iter().map(|socket| timeout(PATIENCE, control::send(socket, command)));
    join_all(asked).await.into_iter().filter_map(|answer| answer.ok()?.ok()).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
