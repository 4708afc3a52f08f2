//! The failure of a call that was killed by its supervisor.

use catalog::{ErrorType, Failure};
use process::Violation;

/// The failure of a killed call of `tool`. `table` is the table of `toolcrib.toml` that configures
/// the limits.
pub fn killed(tool: &str, violation: Violation, table: &str) -> Failure {
    let error_type = match violation {
        Violation::Memory => ErrorType::OutOfMemory,
        Violation::Processes => ErrorType::TooManyProcesses,
        Violation::TempFiles => ErrorType::TooMuchDisk,
        Violation::ProtectedFile => ErrorType::ProtectedFileReplaced,
    };
    let mut advice = violation.advice(table);
    advice[..1].make_ascii_uppercase();
    let message = format!(
        "`{tool}` {} and was killed with all its processes; its output is incomplete. {advice}",
        violation.describe(),
    );
    Failure::new(error_type, message)
}
