//! Turns the output of a backend into a document or a failure.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use catalog::{ErrorType, Failure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Backend, RenderJob, RenderSettings, Rendered, Warning,
    cause::{find_cause, package_hint},
    child::ExitReason,
    components,
    diagnostics::{RenderDiagnostic, RenderError, diagnose},
    exchange::ReturnedFiles,
    watchdog::LimitExceeded,
};

/// Lines of the log that a failure includes.
const TAIL_LINES: usize = 40;
/// Exit code of `timeout` in a container when the time limit is reached.
const TIMEOUT_EXIT_CODE: i32 = 124;
/// Exit code of a container whose program was killed: 128 plus the number of SIGKILL.
const KILLED_EXIT_CODE: i32 = 137;

/// The output of a backend.
pub(super) struct RenderOutput {
    pub(super) backend: Backend,
    pub(super) exit: ExitReason,
    pub(super) returned: ReturnedFiles,
    pub(super) log: Vec<String>,
    /// The last chunk that was started.
    pub(super) chunk: Option<String>,
    /// The digest of the image.
    pub(super) image: Option<String>,
}

/// The report of the script.
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
    random: bool,
    #[serde(default)]
    packages: Vec<PathBuf>,
}

/// Builds the result: the document, or the reason why it is missing.
pub(super) fn build_result(
    job: &RenderJob,
    mut output: RenderOutput,
    settings: &RenderSettings,
) -> Result<Rendered, Failure> {
    let report = output
        .returned
        .result
        .as_deref()
        .and_then(|bytes| serde_json::from_slice::<Report>(bytes).ok());
    let Some(report) = report else {
        return Err(describe_exit(job, &output, settings));
    };
    if report.kind == "missing" {
        return Err(components::missing(
            report.component.as_deref().unwrap_or("rmarkdown"),
            output.backend,
        ));
    }
    if !report.ok {
        return Err(describe_r_failure(job, &output, &report, settings));
    }
    let Some(bytes) = output.returned.document.take() else {
        return Err(describe_exit(job, &output, settings));
    };
    // Packages in an image are covered by its digest.
    let packages = match output.backend {
        Backend::Local => report.packages,
        Backend::Docker | Backend::Compose => Vec::new(),
    };
    Ok(Rendered {
        bytes,
        warnings: report.warnings,
        versions: report.versions,
        backend: output.backend,
        reason: String::new(),
        image: output.image,
        log: last_lines(&output.log),
        cached: false,
        drew_random_numbers: report.random,
        duration: Duration::ZERO,
        depends: packages.into_iter().map(|package| package.join("DESCRIPTION")).collect(),
    })
}

/// Whether a render was killed, so that it may have returned nothing.
pub(super) fn was_killed(exit: &ExitReason) -> bool {
    matches!(
        exit,
        ExitReason::TimedOut
            | ExitReason::LimitExceeded(_)
            | ExitReason::Exited(TIMEOUT_EXIT_CODE | KILLED_EXIT_CODE)
    )
}

/// The failure that R reported.
fn describe_r_failure(
    job: &RenderJob,
    output: &RenderOutput,
    report: &Report,
    settings: &RenderSettings,
) -> Failure {
    let message = report.message.as_deref().unwrap_or("R reported no reason").trim();
    let mut found =
        diagnose(&RenderError { message, chunk: report.chunk.as_deref(), log: &output.log });
    let is_conversion = message.starts_with("pandoc") || message.starts_with("LaTeX failed");
    let cause = if is_conversion { find_cause(job, &output.log, output.backend) } else { None };
    let text = if let Some(cause) = cause {
        let diagnostic = RenderDiagnostic {
            message: cause.message,
            file: Some(job.document.clone()),
            first_line: cause.line,
            last_line: cause.line,
            ..RenderDiagnostic::default()
        };
        let location = describe_location(&diagnostic);
        let separator = if cause.hint.is_empty() { "" } else { "; " };
        let text = format!(
            "`{}` could not be rendered{location}: {}{separator}{}",
            job.document, diagnostic.message, cause.hint
        );
        found.insert(0, diagnostic);
        text
    } else {
        let location = found.first().map(describe_location).unwrap_or_default();
        let warning = describe_last_warning(report);
        let hint = package_hint(message, output.backend, settings)
            .unwrap_or_else(|| find_hint(output, message));
        format!("`{}` could not be rendered{location}: {message}{warning}{hint}", job.document)
    };
    Failure::new(classify_error(output, message), text).details(json!({
        "diagnostics": found,
        "warnings": report.warnings,
        "backend": output.backend,
        "versions": report.versions,
        "log": last_lines(&output.log),
    }))
}

