//! The command of a call: program, arguments, folder, environment and limits.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use catalog::{
    Annotations, Availability, ErrorType, Failure, NetworkAccess, Tool,
    failures::FailureList,
    implementation::{Binding, PassBy, Process},
};
use egress::proxy_variables;
use process::{
    Command, ListEnforcement, PrivateCopies, Sandbox, SandboxLevel, Word, list_enforcement,
    private_variables, trace_with_strace,
};
use serde::{Serialize, Serializer};
use toolkit::Arguments;

use super::{
    command_line::CommandLine,
    path_access::PathAccess,
    paths::{PathResolver, reject_outside_paths, reject_too_many_paths},
    program, sandbox,
};
use crate::{Settings, failures};

/// Maximum length of a single argument or variable on Linux, in bytes, with its terminating NUL.
const LONGEST_WORD: usize = 128 * 1024;
/// Linux grants at least this much for all of them together under the usual stack limit.
const LONGEST_COMMAND: usize = 3 * 512 * 1024;

/// A command with its timeout, on behalf of a tool. As JSON it names the environment's variables, not
/// their values.
#[derive(Clone, Debug)]
pub(crate) struct CommandPlan {
    pub(crate) tool: String,
    pub(crate) timeout: Duration,
    pub(crate) command: Arc<Command>,
    /// Description of the user's files and variables that the program gets.
    pub(crate) profile: Option<String>,
    /// The name of the program, if the user has credentials for it that are withheld from the tool.
    pub(crate) withheld: Option<String>,
    /// The folders in which the program keeps downloads and that the tool may not write.
    pub(crate) caches: WithheldCaches,
}

/// The caches of a program that a tool may not write.
#[derive(Clone, Debug, Default)]
pub(crate) struct WithheldCaches {
    /// The name of the program.
    pub(crate) program: String,
    pub(crate) folders: Vec<PathBuf>,
}

/// The program of a call.
struct Located {
    /// The path of the program, or its name if it is not installed.
    file: PathBuf,
    /// The file whose folder the sandbox makes readable; `/` for none.
    sandboxed: PathBuf,
}

/// The documented JSON of `call --dry-run --json`.
#[derive(Serialize)]
struct CommandPlanJson<'a> {
    version: u32,
    tool: &'a str,
    program: &'a str,
    argv: &'a [Word],
    cwd: &'a str,
    env: Vec<String>,
    stdin: Option<&'a str>,
    #[serde(serialize_with = "seconds")]
    timeout_seconds: Duration,
    confinement: &'a Sandbox,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'a str>,
    /// How far this machine enforces the list in `confinement.network`.
    #[serde(skip_serializing_if = "Option::is_none")]
    network_enforcement: Option<&'static str>,
}

impl Serialize for CommandPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let command = &self.command;
        let names = command.env.iter().map(|(name, _)| name.as_str());
        let json = CommandPlanJson {
            version: 1,
            tool: &self.tool,
            program: &command.program,
            argv: &command.argv,
            cwd: &command.cwd,
            env: names
                .chain(private_variables(&command.env).map(|name: &str| name))
                .map(str::to_owned)
                .chain(proxy_names(command))
                .collect(),
            stdin: command.stdin.as_deref(),
            timeout_seconds: self.timeout,
            confinement: &command.sandbox,
            profile: self.profile.as_deref(),
            network_enforcement: describe_enforcement(&command.sandbox),
        };
        json.serialize(serializer)
    }
}

/// The variables that lead a program with a list of destinations to its proxy, and that the command
/// does not set itself.
fn proxy_names(command: &Command) -> Vec<String> {
    match &command.sandbox.network {
        NetworkAccess::Only(list)
            if list_enforcement(command.sandbox.level) == ListEnforcement::HostsAndPorts =>
        {
            let is_set = |name: &String| command.env.iter().any(|(other, _)| other == name);
            proxy_variables(list).map(|(name, _)| name).filter(|name| !is_set(name)).collect()
        }
        _ => Vec::new(),
    }
}

fn describe_enforcement(sandbox: &Sandbox) -> Option<&'static str> {
    // A plan with the sandbox switched off has no enforcement to name.
    (matches!(sandbox.network, NetworkAccess::Only(_)) && sandbox.level != SandboxLevel::None)
        .then(|| list_enforcement(sandbox.level).as_str())
}

impl CommandPlan {
    /// The plan of a call. The arguments fit the tool's schema.
    pub(crate) fn for_process(
        settings: &Settings,
        tool: &Tool,
        process: &Process,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        Self::assemble(settings, tool, process, arguments, || {
            let file = program::locate(settings, tool, &process.program)?;
            Ok(Located { sandboxed: file.clone(), file })
        })
    }

