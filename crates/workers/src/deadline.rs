//! The deadline of a call: its timeout or cancellation, then a grace period to stop in.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

/// The minimum interval between reads of the output pipes. See [`Deadline::start_output_pause`].
const OUTPUT_PAUSE: Duration = Duration::from_millis(5);

/// The deadline of a call: its timeout or cancellation, then a grace period to stop in.
pub(crate) struct Deadline<'a> {
    cancel: &'a CancellationToken,
    timeout: Duration,
    grace: Duration,
    output_pause: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    /// Why the call was interrupted, if it was.
    pub(crate) stop_reason: Option<StopReason>,
}

/// Why a call is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    Cancelled,
    TimedOut(Duration),
}

/// The part of a deadline that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expired {
    /// The call must be interrupted.
    Call,
    /// The grace period after the interrupt: the worker must be killed.
    Grace,
}

impl<'a> Deadline<'a> {
    /// Starts the timer.
    pub(crate) fn new(cancel: &'a CancellationToken, timeout: Duration, grace: Duration) -> Self {
        Self {
            cancel,
            timeout,
            grace,
            output_pause: None,
            timer: Box::pin(sleep(timeout)),
            stop_reason: None,
        }
    }

    /// Completes on timeout or cancellation, or when the grace period that follows is over.
    pub(crate) async fn wait(&mut self) {
        match self.stop_reason {
            None => tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                () = &mut self.timer => {}
            },
            // The token stays cancelled, so waiting for it again would end the grace period at
            // once.
            Some(_) => (&mut self.timer).await,
        }
    }

    /// Records that [`Self::wait`] completed. The first time, the grace period starts.
    pub(crate) fn expire(&mut self) -> Expired {
        if self.stop_reason.is_some() {
            return Expired::Grace;
        }
        // If both happened, the cancellation is reported: it was requested, while the timeout is a
        // limit that no longer matters.
        self.stop_reason = Some(if self.cancel.is_cancelled() {
            StopReason::Cancelled
        } else {
            StopReason::TimedOut(self.timeout)
        });
        self.timer = Box::pin(sleep(self.grace));
        Expired::Call
    }

    /// Restarts the grace period, for the handshake that follows an interrupted call.
    pub(crate) fn restart_grace(&mut self) {
        self.timer = Box::pin(sleep(self.grace));
    }

    /// Starts the pause after the first output of a call. Most calls that print return soon, and
    /// must not be slowed down by a wake-up for each line. Later output starts no new pause,
    /// because even a timer costs time.
    pub(crate) fn start_output_pause(&mut self) {
        self.output_pause.get_or_insert_with(|| Instant::now() + OUTPUT_PAUSE);
    }

    /// The end of the current pause between reads of the output pipes, if there is one.
    pub(crate) fn output_pause(&self) -> Option<Instant> {
        self.output_pause.filter(|end| Instant::now() < *end)
    }
}

impl StopReason {
    /// The failure of a call of the tool `name` that was stopped.
    pub(crate) fn to_failure(self, name: &str) -> Failure {
        match self {
            Self::Cancelled => {
                Failure::new(ErrorType::Cancelled, format!("`{name}` was cancelled"))
            }
            Self::TimedOut(timeout) => {
                let seconds = timeout.as_secs_f64();
                Failure::new(
                    ErrorType::TimedOut,
                    format!("`{name}` was stopped after {seconds} seconds, its time limit"),
                )
            }
        }
    }
}
