//! `call`: call a tool from the terminal.

use std::{process::ExitCode, sync::Arc, time::Duration};

use catalog::{Catalog, Content, ErrorType, Outcome, Switch, Tool, arguments};
use host::{OnFlagChange, Options, Persistence, Tools, learn::Observation};
use runtime::{Call, Runtime, operation::ApprovalId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt};
use workspace::Drift;

use super::{CommandContext, CommandResult, show};
use crate::{
    error::{CommandError, Kind},
    executor::block_on,
    terminal,
};

/// Call a tool from the terminal, as a client would.
///
/// Exits with 0 if the call succeeded, 1 if the tool failed, 3 if there is no such tool, 4 if the
/// arguments are wrong, 5 if the call needs approval.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the tool.
    name: String,
    /// Arguments as a JSON object.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
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
    /// Print the structured result, or the plan, as JSON.
    #[arg(long)]
    json: bool,
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
    let tool = show::find(&catalog, crib, &args.name)
        .map_err(|error| explain_switch(error, &args.name, &switched_off))
        .map_err(|error| explain_held(error, &args.name, assembly.held()))?;
    let given = parse_arguments(&args.args)?;
    let runtime = assembly.runtime()?;
    if args.dry_run {
        return print_plan(runtime, &catalog, &tool, given, args.json);
    }
    let observation = args
        .learn
        .then(|| Observation::prepare(runtime, &assembly.settings(), &tool, &given))
        .transpose()?;
    let cancel = CancellationToken::new();
    let call = Call {
        limit: args.timeout_seconds.map(Duration::from_secs),
        catalog: Arc::new(catalog),
        policy: crib.policy.clone(),
        trace: observation.as_ref().map(Observation::trace),
        ..Call::new(tool, given, Context::detached(cancel.clone()).with_owner("terminal"))
    };
    let outcome = run_to_end(runtime, call, cancel)?;
    match explain_approval(context, runtime, &outcome, args)? {
        Some(error) => terminal::print_error(&error),
        None => print_outcome(&outcome, args.json),
    }
    if let Some(profile) = observation.map(Observation::finish).transpose()?.flatten() {
        if outcome.failed {
            terminal::note("the run failed; it may need more than it accessed until then");
        }
        terminal::print_line(&profile.describe());
    }
    Ok(exit_code(&outcome))
}

/// Names the flag, if the tool is missing because a switch turns it off.
fn explain_switch(
    error: CommandError,
    name: &str,
    switched_off: &[(Arc<Tool>, &Switch)],
) -> CommandError {
    match switched_off.iter().find(|(tool, _)| tool.name == name || tool.bare_name() == name) {
        Some((_, switch)) => {
            CommandError::new(Kind::NotFound, format!("`{name}` is switched off until {switch}"))
                .hint(format!(
                    "run `toolcrib flags set {} '{}'` to turn it on",
                    switch.flag,
                    switch.is.json()
                ))
        }
        None => error,
    }
}

/// Names the difference, if the tool is missing because it differs from the lock file.
fn explain_held(error: CommandError, name: &str, held: &[Drift]) -> CommandError {
    match held.iter().find(|drift| drift.held_tool() == Some(name)) {
        Some(drift) => CommandError::new(Kind::NotFound, format!("{drift}, so it is held back"))
            .hint(format!("review it, then run `toolcrib lock --accept {name}`")),
        None => error,
    }
}

