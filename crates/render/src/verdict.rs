//! What came of a render: a document, or why there is none.

use std::{collections::BTreeMap, io, path::PathBuf, time::Duration};

use catalog::{ErrorType, Failure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Backend, RenderJob, RenderSettings, Rendered, Warning,
    child::Ended,
    components,
    diagnostics::{Complaint, RenderDiagnostic, diagnose, missing_style},
    exchange::Returned,
    watchdog::Excess,
};

/// How many of the last lines of the log are told.
const TAIL_LINES: usize = 40;
/// What `timeout` exits with in a container when the time is over, and what a killed program does.
const TIME_OVER: i32 = 124;
const KILLED: i32 = 137;

/// What a backend brought back.
pub(super) struct Raw {
    pub(super) backend: Backend,
    pub(super) ended: Ended,
    pub(super) returned: Returned,
    pub(super) log: Vec<String>,
    /// The chunk that was begun last.
    pub(super) chunk: Option<String>,
    /// The image, by digest.
    pub(super) image: Option<String>,
}

/// What the script says.
#[derive(Deserialize)]
struct Report {
    ok: bool,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    component: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    chunk: Option<String>,
    #[serde(default)]
    warnings: Vec<Warning>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
    #[serde(default)]
    packages: Vec<PathBuf>,
}

/// The document, or why there is none.
pub(super) fn judge(
    job: &RenderJob,
    mut raw: Raw,
    settings: &RenderSettings,
) -> Result<Rendered, Failure> {
    let report = raw
        .returned
        .result
        .as_deref()
        .and_then(|bytes| serde_json::from_slice::<Report>(bytes).ok());
    let Some(report) = report else {
        return Err(unfinished(job, &raw, settings));
    };
    if report.kind == "missing" {
        return Err(components::missing(
            report.component.as_deref().unwrap_or("rmarkdown"),
            raw.backend,
        ));
    }
    if !report.ok {
        return Err(failed(job, &raw, &report));
    }
    let Some(bytes) = raw.returned.document.take() else {
        return Err(unfinished(job, &raw, settings));
    };
    let packages = match raw.backend {
        Backend::Local => report.packages,
        Backend::Docker | Backend::Compose => Vec::new(),
    };
    Ok(Rendered {
        bytes,
        warnings: report.warnings,
        versions: report.versions,
        backend: raw.backend,
        reason: String::new(),
        image: raw.image,
        log: tail(&raw.log),
        cached: false,
        duration: Duration::ZERO,
        depends: packages.into_iter().map(|package| package.join("DESCRIPTION")).collect(),
    })
}

/// Whether a render was ended from outside, so that nothing need have come back.
pub(super) fn is_cut_short(ended: &Ended) -> bool {
    matches!(ended, Ended::TimedOut | Ended::Excess(_) | Ended::Exited(TIME_OVER | KILLED))
}

/// R said what went wrong.
fn failed(job: &RenderJob, raw: &Raw, report: &Report) -> Failure {
    let message = report.message.as_deref().unwrap_or("R gave no reason").trim();
    let found = diagnose(&Complaint { message, chunk: report.chunk.as_deref(), log: &raw.log });
    let place = found.first().map(place).unwrap_or_default();
    let (warned, hint) = (warned(report), hint(raw, message));
    let text = format!("`{}` could not be rendered{place}: {message}{warned}{hint}", job.document);
    Failure::new(error_type(raw, message), text).details(json!({
        "diagnostics": found,
        "warnings": report.warnings,
        "backend": raw.backend,
        "versions": report.versions,
        "log": tail(&raw.log),
    }))
}

/// What R warned of last in the chunk that failed: often the reason, as of a file that cannot be opened.
fn warned(report: &Report) -> String {
    let last = report
        .warnings
        .last()
        .filter(|warning| warning.label.is_some() && warning.label == report.chunk);
    last.map(|warning| format!(" (R warned before: {})", warning.message)).unwrap_or_default()
}

