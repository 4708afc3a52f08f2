//! The failure of a call that exceeded a limit of all its processes together.

use catalog::{ErrorType, Failure};
use process::ResourceLimit;

/// The failure of a call of `tool` that was killed because it exceeded a limit, which is configured in
/// this `table` of `toolcrib.toml`.
pub fn limit_exceeded(tool: &str, limit: ResourceLimit, table: &str) -> Failure {
    let error_type = match limit {
        ResourceLimit::Memory => ErrorType::OutOfMemory,
        ResourceLimit::Processes => ErrorType::TooManyProcesses,
        ResourceLimit::TempFiles => ErrorType::TooMuchDisk,
    };
    let message = format!(
        "`{tool}` {} than it may and was killed with all its processes; its output is incomplete. If it \
         needs more, raise `{}` in `[{table}]` of toolcrib.toml",
        limit.describe(),
        limit.key()
    );
    Failure::new(error_type, message)
}
