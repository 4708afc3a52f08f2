//! The record of an example run in a definition file: output and run time.

use super::example_code::truncate_output;

/// In seconds. An example that takes longer makes its tool asynchronous, so callers notice when a
/// run time crosses this limit.
const SLOW: f64 = 10.0;

/// The record of an example run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExampleRecord {
    /// The truncated output, if the example was run.
    pub output: Option<String>,
    /// The elapsed time.
    pub seconds: Option<f64>,
}

impl ExampleRecord {
    /// The record of a run just made.
    pub fn new(output: &str, seconds: f64) -> Self {
        Self { output: Some(truncate_output(output)), seconds: Some(seconds) }
    }

    /// The record without the output, but with the time.
    #[must_use]
    pub fn without_output(self) -> Self {
        Self { output: None, ..self }
    }

    /// Returns the record with the time of an earlier run of the same example, unless the two are
    /// on different sides of the limit. No two runs take the same time, and a build must not change
    /// files without a reason.
    #[must_use]
    pub fn with_time_of(mut self, earlier: &Self) -> Self {
        if let (Some(now), Some(then)) = (self.seconds, earlier.seconds)
            && (now > SLOW) == (then > SLOW)
        {
            self.seconds = Some(then);
        }
        self
    }
}
