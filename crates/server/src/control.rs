//! How other processes of the same user reach a running server: a socket in a private folder,
//! one command a connection. The command is a line, its first word the verb; the answer is all
//! that comes until the end.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder, Permissions},
    future::Future,
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    time::timeout,
};
use toolkit::BoxFuture;

/// The longest command.
const LONGEST: u64 = 64 << 10;

/// How long a caller may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);

type Verb = Box<dyn Fn(String) -> BoxFuture<'static, String> + Send + Sync>;

/// What a server can be told to do.
#[derive(Default)]
pub struct Verbs(HashMap<&'static str, Verb>);

impl Verbs {
    /// Adds a verb; its function is given the rest of the line and gives the answer.
    pub fn on<F, R>(mut self, verb: &'static str, act: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = String> + Send + 'static,
    {
        self.0.insert(verb, Box::new(move |rest| Box::pin(act(rest))));
        self
    }

    async fn obey(&self, command: &str) -> String {
        let (verb, rest) = command.trim().split_once(' ').unwrap_or((command.trim(), ""));
        match self.0.get(verb) {
            Some(act) => act(rest.trim().to_owned()).await,
            None => format!("error: unknown command `{}`", verb.escape_debug()),
        }
    }
}

/// A server that can only be told to reload.
impl<F: Fn() -> BoxFuture<'static, String> + Send + Sync + 'static> From<F> for Verbs {
    fn from(on_reload: F) -> Self {
        Self::default().on("reload", move |_| on_reload())
    }
}

/// Obeys whoever may open the socket at `path`, until dropped. A socket that nobody listens on any
/// more is replaced; one in use is an error. The socket is removed at the end.
pub async fn listen(path: &Path, verbs: impl Into<Verbs>) -> io::Result<()> {
    let verbs = Arc::new(verbs.into());
    let (listener, _socket) = bind(path).await?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(answer(stream, verbs.clone()))),
            // Out of descriptors, say: that passes.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Sends a command to the server at `path` and waits for its answer.
pub async fn send(path: &Path, command: &str) -> io::Result<String> {
    let mut stream = UnixStream::connect(path).await?;
    stream.write_all(format!("{}\n", command.replace('\n', " ")).as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

async fn answer(stream: UnixStream, verbs: Arc<Verbs>) {
    let (input, mut output) = stream.into_split();
    let mut command = String::new();
    let mut input = BufReader::new(input.take(LONGEST));
    if let Ok(Ok(1..)) = timeout(PATIENCE, input.read_line(&mut command)).await {
        let _ = output.write_all(verbs.obey(&command).await.as_bytes()).await;
    }
}

async fn bind(path: &Path) -> io::Result<(UnixListener, Socket)> {
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    if path.exists() {
        if UnixStream::connect(path).await.is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens here"));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let socket = Socket(path.to_owned());
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok((listener, socket))
}

/// Makes a folder for its owner only. One that is there already is not changed: it may be shared
/// for a reason, and is no place for the socket then.
fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
        let message =
            format!("others may enter `{}`; make it private with `chmod 700`", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

/// The socket's file, removed when nobody listens any more.
struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
