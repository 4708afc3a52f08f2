//! `call`: call a tool from the terminal.

mod arguments;
mod output;
mod save;

use std::{env, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use catalog::{Catalog, ErrorType, Implementation, Outcome, Switch, Tool};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use host::{
    OnFlagChange, Options, Persistence, Tools,
    learn::{DefinitionError, Observation, Profile},
};
use runtime::{Approval, Call, Detail, Runtime, operation::ApprovalId};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt};
use workspace::{Crib, Drift};

use self::{arguments::Folders, output::Printed};
use super::{CommandContext, CommandResult, completions::proposals, show};
use crate::{
    authority::{Authority, RequestState},
    difference::print_difference,
    error::{CommandError, ErrorKind},
    executor::block_on,
    live::Live,
    terminal,
};

/// Call a tool from the terminal, as a client would.
///
/// Arguments are typed by the parameters of the tool: a list by repeating its key or as JSON, an
/// object as JSON. Relative paths are relative to the current folder. JSON is passed as it is.
///
/// Exits with 0 if the call succeeded, 1 if the tool failed, 3 if there is no such tool, 4 if the
/// arguments are wrong, 5 if the call needs approval.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the tool.
    #[arg(add = ArgValueCandidates::new(proposals::tools))]
    name: String,
    /// Arguments of the tool.
    #[arg(value_name = "KEY=VALUE", add = ArgValueCompleter::new(proposals::arguments))]
    pairs: Vec<String>,
    /// Arguments as a JSON object, in a file, or on standard input; KEY=VALUE overrides its
    /// members.
    #[arg(long, value_name = "JSON|@FILE|-")]
    args: Option<String>,
    /// Print what would run, without running it.
    #[arg(long)]
    dry_run: bool,
    /// Run the tool under `strace` instead of in the sandbox, and propose the smallest profile for
    /// it.
    ///
    /// The tool can then access everything that you can: use this on tools that you trust. It needs
    /// the same approval as any call.
    #[arg(long, conflicts_with_all = ["dry_run", "json"])]
    learn: bool,
    /// With `--learn`: show what changes in the definition, and write it. What is declared already
    /// is only widened.
    #[arg(long, requires = "learn")]
    write: bool,
    /// Print the structured result, or the plan, as JSON.
    #[arg(long)]
    json: bool,
    /// Write images and other binary results to this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    save: Option<PathBuf>,
    /// Stop the tool after this many seconds, if its own timeout is longer.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_seconds: Option<u64>,
    /// Record nothing, and use neither stored approvals nor stored flags.
    #[arg(long)]
    ephemeral: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options {
        persistence: match (args.dry_run, args.ephemeral) {
            // A plan stores nothing.
            (true, _) => Persistence::Memory,
            (false, true) => Persistence::Ephemeral,
            (false, false) => Persistence::OnDisk,
        },
        // A person at a terminal waits for the result, however long it takes.
        async_wait: Some(Duration::MAX),
        on_flag_change: OnFlagChange::notify_servers(context.environment),
        ..Options::default()
    })?;
    let crib = assembly.crib();
    let values = block_on(assembly.flag_values_or_defaults())?;
    let Tools { catalog, switched_off } = assembly.tools(&values)?;
    let tool = show::find(&catalog, &assembly, &args.name)
        .map_err(|error| explain_switch(error, &args.name, &switched_off))
        .map_err(|error| explain_held(error, &args.name, assembly.held()))?;
    let current = env::current_dir().and_then(|folder| folder.canonicalize());
    let folders = Folders {
        current: current.unwrap_or_else(|_| crib.folder.clone()),
        crib: crib.folder.clone(),
    };
    let given = arguments::parse(&tool, args.args.as_deref(), &args.pairs, &folders)?;
    let runtime = assembly.runtime()?;
    if args.dry_run {
        return print_plan(runtime, &catalog, &tool, given, args.json);
    }
    let observation = args
        .learn
        .then(|| Observation::prepare(runtime, &assembly.settings(), &tool, &given))
        .transpose()?;
    let catalog = Arc::new(catalog);
    let live = Live::default();
    // Scripts get each stream as a whole at the end, so that the two are not interleaved.
    let is_live = terminal::is_interactive() && !args.json;
    let run = || {
        let cancel = CancellationToken::new();
        let context = Context::detached(cancel.clone()).with_owner("terminal");
        let call = Call {
            limit: args.timeout_seconds.map(Duration::from_secs),
            catalog: Arc::clone(&catalog),
            policy: crib.policy.clone(),
            live_output: is_live.then(|| live.output()),
            trace: observation.as_ref().map(Observation::trace),
            ..Call::new(Arc::clone(&tool), given.clone(), context)
        };
        run_to_end(runtime, call, cancel, &live)
    };
    let mut outcome = run()?;
    if let Some(approval) = find_request(runtime, &outcome, args)? {
        let ask = |authority: &Authority<'_>| authority.decide(false);
        let authority = Authority::new(&assembly);
        let settled = authority.resolve_request(runtime, &approval, Detail::Brief, ask);
        match block_on(settled)?? {
            RequestState::Approved => outcome = run()?,
            RequestState::Denied => {
                terminal::note("denied; nothing was run");
                return Ok(exit_code(&outcome));
            }
            RequestState::Waiting => {}
        }
    }
    match find_request(runtime, &outcome, args)? {
        Some(approval) => terminal::print_error(&explain_approval(context, &approval, args)),
        None if args.json => output::print_json(&outcome),
        None => {
            let printed = if live.end() { Printed::Streams } else { Printed::Nothing };
            output::print_outcome(&outcome, printed, context.published_book().as_ref());
        }
    }
    if let Some(folder) = &args.save {
        save::save_contents(folder, &tool.name, &outcome.content)?;
    }
    if let Some(profile) = observation.map(Observation::finish).transpose()?.flatten() {
        if outcome.failed {
            terminal::note("the run failed; it may need more than it accessed until then");
        }
        terminal::print_line(&profile.describe());
        if args.write && !outcome.failed {
            write_profile(crib, &tool, &profile)?;
        }
    }
    Ok(exit_code(&outcome))
}

