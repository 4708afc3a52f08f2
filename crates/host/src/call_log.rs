//! The call log: lines of the audit log, joined to one record per call, operation and decision.

mod follow;
mod join;
mod line;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use globset::GlobMatcher;
use serde_json::{Map, Value};
use store::audit_files;

use self::{join::Joiner, line::Line};
pub use follow::LogFollower;

/// Maximum length of a line. Servers never write longer ones, so they are skipped.
const MAX_LINE: usize = 1 << 20;

/// One call, operation or decision.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// When the call began, or a person decided.
    pub time: SystemTime,
    /// The subject of the record.
    pub event: LogEvent,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, with secrets masked and long values truncated.
    pub arguments: Option<Map<String, Value>>,
    /// The state of the call.
    pub state: LogState,
    /// Duration until the last recorded line.
    pub duration: Duration,
    /// The owner of the call.
    pub owner: String,
    /// Distinguishes clients of one owner; for a decision, how it was made.
    pub caller: Option<String>,
    /// The name and version that the client gave itself.
    pub client: Option<String>,
    /// The id of the operation that the call became.
    pub operation: Option<String>,
    /// The id of the approval that was used, requested or decided.
    pub approval: Option<String>,
    /// Where the tool is defined.
    pub source: Option<String>,
}

/// The subject of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEvent {
    /// A call.
    Call,
    /// A call that became an operation.
    Operation,
    /// A person approved a call.
    Approval,
    /// A person denied a call.
    Denial,
}

/// The state of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    /// It has not ended as far as the log shows: it is running, or its server was killed.
    Running,
    /// It asked its client a question; the client repeats it with the answer.
    Asked,
    /// It succeeded, or a decision was recorded.
    Ok,
    /// It failed with this error type.
    Failed(String),
    /// Policy or a missing approval stopped it, with this error type; nothing was run.
    Refused(String),
    /// It was cancelled.
    Cancelled,
    /// Its server died before it ended.
    Lost,
}

/// Selects records.
#[derive(Default)]
pub struct LogFilter {
    /// Selects tools whose name matches.
    pub tool: Option<GlobMatcher>,
    /// Selects calls that began at this time or later.
    pub since: Option<SystemTime>,
    /// Selects calls that did not succeed.
    pub failed: bool,
}

impl LogFilter {
    /// Whether the filter selects a record.
    pub fn includes(&self, record: &LogRecord) -> bool {
        self.tool.as_ref().is_none_or(|glob| glob.is_match(&record.tool))
            && self.since.is_none_or(|since| record.time >= since)
            && (!self.failed || record.is_failure())
    }
}

impl LogRecord {
    /// Whether the call did not succeed. A running call, or one that asked its client, has not
    /// failed.
    pub fn is_failure(&self) -> bool {
        use LogState::{Asked, Cancelled, Failed, Lost, Ok, Refused, Running};
        match self.state {
            Failed(_) | Refused(_) | Cancelled | Lost => true,
            Running | Asked | Ok => self.event == LogEvent::Denial,
        }
    }
}

/// Reads the newest `limit` selected records of the crib with this state folder, oldest first.
pub fn read_log(state: &Path, filter: &LogFilter, limit: usize) -> Vec<LogRecord> {
    let mut files: Vec<Vec<Line>> = Vec::new();
    let mut found = 0;
    // Reads files from the newest to the oldest, until there are enough records.
    for path in audit_files(state).iter().rev() {
        // Lines are appended, so the last change of a file is the time of its newest line.
        let is_older = |since| modified(path).is_some_and(|modified| modified < since);
        if found >= limit || filter.since.is_some_and(is_older) {
            break;
        }
        let lines = read_lines(path);
        found += join(&lines).iter().filter(|record| filter.includes(record)).count();
        files.push(lines);
    }
    // Joined again as a whole: a call may begin in one file and end in the next.
    let lines: Vec<_> = files.into_iter().rev().flatten().collect();
    let mut records = join(&lines);
    records.retain(|record| filter.includes(record));
    records.sort_by_key(|record| record.time);
    records.split_off(records.len().saturating_sub(limit))
}

/// Joins all lines, including those of calls that have not ended.
fn join(lines: &[Line]) -> Vec<LogRecord> {
    let mut joiner = Joiner::default();
    let mut records: Vec<_> = lines.iter().filter_map(|line| joiner.add(line)).collect();
    records.extend(joiner.into_running());
    records
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// The valid lines of a file; none if it is missing.
fn read_lines(path: &PathBuf) -> Vec<Line> {
    let Ok(file) = File::open(path) else {
        return Vec::new();
    };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    lines.filter(|line| line.len() <= MAX_LINE).filter_map(|line| Line::parse(&line)).collect()
}
