//! `call`: run a tool from the terminal.

mod learn;
pub(super) mod plan;
mod trace;

use std::{process::ExitCode, sync::Arc, time::Duration};

use catalog::{Catalog, Content, Outcome, Switch, Tool, arguments};
use runtime::{Call, Runtime, Settings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt};

use learn::Lesson;

use super::{CallServices, CommandResult, show};
use crate::{
    error::{CommandError, Kind},
    guide::Material,
    keeper, servers, terminal,
};

/// Run a tool from the terminal, as a client would.
///
/// Exits with 0 if it went well, 1 if the tool failed, 3 if there is no such tool, 4 if its arguments are wrong, 5 if
/// it needs approval.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tool's name.
    name: String,
    /// Its arguments, as a JSON object.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
    /// Print what would be run, and run nothing.
    #[arg(long)]
    dry_run: bool,
    /// Run the tool watched by `strace` instead of confined, and propose the smallest profile for it.
    ///
    /// The tool can then touch whatever you can: use it on tools that you trust. It needs the same approval as any
    /// call.
    #[arg(long, conflicts_with_all = ["dry_run", "json"])]
    learn: bool,
    /// Print the structured result, or the plan, as JSON.
    #[arg(long)]
    json: bool,
    /// End the tool after this many seconds, if its own limit is longer.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_seconds: Option<u64>,
}

pub(crate) fn run(here: &CallServices<'_>, args: Args) -> CommandResult {
    let (crib, loaded) = here.load()?;
    let planner = Runtime::new(crib.settings());
    let flags = keeper::flags(&crib, here.environment, on_change(here));
    let material = Material::new(&crib, &loaded, &flags);
    let natives = |runtime| keeper::natives(&crib, here.environment, runtime, &material, None);
    let values = keeper::block_on(keeper::switching_or_defaults(&crib, &flags))?;
    let (there, away) = catalog::apply_switches(&loaded.catalog, &crib.switches, &values);
    let all = keeper::with_built_ins(&crib, &there, &natives(&planner)?);
    let tool = show::find(&all, &crib.name(), &args.name)
        .map_err(|error| explained(error, &args.name, &away))?;
    let given = parse(&args.args)?;
    if args.dry_run {
        return plan(&planner, &all, &tool, given, args.json);
    }
    // A person at a terminal waits for the result, however long it takes.
    let settings = Settings { patience: Duration::MAX, ..crib.settings() };
    let runtime = keeper::open(&crib, settings.clone());
    let natives = natives(&runtime)?;
    let runtime = Arc::new(runtime.with_natives(natives));
    let lesson =
        args.learn.then(|| Lesson::begin(&runtime, &settings, &tool, &given)).transpose()?;
    let cancel = CancellationToken::new();
    let call = Call {
        limit: args.timeout_seconds.map(Duration::from_secs),
        catalog: Arc::new(all),
        policy: crib.policy.clone(),
        trace: lesson.as_ref().map(Lesson::trace),
        ..Call::new(tool, given, Context::detached(cancel.clone()))
    };
    let outcome = run_to_end(&runtime, call, cancel)?;
    print(&outcome, args.json);
    if let Some(learnt) = lesson.map(Lesson::end).transpose()?.flatten() {
        if outcome.failed {
            terminal::note(
                "the run failed: this is what it touched until then, and it may need more",
            );
        }
        terminal::line(&learnt);
    }
    Ok(exit_code(&outcome))
}

/// Tells running servers of flags that a tool has changed.
fn on_change(here: &CallServices<'_>) -> keeper::OnChange {
    let state = here.environment.state_folder();
    Arc::new(move || {
        let state = state.clone();
        Box::pin(async move { servers::flags_changed(&state).await })
    })
}

/// Why there is no such tool, if a flag keeps it away.
fn explained(error: CommandError, name: &str, away: &[(Arc<Tool>, &Switch)]) -> CommandError {
    match away.iter().find(|(tool, _)| tool.name == name || tool.bare_name() == name) {
        Some((_, switch)) => {
            CommandError::new(Kind::NoSuchTool, format!("`{name}` is switched off until {switch}"))
                .hint(format!(
                    "set it with `toolcrib flags set {} '{}'`",
                    switch.flag,
                    switch.is.json()
                ))
        }
        None => error,
    }
}