    /// The plan of a call whose program is not installed. It is only shown, never run.
    pub(crate) fn without_program(
        settings: &Settings,
        tool: &Tool,
        process: &Process,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        // `/` has no folder above it that the sandbox could open for the program.
        let (file, sandboxed) = (PathBuf::from(&process.program), PathBuf::from("/"));
        Self::assemble(settings, tool, process, arguments, || Ok(Located { file, sandboxed }))
    }

    fn assemble(
        settings: &Settings,
        tool: &Tool,
        process: &Process,
        arguments: &Arguments,
        locate: impl FnOnce() -> Result<Located, Failure>,
    ) -> Result<Self, Failure> {
        reject_too_many_paths(tool, arguments)?;
        let (cwd, mut found) = resolve_folder(settings, tool, process, arguments);
        let resolver = PathResolver::new(settings, &cwd, tool.annotations.is_read_only());
        let mut line = CommandLine::build(tool, process, arguments, &resolver, &mut found);
        if let Some(failure) = failures::combine(found.into_vec()) {
            return Err(failure);
        }
        if process.speaks_json() {
            reject_outside_paths(settings, tool, arguments)?;
        }
        let access = PathAccess::resolve_declared(process, arguments, &resolver)?;
        // Located last, so that wrong arguments are reported even if the program is not installed.
        let Located { file, sandboxed } = locate()?;
        let mut sandbox = sandbox::build(settings, &tool.annotations, &sandboxed);
        if let Some(access) = access {
            sandbox::narrow(&mut sandbox, settings, &tool.annotations, &sandboxed, access);
        }
        let grant = settings.programs.grant_of(&process.program, tool);
        let profile = grant.describe();
        let withholds = settings.programs.withholds_credentials(&process.program, tool);
        line.variables.extend(sandbox::apply_grant(&mut sandbox, &tool.annotations, grant));
        let command = Command {
            label: tool.name.clone(),
            ..build_command(settings, &process.program, &file, &cwd, line, sandbox)?
        };
        let withheld = withholds.then(|| process.program.clone());
        let caches = WithheldCaches {
            program: process.program.clone(),
            folders: settings.programs.withheld_caches(&process.program).to_vec(),
        };
        let timeout = settings.timeout_of(tool);
        Ok(Self { profile, withheld, caches, ..Self::new(tool, timeout, command) })
    }

    pub(crate) fn new(tool: &Tool, timeout: Duration, command: Command) -> Self {
        Self {
            tool: tool.name.clone(),
            timeout,
            command: Arc::new(command),
            profile: None,
            withheld: None,
            caches: WithheldCaches::default(),
        }
    }

    /// Runs the program under `strace`, with its system calls written to `trace`.
    pub(crate) fn with_strace(self, settings: &Settings, trace: &Path) -> Result<Self, Failure> {
        let command = Arc::unwrap_or_clone(self.command);
        let command = trace_with_strace(command, &settings.environment, trace)
            .map_err(|error| Failure::new(ErrorType::ProgramNotFound, error.to_string()))?;
        Ok(Self { command: Arc::new(command), ..self })
    }
}

/// The failures of arguments that a program cannot get, such as paths outside of the roots. The
/// arguments need not fit the schema.
pub(crate) fn find_argument_failures(
    settings: &Settings,
    tool: &Tool,
    process: &Process,
    arguments: &Arguments,
) -> Vec<Failure> {
    if let Err(failure) = reject_too_many_paths(tool, arguments) {
        return vec![failure];
    }
    let (cwd, mut found) = resolve_folder(settings, tool, process, arguments);
    let resolver = PathResolver::new(settings, &cwd, tool.annotations.is_read_only());
    CommandLine::build(tool, process, arguments, &resolver, &mut found);
    if process.speaks_json() {
        found.extend(reject_outside_paths(settings, tool, arguments).err());
    }
    found.into_vec()
}

/// The folder of a call, and the failures found so far.
fn resolve_folder(
    settings: &Settings,
    tool: &Tool,
    process: &Process,
    arguments: &Arguments,
) -> (PathBuf, FailureList) {
    let mut found = FailureList::default();
    found.extend(reject_unbound(tool, process, arguments).err());
    let crib = PathResolver::new(settings, &settings.crib, tool.annotations.is_read_only());
    let folder = process.bindings().find(|binding| binding.pass_by == PassBy::Folder);
    let folder = folder
        .map(|binding| crib.resolve_folder(&binding.parameter, arguments.get(&binding.parameter)))
        .transpose();
    // Continue with the crib as the folder, so that problems of other arguments are reported as well.
    let cwd = folder.unwrap_or_else(|failure| {
        found.push(failure);
        None
    });
    (cwd.unwrap_or_else(|| settings.crib.clone()), found)
}

