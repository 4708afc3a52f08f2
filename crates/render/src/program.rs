//! The command of a program that a render needs: R itself, or one that starts a container.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{Failure, failures};
use process::{
    Command, PrivateCopies, Sandbox, SandboxLevel, Word, r_libraries, r_variables, sandbox_level,
    search_path,
};

use crate::RenderHost;

/// A program that a render needs, with its access rights.
pub(crate) struct RenderProgram<'a> {
    /// The name, for logs and as `argv[0]`.
    pub(crate) name: &'a str,
    pub(crate) program: PathBuf,
    /// The arguments after the name.
    pub(crate) words: Vec<String>,
    /// The working directory.
    pub(crate) folder: PathBuf,
    /// Variables beyond the usual ones.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) input: Input,
    pub(crate) network: Network,
    /// Readable paths beyond the system's folders and those the operator configured.
    pub(crate) read: Vec<PathBuf>,
    /// Writable paths, besides its private temporary folder.
    pub(crate) write: Vec<PathBuf>,
    pub(crate) memory_bytes: u64,
}

/// Whether stdin is a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Closed,
    Piped,
}

/// Whether a program may open sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Denied,
    Allowed,
}

impl RenderProgram<'_> {
    /// A program with minimal rights: R packages and TeX of the user are readable, nothing is
    /// writable.
    pub(crate) fn new(host: &RenderHost, memory_bytes: u64) -> Self {
        Self {
            name: "",
            program: PathBuf::new(),
            words: Vec::new(),
            folder: PathBuf::from("/"),
            variables: Vec::new(),
            input: Input::Closed,
            network: Network::Denied,
            read: user_libraries(&host.environment),
            write: Vec::new(),
            memory_bytes,
        }
    }
}

/// Builds the command of a program. It sees neither the crib nor the home of the user, because the
/// code of a document is not trusted.
pub(crate) fn build_command(
    host: &RenderHost,
    wanted: RenderProgram<'_>,
) -> Result<Command, Failure> {
    let words = std::iter::once(wanted.name.to_owned()).chain(wanted.words);
    let mut added = r_variables(&host.environment);
    added.extend(wanted.variables);
    let is_kept = |name: &str| {
        !matches!(name, "HOME" | "TMPDIR") && !added.iter().any(|(other, _)| other == name)
    };
    let mut env: Vec<_> =
        host.environment.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
    env.extend(added);
    let mut read = wanted.read;
    read.extend(host.read.iter().cloned().chain(search_path(&host.environment)));
    let real = wanted.program.canonicalize().unwrap_or_else(|_| wanted.program.clone());
    read.extend(real.parent().map(Path::to_owned));
    Ok(Command {
        label: wanted.name.to_owned(),
        program: failures::utf8_path(&wanted.program)?,
        argv: words.map(Word::Text).collect(),
        cwd: failures::utf8_path(&wanted.folder)?,
        env,
        // An empty text opens the pipe; the caller writes to it.
        stdin: (wanted.input == Input::Piped).then(String::new),
        files: Vec::new(),
        copies: PrivateCopies::default(),
        pipes: Vec::new(),
        sandbox: Sandbox {
            level: if host.is_sandboxed { sandbox_level() } else { SandboxLevel::None },
            network: (wanted.network == Network::Allowed).into(),
            read,
            write: wanted.write,
            memory_bytes: wanted.memory_bytes,
            // A render has limits of its own, which include the folder of its documents.
            processes: u64::MAX,
            temp_bytes: u64::MAX,
            is_watched: false,
            opened: host.opened.clone(),
            protected: Arc::default(),
            // Only Docker Compose has network access, and it talks to the socket of the daemon.
            unix_sockets: wanted.network == Network::Allowed,
            // A document is written by a model, and its renderer copes without.
            changes_metadata: false,
            is_unrestricted: false,
        },
    })
}

/// R packages and TeX that the user has installed.
fn user_libraries(environment: &[(String, String)]) -> Vec<PathBuf> {
    let home = environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
    let tex = home.and_then(|home| home.join(".TinyTeX").canonicalize().ok());
    let tex = tex.filter(|folder| folder.is_dir());
    r_libraries(environment).into_iter().chain(tex).collect()
}
