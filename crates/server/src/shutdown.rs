//! The stages of a shutdown.

use tokio_util::sync::CancellationToken;

/// The stages of a shutdown: subscription streams end at once, running calls after a grace period.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShutdownSignals {
    /// No more requests will arrive: subscription streams end.
    pub(crate) closing: CancellationToken,
    /// The grace period is over: running calls are cancelled.
    pub(crate) abort: CancellationToken,
}
