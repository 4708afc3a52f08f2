//! `log`: prints the audit log, one record per call.

mod human;
mod json;
mod since;

use std::{process::ExitCode, time::Duration};

use globset::{Glob, GlobMatcher};
use host::{LogFilter, LogFollower, LogRecord, read_log};

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, ErrorKind},
    terminal,
};

/// Show who called which tools, with which arguments and outcome.
///
/// Every call is recorded, with secret arguments masked and long values shortened. docs/log.md
/// describes the columns, the JSON and where the log is stored.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Keep printing calls as they end, and operations as they start.
    #[arg(short, long)]
    watch: bool,
    /// Show only calls of tools whose name matches this pattern, such as `git_*`.
    #[arg(long, value_name = "GLOB")]
    tool: Option<String>,
    /// Show only calls since this time: `2h`, `30m`, `3d`, `today`, `14:30`, `2026-11-18` or a full
    /// timestamp.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show only calls that failed or were refused, cancelled or lost.
    #[arg(long)]
    failed: bool,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
    /// Show at most this many calls [default: 30; with --watch 10; with --json or --since all].
    #[arg(short, value_name = "N")]
    n: Option<usize>,
}

/// Polling interval of `--watch`.
const REFRESH: Duration = Duration::from_millis(200);

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let crib = context.crib()?;
    let state = crib.state_folder();
    let filter = LogFilter {
        tool: args.tool.as_deref().map(parse_glob).transpose()?,
        since: args.since.as_deref().map(since::parse).transpose()?,
        failed: args.failed,
    };
    // Opened before the log is read, so that a call that ends in between is shown twice rather than
    // never.
    let follower = args.watch.then(|| LogFollower::new(&state));
    let records = read_log(&state, &filter, limit(args));
    if records.is_empty() && !args.watch && !args.json {
        terminal::note(&describe_empty(args, &crib.folder.display().to_string()));
        return Ok(ExitCode::SUCCESS);
    }
    let mut printer = Printer { as_json: args.json, rows: human::Rows::default() };
    printer.print(&records);
    if let Some(mut follower) = follower {
        loop {
            printer.print(&follower.poll(&filter));
            std::thread::sleep(REFRESH);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn limit(args: &Args) -> usize {
    let default = match args {
        Args { watch: true, .. } => 10,
        Args { json: true, .. } | Args { since: Some(_), .. } => usize::MAX,
        _ => 30,
    };
    args.n.unwrap_or(default)
}

fn describe_empty(args: &Args, crib: &str) -> String {
    if args.tool.is_some() || args.since.is_some() || args.failed {
        "no calls match".to_owned()
    } else {
        format!("no calls are recorded for {crib}")
    }
}

fn parse_glob(text: &str) -> Result<GlobMatcher, CommandError> {
    let glob = Glob::new(text).map_err(|error| {
        CommandError::new(ErrorKind::Machine, format!("`{text}` is not a pattern: {error}"))
            .hint("use `*` for any text, such as `git_*`")
    })?;
    Ok(glob.compile_matcher())
}

struct Printer {
    as_json: bool,
    rows: human::Rows,
}

impl Printer {
    fn print(&mut self, records: &[LogRecord]) {
        if self.as_json {
            records.iter().for_each(json::print);
        } else {
            self.rows.print(records);
        }
    }
}
