//! Exactly what a call would do: program, arguments, folder, environment, limits.
//!
//! Making a plan looks at the file system to resolve paths and programs, and changes nothing.

mod paths;
pub(crate) mod program;
mod python;
mod r;
mod reach;
mod renderer;
mod variables;
mod words;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::Duration,
};

use catalog::{
    Annotations, Availability, ErrorType, Failure, Implementation, Origin, Schema, SourceId, Tool,
    implementation::{Binding, PassBy, Process},
};
use serde::{Serialize, Serializer};
use toolkit::Arguments;

use crate::{Settings, confinement, refusal};
use paths::Places;
pub(crate) use paths::refuse_outside;
pub(crate) use python::interpreter;
pub(crate) use r::R;
use reach::Reach;
pub(crate) use renderer::{Input, Network, RenderProgram};
pub(crate) use variables::private;
use words::CommandLine;
pub(crate) use words::Word;

/// The longest single argument or variable that Linux passes to a program, with its end mark.
const LONGEST_WORD: usize = 128 * 1024;
/// Linux grants at least this much for all of them together under the usual stack limit.
const LONGEST_COMMAND: usize = 3 * 512 * 1024;

/// Exactly what a call would do. As JSON it names the environment's variables, not their values.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    version: u32,
    pub(crate) tool: String,
    pub(crate) program: String,
    /// The program's name as it will see it, then its arguments.
    pub(crate) argv: Vec<Word>,
    pub(crate) cwd: String,
    #[serde(serialize_with = "names")]
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Option<String>,
    #[serde(rename = "timeout_seconds", serialize_with = "seconds")]
    pub(crate) timeout: Duration,
    pub(crate) confinement: Bounds,
    /// What is written to the private temporary folder before the start.
    #[serde(skip)]
    pub(crate) files: Vec<(String, String)>,
    /// Named pipes that are made there, too.
    #[serde(skip)]
    pub(crate) pipes: Vec<String>,
}

/// What a child may touch beyond the system's own folders, which all may read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bounds {
    /// Whether the files are enforced; not if the operator switched it off or the kernel cannot.
    pub(crate) enforced: bool,
    /// Whether it may open sockets.
    pub(crate) network: bool,
    /// Files and folders it may read and execute.
    pub(crate) read: Vec<PathBuf>,
    /// Files and folders it may read, execute and change; its private temporary folder comes on top.
    pub(crate) write: Vec<PathBuf>,
    /// How much memory each of its processes may allocate.
    pub(crate) memory_bytes: u64,
    /// Those of the paths that come from this call's values. A link that is put in the place of one
    /// before the start gets no rule.
    #[serde(skip)]
    pub(crate) given: Vec<PathBuf>,
    /// Whether it is held to none of this: it is watched, or its user's own choice.
    #[serde(skip)]
    pub(crate) is_watched: bool,
}

impl Plan {
    /// The plan of a call. The arguments fit the tool's schema.
    pub(crate) fn make(
        settings: &Settings,
        tool: &Tool,
        process: &Process,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        let mut refusals: Vec<_> =
            refuse_unbound(tool, process, arguments).err().into_iter().collect();
        let is_read_only = tool.annotations.is_read_only();
        let crib = Places::new(settings, &settings.crib, is_read_only);
        let folder = process.bindings().find(|binding| binding.pass_by == PassBy::Folder);
        let folder = folder
            .map(|binding| crib.folder(&binding.parameter, arguments.get(&binding.parameter)))
            .transpose();
        let cwd = folder.unwrap_or_else(|refusal| {
            refusals.push(refusal);
            None
        });
        let cwd = cwd.unwrap_or_else(|| settings.crib.clone());
        let places = Places::new(settings, &cwd, is_read_only);
        let line = CommandLine::build(&process.pieces, arguments, &places, &mut refusals);
        if let Some(refusal) = refusal::together(refusals) {
            return Err(refusal);
        }
        if process.speaks_json() {
            refuse_outside(settings, tool, arguments)?;
        }
        let reach = Reach::of_call(process, arguments, &places)?;
        let mut plan =
            Self::assemble(settings, tool, &tool.annotations, &process.program, cwd.clone(), line)?;
        if let Some(reach) = reach {
            plan.confinement.cut(settings, &tool.annotations, Path::new(&plan.program), reach);
        }
        Ok(plan)
    }

