//! Failures of calls that a worker did not answer.

use std::os::unix::process::ExitStatusExt;

use catalog::{ErrorType, Failure};

use super::{patience::Why, worker::Broken};

/// A call that was stopped.
pub(crate) fn stopped(name: &str, why: Why) -> Failure {
    match why {
        Why::Cancelled => Failure::new(ErrorType::Cancelled, format!("`{name}` was cancelled")),
        Why::TimedOut(limit) => Failure::new(
            ErrorType::TimedOut,
            format!("`{name}` was stopped after {} seconds, its time limit", limit.as_secs_f64()),
        ),
    }
}

/// What became of a worker of this language that can be spoken to no more; `exit` is what ends one from inside.
pub(crate) fn died(language: &str, exit: &str, broken: &Broken) -> String {
    match broken {
        Broken::Ended(Some(status)) => match (status.code(), status.signal()) {
            (Some(code), _) => {
                format!("it ended {language}, with exit code {code}, as `{exit}` does")
            }
            (None, Some(11)) => format!("{language} crashed with a segmentation fault (signal 11)"),
            (None, Some(9)) => {
                format!("{language} was killed (signal 9), perhaps because memory ran out")
            }
            (None, Some(signal)) => format!("{language} was ended by signal {signal}"),
            (None, None) => format!("{language} ended"),
        },
        Broken::Ended(None) => format!("{language} ended"),
        Broken::Garbled(why) => {
            format!("the pipe to {language} was disturbed ({why}), and {language} had to be ended")
        }
        Broken::Stuck => format!("{language} did not answer, and had to be ended"),
    }
}
