//! The control socket: private, one command per connection, and no obstacle for the next server.

use std::{
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::Path,
};

use server::control::{ControlCommands, ControlSocket, send};
use tokio::task::JoinHandle;

async fn start_control_socket(path: &Path, commands: ControlCommands) -> JoinHandle<()> {
    let socket = ControlSocket::bind(path).await.expect("the socket opens");
    tokio::spawn(socket.serve(commands))
}

#[tokio::test]
async fn runs_known_commands_and_reports_unknown_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state/control.sock");
    let commands = ControlCommands::default()
        .on("reload", async |_| "reloaded\n2 tools".to_owned())
        .on("approve", async |id| format!("approved `{id}`"));
    let server = start_control_socket(&path, commands).await;
    assert_eq!(send(&path, "reload").await.expect("an answer"), "reloaded\n2 tools");
    assert_eq!(send(&path, "approve  a b ").await.expect("an answer"), "approved `a b`");
    assert_eq!(
        send(&path, "explode").await.expect("an answer"),
        "error: unknown command `explode`"
    );
    server.abort();
}

#[tokio::test]
async fn accepts_a_reload_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state/control.sock");
    let on_reload =
        || -> toolkit::BoxFuture<'static, String> { Box::pin(async { "done".to_owned() }) };
    let server = start_control_socket(&path, on_reload.into()).await;
    assert_eq!(send(&path, "reload").await.expect("an answer"), "done");
    server.abort();
}

#[tokio::test]
async fn only_the_owner_can_access_the_socket() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state/control.sock");
    let server = start_control_socket(&path, ControlCommands::default()).await;
    let mode =
        |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().expect("a folder")), 0o700);
    server.abort();
    let _ = server.await;
    assert!(!path.exists(), "it goes with the server");
}

#[tokio::test]
async fn replaces_a_stale_socket_but_not_one_in_use() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state/control.sock");
    let mut private = std::fs::DirBuilder::new();
    private.mode(0o700).create(path.parent().expect("a folder")).expect("made");
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists(), "left behind");
    let server = start_control_socket(&path, ControlCommands::default()).await;
    let second = ControlSocket::bind(&path).await.err().expect("in use");
    assert_eq!(second.kind(), std::io::ErrorKind::AddrInUse);
    assert!(send(&path, "x").await.is_ok(), "the first continues");
    server.abort();
}

#[tokio::test]
async fn refuses_a_folder_that_others_can_enter_and_keeps_its_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let shared = folder.path().join("shared");
    std::fs::create_dir(&shared).expect("made");
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o755)).expect("changed");
    let refused = ControlSocket::bind(&shared.join("control.sock")).await;
    let refused = refused.err().expect("not private");
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    assert_eq!(std::fs::metadata(&shared).expect("there").permissions().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn works_in_a_folder_too_deep_for_a_socket_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/".repeat(30)).join("control.sock");
    let server = start_control_socket(&path, ControlCommands::default()).await;
    assert_eq!(send(&path, "x").await.expect("an answer"), "error: unknown command `x`");
    let second = ControlSocket::bind(&path).await.err().expect("in use");
    assert_eq!(second.kind(), std::io::ErrorKind::AddrInUse);
    server.abort();
    let _ = server.await;
    assert!(!path.exists(), "it goes with the server");
}
