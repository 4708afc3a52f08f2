//! Why a worker became unusable.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus};

use process::{Child, Violation};

/// Why a worker became unusable. It is killed, and the next call starts another one.
#[derive(Debug)]
pub(crate) enum WorkerFailure {
    /// It exited or was killed; without a status if that could not be determined.
    Exited(Option<ExitStatus>),
    /// Its supervisor killed it for this violation.
    Killed(Violation),
    /// Its reply violates the protocol, or the pipe is broken.
    Protocol(String),
    /// It did not react to an interrupt within the grace period.
    Unresponsive,
}

impl WorkerFailure {
    /// The failure of a worker that exited.
    pub(crate) fn from_exit(child: &Child, status: io::Result<ExitStatus>) -> Self {
        child.violation().map_or_else(|| Self::Exited(status.ok()), Self::Killed)
    }

    /// The message for the caller. `exit_call` is how a function of this language would end its
    /// process.
    pub(crate) fn describe(&self, language: &str, exit_call: &str) -> String {
        match self {
            Self::Exited(Some(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => {
                    format!("it terminated {language} with exit code {code}, as `{exit_call}` does")
                }
                (None, Some(11)) => {
                    format!("{language} crashed with a segmentation fault (signal 11)")
                }
                (None, Some(9)) => {
                    format!("{language} was killed (signal 9), perhaps because memory ran out")
                }
                (None, Some(signal)) => format!("{language} was killed by signal {signal}"),
                (None, None) => format!("{language} exited"),
            },
            Self::Exited(None) => format!("{language} exited"),
            Self::Killed(violation) => format!("{language} {}", violation.describe()),
            Self::Protocol(reason) => {
                format!("the pipe to {language} broke ({reason}), and {language} was killed")
            }
            Self::Unresponsive => format!("{language} did not respond and was killed"),
        }
    }
}
