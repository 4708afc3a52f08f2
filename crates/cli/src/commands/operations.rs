//! `operations`: the running and finished operations of a crib.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    process::ExitCode,
    time::{Duration, SystemTime},
};

use catalog::{Content, ErrorType};
use host::{Options, Persistence, count, queue};
use runtime::{
    Operations, Until, Viewer,
    journal::{Cursor, Filter, Retention},
    operation::{Operation, State},
};
use serde_json::{Value, json};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{
    duration::{format_age, format_span},
    error::{CommandError, ErrorKind},
    executor::block_on,
    table::{self, Cell, Column, Header},
    terminal::{self, Paint},
};

/// Inspect and cancel the operations of the crib's servers.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List operations, newest first.
    List(List),
    /// Show one operation and its result.
    Show {
        /// Id of the operation, or its first characters.
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the standard output of an operation.
    Logs {
        /// Id of the operation, or its first characters.
        id: String,
        /// Keep printing until the operation has ended.
        #[arg(short, long)]
        follow: bool,
    },
    /// Cancel an operation and kill all of its processes.
    Cancel {
        /// Id of the operation, or its first characters.
        id: String,
    },
    /// Delete finished operations and their outputs.
    Prune {
        /// Keep operations that ended within this many days.
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        days: u64,
        /// Keep at most this many MiB of output.
        #[arg(long, value_name = "MIB", default_value_t = 1024)]
        mib: u64,
    },
}

#[derive(clap::Args)]
struct List {
    /// List only operations of tools whose name starts with this.
    #[arg(long)]
    tool: Option<String>,
    /// List only operations in this state: pending, running, waiting_for_input, completed, failed,
    /// cancelled, timed_out or lost.
    #[arg(long)]
    state: Option<String>,
    /// List at most this many operations.
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Continue the list after this cursor.
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Redraw the list until nothing runs.
    #[arg(long)]
    watch: bool,
}

/// How often `--watch` and `--follow` refresh.
const REFRESH: Duration = Duration::from_millis(300);

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let options = Options { persistence: Persistence::Required, ..Options::default() };
    let assembly = context.assemble(options)?;
    let crib = assembly.crib();
    block_on(async {
        let runtime = assembly.bare_runtime()?;
        let operations = runtime.operations();
        match &args.action {
            Action::List(list) => print_list(crib, &operations, list).await,
            Action::Show { id, json } => show(crib, &operations, id, *json).await,
            Action::Logs { id, follow } => logs(&operations, id, *follow).await,
            Action::Cancel { id } => cancel(&operations, id).await,
            Action::Prune { days, mib } => prune(&operations, *days, *mib).await,
        }
    })?
}

