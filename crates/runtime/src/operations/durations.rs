//! Decides how long to delay the answer to a call that became an operation.

use std::{collections::HashMap, time::Duration};

use catalog::Tool;

use super::Operations;

/// Maximum number of tools whose last duration is remembered.
const MAX_TOOLS: usize = 1024;

/// The duration of the last run of each tool.
pub(super) type Durations = HashMap<String, Duration>;

impl Operations {
    /// How long the caller waits for the outcome. A tool that last ended a little later than the
    /// configured time gets a little more, because its result is likely to come soon.
    pub(crate) fn answer_within(&self, tool: &Tool) -> Duration {
        let usual = self.0.answer_within;
        let longest = usual.saturating_mul(5) / 2;
        match self.0.durations.lock().get(&tool.name) {
            Some(last) if *last > usual && *last <= longest => longest,
            _ => usual,
        }
    }

    pub(crate) fn remember_duration(&self, tool: &Tool, duration: Duration) {
        let mut durations = self.0.durations.lock();
        if durations.len() >= MAX_TOOLS {
            durations.clear();
        }
        durations.insert(tool.name.clone(), duration);
    }
}
