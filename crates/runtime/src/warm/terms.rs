//! The terms on which a call is made.

use std::{sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use fancy_regex::Regex;
use process::{OutputBuffer, OutputStream};
use tokio_util::sync::CancellationToken;

use super::{Ears, Patience};
use crate::{
    Runtime, call::Job, operations::LiveOperation, outputs::Spill, progress::ProgressListener,
};

/// The terms on which a call is made.
pub(crate) struct Terms<'a> {
    cancel: &'a CancellationToken,
    limit: Duration,
    grace: Duration,
    /// How much of everything is answered.
    pub(crate) output_bytes: usize,
    pub(crate) spill: &'a Spill<'a>,
    /// The operation that it belongs to, and what finds progress in its output.
    live: Option<&'a Arc<LiveOperation>>,
    pattern: Option<Arc<Regex>>,
}

impl Runtime {
    /// The terms of a job.
    pub(crate) fn terms<'a>(&'a self, job: &'a Job, spill: &'a Spill<'a>) -> Terms<'a> {
        let own = self.settings.time_for(&job.tool);
        Terms {
            cancel: job.context.cancel_token(),
            limit: job.limit.map_or(own, |limit| limit.min(own)),
            grace: self.settings.grace,
            output_bytes: job.output_bytes,
            spill,
            live: job.live.as_ref(),
            pattern: job
                .live
                .as_ref()
                .and(job.tool.progress.as_deref())
                .and_then(|pattern| self.pattern(pattern)),
        }
    }
}

impl<'a> Terms<'a> {
    /// Who takes what is printed.
    pub(crate) fn ears(&self) -> Ears<'a> {
        let listener = || {
            let live = self.live?;
            Some(ProgressListener::boxed(live, self.pattern.as_ref()))
        };
        let buffer = |stream| {
            OutputBuffer::new(stream, self.output_bytes, self.spill).with_listener(listener())
        };
        Ears { stdout: buffer(OutputStream::Stdout), stderr: buffer(OutputStream::Stderr) }
    }

    /// How long the call is waited for, from now on.
    pub(crate) fn patience(&self) -> Patience<'a> {
        Patience::new(self.cancel, self.limit, self.grace)
    }
}

/// What comes of some work, unless the job is cancelled first.
pub(crate) async fn unless_cancelled<T>(
    job: &Job,
    work: impl Future<Output = T>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        () = job.context.cancelled() => {
            Err(Failure::new(ErrorType::Cancelled, format!("`{}` was cancelled before it started", job.tool.name)))
        }
        done = work => Ok(done),
    }
}