async fn print_list(crib: &Crib, operations: &Operations, list: &List) -> CommandResult {
    let states = list.state.as_deref().map(parse_state).transpose()?.into_iter().collect();
    let filter = Filter { tool: list.tool.clone(), states, ..Filter::default() };
    let mut drawn = 0;
    loop {
        let cursor = list.after.clone().map(Cursor);
        let mut page = operations
            .list(filter.clone(), cursor, list.limit)
            .await
            .map_err(CommandError::machine_failure)?;
        queue::fill_positions(crib, &mut page.operations).await;
        if list.json {
            let next = page.next.map(|cursor| cursor.0);
            terminal::json(
                &json!({"version": 1, "operations": page.operations.iter().map(to_json).collect::<Vec<_>>(), "next": next}),
            );
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = page.operations.iter().map(to_row).collect();
        let header = if rows.is_empty() { Header::Hidden } else { Header::Shown };
        let lines = table::render(&COLUMNS, &rows, header);
        if drawn > 0 {
            // Moves the cursor up to the start of the previous list, and clears from there.
            terminal::clear_rows(drawn);
        }
        drawn = lines.iter().map(|line| terminal::height(line)).sum::<usize>();
        lines.iter().for_each(|line| terminal::print_line(line));
        if rows.is_empty() && !list.watch {
            terminal::note("no operations");
        }
        if let Some(next) = page.next.filter(|_| !list.watch) {
            terminal::note(&format!("more operations: --after {}", next.0));
        }
        let is_over = page.operations.iter().all(|operation| operation.state.is_final());
        // Redrawing needs a terminal; a pipe gets the list once.
        if !list.watch || is_over || !terminal::is_interactive() {
            return Ok(ExitCode::SUCCESS);
        }
        tokio::time::sleep(REFRESH).await;
    }
}

fn parse_state(name: &str) -> Result<State, CommandError> {
    State::from_name(name).ok_or_else(|| {
        let names: Vec<_> = State::ALL.iter().map(|state| state.as_str()).collect();
        CommandError::machine(format!("`{name}` is not a state"))
            .hint(format!("use one of {}", names.join(", ")))
    })
}

const COLUMNS: [Column; 6] = [
    Column::left_aligned("ID"),
    Column::left_aligned("STATE"),
    // Wide enough for every duration, so that the columns do not move when the list is redrawn.
    Column::right_aligned("TAKES").with_min_width(6),
    Column::right_aligned("BEGUN").with_min_width(10),
    Column::left_aligned("TOOL"),
    Column::left_aligned("PROGRESS"),
];

/// Length of the listed prefix of an id. Commands accept any unique prefix.
const SHORT_ID: usize = 8;

fn to_row(operation: &Operation) -> Vec<Cell> {
    let id = operation.id.as_str();
    let short = id.strip_prefix("op_").unwrap_or(id);
    let state = operation.state.as_str();
    vec![
        short.get(..SHORT_ID).unwrap_or(short).into(),
        match operation.state {
            State::Failed | State::TimedOut | State::Lost => Cell::with_paint(state, Paint::Red),
            State::Cancelled | State::WaitingForInput => Cell::with_paint(state, Paint::Yellow),
            State::Pending | State::Running | State::Completed => state.into(),
        },
        format_span(elapsed(operation)).into(),
        format_age(operation.created).into(),
        operation.tool.as_str().into(),
        describe_progress(operation).into(),
    ]
}

/// Describes the progress of an operation; empty if it has ended.
fn describe_progress(operation: &Operation) -> String {
    if operation.state.is_final() {
        return String::new();
    }
    match (operation.progress.fraction, &operation.progress.message, &operation.last_line) {
        (Some(fraction), message, _) => {
            format!("{} {}", format_bar(fraction), message.as_deref().unwrap_or_default())
        }
        (None, Some(message), _) => message.clone(),
        (None, None, line) => line.clone().unwrap_or_default(),
    }
}

/// How long an operation has been running. Its server records that when it ends; until then, it is
/// computed.
fn elapsed(operation: &Operation) -> Duration {
    let running = operation.started.filter(|_| !operation.state.is_final());
    running
        .and_then(|started| SystemTime::now().duration_since(started).ok())
        .unwrap_or(operation.elapsed)
}

fn format_bar(fraction: f64) -> String {
    const WIDTH: usize = 20;
    let done = ((fraction.clamp(0.0, 1.0) * WIDTH as f64).round() as usize).min(WIDTH);
    format!("[{}{}] {:3.0}%", "#".repeat(done), "-".repeat(WIDTH - done), fraction * 100.0)
}

/// The machine-readable form of an operation.
fn to_json(operation: &Operation) -> Value {
    let unix = |time: SystemTime| {
        time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |passed| passed.as_millis() as u64)
    };
    json!({
        "id": operation.id,
        "tool": operation.tool,
        "owner": operation.owner,
        "state": operation.state,
        "arguments": operation.arguments,
        "created_ms": unix(operation.created),
        "started_ms": operation.started.map(unix),
        "ended_ms": operation.ended.map(unix),
        "elapsed_ms": elapsed(operation).as_millis() as u64,
        "progress": operation.progress,
        "last_line": operation.last_line,
        "result": operation.outcome.as_ref().and_then(|outcome| outcome.structured.clone()),
    })
}

/// Maximum number of candidates that are listed for an ambiguous id.
const MAX_CANDIDATES: usize = 5;
/// The operations that are read at once to resolve an abbreviated id.
const SEARCH_PAGE: usize = 500;

/// The operation with this id, or the only one whose id starts with it; `op_` can be left out.
async fn find(operations: &Operations, text: &str) -> Result<Operation, CommandError> {
    let unknown = |message: String| {
        CommandError::new(ErrorKind::NotFound, message)
            .hint("run `toolcrib operations list` to see the operations")
    };
    let id = match text.parse() {
        Ok(id) => id,
        Err(_) => {
            let matches = find_by_prefix(operations, text).await?;
            match matches.as_slice() {
                [] => return Err(unknown(format!("no operation id starts with `{text}`"))),
                [only] => only.id.clone(),
                several => return Err(ambiguous_id(text, several)),
            }
        }
    };
    let found = operations.get(Viewer::Operator, &id).await;
    found.map_err(|failure| match failure.error_type {
        // The message of the failure is for models, which have a tool to list operations.
        ErrorType::UnknownOperation => unknown(format!("there is no operation `{id}`")),
        _ => CommandError::machine_failure(failure),
    })
}