fn parse(text: &str) -> Result<Arguments, CommandError> {
    let problem = |why: String| {
        CommandError::new(Kind::BadArguments, why)
            .hint("pass a JSON object, such as --args '{\"name\": \"value\"}'")
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(problem(format!(
            "the arguments are {}, not an object",
            arguments::type_name(&other)
        ))),
        Err(error) => Err(problem(format!("the arguments are not JSON: {error}"))),
    }
}

/// Checks the arguments as a call would, and prints the plan instead of running it.
fn plan(
    runtime: &Runtime,
    catalog: &Catalog,
    tool: &Tool,
    given: Arguments,
    as_json: bool,
) -> CommandResult {
    let admitted = runtime.admit(tool, given)?;
    let plan = runtime.preview(catalog, tool, &admitted)?;
    match as_json {
        true => terminal::json(&plan),
        false => terminal::line(&plan::describe(&plan)),
    }
    Ok(ExitCode::SUCCESS)
}
fn run_to_end(
    runtime: &Arc<Runtime>,
    call: Call,
    cancel: CancellationToken,
) -> Result<Outcome, CommandError> {
    let result = keeper::block_on(async {
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        runtime.call(call).await
    })?;
    result.map_err(|interrupt| match interrupt {
        Interrupt::Ask { .. } | Interrupt::MissingCapability(_) => {
            CommandError::machine("the tool has questions that cannot be answered here")
                .hint("call it from a client that can ask its user")
        }
        Interrupt::Invalid(why) => CommandError::new(Kind::BadArguments, why),
        Interrupt::Unanswered(why) => CommandError::new(Kind::ToolFailed, why),
    })
}

fn print(outcome: &Outcome, as_json: bool) {
    if as_json {
        let texts = || outcome.content.iter().filter_map(text).collect::<Vec<_>>().join("\n");
        terminal::json(&outcome.structured.clone().unwrap_or_else(|| json!({"text": texts()})));
        return;
    }
    match failure(outcome) {
        Some((structured, message)) => {
            terminal::print(structured["stdout"].as_str().unwrap_or_default());
            if let Some(stderr) = structured["stderr"].as_str().filter(|stderr| !stderr.is_empty())
            {
                terminal::note(stderr.trim_end());
            }
            terminal::problem(&CommandError::new(Kind::ToolFailed, message));
        }
        None => {
            outcome.content.iter().for_each(|content| print_content(content, is_output(outcome)))
        }
    }
}

/// The structured result of a failed call and what it says happened.
fn failure(outcome: &Outcome) -> Option<(&Value, &str)> {
    let structured = outcome.structured.as_ref().filter(|_| outcome.failed)?;
    let message = structured.get("error_message").or(structured.get("error"))?;
    Some((structured, message.as_str()?))
}

/// Whether the text is what a program wrote, and so to be passed on to the byte.
fn is_output(outcome: &Outcome) -> bool {
    outcome.structured.as_ref().is_some_and(|structured| structured.get("exit_code").is_some())
}

fn print_content(content: &Content, is_output: bool) {
    match content {
        Content::Text(text) if is_output => terminal::print(text),
        Content::Text(text) | Content::Resource { text, .. } => terminal::line(text),
        Content::Link { uri, .. } if runtime::is_long_output(uri) => {
            terminal::note(&format!("the whole output: {uri}"))
        }
        Content::Link { uri, name, .. } => terminal::note(&format!("{name}: {uri}")),
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
            terminal::note(&format!("({} bytes of {mime_type})", data.len()));
        }
    }
}

fn text(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

fn exit_code(outcome: &Outcome) -> ExitCode {
    if !outcome.failed {
        return ExitCode::SUCCESS;
    }
    outcome.error_type().map_or(Kind::ToolFailed, Kind::of_failure).exit_code()
}
