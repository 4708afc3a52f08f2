//! Logs the result of loading definitions, for the operator of a server.

use std::cmp::Reverse;

use catalog::{Diagnostic, Severity};
use workspace::{Crib, Drift, LOCK, Loaded, Lock, LockError};

use crate::{count, report::Report};

/// Maximum number of diagnostics that are logged at once. Locating one parses its file again, which
/// would delay the first answer of a server with thousands of warnings.
const DIAGNOSTICS_LOGGED: usize = 100;

/// Maximum number of tools in a warning about drift.
const DRIFT_SHOWN: usize = 10;

/// Logs diagnostics with their positions, errors before warnings if there are many, and how much
/// was loaded.
pub(crate) fn log(crib: &Crib, loaded: &Loaded) {
    let mut logged: Vec<&Diagnostic> =
        loaded.diagnostics.iter().filter(|found| is_logged(found.severity)).collect();
    logged.sort_by_key(|found| Reverse(found.severity));
    let left_out = logged.len().saturating_sub(DIAGNOSTICS_LOGGED);
    logged.truncate(DIAGNOSTICS_LOGGED);
    let report = Report::of_some(loaded, logged, crib.files());
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
            Severity::Note => tracing::debug!("{text}"),
        }
    }
    if left_out > 0 {
        let more = count(left_out, "more diagnostic");
        tracing::warn!("{more} not logged; `toolcrib check` prints all of them");
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
}

/// Notes are advice for authors, and would fill the log of a server.
fn is_logged(severity: Severity) -> bool {
    severity != Severity::Note || tracing::enabled!(tracing::Level::DEBUG)
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

/// Tools that are new or differ from the lock file, which are held back until a person accepts
/// them. Without a lock file no tool is held back; with an unreadable one, all are.
pub(crate) fn find_held(crib: &Crib, loaded: &Loaded) -> Vec<Drift> {
    let lock = match Lock::read(crib) {
        Ok(lock) => lock,
        // A lock file is optional.
        Err(LockError::Missing(_)) => return Vec::new(),
        Err(error) => {
            tracing::error!("no tool is served: {error}");
            Lock::empty()
        }
    };
    let mut drift = lock.find_drift(&Lock::from_catalog(crib, &loaded.catalog));
    // Removed tools need no decision: with `--groups` most tools are missing on purpose.
    drift.retain(|drift| drift.held_tool().is_some());
    drift
}

/// Warns of tools that are held back.
pub(crate) fn log_held(held: &[Drift]) {
    if held.is_empty() {
        return;
    }
    let named: Vec<_> = held.iter().take(DRIFT_SHOWN).map(ToString::to_string).collect();
    let more = match held.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    tracing::warn!(
        "held back, because they differ from {LOCK}: {}{more}; accept each with `toolcrib lock --accept NAME`",
        named.join("; ")
    );
}
