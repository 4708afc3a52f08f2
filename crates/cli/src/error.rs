//! Errors of commands, and their exit codes.

use std::{path::Path, process::ExitCode};

use catalog::{ErrorType, Failure};
use host::{AssemblyError, learn::ObserveError};

/// Why a command failed, and what to do about it.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// The kind of an error, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The machine, the configuration or the command line is at fault.
    Machine,
    /// The tool ran and failed.
    ToolFailed,
    /// No tool, operation or approval has that name.
    NotFound,
    /// The tool does not accept the arguments.
    BadArguments,
    /// A person must approve the call first.
    NeedsApproval,
}

impl CommandError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(crate) fn machine(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Machine, message)
    }

    /// An I/O error; `action` is a verb, such as `read`.
    pub(crate) fn io(action: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::machine(format!("cannot {action} `{}`: {error}", path.display()))
    }

    /// A failure outside of a tool call, whatever its `error_type`.
    pub(crate) fn machine_failure(failure: Failure) -> Self {
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

impl ErrorKind {
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::ToolFailed => 1,
            Self::Machine => 2,
            Self::NotFound => 3,
            Self::BadArguments => 4,
            Self::NeedsApproval => 5,
        })
    }

    /// The kind of a failed call.
    pub(crate) fn from_error_type(error_type: ErrorType) -> Self {
        match error_type.exit_code() {
            // The table of error types decides, so that `call` and the documentation agree.
            4 => Self::BadArguments,
            5 => Self::NeedsApproval,
            _ => Self::ToolFailed,
        }
    }
}

impl From<workspace::OpenError> for CommandError {
    fn from(error: workspace::OpenError) -> Self {
        let hint = match &error {
            workspace::OpenError::Folder { .. } => "pass an existing folder with -C".to_owned(),
            workspace::OpenError::Path { .. } => "pass an existing file or folder".to_owned(),
            workspace::OpenError::Config { diagnostics } => {
                let others = diagnostics.len().saturating_sub(1);
                let count = if others > 0 { format!(" and {others} more") } else { String::new() };
                let own = diagnostics.first().and_then(|first| first.hint.as_ref());
                let more = format!("un `toolcrib check` to see where{count}");
                match own {
                    Some(hint) if hint.ends_with('?') => format!("{hint} R{more}"),
                    Some(hint) => format!("{hint}; r{more}"),
                    None => format!("r{more}"),
                }
            }
        };
        Self::machine(error.to_string()).hint(hint)
    }
}

impl From<workspace::GroupError> for CommandError {
    fn from(error: workspace::GroupError) -> Self {
        Self::machine(error.to_string())
            .hint("quote the pattern, and escape special characters with a backslash")
    }
}

impl From<AssemblyError> for CommandError {
    fn from(error: AssemblyError) -> Self {
        match &error {
            AssemblyError::Prefix(_) => Self::new(ErrorKind::BadArguments, error.to_string())
                .hint("use letters, digits, `_`, `-` and `.`, or an empty prefix"),
            _ => Self::machine(error.to_string()),
        }
    }
}

impl From<ObserveError> for CommandError {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::NoProcess(..) => {
                Self::machine(error.to_string()).hint("observe the tools of a sequence one by one")
            }
            ObserveError::Call(failure) => failure.into(),
            ObserveError::Trace { .. } => Self::machine(error.to_string()),
        }
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self::new(ErrorKind::from_error_type(failure.error_type), failure.message)
    }
}