    /// The plan of a tool's availability check, which changes nothing and needs no network.
    pub(crate) fn of_check(
        settings: &Settings,
        tool: &Tool,
        check: &Availability,
    ) -> Result<Self, Failure> {
        let Some((program, words)) = check.command.split_first() else {
            return Err(Failure::new(
                ErrorType::InvalidDefinition,
                format!("the availability check of `{}` has no command", tool.name),
            ));
        };
        let crib = Places::new(settings, &settings.crib, true);
        let folder = check.folder.as_deref().map(serde_json::Value::from);
        let cwd = crib.folder("availability_check", folder.as_ref())?;
        let annotations = Annotations { mutates: Some(false), ..Annotations::default() };
        Self::assemble(settings, tool, &annotations, program, cwd, CommandLine::of_words(words))
    }

    /// The plan of a program that is talked to, which its user trusts.
    pub(crate) fn of_peer(settings: &Settings, command: &[String]) -> Result<Self, Failure> {
        let Some((program, words)) = command.split_first() else {
            return Err(Failure::new(
                ErrorType::ProgramNotFound,
                "there is no program in the command",
            ));
        };
        let mut plan = Self::of_question(settings, program, words, Some(String::new()))?;
        plan.confinement.is_watched = true;
        Ok(plan)
    }

    /// The plan of asking a program of the machine something.
    pub(crate) fn of_question(
        settings: &Settings,
        program: &str,
        words: &[String],
        stdin: Option<String>,
    ) -> Result<Self, Failure> {
        let viewer = Tool::new(
            program,
            "",
            Schema::empty(),
            Implementation::Missing,
            Origin::whole(&SourceId::new(program)),
        );
        let annotations = Annotations { mutates: Some(false), ..Annotations::default() };
        let line = CommandLine::of_words(words);
        Ok(Self {
            stdin,
            ..Self::assemble(settings, &viewer, &annotations, program, settings.crib.clone(), line)?
        })
    }

    fn assemble(
        settings: &Settings,
        tool: &Tool,
        annotations: &Annotations,
        program: &str,
        cwd: PathBuf,
        line: CommandLine<'_>,
    ) -> Result<Self, Failure> {
        let located = program::locate(settings, tool, program)?;
        let mut argv = Vec::with_capacity(line.words.len() + 1);
        argv.push(Word::Text(if program.contains('/') {
            utf8(&located)?
        } else {
            program.to_owned()
        }));
        argv.extend(line.words);
        let plan = Self {
            version: 1,
            tool: tool.name.clone(),
            program: utf8(&located)?,
            argv,
            cwd: utf8(&cwd)?,
            env: variables::environment(settings, line.variables),
            stdin: line.stdin,
            timeout: tool.timeout.unwrap_or(settings.timeout),
            confinement: Bounds::new(settings, annotations, located),
            files: line.files,
            pipes: Vec::new(),
        };
        plan.refuse_oversize()?;
        Ok(plan)
    }