fn write_profile(crib: &Crib, tool: &Tool, profile: &Profile) -> Result<(), CommandError> {
    let to_error = |error: DefinitionError| {
        CommandError::machine(error.to_string())
            .hint("put the lines above where the tool declares its effects")
    };
    let change = profile.declare(crib, tool).map_err(to_error)?;
    let path = change.path.display();
    if change.is_empty() {
        terminal::print_line(&format!("{path} declares all of this already"));
        return Ok(());
    }
    print_difference(&change.before, &change.after);
    change.apply().map_err(to_error)?;
    terminal::print_line(&format!("wrote {path}"));
    if matches!(tool.implementation, Implementation::R(_)) {
        terminal::note("next: `toolcrib build`, which writes the definition from the comment");
    }
    Ok(())
}

/// Names the flag, if the tool is missing because a switch turns it off.
fn explain_switch(
    error: CommandError,
    name: &str,
    switched_off: &[(Arc<Tool>, &Switch)],
) -> CommandError {
    match switched_off.iter().find(|(tool, _)| tool.name == name || tool.bare_name() == name) {
        Some((_, switch)) => CommandError::new(
            ErrorKind::NotFound,
            format!("`{name}` is switched off until {switch}"),
        )
        .hint(format!(
            "run `toolcrib flags set {} '{}'` to turn it on",
            switch.flag,
            switch.is.json()
        )),
        None => error,
    }
}

