//! Programs that run outside of any tool: for their output, or as a stdio peer.

use std::{path::PathBuf, sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use process::{
    LaunchError, Launcher, LauncherOptions, Peer, ProgramLimits, ProgramOutput, RunProgramError,
};

use crate::{Settings, plan};

/// Such programs look something up; they do no long work.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout of the command that notifies the operator.
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(10);

/// A program to run for its output.
pub struct ProgramRequest<'a> {
    /// The name of the program, looked up in the children's `PATH`.
    pub program: &'a str,
    /// The arguments, without the name of the program.
    pub arguments: Vec<String>,
    /// Text for its standard input.
    pub stdin: Option<String>,
    /// Maximum bytes of standard output; more is an error.
    pub max_bytes: u64,
}

/// Runs a program that may change nothing and use no network, and returns its output.
pub async fn run_program(
    settings: &Settings,
    request: ProgramRequest<'_>,
) -> Result<ProgramOutput, Failure> {
    ProgramRunner::new(settings.clone(), TIMEOUT).run(request).await
}

/// Runs many programs that may change nothing and use no network, with one launcher process.
pub struct ProgramRunner {
    settings: Settings,
    launcher: Arc<Launcher>,
    timeout: Duration,
}

impl ProgramRunner {
    /// A runner whose programs are killed after `timeout`.
    pub fn new(settings: Settings, timeout: Duration) -> Self {
        let launcher = Arc::new(new_launcher(&settings));
        Self { settings, launcher, timeout }
    }

    /// Runs a program and returns its output.
    pub async fn run(&self, request: ProgramRequest<'_>) -> Result<ProgramOutput, Failure> {
        let ProgramRequest { program, arguments, stdin, max_bytes } = request;
        let command = plan::program_command(&self.settings, program, &arguments, stdin)?;
        let limits = ProgramLimits { timeout: self.timeout, max_bytes };
        process::run_program(&self.launcher, command, limits).await.map_err(|error| {
            let error_type = match &error {
                RunProgramError::Launch(_) | RunProgramError::Wait { .. } => ErrorType::CannotStart,
                RunProgramError::TimedOut { .. } => ErrorType::TimedOut,
                RunProgramError::OutputTooLong { .. } => ErrorType::TooLong,
                RunProgramError::Killed { program, violation } => {
                    return workers::killed(program, *violation, "limits");
                }
            };
            Failure::new(error_type, error.to_string())
        })
    }
}

/// Runs a command of the operator with their own rights, and ignores its output. A failure is returned as
/// text.
pub(crate) async fn run_unrestricted(
    launcher: &Arc<Launcher>,
    settings: &Settings,
    program: &str,
    arguments: &[String],
    environment: Vec<(String, String)>,
) -> Result<(), String> {
    let command = plan::program_command(settings, program, arguments, None);
    let mut command = command.map_err(|failure| failure.message)?;
    command.env = environment;
    command.sandbox.is_unrestricted = true;
    let limits = ProgramLimits { timeout: NOTIFICATION_TIMEOUT, max_bytes: 64 << 10 };
    let output = process::run_program(launcher, command, limits).await;
    match output.map_err(|error| error.to_string())? {
        ProgramOutput { code: Some(0), .. } => Ok(()),
        ProgramOutput { code, stderr, .. } => Err(format!("exit code {code:?}: {stderr}")),
    }
}

/// The launcher that these settings describe.
pub(crate) fn new_launcher(settings: &Settings) -> Launcher {
    Launcher::new(LauncherOptions {
        is_sandboxed: settings.confine,
        required: settings.require,
        ..LauncherOptions::new(settings.temp.clone())
    })
}

/// The failure of a call whose program could not be started.
pub(crate) fn cannot_start(error: &LaunchError) -> Failure {
    Failure::new(ErrorType::CannotStart, error.to_string())
}

/// The command of a program that exchanges messages over stdio.
#[derive(Clone, Debug, Default)]
pub struct PeerCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The working directory; the default of children if absent.
    pub folder: Option<PathBuf>,
    /// The environment; the default of children if absent.
    pub environment: Option<Vec<(String, String)>>,
}

/// Starts a program that exchanges messages over stdio. The user has chosen it, so it runs unrestricted.
pub(crate) async fn start_peer(
    launcher: &Arc<Launcher>,
    settings: &Settings,
    peer: PeerCommand,
) -> Result<Peer, Failure> {
    let Some((program, words)) = peer.words.split_first() else {
        return Err(Failure::new(ErrorType::ProgramNotFound, "there is no program in the command"));
    };
    // An empty text asks for a pipe; without it stdin would be `/dev/null`.
    let mut command = plan::program_command(settings, program, words, Some(String::new()))?;
    command.sandbox.is_unrestricted = true;
    if let Some(folder) = peer.folder {
        command.cwd = folder.to_string_lossy().into_owned();
    }
    if let Some(environment) = peer.environment {
        command.env = environment;
    }
    Peer::start(launcher, command).await.map_err(|error| cannot_start(&error))
}
