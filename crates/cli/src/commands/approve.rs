//! `approve`: a person approves or denies a call.

mod authority;

use std::{process::ExitCode, time::SystemTime};

use host::{Assembly, Options, Persistence};
use runtime::{
    Approval, Detail, Rendering, Runtime, escape_controls, journal::Journal, operation::ApprovalId,
    render_request,
};
use workspace::propose_policy_clause;

use self::authority::{Authority, Decision};
use super::{CommandContext, CommandResult};
use crate::{
    duration::format_age,
    error::{CommandError, Kind},
    executor::block_on,
    terminal,
};

/// Approve or deny a call; without a code, list the calls that are waiting for approval.
///
/// An approval is valid for exactly the call that was shown, once, for an hour after it was
/// requested. It is given at a terminal.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Code of the request, as the refused call reported it.
    #[arg(value_name = "CODE")]
    id: Option<String>,
    /// Deny the call.
    #[arg(long)]
    deny: bool,
    /// Do not ask for confirmation. Without a terminal, this needs the operator credential.
    #[arg(long)]
    yes: bool,
    /// Show long values in full.
    #[arg(long)]
    full: bool,
    /// Also print a policy for toolcrib.toml that allows this call for 30 days.
    #[arg(long, conflicts_with = "deny")]
    always: bool,
    /// Set, change or remove a passphrase that every approval then needs.
    #[arg(long, conflicts_with_all = ["id", "deny", "yes", "always"])]
    set_passphrase: bool,
    /// Create the operator credential, with which your scripts can approve calls.
    #[arg(long, conflicts_with_all = ["id", "deny", "yes", "always", "set_passphrase"])]
    create_credential: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let options = Options { persistence: Persistence::Required, ..Options::default() };
    let assembly = context.assemble(options)?;
    let authority = Authority::new(&assembly);
    if args.set_passphrase {
        return authority.set_passphrase();
    }
    if args.create_credential {
        return authority.create_credential();
    }
    block_on(async {
        let runtime = assembly.bare_runtime()?;
        match &args.id {
            Some(id) => decide(&assembly, &runtime, &authority, id, args).await,
            None => list(runtime.journal().as_ref()).await,
        }
    })?
}

async fn list(journal: &dyn Journal) -> CommandResult {
    let open = journal.open_approvals(SystemTime::now()).await.map_err(journal_error)?;
    for approval in &open {
        let line = format!(
            "{}  {}  {}  ({})",
            approval.id.code(),
            format_age(approval.created),
            approval.tool,
            approval.reason
        );
        terminal::print_line(&escape_controls(&line));
    }
    if open.is_empty() {
        terminal::note("no calls are waiting for approval");
    }
    Ok(ExitCode::SUCCESS)
}

async fn decide(
    assembly: &Assembly,
    runtime: &Runtime,
    authority: &Authority<'_>,
    text: &str,
    args: &Args,
) -> CommandResult {
    let unknown = || {
        CommandError::new(Kind::NotFound, format!("there is no request `{text}`"))
            .hint("run `toolcrib approve` to list the calls that are waiting")
    };
    let approval = find(runtime.journal().as_ref(), text).await?.ok_or_else(unknown)?;
    let id = approval.id.clone();
    if !approval.is_open(SystemTime::now()) {
        return Err(CommandError::machine(describe_closed(&approval))
            .hint("repeat the call to request a new approval"));
    }
    let detail = if args.full { Detail::Full } else { Detail::Brief };
    let rendering = Rendering { detail, ..terminal::stderr_rendering() };
    terminal::note(&render_request(&approval, rendering));
    // `--deny` needs no confirmation: nothing runs.
    let ruling = if args.deny { Decision::Deny } else { authority.decide(args.yes)? };
    let (approved, by) = match ruling {
        Decision::Approve(by) => (true, by),
        Decision::Deny => (false, "terminal"),
    };
    let recorded =
        runtime.rule(id, approved, by).await.map_err(journal_error)?.ok_or_else(unknown)?;
    // The process exits right after this, and must not lose the line.
    runtime.flush_audit();
    // From the record: another terminal may have decided first.
    let is_approved = recorded.ruling.as_ref().is_some_and(|ruling| ruling.approved);
    terminal::note(if is_approved { "approved; repeat the same call to run it" } else { "denied" });
    if args.always && is_approved {
        propose_rule(assembly, &approval)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The approval with this code or id. A code names only calls that still wait.
async fn find(journal: &dyn Journal, text: &str) -> Result<Option<Approval>, CommandError> {
    if let Ok(id) = text.parse::<ApprovalId>() {
        return journal.approval(id).await.map_err(journal_error);
    }
    let open = journal.open_approvals(SystemTime::now()).await.map_err(journal_error)?;
    Ok(open.into_iter().find(|approval| approval.id.code().eq_ignore_ascii_case(text)))
}

fn describe_closed(approval: &Approval) -> String {
    match &approval.ruling {
        Some(ruling) if ruling.approved => {
            format!("{} was approved {} by {}", approval.id, format_age(ruling.at), ruling.by)
        }
        Some(ruling) => {
            format!("{} was denied {} by {}", approval.id, format_age(ruling.at), ruling.by)
        }
        None => format!("{} has expired", approval.id),
    }
}

fn propose_rule(assembly: &Assembly, approval: &Approval) -> Result<(), CommandError> {
    let arguments = approval.plan["arguments"].as_object().cloned().unwrap_or_default();
    let tool = assembly.loaded().catalog.get(&approval.tool);
    let Some(rule) =
        tool.and_then(|tool| propose_policy_clause(tool, &arguments, SystemTime::now()))
    else {
        return Err(CommandError::machine("cannot write a policy for this call")
            .hint("write one by hand, see docs/approval.md"));
    };
    terminal::note("to allow this call for 30 days, add to toolcrib.toml:\n");
    terminal::print_line(&rule);
    Ok(())
}

fn journal_error(error: runtime::journal::JournalError) -> CommandError {
    CommandError::machine(error.to_string())
}
