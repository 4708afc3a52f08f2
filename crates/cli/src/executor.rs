//! Runs asynchronous work from a command.

use std::future::Future;

use crate::error::CommandError;

/// Runs a future to completion. Tasks that it spawned and left behind are dropped.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let executor =
        // The current-thread flavour would not do, because templates block on the store from other
        // threads.
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let executor =
        executor.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let result = executor.block_on(future);
    // Does not wait for blocking tasks, such as a read from the terminal.
    executor.shutdown_background();
    Ok(result)
}
