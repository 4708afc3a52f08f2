//! The one door to the YAML parser: its errors as a line and a sentence.

use serde::de::DeserializeOwned;

/// Why a text cannot be read.
pub(crate) struct YamlError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

/// Reads one document; an empty one is null.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map_or(1, |location| usize::try_from(location.line()).unwrap_or(1).max(1));
        let told = error.without_snippet().to_string();
        let message = told.split(" at line ").next().unwrap_or_default().split('\n').next().unwrap_or_default();
        YamlError { line, message: message.trim_end_matches([':', ',']).to_owned() }
    })
}
