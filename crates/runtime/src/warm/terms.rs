//! The terms on which a call is made.

use std::{sync::Arc, time::Duration};

use fancy_regex::Regex;
use process::{OutputBuffer, OutputStream};
use tokio_util::sync::CancellationToken;

use super::{Ears, Patience};
use crate::{
    call::ActiveCall, engine::Engine, operations::LiveOperation, outputs::Spill,
    progress::ProgressListener,
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

impl Engine {
    /// The terms of a call.
    pub(crate) fn terms<'a>(&'a self, job: &'a ActiveCall, spill: &'a Spill<'a>) -> Terms<'a> {
        let own = self.settings.time_for(&job.call.tool);
        Terms {
            cancel: job.call.context.cancel_token(),
            limit: job.timeout(own),
            grace: self.settings.grace,
            output_bytes: job.output_bytes,
            spill,
            live: job.operation.as_ref(),
            pattern: self.progress_pattern(job),
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
