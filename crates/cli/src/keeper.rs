//! The runtime of a crib with its memory: what `serve`, `call`, `operations` and `approve` share.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, SystemTime},
};

use builtin::{Examples, Handles};
use catalog::{Catalog, Failure};
use runtime::{Runtime, Settings};
use store::Store;
use toolkit::{BadPrefix, Native, Prefix, Presentation};
use workspace::{Crib, Environment};

use crate::error::{CommandError, Kind};

/// A runtime whose operations, approvals and audit are kept in the crib's state folder. If they cannot be, that is said,
/// and they are forgotten when the process ends.
pub(crate) fn open(crib: &Crib, settings: Settings) -> Runtime {
    match Store::open(&crib.state_folder()) {
        Ok(store) => {
            if let Some(path) = store.moved_aside() {
                tracing::warn!("the store was broken; it was moved to {} and a new one begun", path.display());
            }
            let store = Arc::new(store);
            Runtime::with_journal(settings, Arc::clone(&store) as _).with_keep(store)
        }
        Err(error) => {
            tracing::error!("operations and approvals will be forgotten when this ends: {error}");
            Runtime::new(settings)
        }
    }
}

/// As [`open`], for a command that is about what is kept: without it there is nothing to do.
pub(crate) fn open_kept(crib: &Crib) -> Result<Runtime, CommandError> {
    let store = Store::open(&crib.state_folder()).map_err(|error| CommandError::machine(error.to_string()))?;
    Ok(Runtime::with_journal(crib.settings(), Arc::new(store)))
}

/// The built-in tools of a crib, as they are served. `prefix` is what the command line wants before their names.
pub(crate) fn natives(
    crib: &Crib,
    environment: &Environment,
    runtime: &Runtime,
    prefix: Option<&str>,
) -> Result<Vec<Native>, CommandError> {
    let prefix = match prefix.or_else(|| environment.get("MCP_TOOL_PREFIX")) {
        Some(prefix) => Prefix::set(prefix).map_err(bad_prefix)?,
        None => Prefix::unset(),
    };
    let is_shown = environment.get("MCP_INCLUDE_EXAMPLE_TOOLS").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let handles =
        Handles { operations: runtime.operations(), examples: if is_shown { Examples::Shown } else { Examples::Hidden } };
    let presentation = Presentation { prefix, errors: crib.config.crib.errors.map(Into::into) };
    builtin::toolset(&handles).build(&presentation).map_err(|error| CommandError::machine(error.to_string()))
}

fn bad_prefix(error: BadPrefix) -> CommandError {
    CommandError::new(Kind::BadArguments, error.to_string()).hint("use letters, digits, `_`, `-` and `.`; nothing for none")
}

/// The tools of a crib and the built-in ones.
pub(crate) fn with_built_ins(catalog: &Catalog, natives: &[Native]) -> Catalog {
    Catalog::merge(builtin::join(catalog.tools(), natives)).0
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let driver = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let driver = driver.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let result = driver.block_on(future);
    driver.shutdown_background();
    Ok(result)
}

/// What the journal could not do.
pub(crate) fn failed(failure: Failure) -> CommandError {
    CommandError::machine(failure.message)
}

/// A number of things.
pub(crate) fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// A time as people read it: how long ago.
pub(crate) fn ago(time: SystemTime) -> String {
    match SystemTime::now().duration_since(time) {
        Ok(passed) => format!("{} ago", span(passed)),
        Err(_) => "just now".to_owned(),
    }
}

/// A span of time in its largest unit that fits.
pub(crate) fn span(span: Duration) -> String {
    match span.as_secs() {
        0 => format!("{} ms", span.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn spans_are_told_in_one_unit() {
        let told = [5, 1_500, 125_000, 7_200_000, 200_000_000].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(told, ["5 ms", "1 s", "2 min", "2 h", "2 d"]);
    }
}
