//! `approve`: a person approves or denies a call.

mod requests;
mod watch;

use std::{process::ExitCode, time::SystemTime};

use host::{Assembly, Options, Persistence, count};
use runtime::{Approval, Detail};
use workspace::propose_policy_clause;

use self::requests::{CribRequests, Waiting};
use super::{CommandContext, CommandResult};
use crate::{
    authority::{Authority, Decision, RequestState},
    duration::format_age,
    error::CommandError,
    executor::block_on,
    terminal,
};

/// Approve or deny a call; without a code, list the calls that are waiting for approval.
///
/// An approval is valid for exactly the call that was shown, once, for an hour after it was
/// requested. It is given at a terminal. Outside of a crib, the calls of all cribs are listed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Code of the request, as the refused call reported it, or its first characters.
    #[arg(value_name = "CODE")]
    id: Option<String>,
    /// Wait for calls, and ask about each.
    #[arg(short, long, conflicts_with_all = ["id", "deny", "yes", "always"])]
    watch: bool,
    /// List the calls of all cribs.
    #[arg(long)]
    all_cribs: bool,
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
    let assembly = Assembly::new(context.crib_or_empty()?, context.environment, options);
    let authority = Authority::new(&assembly);
    if args.set_passphrase {
        return authority.set_passphrase();
    }
    if args.create_credential {
        return authority.create_credential();
    }
    let state = context.environment.state_folder();
    block_on(async {
        let mut cribs = CribRequests::open_current(&assembly)?;
        let is_all = args.all_cribs || cribs.is_empty();
        match &args.id {
            Some(id) => {
                if !requests::has_match(&cribs, id).await? {
                    cribs.extend(CribRequests::open_others(&assembly, &state));
                }
                let waiting = requests::find(&cribs, id).await?;
                decide(&waiting, args).await
            }
            None => {
                if is_all {
                    cribs.extend(CribRequests::open_others(&assembly, &state));
                }
                if args.watch {
                    return watch::run(&cribs, args.full).await;
                }
                let code = list(&cribs, is_all).await?;
                if !is_all {
                    let others = CribRequests::open_others(&assembly, &state);
                    note_others(requests::list_waiting(&others).await?.len());
                }
                Ok(code)
            }
        }
    })?
}

async fn list(cribs: &[CribRequests<'_>], names_cribs: bool) -> CommandResult {
    let waiting = requests::list_waiting(cribs).await?;
    if waiting.is_empty() {
        terminal::note("no calls are waiting for approval");
        return Ok(ExitCode::SUCCESS);
    }
    requests::print_table(&waiting, names_cribs);
    if terminal::has_person() {
        terminal::note("\nrun `toolcrib approve CODE` to decide about one");
    }
    Ok(ExitCode::SUCCESS)
}

/// Notes that calls of other cribs wait: a person who looks for one may be in the wrong folder.
fn note_others(waiting: usize) {
    if waiting > 0 {
        let calls = count(waiting, "call");
        terminal::note(&format!("{calls} of other cribs: `toolcrib approve --all-cribs`"));
    }
}

async fn decide(waiting: &Waiting<'_, '_>, args: &Args) -> CommandResult {
    let Waiting { crib, approval } = waiting;
    if !approval.is_open(SystemTime::now()) {
        return Err(CommandError::machine(describe_closed(approval))
            .hint("repeat the call to request a new approval"));
    }
    let detail = if args.full { Detail::Full } else { Detail::Brief };
    // `--deny` needs no confirmation: nothing runs.
    let ask = |authority: &Authority<'_>| {
        if args.deny { Ok(Decision::Deny) } else { authority.decide(args.yes) }
    };
    let state = crib.authority.resolve_request(&crib.runtime, approval, detail, ask).await?;
    print_state(state);
    if args.always && state == RequestState::Approved {
        propose_rule(crib.assembly, approval)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_state(state: RequestState) {
    terminal::note(match state {
        RequestState::Approved => "approved; repeat the same call to run it",
        RequestState::Denied => "denied",
        RequestState::Waiting => "nothing was decided; the call still waits",
    });
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

fn propose_rule(assembly: Option<&Assembly>, approval: &Approval) -> Result<(), CommandError> {
    let arguments = approval.plan["arguments"].as_object().cloned().unwrap_or_default();
    let tool = assembly.and_then(|assembly| assembly.loaded().catalog.get(&approval.tool));
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
