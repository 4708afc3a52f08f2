//! A crib in a temporary folder, and the program run on it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const TOOLCRIB: &str = env!("CARGO_BIN_EXE_toolcrib");

/// A crib in a temporary folder, with a state folder of its own.
pub(crate) struct TempCrib {
    folder: TempDir,
}

/// The exit code and output of a finished run.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Parses standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

impl From<&Output> for CommandOutput {
    fn from(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

impl TempCrib {
    pub(crate) fn new() -> Self {
        let crib = Self { folder: TempDir::with_prefix("crib-").expect("a temporary folder") };
        fs::create_dir(crib.path("crib")).expect("a folder for the crib");
        crib
    }

    /// Writes a file, relative to the crib.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    /// Writes a definition to `tools/`.
    pub(crate) fn tool(self, name: &str, definition: Value) -> Self {
        self.file(&format!("tools/{name}.json"), &definition.to_string())
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.path("crib").canonicalize().expect("the crib")
    }

    /// The state folder of this crib; panics before a command has created it.
    pub(crate) fn state(&self) -> PathBuf {
        let cribs = fs::read_dir(self.path("state/toolcrib/cribs")).expect("a state folder");
        cribs.flatten().next().expect("a crib's state").path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with its arguments, set to use this crib and its state folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(TOOLCRIB);
        command.arg("-C").arg(self.root()).args(arguments).current_dir(self.root());
        command
            .env("XDG_STATE_HOME", self.path("state"))
            .env_remove("TOOLCRIB_LOG")
            .env_remove("MCP_TOOL_PREFIX")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(&self.command(arguments).output().expect("the program runs"))
    }

    /// Runs the program to its end, and returns everything that a person sees, for a snapshot.
    /// Whatever differs from run to run is masked: paths, ids, times and durations.
    pub(crate) fn transcript(&self, arguments: &[&str]) -> String {
        let CommandOutput { code, stdout, stderr } = self.run(arguments);
        let parts = [("stdout", stdout), ("stderr", stderr)];
        let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
        let parts = parts.map(|(name, text)| format!("\n--- {name}\n{}", self.mask(&text)));
        format!("exit code {code}{}", parts.collect::<String>())
    }

    fn mask(&self, text: &str) -> String {
        let text = text.replace(&self.root().display().to_string(), "CRIB");
        mask_variables(&text.replace(&self.path("state").display().to_string(), "STATE"))
    }
}

/// Masks ids, times, durations and the hash in the name of a state folder.
fn mask_variables(text: &str) -> String {
    static MASKS: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        [
            (r"\b(op|ap)_[a-z]*\d[0-9A-Za-z]{7,}", "${1}_ID"),
            (r"\d{4}-\d{2}-\d{2}T[0-9:.]+Z", "TIME"),
            (r"cribs/crib-[0-9a-f]{16}", "cribs/crib-HASH"),
            (r" +\d+ (ms|s|min)\b", " DURATION"),
        ]
        .map(|(pattern, mask)| (Regex::new(pattern).expect("a pattern"), mask))
    });
    MASKS.iter().fold(text.to_owned(), |text, (pattern, mask)| {
        pattern.replace_all(&text, *mask).into_owned()
    })
}

/// Runs the program in the current folder, without a crib.
pub(crate) fn run_outside_crib(arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(TOOLCRIB);
    command.args(arguments).env("NO_COLOR", "1");
    CommandOutput::from(&command.output().expect("the program runs"))
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A minimal definition of a tool that runs `command`.
pub(crate) fn definition(name: &str, command: &str) -> Value {
    serde_json::json!({
        "name": name, "description": "A tool of a test", "command": command, "synchronous": true, "mutates": false,
        "subcommand": [{"name": "default", "description": "Runs it"}],
    })
}

/// A folder of the shared material; `None`, with a notice, if it is absent.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let default = repository().join("../shared");
    let folder = std::env::var("TOOLCRIB_SHARED").map_or(default, PathBuf::from).join(part);
    if !folder.exists() {
        print_notice(&format!("SKIPPED: {} does not exist", folder.display()));
        return None;
    }
    Some(folder)
}

/// Whether a program is installed. Prints a notice if not; in CI it must be.
pub(crate) fn has_program(program: &str) -> bool {
    let is_installed = Command::new(program).arg("--version").output().is_ok();
    assert!(is_installed || std::env::var_os("CI").is_none(), "{program} is missing");
    if !is_installed {
        print_notice(&format!("SKIPPED: {program} is not installed"));
    }
    is_installed
}

#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
fn print_notice(text: &str) {
    eprintln!("{text}");
}
