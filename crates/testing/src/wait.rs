//! Conditions with a deadline, instead of sleeps of a guessed length.

use std::{
    thread,
    time::{Duration, Instant},
};

/// The deadline of everything that a test waits for. Generous: a busy machine must not fail a test.
pub const TIMEOUT: Duration = Duration::from_secs(60);

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Polls until the condition holds. Panics with the description after [`TIMEOUT`].
pub fn wait_until_blocking(description: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < deadline, "not after {TIMEOUT:?}: {description}");
        thread::sleep(POLL_INTERVAL);
    }
}

/// Polls until the condition holds, without blocking the thread. Panics with the description after
/// [`TIMEOUT`].
#[cfg(feature = "async")]
pub async fn wait_until(description: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < deadline, "not after {TIMEOUT:?}: {description}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Polls until there is a value, and returns it. Panics with the description after [`TIMEOUT`].
#[cfg(feature = "async")]
pub async fn wait_for<T>(description: &str, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(value) = poll().await {
            return value;
        }
        assert!(Instant::now() < deadline, "not after {TIMEOUT:?}: {description}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
