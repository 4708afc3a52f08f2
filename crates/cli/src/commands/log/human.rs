//! `log` for people: one line per call.

use host::{LogEvent, LogRecord, LogState};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value};

use crate::{
    duration::format_span,
    table::{self, Cell, Column, Header},
    terminal::{self, Paint},
};

const COLUMNS: [Column; 6] = [
    Column::left_aligned("TIME"),
    Column::left_aligned("OUTCOME").with_min_width(12),
    Column::right_aligned("TAKES").with_min_width(6),
    Column::left_aligned("BY").with_min_width(8),
    Column::left_aligned("TOOL").with_min_width(12),
    Column::left_aligned("ARGUMENTS"),
];

/// Prints rows, with headings before the first one.
#[derive(Default)]
pub(super) struct Rows {
    is_begun: bool,
}

impl Rows {
    pub(super) fn print(&mut self, records: &[LogRecord]) {
        if records.is_empty() {
            return;
        }
        let header = if self.is_begun { Header::Hidden } else { Header::Shown };
        self.is_begun = true;
        let rows: Vec<_> = records.iter().map(to_row).collect();
        table::render(&COLUMNS, &rows, header).iter().for_each(|line| terminal::print_line(line));
    }
}

fn to_row(record: &LogRecord) -> Vec<Cell> {
    let time = Timestamp::try_from(record.time).unwrap_or_default();
    let time = time.to_zoned(TimeZone::system()).strftime("%m-%d %H:%M:%S").to_string();
    let is_call = matches!(record.event, LogEvent::Call | LogEvent::Operation);
    let takes = if is_call && record.state != LogState::Running {
        format_span(record.duration)
    } else {
        String::new()
    };
    vec![
        time.into(),
        to_outcome(record),
        takes.into(),
        describe_who(record).into(),
        record.tool.as_str().into(),
        describe_call(record).into(),
    ]
}

/// The outcome in one word, coloured if the call did not succeed.
fn to_outcome(record: &LogRecord) -> Cell {
    match (&record.state, record.event) {
        (LogState::Ok, LogEvent::Approval) => "approved".into(),
        (_, LogEvent::Denial) => Cell::with_paint("denied", Paint::Yellow),
        (LogState::Ok, _) => "ok".into(),
        (LogState::Running, _) => "running".into(),
        (LogState::Asked, _) => "asked".into(),
        (LogState::Cancelled, _) => Cell::with_paint("cancelled", Paint::Yellow),
        (LogState::Lost, _) => Cell::with_paint("lost", Paint::Red),
        (LogState::Refused(why), _) => Cell::with_paint(why.as_str(), Paint::Yellow),
        (LogState::Failed(why), _) => Cell::with_paint(why.as_str(), Paint::Red),
    }
}

/// The name of the client without its version; for a decision, how it was made.
fn describe_who(record: &LogRecord) -> String {
    let decided = record
        .caller
        .as_deref()
        .filter(|_| matches!(record.event, LogEvent::Approval | LogEvent::Denial));
    let client = record
        .client
        .as_deref()
        .map(|client| client.rsplit_once(' ').map_or(client, |(name, _)| name));
    decided.or(client).unwrap_or(&record.owner).to_owned()
}

/// The arguments, then the ids of the operation and the approval, which other commands accept.
fn describe_call(record: &LogRecord) -> String {
    let arguments = record.arguments.as_ref().map(format_arguments).filter(|text| !text.is_empty());
    let is_request = matches!(&record.state, LogState::Refused(why) if why == "approval_required");
    let code = |id: &str| format!("({})", id.get(3..9).unwrap_or(id));
    let shows_approval =
        is_request || !matches!(record.event, LogEvent::Call | LogEvent::Operation);
    let approval = record.approval.as_deref().filter(|_| shows_approval).map(code);
    let operation = record.operation.as_deref().map(code);
    arguments.into_iter().chain(approval).chain(operation).collect::<Vec<_>>().join(" ")
}

/// `key=value` for each argument, as `call` takes them.
fn format_arguments(arguments: &Map<String, Value>) -> String {
    let format = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => quote(text),
            value => value.to_string(),
        };
        format!("{name}={value}")
    };
    arguments.iter().map(format).collect::<Vec<_>>().join(" ")
}

fn quote(text: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"'\"\\".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
