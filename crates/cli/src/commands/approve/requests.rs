//! The requests for approval of one or several cribs.

use std::{path::Path, time::SystemTime};

use host::{Assembly, recent_cribs};
use runtime::{Approval, Runtime, operation::ApprovalId, render_command_line};

use crate::{
    authority::Authority,
    duration::format_age,
    error::{CommandError, ErrorKind},
    table::{self, Cell, Column, Header},
    terminal::{self, Paint},
};

/// The requests of one crib, with the authority to decide about them.
pub(super) struct CribRequests<'a> {
    pub(super) name: String,
    pub(super) runtime: Runtime,
    pub(super) authority: Authority<'a>,
    /// Absent for another crib than the current one.
    pub(super) assembly: Option<&'a Assembly>,
}

/// A request, and the crib that it belongs to.
pub(super) struct Waiting<'r, 'a> {
    pub(super) crib: &'r CribRequests<'a>,
    pub(super) approval: Approval,
}

impl<'a> CribRequests<'a> {
    /// The current crib; empty if the current folder is not in a crib.
    pub(super) fn open_current(assembly: &'a Assembly) -> Result<Vec<Self>, CommandError> {
        if !assembly.crib().is_defined() {
            return Ok(Vec::new());
        }
        Ok(vec![Self {
            name: assembly.crib().name(),
            runtime: assembly.bare_runtime()?,
            authority: Authority::new(assembly),
            assembly: Some(assembly),
        }])
    }

    /// The other cribs of the user. One that cannot be opened is reported and skipped.
    pub(super) fn open_others(assembly: &Assembly, state: &Path) -> Vec<Self> {
        let current = assembly.crib().state_folder();
        let others = recent_cribs(state).into_iter().filter(|crib| crib.state != current);
        let open = others.filter_map(|crib| match crib.open() {
            Ok(runtime) => {
                let authority = Authority::of_state(&crib.state);
                Some(Self { name: crib.name, runtime, authority, assembly: None })
            }
            Err(error) => {
                terminal::note(&format!("cannot open the requests of `{}`: {error}", crib.name));
                None
            }
        });
        open.collect()
    }

    async fn open_requests(&self) -> Result<Vec<Approval>, CommandError> {
        self.runtime.journal().open_approvals(SystemTime::now()).await.map_err(journal_error)
    }
}

/// The waiting calls, oldest first.
pub(super) async fn list_waiting<'r, 'a>(
    cribs: &'r [CribRequests<'a>],
) -> Result<Vec<Waiting<'r, 'a>>, CommandError> {
    let mut waiting = Vec::new();
    for crib in cribs {
        let open = crib.open_requests().await?;
        waiting.extend(open.into_iter().map(|approval| Waiting { crib, approval }));
    }
    waiting.sort_by_key(|waiting| waiting.approval.created);
    Ok(waiting)
}

/// Whether these cribs have a request with this id, code or code prefix.
pub(super) async fn has_match(
    cribs: &[CribRequests<'_>],
    text: &str,
) -> Result<bool, CommandError> {
    Ok(!find_all(cribs, text).await?.is_empty())
}

/// Finds the request with this id or code, or the only one whose code has this prefix.
pub(super) async fn find<'r, 'a>(
    cribs: &'r [CribRequests<'a>],
    text: &str,
) -> Result<Waiting<'r, 'a>, CommandError> {
    let mut found = find_all(cribs, text).await?;
    match found.len() {
        0 => Err(CommandError::new(ErrorKind::NotFound, format!("there is no request `{text}`"))
            .hint("run `toolcrib approve` to list the calls that are waiting")),
        1 => Ok(found.remove(0)),
        _ => {
            let codes: Vec<_> = found.iter().map(|waiting| waiting.approval.id.code()).collect();
            let message = format!("`{text}` is the start of several codes: {}", codes.join(", "));
            Err(CommandError::new(ErrorKind::NotFound, message).hint("type one more letter"))
        }
    }
}

/// A code matches only waiting calls; an id also matches calls that were decided.
async fn find_all<'r, 'a>(
    cribs: &'r [CribRequests<'a>],
    text: &str,
) -> Result<Vec<Waiting<'r, 'a>>, CommandError> {
    if let Ok(id) = text.parse::<ApprovalId>() {
        let mut found = Vec::new();
        for crib in cribs {
            let known = crib.runtime.journal().approval(id.clone()).await.map_err(journal_error)?;
            found.extend(known.map(|approval| Waiting { crib, approval }));
        }
        return Ok(found);
    }
    let prefix = text.to_lowercase();
    let mut waiting = list_waiting(cribs).await?;
    waiting.retain(|waiting| !prefix.is_empty() && waiting.approval.id.code().starts_with(&prefix));
    Ok(waiting)
}

/// Prints the calls with their command lines, which a decision is based on.
pub(super) fn print_table(waiting: &[Waiting<'_, '_>], names_cribs: bool) {
    // Wide enough for every duration, so that the layout does not depend on how long calls wait.
    let waits = Column::right_aligned("WAITS").with_min_width(6);
    let columns = [
        Column::left_aligned("CODE"),
        waits,
        Column::left_aligned("CRIB"),
        Column::left_aligned("TOOL"),
        Column::left_aligned("RUNS"),
    ];
    let is_shown = |index: &usize| names_cribs || *index != 2;
    let columns = columns.into_iter().enumerate().filter(|(index, _)| is_shown(index));
    let columns: Vec<_> = columns.map(|(_, column)| column).collect();
    let to_row = |Waiting { crib, approval }: &Waiting<'_, '_>| {
        let cells: [Cell; 5] = [
            Cell::with_paint(approval.id.code(), Paint::Yellow),
            format_age(approval.created).trim_end_matches(" ago").into(),
            crib.name.as_str().into(),
            approval.tool.as_str().into(),
            Cell::with_paint(render_command_line(&approval.plan), Paint::Bold),
        ];
        let cells = cells.into_iter().enumerate().filter(|(index, _)| is_shown(index));
        cells.map(|(_, cell)| cell).collect()
    };
    let rows: Vec<_> = waiting.iter().map(to_row).collect();
    let lines = table::render(&columns, &rows, Header::Shown);
    lines.iter().for_each(|line| terminal::print_line(line));
}

fn journal_error(error: runtime::journal::JournalError) -> CommandError {
    CommandError::machine(error.to_string())
}