/// The operations whose id starts with this, newest first.
async fn find_by_prefix(
    operations: &Operations,
    text: &str,
) -> Result<Vec<Operation>, CommandError> {
    let prefix = text.strip_prefix("op_").unwrap_or(text);
    let is_match = |operation: &Operation| {
        operation.id.as_str().strip_prefix("op_").is_some_and(|rest| rest.starts_with(prefix))
    };
    let (mut matches, mut cursor) = (Vec::new(), None);
    // An empty prefix would match every operation, which is never intended.
    while !prefix.is_empty() {
        let page = operations
            .list(Filter::default(), cursor, SEARCH_PAGE)
            .await
            .map_err(CommandError::machine_failure)?;
        matches.extend(page.operations.into_iter().filter(is_match));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    Ok(matches)
}

fn ambiguous_id(text: &str, matches: &[Operation]) -> CommandError {
    let describe = |operation: &Operation| {
        format!(
            "\n{}  {}  {}  {}",
            operation.id,
            operation.state.as_str(),
            format_age(operation.created),
            operation.tool
        )
    };
    let listed: String = matches.iter().take(MAX_CANDIDATES).map(describe).collect();
    let more = match matches.len().saturating_sub(MAX_CANDIDATES) {
        0 => String::new(),
        more => format!("\nand {more} more"),
    };
    let message = format!("`{text}` matches {} operations:{listed}{more}", matches.len());
    CommandError::new(ErrorKind::NotFound, message).hint("pass more characters of the id")
}

async fn show(crib: &Crib, operations: &Operations, text: &str, as_json: bool) -> CommandResult {
    let mut operation = find(operations, text).await?;
    queue::fill_positions(crib, std::slice::from_mut(&mut operation)).await;
    if as_json {
        terminal::json(&to_json(&operation));
        return Ok(ExitCode::SUCCESS);
    }
    for (label, value) in [
        ("operation", operation.id.to_string()),
        ("tool", operation.tool.clone()),
        ("arguments", Value::Object(operation.arguments.clone()).to_string()),
        ("begun", format_age(operation.created)),
        ("takes", format_span(elapsed(&operation))),
        ("state", operation.state.as_str().to_owned()),
        ("progress", describe_progress(&operation)),
    ] {
        if !value.is_empty() {
            terminal::print_line(&format!("{label:<10} {}", runtime::escape_controls(&value)));
        }
    }
    terminal::print_line("");
    for content in operation.outcome.iter().flat_map(|outcome| &outcome.content) {
        match content {
            Content::Text(text) => terminal::print_foreign_line(text),
            Content::Link { uri, .. } => terminal::print_line(uri),
            _ => terminal::print_line("(binary content)"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn logs(operations: &Operations, text: &str, follow: bool) -> CommandResult {
    let mut operation = find(operations, text).await?;
    let path = operations.output_file(&operation.id);
    let mut at = 0;
    loop {
        // Read before the output, so that output written just before the end is not missed.
        let is_over = operation.state.is_final();
        at += print_from(&path, at)?;
        if is_over || !follow {
            print_inline(&operation, at);
            return Ok(ExitCode::SUCCESS);
        }
        let waited = operations
            .wait(Viewer::Operator, std::slice::from_ref(&operation.id), Until::All, REFRESH)
            .await;
        operation = waited.map_err(CommandError::machine_failure)?.pop().unwrap_or(operation);
    }
}

/// Prints the output from the result: a short one has no file of its own.
fn print_inline(operation: &Operation, printed: u64) {
    let structured = operation.outcome.as_ref().and_then(|outcome| outcome.structured.as_ref());
    if let (Some(stdout), 0) = (structured.and_then(|object| object["stdout"].as_str()), printed) {
        terminal::print_foreign(stdout);
    }
}

/// Prints a file from an offset on and returns how many bytes that were. A missing file is empty.
fn print_from(path: &std::path::Path, from: u64) -> Result<u64, CommandError> {
    let Ok(mut file) = File::open(path) else {
        return Ok(0);
    };
    let problem = |error: std::io::Error| CommandError::io("read", path, &error);
    file.seek(SeekFrom::Start(from)).map_err(problem)?;
    let mut chunk = vec![0; 64 << 10];
    let mut printed = 0;
    loop {
        let read = file.read(&mut chunk).map_err(problem)?;
        if read == 0 {
            return Ok(printed);
        }
        terminal::print_foreign_bytes(&chunk[..read]);
        printed += read as u64;
    }
}

async fn cancel(operations: &Operations, text: &str) -> CommandResult {
    let before = find(operations, text).await?;
    let after = operations
        .cancel(Viewer::Operator, &before.id)
        .await
        .map_err(CommandError::machine_failure)?;
    let message = if before.state.is_final() {
        format!("{} had already ended: {}", after.id, after.state.as_str())
    } else {
        let outcome = after.outcome.as_ref();
        let text = outcome
            .and_then(|outcome| outcome.structured.as_ref())
            .and_then(|object| object["error_message"].as_str());
        format!("{}: {}", after.id, text.unwrap_or(after.state.as_str()))
    };
    terminal::print_line(&message);
    Ok(ExitCode::SUCCESS)
}

async fn prune(operations: &Operations, days: u64, mib: u64) -> CommandResult {
    let age = Duration::from_secs(days.saturating_mul(86_400));
    // An age that reaches back beyond 1970 selects no operation.
    let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
    let retention = Retention { since, bytes: mib.saturating_mul(1 << 20) };
    let deleted = operations.prune(retention).await.map_err(CommandError::machine_failure)?;
    terminal::print_line(&format!("deleted {}", count(deleted.len(), "operation")));
    Ok(ExitCode::SUCCESS)
}
