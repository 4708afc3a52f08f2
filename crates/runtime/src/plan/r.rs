//! The plans of R: the one that a person sees, which is a call, and the one of the worker that
//! makes such calls.

use std::path::{Path, PathBuf};

use catalog::{ErrorType, Failure, Tool, implementation::RFunction};
use process::{Command, Word};
use toolkit::Arguments;

use super::{Plan, program, sandbox, utf8, variables};
use crate::{Settings, r, warm};

/// The program.
pub(crate) const R: &str = "R";
/// Nobody's profile, history or saved workspace; nothing is echoed.
const OPTIONS: [&str; 2] = ["--vanilla", "--no-echo"];
/// The file with the worker's script.
const SCRIPT: &str = "worker.R";
/// Variables that name folders with packages.
const LIBRARIES: [&str; 3] = ["R_LIBS", "R_LIBS_USER", "R_LIBS_SITE"];
/// What tells a worker where its user's home is, which it may not read.
const HOME: &str = "TOOLCRIB_R_HOME";

impl Plan {
    /// The plan of calling an R function: the exact call, to be made by a warm worker.
    pub(crate) fn of_r_call(
        settings: &Settings,
        tool: &Tool,
        function: &RFunction,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        let arguments = r::encoded(function, arguments)?;
        let call = r::deparsed(&function.package, &function.function, &arguments);
        let command = Command {
            program: R.to_owned(),
            argv: [R, "-e", &call].map(|word| Word::Text(word.to_owned())).into(),
            ..r_worker_command(settings, tool)?
        };
        Ok(Self::of_command(tool, settings.time_for(tool), command))
    }
}

/// The command of an R worker with the sandbox of a tool.
pub(crate) fn r_worker_command(settings: &Settings, tool: &Tool) -> Result<Command, Failure> {
    let located = program::find(settings, R).ok_or_else(not_installed)?;
    let mut argv: Vec<_> =
        [R].iter().chain(&OPTIONS).map(|word| Word::Text((*word).to_owned())).collect();
    argv.push(Word::File { prefix: "--file=".to_owned(), name: SCRIPT.to_owned() });
    let mut sandbox = sandbox::build(settings, &tool.annotations, &located);
    sandbox.read.extend(libraries(settings));
    sandbox.read = sandbox::distinct(sandbox.read);
    sandbox.memory_bytes = settings.r_memory_bytes.unwrap_or(settings.memory_bytes);
    Ok(Command {
        label: tool.name.clone(),
        program: utf8(&located)?,
        argv,
        cwd: utf8(&settings.crib)?,
        env: variables::environment(settings, added(settings)),
        stdin: None,
        files: vec![(SCRIPT.to_owned(), r::SCRIPT.to_owned())],
        pipes: warm::PIPES.map(str::to_owned).into(),
        sandbox,
    })
}

/// What every worker is told: a locale in which all text can be printed, and where its user's home is.
pub(super) fn added(settings: &Settings) -> Vec<(String, String)> {
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(settings, name));
    let utf8 =
        utf8.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").ends_with("utf8"));
    let locale = (!utf8).then(|| ("LC_ALL".to_owned(), "C.UTF-8".to_owned()));
    let home = variable(settings, "HOME").map(|home| (HOME.to_owned(), home.to_owned()));
    locale.into_iter().chain(home).collect()
}

/// Where the user's own packages are.
pub(super) fn libraries(settings: &Settings) -> Vec<PathBuf> {
    let named = LIBRARIES
        .iter()
        .filter_map(|name| variable(settings, name))
        .flat_map(|folders| folders.split(':'));
    let usual = variable(settings, "HOME").map(|home| Path::new(home).join("R"));
    named
        .map(PathBuf::from)
        .chain(usual)
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .collect()
}

fn variable<'a>(settings: &'a Settings, name: &str) -> Option<&'a str> {
    let found = settings.environment.iter().find(|(own, value)| own == name && !value.is_empty());
    found.map(|(_, value)| value.as_str())
}

fn not_installed() -> Failure {
    let message = "R was not found, which this tool is written in; install it (on Debian and Ubuntu: apt install r-base-core; \
                   elsewhere: https://cran.r-project.org), then call again";
    Failure::new(ErrorType::RMissing, message)
}
