//! A crib in a temporary folder, and the program run on it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const TOOLCRIB: &str = env!("CARGO_BIN_EXE_toolcrib");

/// A crib in a temporary folder, with a state folder of its own.
pub(crate) struct Crib {
    folder: TempDir,
}

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

impl Crib {
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

    /// The folder of what is kept for this crib, once there is something.
    pub(crate) fn state(&self) -> PathBuf {
        let cribs = fs::read_dir(self.path("state/toolcrib/cribs")).expect("a state folder");
        cribs.flatten().next().expect("a crib's state").path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, told to use this crib.
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
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&self.command(arguments).output().expect("the program runs"))
    }
}

/// Runs the program without a crib.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    ran(&Command::new(TOOLCRIB)
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program runs"))
}

pub(crate) fn ran(output: &Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
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

/// A folder of the shared material; tests that need it say so when it is absent.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let default = repository().join("../shared");
    let folder = std::env::var("TOOLCRIB_SHARED").map_or(default, PathBuf::from).join(part);
    if !folder.exists() {
        complain(&format!("SKIPPED: {} does not exist", folder.display()));
        return None;
    }
    Some(folder)
}

/// Whether a program is there; without it a test is skipped, loudly, except in CI.
pub(crate) fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "{program} is missing");
    if !is_there {
        complain(&format!("SKIPPED: there is no {program}"));
    }
    is_there
}

#[expect(clippy::print_stderr, reason = "a skipped test must be loud")]
fn complain(text: &str) {
    eprintln!("{text}");
}
