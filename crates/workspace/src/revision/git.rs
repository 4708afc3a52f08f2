//! Runs git in one repository, without user interaction, network access or writes.

use std::path::{Path, PathBuf};

use catalog::ErrorType;
use runtime::{ProgramOutput, ProgramRequest, Settings};

use super::RevisionError;
use crate::Environment;

/// The maximum size of a list of files, in bytes.
pub(super) const MAX_LIST_BYTES: u64 = 64 << 20;

/// Variables that locate the repository. Git sets them for hooks.
const VARIABLES: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "XDG_CONFIG_HOME",
];

/// Keeps git from asking for passwords, from fetching the missing objects of a partial clone, and
/// from refreshing the index.
const FIXED: [(&str, &str); 3] =
    [("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0")];

/// The installed git, for one repository.
pub(super) struct Git {
    settings: Settings,
}

impl Git {
    pub(super) fn new(folder: &Path, environment: &Environment) -> Self {
        let mut settings = Settings::new(folder.to_owned());
        settings.temp = environment.temp_folder();
        settings.environment = environment.child_variables(&VARIABLES.map(str::to_owned));
        settings.environment.extend(FIXED.map(|(name, value)| (name.to_owned(), value.to_owned())));
        // The objects of a repository can be anywhere (worktrees, alternates), and git maps whole
        // packs into memory, which counts as address space.
        settings.read = vec![PathBuf::from("/")];
        settings.memory_bytes = 1 << 40;
        Self { settings }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.settings.crib
    }

    /// Resolves a name to an object id. An unknown name is an exit code without a message.
    pub(super) async fn resolve(&self, name: String) -> Result<ProgramOutput, RevisionError> {
        // `--end-of-options`, because the name comes from the command line and may start with `-`.
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        self.run(&arguments, None, MAX_LIST_BYTES).await
    }

    /// Runs git and returns the first line of its output. A nonzero exit code is an error.
    pub(super) async fn run_for_line(&self, arguments: &[&str]) -> Result<String, RevisionError> {
        Ok(first_line(&self.run_checked(arguments, None, MAX_LIST_BYTES).await?.stdout))
    }

    /// Runs git. A nonzero exit code is an error.
    pub(super) async fn run_checked(
        &self,
        arguments: &[&str],
        stdin: Option<String>,
        max_bytes: u64,
    ) -> Result<ProgramOutput, RevisionError> {
        let output = self.run(arguments, stdin, max_bytes).await?;
        if output.code == Some(0) {
            Ok(output)
        } else {
            Err(RevisionError::Git(format!("git: {}", output.stderr)))
        }
    }

    async fn run(
        &self,
        arguments: &[&str],
        stdin: Option<String>,
        max_bytes: u64,
    ) -> Result<ProgramOutput, RevisionError> {
        // A configured fsmonitor is a program that git would start.
        let global = ["--no-pager", "-c", "core.fsmonitor=false"];
        let arguments = global.iter().chain(arguments).map(|word| (*word).to_owned()).collect();
        let request = ProgramRequest { program: "git", arguments, stdin, max_bytes };
        runtime::run_program(&self.settings, request).await.map_err(|failure| {
            match failure.error_type {
                ErrorType::ProgramNotFound => RevisionError::Git(
                    "`git` was not found; install it to read revisions".to_owned(),
                ),
                ErrorType::TooLong => RevisionError::TooLarge,
                _ => RevisionError::Git(failure.message),
            }
        })
    }
}

/// The trimmed output of a command that prints one line.
pub(super) fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
