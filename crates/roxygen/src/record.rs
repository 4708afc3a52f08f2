//! The record of an example run that a definition file keeps: output, time, and the sources that
//! were timed.

use super::example_code::truncate_output;

/// Begins the last line of a file with a time.
pub(super) const SOURCES_PREFIX: &str = "# The time was taken with sources ";

/// The record of an example run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExampleRecord {
    /// The truncated output, if the example was run.
    pub output: Option<String>,
    /// The elapsed time.
    pub seconds: Option<f64>,
    /// The digest of the package and the example that were timed.
    pub sources: Option<String>,
}

impl ExampleRecord {
    /// The record of a run just made.
    pub fn new(output: &str, seconds: f64, sources: String) -> Self {
        Self {
            output: Some(truncate_output(output)),
            seconds: Some(seconds),
            sources: Some(sources),
        }
    }

    /// The record without the output, but with the time.
    #[must_use]
    pub fn without_output(self) -> Self {
        Self { output: None, ..self }
    }

    /// The record with the time of an earlier one of the same sources. Otherwise every build would
    /// change every file, because no two runs take the same time.
    #[must_use]
    pub fn keeping_time_of(mut self, earlier: &Self) -> Self {
        if self.sources.is_some() && self.sources == earlier.sources {
            self.seconds = earlier.seconds.or(self.seconds);
        }
        self
    }
}
