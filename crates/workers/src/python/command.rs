//! The commands of Python: that of a worker, and the one that shows people what a call does.

use std::path::{Path, PathBuf};

use catalog::{ErrorType, Failure, Implementation, Tool, failures::utf8_path};
use process::{Command, PrivateCopies, Word, find_program, is_program};

use super::{SCRIPT, call::PythonCall, literal::format_call};
use crate::{profile::access_needs, settings::WorkerSettings, worker::PIPES};

/// The interpreter of a crib with a virtual environment.
const VENV_PYTHON: &str = ".venv/bin/python";
/// Interpreters to look for on the `PATH`.
const NAMES: [&str; 2] = ["python3", "python"];
/// No packages of the user (`-s`), no bytecode files beside the sources (`-B`; the worker does not
/// read those of the crib either), unbuffered output (`-u`), so that a crash loses none, and UTF-8
/// in any locale.
const OPTIONS: [&str; 5] = ["-s", "-B", "-u", "-X", "utf8"];
const SCRIPT_FILE: &str = "worker.py";

/// The command that shows people what a call does.
pub(super) fn plan_call(
    settings: &WorkerSettings,
    call: PythonCall<'_>,
) -> Result<Command, Failure> {
    let worker = build_worker_command(settings, call.tool)?;
    let code = format_call(call.function, call.arguments);
    let argv = [worker.program.as_str(), "-c", &code].map(|word| Word::Text(word.to_owned()));
    // The rest comes from the worker's command, so that the plan shows the same folder, environment
    // and sandbox.
    Ok(Command { argv: argv.into(), ..worker })
}

/// The command of a worker with the access that a tool needs.
pub(super) fn build_worker_command(
    settings: &WorkerSettings,
    tool: &Tool,
) -> Result<Command, Failure> {
    let python =
        find_python(&settings.crib, &settings.environment).ok_or_else(missing_python_error)?;
    let program = utf8_path(&python)?;
    let words = [program.as_str()].into_iter().chain(OPTIONS);
    let mut argv: Vec<_> = words.map(|word| Word::Text(word.to_owned())).collect();
    argv.push(Word::File { prefix: String::new(), name: SCRIPT_FILE.to_owned() });
    let access = settings.access();
    let mut sandbox = access.sandbox(&python, access_needs(tool));
    if let Implementation::Python(function) = &tool.implementation {
        sandbox.allow_read(function.path.iter().map(|folder| settings.crib.join(folder)));
    }
    let needed = settings.python_folders.iter().filter(|folder| !access.is_delicate(folder));
    sandbox.allow_read(needed.cloned());
    Ok(Command {
        label: tool.name.clone(),
        program,
        argv,
        cwd: utf8_path(&settings.crib)?,
        env: access.environment(Vec::new()),
        stdin: None,
        files: vec![(SCRIPT_FILE.to_owned(), SCRIPT.to_owned())],
        copies: PrivateCopies::default(),
        pipes: PIPES.map(str::to_owned).into(),
        sandbox,
    })
}

/// The interpreter: the crib's own, else the first one on the `PATH`.
pub(super) fn find_python(crib: &Path, environment: &[(String, String)]) -> Option<PathBuf> {
    let own = crib.join(VENV_PYTHON);
    if is_program(&own) {
        return Some(own);
    }
    NAMES.iter().find_map(|name| find_program(environment, name))
}

/// The folders that the Python interpreter of a crib needs. Those from pyenv, conda or uv live in a
/// home folder, which the sandbox does not include. The interpreter of a virtual environment is a
/// link, and needs the modules of both places.
///
/// Found once, when a crib is loaded: a tool could replace the link later.
pub fn python_folders(crib: &Path, environment: &[(String, String)]) -> Vec<PathBuf> {
    let Some(python) = find_python(crib, environment) else {
        return Vec::new();
    };
    let real = python.canonicalize().ok();
    let homes = [Some(python.as_path()), real.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(|file| file.parent()?.parent());
    let parts = ["lib", "lib64", "pyvenv.cfg"];
    let libraries = homes.flat_map(|home| parts.map(|name| home.join(name)));
    let own = real.as_deref().and_then(Path::parent).map(Path::to_owned);
    libraries.filter(|path| path.exists()).chain(own).collect()
}

fn missing_python_error() -> Failure {
    let message = "Python is not installed: there is no `python3` on the `PATH` of tools and no `.venv` in the crib; install \
                   Python 3, or create a `.venv` with `python3 -m venv .venv`";
    Failure::new(ErrorType::PythonNotFound, message)
}
