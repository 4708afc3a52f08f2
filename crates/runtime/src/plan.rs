//! Exactly what a call would do.
//!
//! Making a plan looks at the file system to resolve paths and programs, and changes nothing. What a
//! person approves, what `call --dry-run` prints and what is recorded all come from the same [`Plan`].

mod command;
mod command_line;
mod digest;
mod escape;
mod named_paths;
mod path_access;
mod paths;
pub(crate) mod program;
mod sandbox;
mod seal;
mod secrets;
mod text;
mod variables;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{
    Catalog, Failure, Implementation, Tool, arguments::redact, budget::spend, runs_named_files,
};
use serde_json::{Map, Value, json};
use toolkit::Arguments;

use crate::{
    Settings,
    code_files::{code_files, importable_files, named_file},
    digest::FILE_STEPS,
};
pub(crate) use command::{
    CommandPlan, WithheldCaches, check_command, find_argument_failures, program_command,
};
pub(crate) use digest::{PlanDigest, plan_changed};
pub use escape::escape_controls;
pub(crate) use named_paths::normalize_paths;
use named_paths::{NamedTarget, find_targets};
use paths::PathResolver;
pub(crate) use paths::reject_outside_paths;
pub use sandbox::can_tools_read;
pub use text::{Detail, Emphasis, Rendering, render_command_line, render_plan, render_request};

/// The call to plan: all that planning and policy need of it.
#[derive(Clone, Copy)]
pub(crate) struct CallTarget<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) tool: &'a Tool,
    /// Validated, with defaults.
    pub(crate) arguments: &'a Arguments,
}

/// Exactly what a call would do.
#[derive(Clone, Debug)]
pub struct Plan {
    tool: String,
    /// Values of secret arguments are left out.
    arguments: Arguments,
    /// The program and the scripts, modules and sources that it runs.
    code: Vec<PathBuf>,
    /// Where the paths in the arguments lead.
    targets: Vec<NamedTarget>,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Command {
        plan: CommandPlan,
        /// The JSON of the plan, with placeholders for secrets.
        shown: Value,
    },
    /// The steps of a sequence, and the folder in which it looks for files.
    Steps { cwd: PathBuf, steps: Vec<StepPlan> },
    /// A function of the server.
    Native,
}

/// The plan of one step of a sequence.
#[derive(Clone, Debug)]
pub(crate) struct StepPlan {
    pub(crate) tool: String,
    /// Why the step would be skipped now. An approval covers it all the same, because that may change
    /// until it runs.
    pub(crate) skipped: Option<String>,
    pub(crate) plan: PlannedStep,
}

/// The plan of a step, unless it cannot be made yet: a step may need what an earlier one creates.
#[derive(Clone, Debug)]
pub(crate) enum PlannedStep {
    Plan(Box<Plan>),
    Problem { message: String, arguments: Arguments },
}

impl Plan {
    /// The plan of a command that `build` makes of arguments.
    pub(crate) fn command(
        settings: &Settings,
        target: CallTarget<'_>,
        build: impl Fn(&Arguments) -> Result<CommandPlan, Failure>,
    ) -> Result<Self, Failure> {
        let plan = build(target.arguments)?;
        let mut shown =
            match secrets::mask(target.tool, target.arguments).map(|masked| build(&masked)) {
                None => show_command(settings, target.tool, &plan),
                Some(Ok(masked)) => show_command(settings, target.tool, &masked),
                Some(Err(_)) => {
                    let command = Arc::new(secrets::hide(settings, &plan.command));
                    let hidden = CommandPlan { command, ..plan.clone() };
                    let mut shown = show_command(settings, target.tool, &hidden);
                    // The other arguments are shown by name: a secret must not hide the target of a call.
                    shown["given"] = json!(redact(target.tool, target.arguments));
                    shown
                }
            };
        let code = find_code(settings, target.tool, &plan);
        let targets = find_targets(settings, target.tool, target.arguments);
        let links = targets.iter().filter(|path| path.is_link && !path.is_secret);
        let links: Vec<_> =
            links.map(|path| json!({"path": path.given, "target": path.target})).collect();
        if !links.is_empty() {
            shown["links"] = links.into();
        }
        Ok(Self { code, targets, ..Self::new(target, Action::Command { plan, shown }) })
    }

    pub(crate) fn steps(target: CallTarget<'_>, cwd: PathBuf, steps: Vec<StepPlan>) -> Self {
        Self::new(target, Action::Steps { cwd, steps })
    }

    pub(crate) fn native(target: CallTarget<'_>) -> Self {
        Self::new(target, Action::Native)
    }

