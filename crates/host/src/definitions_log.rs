//! Logs the result of loading definitions, for the operator of a server.

use catalog::Severity;
use workspace::{Crib, Drift, LOCK, Loaded, Lock, LockError};

use crate::{count, report::Report};

/// How many tools one warning about drift names.
const DRIFT_SHOWN: usize = 10;

/// Logs every diagnostic with its position, how much was loaded, and drift from the lock file.
pub(crate) fn log(crib: &Crib, loaded: &Loaded) {
    let report = Report::new(loaded, crib.files());
    for finding in &report.findings {
        let diagnostic = finding.diagnostic;
        let position = finding
            .position
            .as_ref()
            .map(|position| format!(":{}:{}", position.line, position.column))
            .unwrap_or_default();
        let text = format!(
            "{}{position}: {} [{}]",
            diagnostic.origin.source, diagnostic.message, diagnostic.code
        );
        match diagnostic.severity {
            Severity::Error => tracing::error!("{text}"),
            Severity::Warning => tracing::warn!("{text}"),
            // Notes are advice for authors, and would fill the log of a server.
            Severity::Note => tracing::debug!("{text}"),
        }
    }
    tracing::info!(
        "{} from {} in {}",
        count(report.tools, "tool"),
        count(report.files, "file"),
        crib.folder.display()
    );
    if let Some(hint) = misplaced_definitions(crib, loaded) {
        tracing::warn!("{hint}");
    }
    warn_of_drift(crib, loaded);
}

/// Where definitions belong, if none were found but files outside those folders look like some.
pub(crate) fn misplaced_definitions(crib: &Crib, loaded: &Loaded) -> Option<String> {
    // Only if nothing was found: a crib may well have other JSON files at its root.
    let strays = if loaded.files == 0 { crib.count_misplaced_definitions() } else { 0 };
    let files = count(strays, "JSON or YAML file");
    (strays > 0).then(|| {
        format!(
            "definitions are read from `tools/` and `inst/mcp/tools/`; ignored {files} outside these folders"
        )
    })
}

/// Warns of tools that differ from the lock file, if there is one.
fn warn_of_drift(crib: &Crib, loaded: &Loaded) {
    let drift = match Lock::read(crib) {
        Ok(lock) => lock.find_drift(&Lock::from_catalog(&loaded.catalog)),
        // A lock file is optional.
        Err(LockError::Missing(_)) => return,
        Err(error) => return tracing::warn!("{error}"),
    };
    // Removed tools are not worth a warning: with `--groups` most tools are missing on purpose.
    let served: Vec<String> = drift
        .iter()
        .filter(|drift| !matches!(drift, Drift::Removed(_)))
        .map(ToString::to_string)
        .collect();
    if served.is_empty() {
        return;
    }
    let named = served[..served.len().min(DRIFT_SHOWN)].join("; ");
    let more = match served.len().saturating_sub(DRIFT_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    tracing::warn!("tools differ from {LOCK}: {named}{more}");
}
