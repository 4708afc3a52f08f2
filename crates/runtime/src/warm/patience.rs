//! How long a call is waited for: until its time is over or it is cancelled, and then for a moment
//! of grace.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

/// Once something was printed, no more of it is looked at for so long, unless the call ends.
const PAUSE: Duration = Duration::from_millis(5);

/// How long a call is waited for.
pub(crate) struct Patience<'a> {
    cancel: &'a CancellationToken,
    limit: Duration,
    grace: Duration,
    pause: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    /// Why the call was interrupted, if it was.
    pub(crate) ended: Option<Why>,
}

/// Why a call is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Cancelled,
    TimedOut(Duration),
}

/// What is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The time of the call: it is to be interrupted.
    Time,
    /// The moment of grace, too.
    Grace,
}

impl<'a> Patience<'a> {
    /// Begins now.
    pub(crate) fn new(cancel: &'a CancellationToken, limit: Duration, grace: Duration) -> Self {
        Self { cancel, limit, grace, pause: None, timer: Box::pin(sleep(limit)), ended: None }
    }

    /// Ends when there is a reason to end the call, or its grace is over.
    pub(crate) async fn over(&mut self) {
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
    pub(crate) fn note(&mut self) -> Over {
        if self.ended.is_some() {
            return Over::Grace;
        }
        self.ended = Some(if self.cancel.is_cancelled() {
            Why::Cancelled
        } else {
            Why::TimedOut(self.limit)
        });
        self.timer = Box::pin(sleep(self.grace));
        Over::Time
    }

    /// Gives grace once more, for what must follow the end of a call.
    pub(crate) fn renew(&mut self) {
        self.timer = Box::pin(sleep(self.grace));
    }

    /// Something was printed. Most calls that print end soon, and are not to be held up by each line
    /// of it; a pause that nobody needs is not begun, because even that takes time.
    pub(crate) fn heard(&mut self) {
        self.pause.get_or_insert_with(|| Instant::now() + PAUSE);
    }

    /// When the pause ends, while it lasts.
    pub(crate) fn pause(&self) -> Option<Instant> {
        self.pause.filter(|end| Instant::now() < *end)
    }
}
