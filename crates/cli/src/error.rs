//! Why a command could not do its work, and the exit code that says so.

use std::{path::Path, process::ExitCode};

use catalog::{ErrorType, Failure};
use host::{AssemblyError, learn::ObserveError};

/// A command that could not do its work.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// What went wrong, as the exit code tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The machine, the configuration or the command line.
    Machine,
    /// A tool that ran and failed.
    ToolFailed,
    /// No tool of that name.
    NoSuchTool,
    /// Arguments that the tool does not take.
    BadArguments,
    /// A person must agree first.
    NeedsApproval,
}

impl CommandError {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(crate) fn machine(message: impl Into<String>) -> Self {
        Self::new(Kind::Machine, message)
    }

    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::machine(format!("cannot {doing} `{}`: {error}", path.display()))
    }

    /// A failure of the store, whatever its `error_type`: no tool was called.
    pub(crate) fn store(failure: Failure) -> Self {
        Self::machine(failure.message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        self.kind.exit_code()
    }
}

impl Kind {
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::ToolFailed => 1,
            Self::Machine => 2,
            Self::NoSuchTool => 3,
            Self::BadArguments => 4,
            Self::NeedsApproval => 5,
        })
    }

    /// The kind of a failed call, from its `error_type`.
    pub(crate) fn of_failure(error_type: ErrorType) -> Self {
        match error_type.exit_code() {
            4 => Self::BadArguments,
            5 => Self::NeedsApproval,
            _ => Self::ToolFailed,
        }
    }
}

impl From<workspace::OpenError> for CommandError {
    fn from(error: workspace::OpenError) -> Self {
        let hint = match &error {
            workspace::OpenError::Folder { .. } => "name a folder that exists with -C".to_owned(),
            workspace::OpenError::Path { .. } => "name a file or folder that exists".to_owned(),
            workspace::OpenError::Config { diagnostics } => {
                let more = diagnostics.len().saturating_sub(1);
                let count = if more > 0 { format!(" and {more} more") } else { String::new() };
                let own = diagnostics.first().and_then(|first| first.hint.as_ref());
                let own = own.map(|hint| format!("{hint}; ")).unwrap_or_default();
                format!("{own}`toolcrib check` shows where it is{count}")
            }
        };
        Self::machine(error.to_string()).hint(hint)
    }
}

impl From<workspace::GroupError> for CommandError {
    fn from(error: workspace::GroupError) -> Self {
        Self::machine(error.to_string()).hint(
            "put the pattern in quotes, and a backslash before characters that mean themselves",
        )
    }
}

impl From<AssemblyError> for CommandError {
    fn from(error: AssemblyError) -> Self {
        match &error {
            AssemblyError::Prefix(_) => Self::new(Kind::BadArguments, error.to_string())
                .hint("use letters, digits, `_`, `-` and `.`; nothing for none"),
            _ => Self::machine(error.to_string()),
        }
    }
}

impl From<ObserveError> for CommandError {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::NotAProgram(_) => Self::machine(error.to_string())
                .hint("watch the tools that a sequence calls, one by one"),
            ObserveError::Call(failure) => failure.into(),
            ObserveError::Trace { .. } => Self::machine(error.to_string()),
        }
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self::new(Kind::of_failure(failure.error_type), failure.message)
    }
}
