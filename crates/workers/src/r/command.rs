//! The commands of R: that of a worker, and the one that shows people what a call does.

use std::path::PathBuf;

use catalog::{ErrorType, Failure, Tool, failures::utf8_path};
use process::{Command, PrivateCopies, Word, find_program, r_libraries, r_variables};

use super::{SCRIPT, call::RCall, deparse::deparse_call};
use crate::{profile::access_needs, settings::WorkerSettings, worker::PIPES};

const PROGRAM: &str = "R";
/// No profile, history or saved workspace of the user, and no echo of the script.
const OPTIONS: [&str; 2] = ["--vanilla", "--no-echo"];
const SCRIPT_FILE: &str = "worker.R";

/// The command that shows people what a call does.
pub(super) fn plan_call(settings: &WorkerSettings, call: &RCall<'_>) -> Result<Command, Failure> {
    let code = deparse_call(&call.function.package, &call.function.function, &call.arguments);
    Ok(Command {
        program: PROGRAM.to_owned(),
        argv: [PROGRAM, "-e", &code].map(|word| Word::Text(word.to_owned())).into(),
        ..build_worker_command(settings, call.tool)?
    })
}

/// The command of a worker with the access that a tool needs.
pub(super) fn build_worker_command(
    settings: &WorkerSettings,
    tool: &Tool,
) -> Result<Command, Failure> {
    let r = find_r(settings).ok_or_else(missing_r_error)?;
    let mut argv: Vec<_> =
        [PROGRAM].iter().chain(&OPTIONS).map(|word| Word::Text((*word).to_owned())).collect();
    argv.push(Word::File { prefix: "--file=".to_owned(), name: SCRIPT_FILE.to_owned() });
    let access = settings.access();
    let mut sandbox = access.sandbox(&r, access_needs(tool));
    sandbox.allow_read(r_libraries(&settings.environment));
    // R reserves far more address space than it uses, so its limit can be set separately.
    sandbox.memory_bytes = settings.r_memory_bytes.unwrap_or(settings.memory_bytes);
    Ok(Command {
        label: tool.name.clone(),
        program: utf8_path(&r)?,
        argv,
        cwd: utf8_path(&settings.crib)?,
        env: access.environment(r_variables(&settings.environment)),
        stdin: None,
        files: vec![(SCRIPT_FILE.to_owned(), SCRIPT.to_owned())],
        copies: PrivateCopies::default(),
        pipes: PIPES.map(str::to_owned).into(),
        sandbox,
    })
}

pub(super) fn find_r(settings: &WorkerSettings) -> Option<PathBuf> {
    find_program(&settings.environment, PROGRAM)
}

fn missing_r_error() -> Failure {
    let message = "R is not installed, and this tool is written in R; install it (on Debian and Ubuntu: apt install r-base-core; \
                   elsewhere: https://cran.r-project.org), then call again";
    Failure::new(ErrorType::RMissing, message)
}