/// Names the difference, if the tool is missing because it differs from the lock file.
fn explain_held(error: CommandError, name: &str, held: &[Drift]) -> CommandError {
    match held.iter().find(|drift| drift.held_tool() == Some(name)) {
        Some(drift) => {
            CommandError::new(ErrorKind::NotFound, format!("{drift}, so it is held back"))
                .hint(format!("review it, then run `toolcrib lock --accept {name}`"))
        }
        None => error,
    }
}

/// Validates the arguments as a call would, and prints the plan instead of running it.
fn print_plan(
    runtime: &Runtime,
    catalog: &Catalog,
    tool: &Tool,
    given: Arguments,
    as_json: bool,
) -> CommandResult {
    let admitted = runtime.admit(tool, given)?;
    let (plan, missing) = runtime.preview(catalog, tool, &admitted)?;
    let plan = plan.to_json();
    missing.iter().for_each(|failure| terminal::note(&failure.message));
    if as_json {
        terminal::json(&plan);
    } else {
        terminal::print_line(&runtime::render_plan(&plan, terminal::stdout_rendering()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a call to its end; Ctrl-C cancels it.
fn run_to_end(
    runtime: &Arc<Runtime>,
    call: Call,
    cancel: CancellationToken,
    live: &Live,
) -> Result<Outcome, CommandError> {
    let result = block_on(async {
        // Interrupts run in a task, so that the call can stop its processes and report which were
        // killed.
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        if terminal::shows_progress() {
            tokio::spawn(live.clone().spin(call.tool.name.clone()));
        }
        let result = runtime.call(call).await;
        live.end();
        result
    })?;
    result.map_err(|interrupt| match interrupt {
        // A terminal could answer forms, but a script that calls tools would hang.
        Interrupt::Ask { .. } | Interrupt::MissingCapability(_) => {
            CommandError::machine("the tool asks questions, which a terminal call cannot answer")
                .hint("call it from a client that supports elicitation")
        }
        Interrupt::Invalid(reason) => CommandError::new(ErrorKind::BadArguments, reason),
        Interrupt::Unanswered(reason) => CommandError::new(ErrorKind::ToolFailed, reason),
    })
}

/// The request of a call that waits for approval, if a person at a terminal made the call. Any
/// other caller may be a model that runs this command; it gets only the message, which does not
/// mention how to approve.
fn find_request(
    runtime: &Runtime,
    outcome: &Outcome,
    args: &Args,
) -> Result<Option<Approval>, CommandError> {
    let is_waiting = outcome.error_type() == Some(ErrorType::ApprovalRequired);
    if args.json || !is_waiting || !terminal::has_person() {
        return Ok(None);
    }
    let id = outcome.structured.as_ref().and_then(|object| {
        object["error_details"]["approval"].as_str()?.parse::<ApprovalId>().ok()
    });
    let Some(id) = id else { return Ok(None) };
    Ok(block_on(runtime.journal().approval(id))?.ok().flatten())
}

/// The error for a call whose approval the person postpones.
fn explain_approval(
    context: &CommandContext<'_>,
    approval: &Approval,
    args: &Args,
) -> CommandError {
    let message =
        format!("`{}` needs your approval: {}; nothing was run", approval.tool, approval.reason);
    let crib = context.global.crib.as_deref().map(|folder| folder.to_string_lossy());
    let crib = crib.as_deref().and_then(|folder| shlex::try_quote(folder).ok());
    let crib = crib.map(|folder| format!("-C {folder} ")).unwrap_or_default();
    let code = approval.id.code();
    let hint = if args.ephemeral {
        "repeat the call to be asked again: `--ephemeral` records no request".to_owned()
    } else {
        format!("run `toolcrib {crib}approve {code}`, then repeat the call")
    };
    CommandError::new(ErrorKind::NeedsApproval, runtime::escape_controls(&message)).hint(hint)
}

fn exit_code(outcome: &Outcome) -> ExitCode {
    if !outcome.failed {
        return ExitCode::SUCCESS;
    }
    outcome.error_type().map_or(ErrorKind::ToolFailed, ErrorKind::from_error_type).exit_code()
}
