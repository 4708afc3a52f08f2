//! Runs a program for its help: in the sandbox, without network and a home, with an empty input.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use import::{Output, Reply, Request, Walk};
use runtime::{ProgramRequest, ProgramRunner, SandboxLevel, Settings};
use tokio::task::JoinSet;
use workspace::Environment;

use crate::{error::CommandError, executor::block_on, terminal};

/// Timeout of one run. The slowest programs that were seen, in Python, need 1.4 s.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum bytes of output. The longest help that was seen has 350 KB.
const MAX_BYTES: u64 = 1 << 20;

/// Concurrent runs.
const CONCURRENCY: usize = 4;

/// Keeps programs from paging, colouring, opening a browser and writing caches, and asks for lines that are
/// wide enough for the columns of a help.
const VARIABLES: [(&str, &str); 12] = [
    ("LC_ALL", "C.UTF-8"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("BROWSER", "true"),
    ("COLUMNS", "200"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    // Programs that print sets would change their order from run to run.
    ("PYTHONHASHSEED", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Version managers whose programs look for themselves in the home, which is empty here.
const MANAGERS: [(&str, &str); 3] =
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")];

/// Runs one program.
pub(super) struct HelpRuns {
    program: String,
    runner: Arc<ProgramRunner>,
    /// Private folders start with this; their names are not part of a help.
    private: String,
}

impl HelpRuns {
    pub(super) fn new(program: &str, environment: &Environment) -> Result<Self, CommandError> {
        if runtime::sandbox_level() == SandboxLevel::None {
            let message = "this machine cannot sandbox programs, so none is run for its help";
            return Err(CommandError::machine(message).hint("run `toolcrib doctor` to see why"));
        }
        // A relative path is one of this folder, not of the folder of the run.
        let program = match program.contains('/') {
            true => absolute(Path::new(program))?.display().to_string(),
            false => program.to_owned(),
        };
        let mut settings = Settings::new(PathBuf::from("/"));
        settings.require = SandboxLevel::Landlock;
        settings.temp = environment.temp_folder();
        settings.environment = variables(environment);
        let private = format!("{}/toolcrib-", settings.temp.display());
        let runner = Arc::new(ProgramRunner::new(settings, TIMEOUT));
        Ok(Self { program, runner, private })
    }

    /// Runs everything that a walk asks for.
    pub(super) fn finish(&self, walk: &mut Walk) -> Result<(), CommandError> {
        block_on(async {
            let mut running = JoinSet::new();
            let mut done = 0_usize;
            loop {
                while running.len() < CONCURRENCY
                    && let Some(request) = walk.next_request()
                {
                    running.spawn(self.start(request));
                }
                let Some(joined) = running.join_next().await else { break };
                if let Ok((id, reply)) = joined {
                    walk.answer(id, reply);
                }
                done += 1;
                show_progress(&format!("read {done} help texts, {} to go", walk.remaining()));
            }
            show_progress("");
        })
    }

    /// The run of one request.
    fn start(&self, request: Request) -> impl Future<Output = (usize, Reply)> + use<> {
        let (runner, program) = (Arc::clone(&self.runner), self.program.clone());
        let private = self.private.clone();
        async move {
            let arguments = request.arguments;
            let run =
                ProgramRequest { program: &program, arguments, stdin: None, max_bytes: MAX_BYTES };
            let reply = match runner.run(run).await {
                Ok(output) => Ok(Output {
                    is_success: output.code == Some(0),
                    stdout: hide_home(&output.stdout, &private),
                    stderr: hide_home(output.stderr.as_bytes(), &private),
                }),
                Err(failure) => Err(failure.message),
            };
            (request.id, reply)
        }
    }
}

/// The whole environment of a run.
fn variables(environment: &Environment) -> Vec<(String, String)> {
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let mut variables: Vec<_> = VARIABLES.into_iter().map(own).collect();
    let path = environment.get("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin");
    variables.push(own(("PATH", path)));
    for (name, folder) in MANAGERS {
        let folder = environment.get("HOME").map(|home| Path::new(home).join(folder));
        let named = environment.get(name).map(PathBuf::from).or(folder);
        if let Some(folder) = named.filter(|folder| folder.is_dir()) {
            variables.push((name.to_owned(), folder.display().to_string()));
        }
    }
    variables
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    path.canonicalize().map_err(|error| CommandError::io("open", path, &error))
}

/// Puts `$HOME` back in place of the private folder, whose name changes with each run.
fn hide_home(text: &[u8], private: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut parts = text.split(private);
    let mut hidden = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        hidden.push_str("$HOME");
        hidden.push_str(&part[end.unwrap_or(part.len())..]);
    }
    hidden.into_bytes()
}

/// Replaces the last line of a terminal.
fn show_progress(text: &str) {
    if terminal::shows_progress() {
        terminal::note_bytes(format!("\r\u{1b}[K{text}").as_bytes());
    }
}
