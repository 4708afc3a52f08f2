//! The plans of Python: the one that a person sees, which is a call, and the one of the worker that
//! makes such calls.

use std::path::{Path, PathBuf};

use catalog::{ErrorType, Failure, Implementation, Tool, implementation::PythonFunction};
use process::{Command, Word};
use toolkit::Arguments;

use super::{CommandPlan, paths::refuse_outside, program, sandbox, utf8, variables};
use crate::{Settings, python, warm};

/// The interpreter of a crib that has one of its own.
const OWN: &str = ".venv/bin/python";
/// The interpreters that are looked for elsewhere.
const NAMES: [&str; 2] = ["python3", "python"];
/// Nothing of the user's own packages, no compiled files beside the sources, no buffers, and UTF-8.
const OPTIONS: [&str; 5] = ["-s", "-B", "-u", "-X", "utf8"];
/// The file with the worker's script.
const SCRIPT: &str = "worker.py";

impl CommandPlan {
    /// The plan of calling a Python function: the exact call, to be made by a warm worker.
    pub(crate) fn of_python_call(
        settings: &Settings,
        tool: &Tool,
        function: &PythonFunction,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        refuse_outside(settings, tool, arguments)?;
        let worker = python_worker_command(settings, tool)?;
        let call = python::written(function, arguments);
        let argv = [worker.program.as_str(), "-c", &call].map(|word| Word::Text(word.to_owned()));
        let command = Command { argv: argv.into(), ..worker };
        Ok(Self::new(tool, tool.timeout.unwrap_or(settings.timeout), command))
    }
}

/// The command of a Python worker with the sandbox of a tool.
pub(crate) fn python_worker_command(settings: &Settings, tool: &Tool) -> Result<Command, Failure> {
    let located = interpreter(settings).ok_or_else(not_installed)?;
    let name = utf8(&located)?;
    let words = [name.as_str()].into_iter().chain(OPTIONS);
    let mut argv: Vec<_> = words.map(|word| Word::Text(word.to_owned())).collect();
    argv.push(Word::File { prefix: String::new(), name: SCRIPT.to_owned() });
    let mut sandbox = sandbox::build(settings, &tool.annotations, &located);
    if let Implementation::Python(function) = &tool.implementation {
        sandbox.read.extend(function.path.iter().map(|folder| settings.crib.join(folder)));
    }
    sandbox.read.extend(libraries(&located));
    sandbox.read = sandbox::distinct(sandbox.read);
    Ok(Command {
        label: tool.name.clone(),
        program: name,
        argv,
        cwd: utf8(&settings.crib)?,
        env: variables::environment(settings, Vec::new()),
        stdin: None,
        files: vec![(SCRIPT.to_owned(), python::SCRIPT.to_owned())],
        pipes: warm::PIPES.map(str::to_owned).into(),
        sandbox,
    })
}

/// The interpreter: the crib's own, else the first on the path.
pub(crate) fn interpreter(settings: &Settings) -> Option<PathBuf> {
    let own = settings.crib.join(OWN);
    if program::is_program(&own) {
        return Some(own);
    }
    NAMES.iter().find_map(|name| program::find(settings, name))
}

/// Where an interpreter that is not the system's has its modules.
fn libraries(interpreter: &Path) -> Vec<PathBuf> {
    let real = interpreter.canonicalize().ok();
    let homes = [Some(interpreter), real.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(|file| file.parent()?.parent());
    let there = homes.flat_map(|home| ["lib", "lib64", "pyvenv.cfg"].map(|name| home.join(name)));
    there.filter(|path| path.exists()).collect()
}

fn not_installed() -> Failure {
    let message = "Python is not installed: there is no `python3` on the path of tools and no `.venv` in the crib; install \
                   Python 3, or make one with `python3 -m venv .venv`";
    Failure::new(ErrorType::PythonNotFound, message)
}
