//! How long a call is waited for: until its time is over or it is cancelled, and then for a moment
//! of grace.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// A call that takes no longer than this is looked at only when it answers.
const FIRST_MOMENT: Duration = Duration::from_millis(5);

/// How long a call is waited for.
pub(super) struct Patience<'a> {
    cancel: &'a CancellationToken,
    limit: Duration,
    grace: Duration,
    begun: Instant,
    timer: Pin<Box<Sleep>>,
    /// Why the call was interrupted, if it was.
    pub(super) ended: Option<Why>,
}

/// Why a call is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Cancelled,
    TimedOut(Duration),
}

/// What is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The time of the call: it is to be interrupted.
    Time,
    /// The moment of grace, too.
    Grace,
}

impl<'a> Patience<'a> {
    /// Begins now.
    pub(super) fn new(cancel: &'a CancellationToken, limit: Duration, grace: Duration) -> Self {
        Self { cancel, limit, grace, begun: Instant::now(), timer: Box::pin(sleep(limit)), ended: None }
    }

    /// Ends when there is a reason to end the call, or its grace is over.
    pub(super) async fn over(&mut self) {
        match self.ended {
            None => tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                () = &mut self.timer => {}
            },
            Some(_) => (&mut self.timer).await,
        }
    }

    /// Notes what is over. The first time, the grace begins.
    pub(super) fn note(&mut self) -> Over {
        if self.ended.is_some() {
            return Over::Grace;
        }
        self.ended = Some(if self.cancel.is_cancelled() { Why::Cancelled } else { Why::TimedOut(self.limit) });
        self.timer = Box::pin(sleep(self.grace));
        Over::Time
    }

    /// Gives grace once more, for what must follow the end of a call.
    pub(super) fn renew(&mut self) {
        self.timer = Box::pin(sleep(self.grace));
    }

    /// Whether the first moment is over.
    pub(super) fn is_long(&self) -> bool {
        self.begun.elapsed() >= FIRST_MOMENT
    }

    /// Ends when the first moment is over.
    pub(super) fn first_moment(&self) -> Sleep {
        sleep_until((self.begun + FIRST_MOMENT).into())
    }
}
