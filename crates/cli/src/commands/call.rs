//! `call`: run a tool from the terminal.

use std::{process::ExitCode, sync::Arc, time::Duration};

use catalog::{Content, Outcome, Tool, arguments};
use runtime::{Call, Runtime};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt};

use super::{CommandResult, Surroundings, show};
use crate::{
    error::{CommandError, Kind},
    terminal,
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
    /// Print the structured result, or the plan, as JSON.
    #[arg(long)]
    json: bool,
    /// End the tool after this many seconds, if its own limit is longer.
    #[arg(long, value_name = "SECONDS")]
    timeout_seconds: Option<u64>,
}

pub(crate) fn run(here: &Surroundings<'_>, args: Args) -> CommandResult {
    let (crib, loaded) = here.load()?;
    let tool = show::find(&loaded.catalog, &crib.name(), &args.name)?;
    let given = parse(&args.args)?;
    let runtime = Runtime::new(crib.settings());
    if args.dry_run {
        return plan(&runtime, &tool, given, args.json);
    }
    let limit = args.timeout_seconds.map(Duration::from_secs);
    let outcome = run_to_end(runtime, tool, given, limit)?;
    print(&outcome, args.json);
    Ok(exit_code(&outcome))
}

fn parse(text: &str) -> Result<Arguments, CommandError> {
    let problem = |why: String| {
        CommandError::new(Kind::BadArguments, why).hint("pass a JSON object, such as --args '{\"name\": \"value\"}'")
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(problem(format!("the arguments are {}, not an object", arguments::type_name(&other)))),
        Err(error) => Err(problem(format!("the arguments are not JSON: {error}"))),
    }
}

/// Checks the arguments as a call would, and prints the plan instead of running it.
fn plan(runtime: &Runtime, tool: &Tool, given: Arguments, as_json: bool) -> CommandResult {
    let admitted = runtime.admit(tool, given)?;
    let plan = runtime.plan(tool, &admitted)?;
    if as_json {
        terminal::json(&plan);
    } else {
        terminal::line(&describe(&serde_json::to_value(&plan).unwrap_or_default()));
    }
    Ok(ExitCode::SUCCESS)
}

/// A plan for people. It is read from its JSON form, the one that is documented.
fn describe(plan: &Value) -> String {
    let words = |list: &Value, each: fn(&str) -> String| {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(each).collect::<Vec<_>>().join(" ")
    };
    let bounds = &plan["confinement"];
    let lines = [
        ("runs", words(&plan["argv"], quoted)),
        ("program", plan["program"].as_str().unwrap_or_default().to_owned()),
        ("in", plan["cwd"].as_str().unwrap_or_default().to_owned()),
        ("variables", words(&plan["env"], str::to_owned)),
        ("input", plan["stdin"].as_str().unwrap_or("none").to_owned()),
        ("at most", format!("{} seconds", plan["timeout_seconds"])),
        ("writes", words(&bounds["write"], quoted)),
        ("network", if bounds["network"] == true { "yes" } else { "no" }.to_owned()),
    ];
    lines.iter().map(|(name, value)| format!("{name:<10} {value}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// A word as one would type it in a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn run_to_end(runtime: Runtime, tool: Arc<Tool>, given: Arguments, limit: Option<Duration>) -> Result<Outcome, CommandError> {
    let problem = |error: std::io::Error| CommandError::machine(format!("cannot start: {error}"));
    let driver = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(problem)?;
    let cancel = CancellationToken::new();
    let call = Call { tool, arguments: given, context: Context::detached(cancel.clone()), limit };
    let result = driver.block_on(async {
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        runtime.call(call).await
    });
    result.map_err(|interrupt| match interrupt {
        Interrupt::Ask { .. } | Interrupt::Lacks(_) => {
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
            if let Some(stderr) = structured["stderr"].as_str().filter(|stderr| !stderr.is_empty()) {
                terminal::note(stderr.trim_end());
            }
            terminal::problem(&CommandError::new(Kind::ToolFailed, message));
        }
        None => outcome.content.iter().for_each(print_content),
    }
}

/// The structured result of a failed call and what it says happened.
fn failure(outcome: &Outcome) -> Option<(&Value, &str)> {
    let structured = outcome.structured.as_ref().filter(|_| outcome.failed)?;
    Some((structured, structured["error_message"].as_str()?))
}

fn print_content(content: &Content) {
    match content {
        Content::Text(text) | Content::Resource { text, .. } => terminal::print(text),
        Content::Link { uri, .. } => terminal::note(&format!("the whole output: {uri}")),
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
    let error_type = outcome.structured.as_ref().and_then(|value| value["error_type"].as_str());
    Kind::of_failure(error_type.unwrap_or_default()).exit_code()
}
