//! The command of a program that a render needs: R itself, or one that starts a container.

use std::path::{Path, PathBuf};

use catalog::Failure;
use process::{Command, Sandbox, Word};

use super::{program, r, sandbox, utf8, variables};
use crate::Settings;

/// A program that a render needs, and what it may touch.
pub(crate) struct RenderProgram<'a> {
    /// Its name, for logs.
    pub(crate) name: &'a str,
    pub(crate) program: PathBuf,
    /// What follows its name.
    pub(crate) words: Vec<String>,
    /// Where it runs.
    pub(crate) folder: PathBuf,
    /// Variables beside the usual ones.
    pub(crate) variables: Vec<(String, String)>,
    /// Whether something is written to it.
    pub(crate) input: Input,
    pub(crate) network: Network,
    /// What it may read beyond the system's folders and what the operator named.
    pub(crate) read: Vec<PathBuf>,
    /// What it may write; its private temporary folder comes on top.
    pub(crate) write: Vec<PathBuf>,
    pub(crate) memory_bytes: u64,
}

/// Whether a program is written to.
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
    /// One that may do little, in no folder of anybody's.
    pub(crate) fn new(settings: &Settings, memory_bytes: u64) -> Self {
        Self {
            name: "",
            program: PathBuf::new(),
            words: Vec::new(),
            folder: PathBuf::from("/"),
            variables: Vec::new(),
            input: Input::Closed,
            network: Network::Denied,
            read: libraries(settings),
            write: Vec::new(),
            memory_bytes,
        }
    }
}

/// The command of a program that a render needs. It sees neither the crib nor anybody's home.
pub(crate) fn renderer_command(
    settings: &Settings,
    wanted: RenderProgram<'_>,
) -> Result<Command, Failure> {
    let words = std::iter::once(wanted.name.to_owned()).chain(wanted.words);
    let mut env = variables::environment(
        settings,
        r::added(settings).into_iter().chain(wanted.variables).collect(),
    );
    env.retain(|(name, _)| name != "HOME");
    let mut read = wanted.read;
    read.extend(settings.read.iter().cloned().chain(program::folders(settings)));
    let real = wanted.program.canonicalize().unwrap_or_else(|_| wanted.program.clone());
    read.extend(real.parent().map(Path::to_owned));
    Ok(Command {
        label: wanted.name.to_owned(),
        program: utf8(&wanted.program)?,
        argv: words.map(Word::Text).collect(),
        cwd: utf8(&wanted.folder)?,
        env,
        // The caller writes to it.
        stdin: (wanted.input == Input::Piped).then(String::new),
        files: Vec::new(),
        pipes: Vec::new(),
        sandbox: Sandbox {
            enforced: sandbox::is_enforced(settings),
            network: wanted.network == Network::Allowed,
            read: sandbox::distinct(read),
            write: wanted.write,
            memory_bytes: wanted.memory_bytes,
            caller_paths: Vec::new(),
            is_unrestricted: false,
        },
    })
}

/// Packages and TeX of the user's own.
fn libraries(settings: &Settings) -> Vec<PathBuf> {
    let home = settings
        .environment
        .iter()
        .find(|(name, _)| name == "HOME")
        .map(|(_, home)| Path::new(home));
    let tex = home.map(|home| home.join(".TinyTeX")).filter(|folder| folder.is_dir());
    r::libraries(settings).into_iter().chain(tex).collect()
}
