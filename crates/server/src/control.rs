//! The control socket: lets other processes of the same user send commands to a running server.
//!
//! A Unix socket in a private folder. Each connection carries one command: a line whose first word
//! is the command's name. The response is everything until EOF.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder, File, Permissions},
    future::Future,
    io,
    os::{
        fd::AsRawFd,
        unix::fs::{DirBuilderExt, PermissionsExt},
    },
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

/// Maximum length of a command, in bytes.
const MAX_COMMAND_BYTES: u64 = 64 << 10;

/// Timeout for a caller to send its command.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum length of the path of a Unix socket: `sun_path` without its final NUL, of Linux and of others.
const MAX_ADDRESS_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

type Command = Box<dyn Fn(String) -> BoxFuture<'static, String> + Send + Sync>;

/// The commands that a server accepts.
#[derive(Default)]
pub struct ControlCommands(HashMap<&'static str, Command>);

impl ControlCommands {
    /// Adds a command. Its function gets the rest of the line and returns the response.
    pub fn on<F, R>(mut self, name: &'static str, run: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = String> + Send + 'static,
    {
        self.0.insert(name, Box::new(move |rest| Box::pin(run(rest))));
        self
    }

    async fn run(&self, line: &str) -> String {
        let (name, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match self.0.get(name) {
            Some(run) => run(rest.trim().to_owned()).await,
            None => format!("error: unknown command `{}`", name.escape_debug()),
        }
    }
}

/// Commands of a server that only supports `reload`.
impl<F: Fn() -> BoxFuture<'static, String> + Send + Sync + 'static> From<F> for ControlCommands {
    fn from(on_reload: F) -> Self {
        Self::default().on("reload", move |_| on_reload())
    }
}

/// A bound control socket. Callers can connect from now on; they get a response once it is served.
pub struct ControlSocket(BoundSocket);

/// A socket that only its owner can connect to. Its file is removed on drop.
pub(crate) struct BoundSocket {
    pub(crate) listener: UnixListener,
    _file: SocketFile,
}

impl ControlSocket {
    /// Binds the socket at `path`. A stale socket is replaced; a socket in use is an error.
    pub async fn bind(path: &Path) -> io::Result<Self> {
        bind(path).await.map(Self)
    }

    /// Serves control commands until dropped, then removes the socket.
    pub async fn serve(self, commands: impl Into<ControlCommands>) {
        let commands = Arc::new(commands.into());
        loop {
            match self.0.listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(respond(stream, commands.clone()))),
                // Probably out of file descriptors: retry later.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }
}

/// Connects to the server at `path`. Removes the socket if no process listens on it: the server was
/// killed, and every later caller would try it again.
pub async fn connect(path: &Path) -> io::Result<UnixStream> {
    let connected = UnixStream::connect(ShortPath::of(path)?.as_path()).await;
    if let Err(error) = &connected
        && error.kind() == io::ErrorKind::ConnectionRefused
    {
        // Another caller may have removed it.
        let _ = fs::remove_file(path);
    }
    connected
}

/// Sends a command to the server at `path` and returns its response.
pub async fn send(path: &Path, command: &str) -> io::Result<String> {
    let mut stream = connect(path).await?;
    // One line is one command; a line break inside would cut it short.
    stream.write_all(format!("{}\n", command.replace('\n', " ")).as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response)
}

async fn respond(stream: UnixStream, commands: Arc<ControlCommands>) {
    let (input, mut output) = stream.into_split();
    let mut command = String::new();
    // Bounded, so that a caller cannot fill the memory of the server.
    let mut input = BufReader::new(input.take(MAX_COMMAND_BYTES));
    if let Ok(Ok(1..)) = timeout(READ_TIMEOUT, input.read_line(&mut command)).await {
        let _ = output.write_all(commands.run(&command).await.as_bytes()).await;
    }
}

/// Binds a socket. A stale socket file is replaced; a socket in use is an error.
pub(crate) async fn bind(path: &Path) -> io::Result<BoundSocket> {
    if let Some(folder) = path.parent() {
        create_private(folder)?;
    }
    // Only a living server accepts. The socket of one that was killed is removed.
    if connect(path).await.is_ok() {
        return Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "another server listens on this socket",
        ));
    }
    // The socket gets its name when it listens: a client that connected before would take it for that
    // of a killed server and remove it.
    let unnamed = path.with_extension(format!("new-{}", std::process::id()));
    let _ = fs::remove_file(&unnamed);
    let listener = UnixListener::bind(ShortPath::of(&unnamed)?.as_path())?;
    // The folder protects it already; the mode is for folders whose rights change later.
    fs::set_permissions(&unnamed, Permissions::from_mode(0o600))?;
    let named = fs::hard_link(&unnamed, path);
    let _ = fs::remove_file(&unnamed);
    named?;
    Ok(BoundSocket { listener, _file: SocketFile(path.to_owned()) })
}

/// Creates a folder that only its owner can enter. An existing folder is not changed, because it may
/// be shared on purpose; if it is, the socket must not be there.
fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
        let message = format!(
            "other users can enter `{}`; make it private with `chmod 700`",
            folder.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(())
}

/// A path that fits into the address of a socket, however deep the folder is.
struct ShortPath {
    path: PathBuf,
    /// Keeps the descriptor in `path` open.
    _folder: Option<File>,
}

impl ShortPath {
    fn of(path: &Path) -> io::Result<Self> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        if path.as_os_str().len() <= MAX_ADDRESS_BYTES {
            return Ok(Self { path: path.to_owned(), _folder: None });
        }
        if !cfg!(target_os = "linux") {
            return Err(io::Error::other(
                "the path of the state folder is too long for a socket; set XDG_STATE_HOME to a shorter one",
            ));
        }
        let folder = File::open(folder)?;
        let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        Ok(Self { path, _folder: Some(folder) })
    }

    fn as_path(&self) -> &Path {
        &self.path
    }
}

/// Removes the socket file when the server stops listening.
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
