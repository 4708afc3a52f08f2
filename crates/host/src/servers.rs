//! The running servers of this user, reached through their control sockets.
//!
//! A server listens on `control-PID-NAMESPACE.sock` in the state folder of its crib, where the
//! second part is the inode number of its PID namespace. The folder is the list: there is no
//! registry that could disagree with it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::future::join_all;
use runtime::operation::ServerId;
use server::control;
use tokio::time::timeout;

/// Reads definitions again.
pub const RELOAD: &str = "reload";
/// Applies changed flags.
pub const FLAGS: &str = "flags";
/// Reports the queue positions of pending operations.
pub const QUEUE: &str = "queue";

/// Timeout for a server to apply changed flags.
const FLAGS_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for a server to answer any other command. Reading 50,000 tools again takes 4 s.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The result of sending a command to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandReply {
    /// The text that it answered with.
    Answered(String),
    /// It did not answer in time; its process id, as far as the name of its socket tells. A process
    /// that is stopped still accepts connections.
    Silent(String),
}

/// The socket of this process for the crib with this state folder.
pub(crate) fn own_socket(crib_state: &Path) -> PathBuf {
    let server = ServerId::current();
    // Servers in containers that share the folder often have the same process id.
    let namespace = server.namespace.unwrap_or_default();
    crib_state.join(format!("control-{}-{namespace:x}.sock", server.process.pid))
}

/// The sockets of the servers of a crib, by the crib's state folder.
pub fn sockets_of(crib_state: &Path) -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let mut found: Vec<_> = entries(crib_state).filter(is_socket).collect();
    found.sort();
    found
}

/// Asks every other server of the user to apply changed flags, by the user's state folder.
pub async fn notify_flags_changed(state: &Path) {
    let own = own_socket(Path::new(""));
    // The name is unique to this process, which has applied the change already.
    let is_other = |socket: &PathBuf| socket.file_name() != own.file_name();
    let others: Vec<_> =
        entries(&state.join("cribs")).flat_map(|crib| sockets_of(&crib)).filter(is_other).collect();
    // A server that does not answer in time reads the flags at its next reload.
    send_within(&others, FLAGS, FLAGS_TIMEOUT).await;
}

/// Removes the sockets of servers of a crib that were killed.
pub(crate) async fn remove_dead_sockets(crib_state: &Path) {
    let sockets = sockets_of(crib_state);
    let checks = sockets.iter().map(|socket| timeout(FLAGS_TIMEOUT, control::connect(socket)));
    join_all(checks).await;
}

/// Sends a command to servers and returns their answers. Sockets without a listener are removed:
/// they belonged to servers that were killed.
pub async fn send(sockets: &[PathBuf], command: &str) -> Vec<CommandReply> {
    send_within(sockets, command, ANSWER_TIMEOUT).await
}

/// Sends to all servers at once, so that one that does not answer delays no other.
pub(crate) async fn send_within(
    sockets: &[PathBuf],
    command: &str,
    limit: Duration,
) -> Vec<CommandReply> {
    let requests = sockets.iter().map(async |socket| {
        match timeout(limit, control::send(socket, command)).await {
            Ok(answer) => answer.ok().map(CommandReply::Answered),
            Err(_) => Some(CommandReply::Silent(process_of(socket))),
        }
    });
    join_all(requests).await.into_iter().flatten().collect()
}

/// The process id in the name of a socket.
fn process_of(socket: &Path) -> String {
    let name = socket.file_stem().unwrap_or_default().to_string_lossy();
    name.split('-').nth(1).unwrap_or(&name).to_owned()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