fn place(diagnostic: &RenderDiagnostic) -> String {
    let lines = match (diagnostic.first_line, diagnostic.last_line) {
        (Some(first), Some(last)) if first != last => Some(format!("lines {first}-{last}")),
        (Some(line), _) => Some(format!("line {line}")),
        _ => None,
    };
    let label = diagnostic.label.as_ref().map(|label| format!("chunk `{label}`"));
    let parts: Vec<_> = label.into_iter().chain(lines).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn error_type(raw: &Raw, message: &str) -> ErrorType {
    let says =
        |words: &str| message.contains(words) || raw.log.iter().any(|line| line.contains(words));
    if says("No space left on device") {
        ErrorType::DiskFull
    } else if says("cannot allocate vector") || says("cannot allocate memory") {
        ErrorType::OutOfMemory
    } else if says("Cannot fork") || says("unable to fork") {
        ErrorType::TooManyProcesses
    } else {
        ErrorType::RenderFailed
    }
}

fn hint(raw: &Raw, message: &str) -> String {
    if let Some(style) = missing_style(&raw.log) {
        return format!(
            "; LaTeX lacks `{style}`: install the package that has it (Debian and Ubuntu: texlive-latex-extra; TinyTeX: \
             tinytex::parse_install)"
        );
    }
    match error_type(raw, message) {
        ErrorType::DiskFull => "; free some disk space and try again".to_owned(),
        ErrorType::OutOfMemory => "; use less data, or raise `memory_mib` in the `[documents]` section of toolcrib.toml".to_owned(),
        ErrorType::TooManyProcesses => {
            "; start fewer processes, or raise `processes` in the `[documents]` section of toolcrib.toml".to_owned()
        }
        _ => String::new(),
    }
}

/// R did not come to an end by itself, or not to a proper one.
fn unfinished(job: &RenderJob, raw: &Raw, settings: &RenderSettings) -> Failure {
    let mib = |bytes: u64| bytes / (1024 * 1024);
    let (error_type, why) = match raw.ended {
        Ended::TimedOut | Ended::Exited(TIME_OVER) => {
            let limit = settings.timeout.as_secs_f64();
            (
                ErrorType::TimedOut,
                format!("it was stopped after {limit} seconds, its time limit (`timeout_seconds`)"),
            )
        }
        Ended::Excess(Excess::Memory(most)) => (
            ErrorType::OutOfMemory,
            format!(
                "it was stopped because it took more than {} MiB of memory (`memory_mib`)",
                mib(most)
            ),
        ),
        Ended::Excess(Excess::Processes(most)) => (
            ErrorType::TooManyProcesses,
            format!("it was stopped because it had more than {most} processes (`processes`)"),
        ),
        Ended::Excess(Excess::Disk(most)) => (
            ErrorType::TooMuchDisk,
            format!("it was stopped because it wrote more than {} MiB", mib(most)),
        ),
        Ended::Signalled(signal) => (
            ErrorType::RenderFailed,
            format!("R was ended by signal {signal}: it crashed, or somebody ended it"),
        ),
        Ended::Exited(KILLED) => {
            let most = mib(settings.memory_bytes);
            let why = format!(
                "R was killed: it took more than {most} MiB of memory (`memory_mib`), or Docker was stopped"
            );
            (ErrorType::OutOfMemory, why)
        }
        Ended::Exited(code) => {
            let last = raw.log.last().map(|line| format!(" ({line})")).unwrap_or_default();
            let why = format!(
                "R ended with exit code {code} before the document was finished{last}; a document may not call `quit()`"
            );
            (ErrorType::RenderFailed, why)
        }
    };
    let error_type = if raw.log.iter().any(|line| line.contains("No space left on device")) {
        ErrorType::DiskFull
    } else {
        error_type
    };
    let diagnostic =
        RenderDiagnostic { message: why, label: raw.chunk.clone(), ..RenderDiagnostic::default() };
    let message = format!(
        "`{}` could not be rendered{}: {}",
        job.document,
        place(&diagnostic),
        diagnostic.message
    );
    Failure::new(error_type, message).details(json!({
        "diagnostics": [diagnostic],
        "warnings": Value::Array(Vec::new()),
        "backend": raw.backend,
        "log": tail(&raw.log),
    }))
}

/// A failure of the machine.
pub(super) fn machine(what: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::new(
            ErrorType::DiskFull,
            format!("{what}: the disk is full; free some space and try again"),
        ),
        _ => Failure::new(ErrorType::RenderFailed, format!("{what}: {error}")),
    }
}

fn tail(log: &[String]) -> String {
    log[log.len().saturating_sub(TAIL_LINES)..].join("\n")
}
