//! The plans of R: the one that a person sees, which is a call, and the one of the worker that
//! makes such calls.

use catalog::{ErrorType, Failure, Tool, implementation::RFunction};
use process::{Command, Word, r_libraries, r_variables};
use toolkit::Arguments;

use super::{CommandPlan, program, sandbox, utf8, variables};
use crate::{Settings, r, warm};

/// The program.
pub(crate) const R: &str = "R";
/// Nobody's profile, history or saved workspace; nothing is echoed.
const OPTIONS: [&str; 2] = ["--vanilla", "--no-echo"];
/// The file with the worker's script.
const SCRIPT: &str = "worker.R";

impl CommandPlan {
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
        Ok(Self::new(tool, settings.time_for(tool), command))
    }
}

/// The command of an R worker with the sandbox of a tool.
pub(crate) fn r_worker_command(settings: &Settings, tool: &Tool) -> Result<Command, Failure> {
    let located = program::find(settings, R).ok_or_else(not_installed)?;
    let mut argv: Vec<_> =
        [R].iter().chain(&OPTIONS).map(|word| Word::Text((*word).to_owned())).collect();
    argv.push(Word::File { prefix: "--file=".to_owned(), name: SCRIPT.to_owned() });
    let mut sandbox = sandbox::build(settings, &tool.annotations, &located);
    sandbox.read.extend(r_libraries(&settings.environment));
    sandbox.read = sandbox::distinct(sandbox.read);
    sandbox.memory_bytes = settings.r_memory_bytes.unwrap_or(settings.memory_bytes);
    Ok(Command {
        label: tool.name.clone(),
        program: utf8(&located)?,
        argv,
        cwd: utf8(&settings.crib)?,
        env: variables::environment(settings, r_variables(&settings.environment)),
        stdin: None,
        files: vec![(SCRIPT.to_owned(), r::SCRIPT.to_owned())],
        pipes: warm::PIPES.map(str::to_owned).into(),
        sandbox,
    })
}

fn not_installed() -> Failure {
    let message = "R was not found, which this tool is written in; install it (on Debian and Ubuntu: apt install r-base-core; \
                   elsewhere: https://cran.r-project.org), then call again";
    Failure::new(ErrorType::RMissing, message)
}