fn parse_arguments(text: &str) -> Result<Arguments, CommandError> {
    let invalid = |message: String| {
        CommandError::new(Kind::BadArguments, message)
            .hint("pass a JSON object, such as --args '{\"name\": \"value\"}'")
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(invalid(format!(
            "the arguments must be an object, received {}",
            arguments::type_name(&other)
        ))),
        Err(error) => Err(invalid(format!("the arguments are not JSON: {error}"))),
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
    let plan = runtime.plan(catalog, tool, &admitted)?.to_json();
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
) -> Result<Outcome, CommandError> {
    let result = block_on(async {
        // In a task, so that the call can stop its processes and report what was killed.
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        runtime.call(call).await
    })?;
    result.map_err(|interrupt| match interrupt {
        // A terminal could answer forms, but a script that calls tools would hang.
        Interrupt::Ask { .. } | Interrupt::MissingCapability(_) => {
            CommandError::machine("the tool asks questions, which a terminal call cannot answer")
                .hint("call it from a client that supports elicitation")
        }
        Interrupt::Invalid(reason) => CommandError::new(Kind::BadArguments, reason),
        Interrupt::Unanswered(reason) => CommandError::new(Kind::ToolFailed, reason),
    })
}

/// The error of a call that waits for approval, for a person at a terminal. Anything else may be a
/// model that runs this command: it gets the text of the call, which names no approving command.
fn explain_approval(
    context: &CommandContext<'_>,
    runtime: &Runtime,
    outcome: &Outcome,
    args: &Args,
) -> Result<Option<CommandError>, CommandError> {
    let is_waiting = outcome.error_type() == Some(ErrorType::ApprovalRequired);
    if args.json || !is_waiting || !terminal::has_person() {
        return Ok(None);
    }
    let id = outcome.structured.as_ref().and_then(|object| {
        object["error_details"]["approval"].as_str()?.parse::<ApprovalId>().ok()
    });
    let Some(id) = id else { return Ok(None) };
    let recorded = block_on(runtime.journal().approval(id))?;
    let Some(approval) = recorded.ok().flatten() else { return Ok(None) };
    let message =
        format!("`{}` needs your approval: {}; nothing was run", approval.tool, approval.reason);
    let crib = context.global.crib.as_deref().map(|folder| folder.to_string_lossy());
    let crib = crib.as_deref().and_then(|folder| shlex::try_quote(folder).ok());
    let crib = crib.map(|folder| format!("-C {folder} ")).unwrap_or_default();
    let code = approval.id.code();
    let hint = if args.ephemeral {
        "repeat the call without `--ephemeral`, which records no request that you could approve"
            .to_owned()
    } else {
        format!("run `toolcrib {crib}approve {code}`, then repeat the call")
    };
    Ok(Some(CommandError::new(Kind::NeedsApproval, runtime::escape_controls(&message)).hint(hint)))
}

fn print_outcome(outcome: &Outcome, as_json: bool) {
    if as_json {
        let texts = || outcome.content.iter().filter_map(to_text).collect::<Vec<_>>().join("\n");
        terminal::json(&outcome.structured.clone().unwrap_or_else(|| json!({"text": texts()})));
        return;
    }
    match failure(outcome) {
        Some((structured, message)) => {
            print_streams(structured);
            terminal::print_error(&CommandError::new(Kind::ToolFailed, message));
        }
        None => {
            let program = outcome.structured.as_ref().filter(|_| is_program_output(outcome));
            program.into_iter().for_each(print_streams);
            // The texts of a program are its streams, labelled for a model.
            let others = |content: &&Content| program.is_none() || to_text(content).is_none();
            outcome.content.iter().filter(others).for_each(print_content);
        }
    }
}

/// Prints the output of a program, in the order in which a terminal would have shown it.
fn print_streams(structured: &Value) {
    terminal::print(structured["stdout"].as_str().unwrap_or_default());
    if let Some(stderr) = structured["stderr"].as_str().filter(|stderr| !stderr.is_empty()) {
        terminal::note(stderr.trim_end());
    }
}

/// The structured result of a failed call, and the message in it.
fn failure(outcome: &Outcome) -> Option<(&Value, &str)> {
    let structured = outcome.structured.as_ref().filter(|_| outcome.failed)?;
    let message = structured.get("error_message").or(structured.get("error"))?;
    Some((structured, message.as_str()?))
}

/// Whether it is the outcome of a program, whose output is printed byte for byte.
fn is_program_output(outcome: &Outcome) -> bool {
    outcome.structured.as_ref().is_some_and(|structured| structured.get("exit_code").is_some())
}

fn print_content(content: &Content) {
    match content {
        Content::Text(text) | Content::Resource { text, .. } => terminal::print_line(text),
        Content::Link { uri, .. } if runtime::is_long_output(uri) => {
            terminal::note(&format!("full output: {uri}"))
        }
        Content::Link { uri, name, .. } => terminal::note(&format!("{name}: {uri}")),
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
            terminal::note(&format!("({} bytes of {mime_type})", data.len()));
        }
    }
}

fn to_text(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

fn exit_code(outcome: &Outcome) -> ExitCode {
    if !outcome.failed {
        return ExitCode::SUCCESS;
    }
    outcome.error_type().map_or(Kind::ToolFailed, Kind::from_error_type).exit_code()
}