    /// Says what the kernel would only call "argument list too long" or "invalid argument".
    fn refuse_oversize(&self) -> Result<(), Failure> {
        let mut total = 0;
        let variables = self
            .env
            .iter()
            .map(|(name, value)| (name.len() + value.len() + 1, value.contains('\0')));
        let words = self.argv.iter().map(|word| (word.len(), word.contains_nul()));
        for (length, has_nul) in words.chain(variables) {
            if has_nul {
                return Err(Failure::new(
                    ErrorType::InvalidArguments,
                    "a value has a NUL byte, which no program can be given; remove it",
                ));
            }
            if length >= LONGEST_WORD {
                let message = format!(
                    "one value has {length} bytes, and a program can be given at most {LONGEST_WORD}; shorten it"
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
}

impl Bounds {
    /// Roots are written only by tools that do not say that they change nothing: what is served as
    /// read-only is read-only to the kernel.
    fn new(settings: &Settings, annotations: &Annotations, program: PathBuf) -> Self {
        // People read these lists: what is their own stands first.
        let (mut read, mut write) = (Vec::new(), Vec::new());
        let roots = if annotations.is_read_only() { &mut read } else { &mut write };
        roots.extend(settings.roots.iter().cloned());
        if !settings.roots.contains(&settings.crib) {
            read.push(settings.crib.clone());
        }
        read.extend(settings.read.iter().cloned().chain(program::folders(settings)));
        write.extend(settings.write.iter().cloned());
        // The program may be a link into a folder of its own.
        let real = program.canonicalize().unwrap_or(program);
        read.extend(real.parent().map(PathBuf::from));
        let (read, write) = (distinct(read), distinct(write));
        let network = annotations.network == Some(true);
        let enforced = settings.confine && confinement().files;
        Self {
            enforced,
            network,
            read,
            write,
            memory_bytes: settings.memory_bytes,
            given: Vec::new(),
            is_watched: false,
        }
    }

    /// Takes the crib and the roots away, and gives what this call names. A program that lies in
    /// them stays readable, its neighbours do not.
    fn cut(
        &mut self,
        settings: &Settings,
        annotations: &Annotations,
        program: &Path,
        reach: Reach,
    ) {
        let is_own = |path: &Path| {
            path.starts_with(&settings.crib)
                || settings.roots.iter().any(|root| path.starts_with(root))
        };
        let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        self.given = reach.read.iter().chain(&reach.write).cloned().collect();
        let (mut read, mut write) = (reach.read, Vec::new());
        // What is served as read-only is read-only to the kernel, whatever a parameter says.
        let written = if annotations.is_read_only() { &mut read } else { &mut write };
        written.extend(reach.write);
        read.extend(settings.read.iter().cloned().chain(program::folders(settings)));
        read.extend(if is_own(&real) { Some(real) } else { real.parent().map(PathBuf::from) });
        write.extend(settings.write.iter().cloned());
        (self.read, self.write) = (distinct(read), distinct(write));
    }
}

/// Each path once, where it stands first.
fn distinct(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

/// An open schema admits arguments that the command line has no place for. A consent word needs no
/// place there: it is not for the program.
fn refuse_unbound(tool: &Tool, process: &Process, arguments: &Arguments) -> Result<(), Failure> {
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
            Err(refusal::argument(name, message, "nothing", value.clone()))
        }
        None => Ok(()),
    }
}

/// The folder that an argument names, from the crib and inside the roots; the crib, if it names none.
pub(crate) fn folder(
    settings: &Settings,
    parameter: &str,
    value: Option<&serde_json::Value>,
) -> Result<PathBuf, Failure> {
    // What runs there has a plan, and limits, of its own.
    Places::new(settings, &settings.crib, true).folder(parameter, value)
}

/// Paths are answered and passed as text.
fn utf8(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(
            ErrorType::PathNotText,
            format!("the path `{}` is not UTF-8; rename what it names", path.display()),
        )
    })
}

/// The names, with those that are set to the private temporary folder at the start.
fn names<S: Serializer>(env: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let private = private(env).map(|name: &str| name);
    serializer.collect_seq(env.iter().map(|(name, _)| name.as_str()).chain(private))
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    match duration.subsec_nanos() {
        0 => serializer.serialize_u64(duration.as_secs()),
        _ => serializer.serialize_f64(duration.as_secs_f64()),
    }
}
