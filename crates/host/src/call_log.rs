//! The log of calls, for people and programs: the lines of the audit log, joined to one record for
//! each call, operation and decision.

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

/// The longest line that is read; longer ones are skipped. The server writes none.
const MAX_LINE: usize = 1 << 20;

/// One call, operation or decision.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// When the call began, or a person decided.
    pub time: SystemTime,
    /// What the record is about.
    pub event: LogEvent,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, with secrets masked and long values shortened.
    pub arguments: Option<Map<String, Value>>,
    /// How far it is.
    pub state: LogState,
    /// How long it took, or has taken when it was recorded.
    pub duration: Duration,
    /// On whose behalf it was made.
    pub owner: String,
    /// The client among those of the owner; for a decision, how it was made.
    pub caller: Option<String>,
    /// The name and version that the client gave itself.
    pub client: Option<String>,
    /// The operation that a call became.
    pub operation: Option<String>,
    /// The approval that was used, requested or decided about.
    pub approval: Option<String>,
    /// Where the tool is defined.
    pub source: Option<String>,
}

/// What a record is about.
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

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    /// It has not ended, or its server was killed.
    Running,
    /// It asked its client a question, and is made again with the answer.
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
    /// Those of tools whose name matches.
    pub tool: Option<GlobMatcher>,
    /// Those that began at this time or later.
    pub since: Option<SystemTime>,
    /// Those that did not succeed.
    pub failed: bool,
}

impl LogFilter {
    /// Whether it selects a record.
    pub fn includes(&self, record: &LogRecord) -> bool {
        self.tool.as_ref().is_none_or(|glob| glob.is_match(&record.tool))
            && self.since.is_none_or(|since| record.time >= since)
            && (!self.failed || record.is_failure())
    }
}

impl LogRecord {
    /// Whether it did not succeed. A call that runs, or that asked its client, has not failed.
    pub fn is_failure(&self) -> bool {
        use LogState::{Asked, Cancelled, Failed, Lost, Ok, Refused, Running};
        match self.state {
            Failed(_) | Refused(_) | Cancelled | Lost => true,
            Running | Asked | Ok => self.event == LogEvent::Denial,
        }
    }
}

/// The selected records of the crib with this state folder, oldest first; the newest `limit` of them.
pub fn read_log(state: &Path, filter: &LogFilter, limit: usize) -> Vec<LogRecord> {
    let mut files: Vec<Vec<Line>> = Vec::new();
    let mut found = 0;
    // From the newest file on, until there is enough.
    for path in audit_files(state).iter().rev() {
        let is_older = |since| modified(path).is_some_and(|modified| modified < since);
        if found >= limit || filter.since.is_some_and(is_older) {
            break;
        }
        let lines = read_lines(path);
        found += join(&lines).iter().filter(|record| filter.includes(record)).count();
        files.push(lines);
    }
    let lines: Vec<_> = files.into_iter().rev().flatten().collect();
    let mut records = join(&lines);
    records.retain(|record| filter.includes(record));
    records.sort_by_key(|record| record.time);
    records.split_off(records.len().saturating_sub(limit))
}

/// Joins all lines; calls that have not ended are included.
fn join(lines: &[Line]) -> Vec<LogRecord> {
    let mut joiner = Joiner::default();
    let mut records: Vec<_> = lines.iter().filter_map(|line| joiner.add(line)).collect();
    records.extend(joiner.into_running());
    records
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// The lines of a file that can be read. A missing file has none.
fn read_lines(path: &PathBuf) -> Vec<Line> {
    let Ok(file) = File::open(path) else {
        return Vec::new();
    };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    lines.filter(|line| line.len() <= MAX_LINE).filter_map(|line| Line::parse(&line)).collect()
}
