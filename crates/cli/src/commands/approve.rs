//! `approve`: a person says yes or no to what a tool wants to do.

use std::{
    io::{BufRead, IsTerminal, stdin},
    process::ExitCode,
    time::SystemTime,
};

use host::{Assembly, Options, Persistence};
use runtime::{Approval, Runtime, journal::Journal, operation::ApprovalId};
use workspace::propose_policy_clause;

use super::{CommandContext, CommandResult, call};
use crate::{
    duration::format_age,
    error::{CommandError, Kind},
    executor::block_on,
    terminal,
};

/// Say yes or no to a call that waits for approval. Without an id, list what waits.
///
/// A yes is good for exactly the call that was shown, once, for an hour after it was asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The approval's id, as the refused call named it.
    id: Option<String>,
    /// Say no.
    #[arg(long)]
    deny: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
    /// Also print a rule for toolcrib.toml that allows this call from now on.
    #[arg(long, conflicts_with = "deny")]
    always: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let options = Options { persistence: Persistence::Required, ..Options::default() };
    let assembly = context.assemble(options)?;
    block_on(async {
        let runtime = assembly.bare_runtime()?;
        match &args.id {
            Some(id) => decide(&assembly, &runtime, id, args).await,
            None => list(runtime.journal().as_ref()).await,
        }
    })?
}

async fn list(journal: &dyn Journal) -> CommandResult {
    let open = journal.open_approvals(SystemTime::now()).await.map_err(store_failed)?;
    for approval in &open {
        terminal::line(&format!(
            "{}  {}  {}  ({})",
            approval.id,
            format_age(approval.created),
            approval.tool,
            approval.reason
        ));
    }
    if open.is_empty() {
        terminal::note("nothing waits for approval");
    }
    Ok(ExitCode::SUCCESS)
}

async fn decide(assembly: &Assembly, runtime: &Runtime, text: &str, args: &Args) -> CommandResult {
    let unknown = || {
        CommandError::new(Kind::NoSuchTool, format!("there is no approval `{text}`"))
            .hint("`toolcrib approve` lists what waits")
    };
    let id: ApprovalId = text.parse().map_err(|_| unknown())?;
    let approval =
        runtime.journal().approval(id.clone()).await.map_err(store_failed)?.ok_or_else(unknown)?;
    if !approval.is_open(SystemTime::now()) {
        return Err(
            CommandError::machine(closed(&approval)).hint("make the call again to ask anew")
        );
    }
    terminal::note(&format!(
        "`{}` waits for approval: {}\n{}",
        approval.tool,
        approval.reason,
        call::plan::describe(&approval.plan)
    ));
    let approved = !args.deny && (args.yes || confirmed()?);
    let ruled =
        runtime.rule(id, approved, "terminal").await.map_err(store_failed)?.ok_or_else(unknown)?;
    runtime.flush_audit();
    let stands = ruled.ruling.as_ref().is_some_and(|ruling| ruling.approved);
    terminal::note(if stands {
        "approved: make the same call again and it runs"
    } else {
        "denied"
    });
    if args.always && stands {
        propose_rule(assembly, &approval)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the person at the terminal once more. Without one, the command itself is the yes.
fn confirmed() -> Result<bool, CommandError> {
    if !stdin().is_terminal() {
        return Ok(true);
    }
    terminal::note("Approve this? [y/N]");
    let mut line = String::new();
    stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| CommandError::machine(format!("cannot read the answer: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn closed(approval: &Approval) -> String {
    match &approval.ruling {
        Some(ruling) if ruling.approved => {
            format!("{} was approved {} by {}", approval.id, format_age(ruling.at), ruling.by)
        }
        Some(ruling) => {
            format!("{} was denied {} by {}", approval.id, format_age(ruling.at), ruling.by)
        }
        None => format!("{} is too old", approval.id),
    }
}

fn propose_rule(assembly: &Assembly, approval: &Approval) -> Result<(), CommandError> {
    let arguments = approval.plan["arguments"].as_object().cloned().unwrap_or_default();
    let tool = assembly.loaded().catalog.get(&approval.tool);
    let Some(rule) =
        tool.and_then(|tool| propose_policy_clause(tool, &arguments, SystemTime::now()))
    else {
        return Err(CommandError::machine("no rule can be written for this call")
            .hint("write one by hand; see docs/approval.md"));
    };
    terminal::note("To allow this call from now on, add to toolcrib.toml:\n");
    terminal::line(&rule);
    Ok(())
}

fn store_failed(error: runtime::journal::JournalError) -> CommandError {
    CommandError::machine(error.to_string())
}