/// The last warning in the failed chunk: often the actual cause, such as a file that cannot be
/// opened.
fn describe_last_warning(report: &Report) -> String {
    let last = report
        .warnings
        .last()
        .filter(|warning| warning.label.is_some() && warning.label == report.chunk);
    last.map(|warning| format!(" (preceded by the warning: {})", warning.message))
        .unwrap_or_default()
}

fn describe_location(diagnostic: &RenderDiagnostic) -> String {
    let lines = match (diagnostic.first_line, diagnostic.last_line) {
        (Some(first), Some(last)) if first != last => Some(format!("lines {first}-{last}")),
        (Some(line), _) => Some(format!("line {line}")),
        _ => None,
    };
    let label = diagnostic.label.as_ref().map(|label| format!("chunk `{label}`"));
    let parts: Vec<_> = label.into_iter().chain(lines).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn classify_error(output: &RenderOutput, message: &str) -> ErrorType {
    // R may report only a consequence; the log has the cause.
    let mentions =
        |words: &str| message.contains(words) || output.log.iter().any(|line| line.contains(words));
    if mentions("No space left on device") {
        ErrorType::DiskFull
    } else if mentions("cannot allocate vector") || mentions("cannot allocate memory") {
        ErrorType::OutOfMemory
    } else if mentions("Cannot fork") || mentions("unable to fork") {
        ErrorType::TooManyProcesses
    } else {
        ErrorType::RenderFailed
    }
}

fn find_hint(output: &RenderOutput, message: &str) -> String {
    match classify_error(output, message) {
        ErrorType::DiskFull => "; free some disk space and try again".to_owned(),
        ErrorType::OutOfMemory => "; use less data, or raise `memory_mib` in the `[documents]` section of toolcrib.toml".to_owned(),
        ErrorType::TooManyProcesses => {
            "; start fewer processes, or raise `processes` in the `[documents]` section of toolcrib.toml".to_owned()
        }
        _ => String::new(),
    }
}

/// The failure of a render that stopped without a report.
fn describe_exit(job: &RenderJob, output: &RenderOutput, settings: &RenderSettings) -> Failure {
    let mib = |bytes: u64| bytes / (1024 * 1024);
    let (error_type, why) = match output.exit {
        ExitReason::TimedOut | ExitReason::Exited(TIMEOUT_EXIT_CODE) => {
            let limit = settings.timeout.as_secs_f64();
            (
                ErrorType::TimedOut,
                format!("it was stopped after {limit} seconds, its time limit (`timeout_seconds`)"),
            )
        }
        ExitReason::LimitExceeded(LimitExceeded::Memory(limit)) => (
            ErrorType::OutOfMemory,
            format!(
                "it was stopped because it used more than {} MiB of memory (`memory_mib`)",
                mib(limit)
            ),
        ),
        ExitReason::LimitExceeded(LimitExceeded::Processes(limit)) => (
            ErrorType::TooManyProcesses,
            format!("it was stopped because it had more than {limit} processes (`processes`)"),
        ),
        ExitReason::LimitExceeded(LimitExceeded::Disk(limit)) => (
            ErrorType::TooMuchDisk,
            format!("it was stopped because it wrote more than {} MiB", mib(limit)),
        ),
        ExitReason::Signalled(signal) => (
            ErrorType::RenderFailed,
            format!("R was killed by signal {signal}; it may have crashed"),
        ),
        ExitReason::Exited(KILLED_EXIT_CODE) => {
            let limit = mib(settings.memory_bytes);
            let why = format!(
                "R was killed: it used more than {limit} MiB of memory (`memory_mib`), or Docker was stopped"
            );
            (ErrorType::OutOfMemory, why)
        }
        ExitReason::Exited(code) => {
            let last = output.log.last().map(|line| format!(" ({line})")).unwrap_or_default();
            let why = format!(
                "R exited with code {code} before the document was finished{last}; a document must not call `quit()`"
            );
            (ErrorType::RenderFailed, why)
        }
    };
    // A full disk makes R fail in many ways, so this line takes precedence over the error that R
    // reports.
    let error_type = if output.log.iter().any(|line| line.contains("No space left on device")) {
        ErrorType::DiskFull
    } else {
        error_type
    };
    let diagnostic = RenderDiagnostic {
        message: why,
        label: output.chunk.clone(),
        ..RenderDiagnostic::default()
    };
    let message = format!(
        "`{}` could not be rendered{}: {}",
        job.document,
        describe_location(&diagnostic),
        diagnostic.message
    );
    Failure::new(error_type, message).details(json!({
        "diagnostics": [diagnostic],
        "warnings": Value::Array(Vec::new()),
        "backend": output.backend,
        "log": last_lines(&output.log),
    }))
}

fn last_lines(log: &[String]) -> String {
    log[log.len().saturating_sub(TAIL_LINES)..].join("\n")
}
