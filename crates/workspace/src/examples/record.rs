//! What the file of a tool says about a run of its example, with the sources that it ran with: the time belongs to these.

use roxygen::{Definition, Measured};

/// How the last line of a file begins that has a time.
const SOURCES: &str = "# The time was taken with sources ";

/// What the file of a tool says about a run of its example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub(crate) measured: Measured,
    /// The digest of the sources that the time was taken with.
    pub(crate) sources: Option<String>,
}

impl Record {
    /// What the file of a tool says.
    pub(crate) fn of_file(definition: &Definition, text: &str) -> Self {
        let sources = text.lines().next_back().and_then(|line| line.strip_prefix(SOURCES));
        Self { measured: definition.measured_in(text), sources: sources.map(str::to_owned) }
    }

    /// The text of the file of a tool.
    pub(crate) fn file_of(&self, definition: &Definition) -> String {
        let text = definition.to_yaml(&self.measured);
        match &self.sources {
            Some(sources) if self.measured.seconds.is_some() => {
                format!("{text}{SOURCES}{sources}\n")
            }
            _ => text,
        }
    }

    /// The same without output; the time stays.
    #[must_use]
    pub fn without_output(self) -> Self {
        Self { measured: Measured { output: None, ..self.measured }, ..self }
    }

    /// The same, with the time of an earlier record if that was taken with the same sources.
    #[must_use]
    pub(crate) fn keeping_time_of(mut self, earlier: &Self) -> Self {
        if self.sources.is_some() && self.sources == earlier.sources {
            self.measured.seconds = earlier.measured.seconds.or(self.measured.seconds);
        }
        self
    }
}