/// The command of a tool's availability check, which may change nothing and use no network.
pub(crate) fn check_command(
    settings: &Settings,
    tool: &Tool,
    check: &Availability,
) -> Result<Command, Failure> {
    let Some((program, words)) = check.command.split_first() else {
        return Err(Failure::new(
            ErrorType::InvalidDefinition,
            format!("the availability check of `{}` has no command", tool.name),
        ));
    };
    let crib = PathResolver::new(settings, &settings.crib, true);
    let folder = check.folder.as_deref().map(serde_json::Value::from);
    let cwd = crib.resolve_folder("availability_check", folder.as_ref())?;
    let located = program::locate(settings, tool, program)?;
    let sandbox = sandbox::build(settings, &read_only(), &located);
    let line = CommandLine::from_words(words);
    let command = build_command(settings, program, &located, &cwd, line, sandbox)?;
    Ok(Command { label: tool.name.clone(), ..command })
}

/// The command of a program that is run for its output, outside of any tool: it may change nothing
/// and use no network.
pub(crate) fn program_command(
    settings: &Settings,
    program: &str,
    words: &[String],
    stdin: Option<String>,
) -> Result<Command, Failure> {
    let located = program::resolve(settings, program, program)?.ok_or_else(|| {
        Failure::new(ErrorType::ProgramNotFound, format!("the program `{program}` was not found"))
    })?;
    let sandbox = sandbox::build(settings, &read_only(), &located);
    let line = CommandLine::from_words(words);
    let command = build_command(settings, program, &located, &settings.crib, line, sandbox)?;
    Ok(Command { stdin, ..command })
}

fn read_only() -> Annotations {
    Annotations { mutates: Some(false), ..Annotations::default() }
}

/// A command of a program that was located as `located`; its label is `name`.
fn build_command(
    settings: &Settings,
    name: &str,
    located: &Path,
    cwd: &Path,
    line: CommandLine<'_>,
    sandbox: Sandbox,
) -> Result<Command, Failure> {
    let program = failures::utf8_path(located)?;
    let mut argv = Vec::with_capacity(line.words.len() + 1);
    // `argv[0]` as a shell would set it: programs such as busybox decide by it what to do.
    argv.push(Word::Text(if name.contains('/') { program.clone() } else { name.to_owned() }));
    argv.extend(line.words);
    let command = Command {
        label: name.to_owned(),
        program,
        argv,
        cwd: failures::utf8_path(cwd)?,
        env: settings.access().environment(line.variables),
        stdin: line.stdin,
        files: line.files,
        copies: PrivateCopies::default(),
        pipes: Vec::new(),
        sandbox,
    };
    reject_oversize(&command)?;
    Ok(command)
}

/// Reports what the kernel would only call "argument list too long" or "invalid argument".
fn reject_oversize(command: &Command) -> Result<(), Failure> {
    let mut total = 0;
    let variables = command
        .env
        .iter()
        .map(|(name, value)| (name.len() + value.len() + 1, value.contains('\0')));
    let words = command.argv.iter().map(|word| (word.max_len(), word.contains_nul()));
    for (length, has_nul) in words.chain(variables) {
        if has_nul {
            return Err(Failure::new(
                ErrorType::InvalidArguments,
                "a value contains a NUL byte, which cannot be passed to a program; remove it",
            ));
        }
        // Checked per word as well: the kernel limits single arguments (MAX_ARG_STRLEN)
        // independently of the total.
        if length >= LONGEST_WORD {
            let message = format!(
                "one value has {length} bytes, and a program accepts at most {LONGEST_WORD}; shorten it"
            );
            return Err(Failure::new(ErrorType::ArgumentsTooLong, message));
        }
        total += length + 1;
    }
    if total > LONGEST_COMMAND {
        let message = format!(
            "the arguments have {total} bytes together, and at most {LONGEST_COMMAND} are possible; send fewer"
        );
        return Err(Failure::new(ErrorType::ArgumentsTooLong, message));
    }
    Ok(())
}

/// An open schema admits arguments that the command line has no place for. A consent word needs no
/// place there: it is not for the program.
fn reject_unbound(tool: &Tool, process: &Process, arguments: &Arguments) -> Result<(), Failure> {
    let takes = |name: &str| {
        process.speaks_json()
            || process.bindings().any(|binding: &Binding| binding.parameter == name)
            || tool.consent.as_ref().is_some_and(|consent| consent.parameter == name)
    };
    match arguments.iter().find(|(name, value)| !value.is_null() && !takes(name)) {
        Some((name, value)) => {
            let message = format!(
                "'{name}' is not a parameter of this tool: nothing on its command line takes it; leave it out"
            );
            Err(failures::argument_failure(name, message, "nothing", value.clone()))
        }
        None => Ok(()),
    }
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    match duration.subsec_nanos() {
        0 => serializer.serialize_u64(duration.as_secs()),
        _ => serializer.serialize_f64(duration.as_secs_f64()),
    }
}
