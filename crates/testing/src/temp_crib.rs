//! A crib in a temporary folder, and the `toolcrib` binary run on it.

use std::{
    env, fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{CommandOutput, normalize};

/// A crib in a temporary folder, with a state folder of its own. Both are deleted on drop.
pub struct TempCrib {
    folder: TempDir,
}

impl Default for TempCrib {
    fn default() -> Self {
        Self::new()
    }
}

impl TempCrib {
    /// A crib without files.
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("crib-").expect("a temporary folder");
        fs::create_dir(folder.path().join("crib")).expect("a folder for the crib");
        Self { folder }
    }

    /// Adds a file, by its path in the crib.
    pub fn file(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    /// Adds a definition to `tools/`.
    pub fn tool(self, name: &str, definition: Value) -> Self {
        self.file(&format!("tools/{name}.json"), &definition.to_string())
    }

    /// Writes a file, by its path in the crib.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The text of a file, by its path in the crib.
    pub fn read(&self, name: &str) -> String {
        let path = self.root().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The folder of the crib, without symbolic links.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("crib").canonicalize().expect("the crib exists")
    }

    /// The state folder of this crib. Panics before a command has created it.
    pub fn state(&self) -> PathBuf {
        let cribs = fs::read_dir(self.state_home().join("toolcrib/cribs")).expect("a state folder");
        cribs.flatten().next().expect("the state of this crib").path()
    }

    fn state_home(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The `toolcrib` binary with these arguments, set to use this crib and its state folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolcrib_path());
        command.arg("-C").arg(self.root()).args(arguments).current_dir(self.root());
        command
            .env("XDG_STATE_HOME", self.state_home())
            .env_remove("TOOLCRIB_LOG")
            .env_remove("TMPDIR")
            .env_remove("MCP_TOOL_PREFIX")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs `toolcrib` with these arguments and this standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command(arguments);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("the program reads");
        drop(stdin);
        CommandOutput::from(&child.wait_with_output().expect("the program ends"))
    }

    /// Runs `toolcrib` with these arguments and waits until it exits.
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(&self.command(arguments).output().expect("the program starts"))
    }

    /// Approves a call as a script of the operator does: with the credential in the state folder.
    pub fn approve(&self, id: &str) -> CommandOutput {
        let credential = self.state().join("operator-credential");
        fs::write(&credential, "credential").expect("a credential");
        fs::set_permissions(&credential, fs::Permissions::from_mode(0o600)).expect("permissions");
        self.run(&["approve", id, "--yes"])
    }

    /// Runs `toolcrib` with these arguments, and returns its exit code and [normalized](normalize)
    /// output, for a snapshot.
    pub fn transcript(&self, arguments: &[&str]) -> String {
        let CommandOutput { code, stdout, stderr } = self.run(arguments);
        let parts = [("stdout", stdout), ("stderr", stderr)];
        let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
        let parts = parts.map(|(name, text)| format!("\n--- {name}\n{}", self.normalize(&text)));
        format!("exit code {code}{}", parts.collect::<String>())
    }

    fn normalize(&self, text: &str) -> String {
        let text = text.replace(&self.root().display().to_string(), "CRIB");
        normalize(&text.replace(&self.state_home().display().to_string(), "STATE"))
    }
}

/// A minimal definition of a tool that runs `command`.
pub fn definition(name: &str, command: &str) -> Value {
    json!({
        "name": name, "description": "A tool of a test", "command": command, "synchronous": true, "mutates": false,
        "subcommand": [{"name": "default", "description": "Runs it"}],
    })
}

/// Runs `toolcrib` in the current folder, without a crib.
pub fn run_outside_crib(arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(toolcrib_path());
    command.args(arguments).env("NO_COLOR", "1");
    CommandOutput::from(&command.output().expect("the program starts"))
}

/// The path of the `toolcrib` binary, which Cargo builds for the tests of the crate `cli` only.
pub fn toolcrib_path() -> PathBuf {
    // Cargo and nextest set this variable for the tests of a package with binaries. Without it (a
    // test binary that is started by hand), the binary is in the parent of the folder of the test
    // binary.
    if let Some(path) = env::var_os("CARGO_BIN_EXE_toolcrib") {
        return path.into();
    }
    let test = env::current_exe().expect("the path of this test");
    let path = test.ancestors().nth(2).map(|folder| folder.join("toolcrib"));
    path.filter(|path| Path::is_file(path)).expect("`toolcrib` is built: run the tests of `cli`")
}
