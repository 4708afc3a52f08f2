//! The command to start: program, arguments, environment, files and restrictions.

use std::{ffi::OsString, fmt, path::Path, sync::Arc};

use serde::{Serialize, Serializer};

use crate::sandbox::Sandbox;

/// Everything that determines how a child process is started.
#[derive(Clone, Debug)]
pub struct Command {
    /// A name for logs. Private folders are reused only between commands with the same label.
    pub label: String,
    /// The path of the executable.
    pub program: String,
    /// The program's name as it will see it (`argv[0]`), then its arguments.
    pub argv: Vec<Word>,
    /// The working directory.
    pub cwd: String,
    /// The whole environment, except for [`private_variables`].
    pub env: Vec<(String, String)>,
    /// Text for standard input, which is closed afterwards. Without it, standard input is empty.
    pub stdin: Option<String>,
    /// Files to create in the private folder before the start, by name and content.
    pub files: Vec<(String, String)>,
    /// Files of the machine that are copied to the private folder before the start.
    pub copies: PrivateCopies,
    /// Named pipes to create in the private folder before the start.
    pub pipes: Vec<String>,
    /// The sandbox of the process.
    pub sandbox: Sandbox,
}

impl Command {
    /// The path of the executable, if the private folder is `folder`.
    pub(crate) fn program_in(&self, folder: &Path) -> OsString {
        match &self.copies.program {
            Some(name) => folder.join(name).into(),
            None => self.program.clone().into(),
        }
    }

    /// The arguments, with the paths of files in the private folder.
    pub(crate) fn argv_in(&self, folder: &Path) -> impl Iterator<Item = OsString> {
        self.argv.iter().map(|word| match word {
            Word::Text(text) => text.clone().into(),
            Word::File { prefix, name } => {
                let mut word = OsString::from(prefix);
                word.push(folder.join(name));
                word
            }
        })
    }

    /// The whole environment. The variables in `more` replace others.
    pub(crate) fn env_in<'c>(
        &'c self,
        folder: &Path,
        more: &'c [(String, String)],
    ) -> impl Iterator<Item = (&'c str, OsString)> {
        let is_replaced = |name: &str| more.iter().any(|(other, _)| other == name);
        let own = self.env.iter().filter(move |(name, _)| !is_replaced(name)).chain(more);
        let private = private_variables(&self.env);
        own.map(|(name, value)| (name.as_str(), OsString::from(value)))
            .chain(private.map(|name| (name, folder.into())))
    }
}

/// Copies of programs and scripts that nothing but the command itself can change.
#[derive(Clone, Debug, Default)]
pub struct PrivateCopies {
    /// The paths in the private folder, and the contents.
    pub files: Vec<(String, Arc<[u8]>)>,
    /// The copy that is executed in place of the program.
    pub program: Option<String>,
}

/// One argument of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// A literal argument.
    Text(String),
    /// The path of a file in the private folder, which is known only at the start.
    File {
        /// Text before the path, such as `--file=`.
        prefix: String,
        /// The name of the file in the private folder.
        name: String,
    },
}

impl Word {
    /// An upper bound of the length in bytes: the path of the private folder is not known yet.
    pub fn max_len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::File { prefix, name } => prefix.len() + name.len() + 256,
        }
    }

    /// Whether it contains a NUL byte, which cannot be passed to a program.
    pub fn contains_nul(&self) -> bool {
        matches!(self, Self::Text(text) if text.contains('\0'))
    }

    /// The word with `before` prepended.
    pub fn with_prefix(self, before: &str) -> Self {
        match self {
            Self::Text(text) => Self::Text(format!("{before}{text}")),
            Self::File { prefix, name } => Self::File { prefix: format!("{before}{prefix}"), name },
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::File { prefix, name } => write!(f, "{prefix}$TMPDIR/{name}"),
        }
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The variables that are set to the private folder at the start: `TMPDIR` always, `HOME` if the
/// environment does not set it.
pub fn private_variables(environment: &[(String, String)]) -> impl Iterator<Item = &'static str> {
    let has_home = environment.iter().any(|(name, _)| name == "HOME");
    std::iter::once("TMPDIR").chain((!has_home).then_some("HOME"))
}
