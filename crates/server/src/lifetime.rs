//! How the end of a server reaches what it is doing.

use tokio_util::sync::CancellationToken;

/// How the end of a server reaches what it is doing: streams end at once, calls a moment later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifetime {
    /// No more requests come: subscriptions end.
    pub(crate) closing: CancellationToken,
    /// Time is up: running calls are cancelled.
    pub(crate) abort: CancellationToken,
}