    fn new(target: CallTarget<'_>, action: Action) -> Self {
        let CallTarget { tool, arguments, .. } = target;
        Self {
            tool: tool.name.clone(),
            arguments: redact(tool, arguments),
            code: Vec::new(),
            targets: Vec::new(),
            action,
        }
    }

    /// The plan as JSON, without the values of secret arguments.
    pub fn to_json(&self) -> Value {
        match &self.action {
            Action::Command { shown, .. } => shown.clone(),
            Action::Steps { cwd, steps } => {
                let steps: Vec<_> = steps.iter().map(StepPlan::to_json).collect();
                json!({"version": 1, "tool": self.tool, "cwd": cwd, "steps": steps})
            }
            Action::Native => {
                json!({"version": 1, "tool": self.tool, "arguments": self.arguments})
            }
        }
    }

    /// The JSON with the arguments, as an approval records it.
    pub(crate) fn to_record(&self) -> Value {
        let mut json = self.to_json();
        json["arguments"] = json!(self.arguments);
        json
    }

    /// Whether its program may read this path.
    pub fn may_read(&self, path: &Path) -> bool {
        self.command_plan().is_some_and(|plan| plan.command.sandbox.may_read(path))
    }

    /// Whether its program may write to this path.
    pub fn may_write(&self, path: &Path) -> bool {
        self.command_plan().is_some_and(|plan| plan.command.sandbox.may_write(path))
    }

    /// The folder that its program or its steps run in; empty for a function of the server.
    pub fn folder(&self) -> &Path {
        match &self.action {
            Action::Command { plan, .. } => Path::new(&plan.command.cwd),
            Action::Steps { cwd, .. } => cwd,
            Action::Native => Path::new(""),
        }
    }

    fn command_plan(&self) -> Option<&CommandPlan> {
        if let Action::Command { plan, .. } = &self.action { Some(plan) } else { None }
    }
}

impl StepPlan {
    fn to_json(&self) -> Value {
        let mut json = json!({"tool": self.tool});
        if let Some(why) = &self.skipped {
            json["skipped"] = json!(why);
        }
        match &self.plan {
            PlannedStep::Plan(plan) => json["plan"] = plan.to_json(),
            PlannedStep::Problem { message, arguments } => {
                json["problem"] = json!(message);
                json["arguments"] = json!(arguments);
            }
        }
        json
    }
}

/// The JSON of a command, with the values that the call passes beside its command line. Values of the
/// operator's environment are not shown: they are his secrets, and no argument changes them.
fn show_command(settings: &Settings, tool: &Tool, plan: &CommandPlan) -> Value {
    let mut json = json!(plan);
    let command = &plan.command;
    let set = command.env.iter().filter(|variable| !settings.environment.contains(variable));
    let set: Map<_, _> = set.map(|(name, value)| (name.clone(), json!(value))).collect();
    if !set.is_empty() {
        json["variables"] = set.into();
    }
    // The only file of an R or Python worker is its own script.
    if matches!(tool.implementation, Implementation::Process(_)) && !command.files.is_empty() {
        let files = command.files.iter();
        json["files"] = files.map(|(name, content)| (name.clone(), json!(content))).collect();
    }
    json
}

/// The files whose content decides what a command does. Files that an argument names count only for
/// interpreters and wrappers such as `timeout`: for other programs they are data, which may change while
/// a person decides.
fn find_code(settings: &Settings, tool: &Tool, plan: &CommandPlan) -> Vec<PathBuf> {
    let command = &plan.command;
    let folder = Path::new(&command.cwd);
    // A bare name, as R has it, is looked up.
    let found =
        program::find(settings, &command.program).filter(|_| !command.program.contains('/'));
    let mut code = vec![found.unwrap_or_else(|| PathBuf::from(&command.program))];
    code.extend(code_files(&settings.crib, folder, tool));
    if let Implementation::Python(function) = &tool.implementation {
        code.extend(importable_files(&settings.crib, function));
    }
    if runs_named_files(&command.program) {
        let words = command.argv.iter().skip(1);
        code.extend(words.filter_map(|word| {
            spend(FILE_STEPS);
            named_file(folder, &word.to_string())
        }));
    }
    code.sort_unstable();
    code.dedup();
    code
}

/// The folder that an argument names, from the crib and inside the roots; the crib, if it names none.
pub(crate) fn folder(
    settings: &Settings,
    parameter: &str,
    value: Option<&serde_json::Value>,
) -> Result<PathBuf, Failure> {
    // Protected paths are allowed, because what runs in the folder has a plan and limits of its own.
    PathResolver::new(settings, &settings.crib, true).resolve_folder(parameter, value)
}
