//! Starts shell scripts in a sandbox of either level.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use process::{
    Command, Launcher, LauncherOptions, OpenedPaths, PrivateCopies, ProgramLimits, ProgramOutput,
    RunProgramError, Sandbox, SandboxLevel, Word, run_program, sandbox_level,
};

/// A folder with an `inside`, which is granted, and an `outside`, which is not.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) level: SandboxLevel,
    /// The paths that were opened before any script ran.
    pub(crate) opened: OpenedPaths,
}

/// What a script may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    Read,
    Write,
    Network,
}

impl Bench {
    /// One for each level that this machine can apply.
    pub(crate) fn all() -> Vec<Self> {
        let levels = [SandboxLevel::Landlock, SandboxLevel::Namespaces];
        let possible: Vec<_> =
            levels.into_iter().filter(|level| *level <= sandbox_level()).map(Self::new).collect();
        assert!(!possible.is_empty(), "this kernel has no Landlock");
        possible
    }

    pub(crate) fn new(level: SandboxLevel) -> Self {
        // Not in /tmp, which is private in a mount namespace.
        let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
        for name in ["inside", "outside"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let options =
            LauncherOptions { strongest: level, ..LauncherOptions::new(PathBuf::from("/tmp")) };
        let opened = OpenedPaths::open([folder.path().join("inside")], &[]);
        Self { folder, launcher: Arc::new(Launcher::new(options)), level, opened }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn has_namespaces(&self) -> bool {
        self.level == SandboxLevel::Namespaces
    }

    pub(crate) async fn sh(&self, rights: Rights, script: &str) -> ProgramOutput {
        self.try_run(self.command(rights, script)).await.expect("a shell")
    }

    /// What a command prints.
    pub(crate) async fn run(&self, command: Command) -> String {
        text(&self.try_run(command).await.expect("a shell"))
    }

    pub(crate) async fn try_run(&self, command: Command) -> Result<ProgramOutput, RunProgramError> {
        let limits = ProgramLimits { timeout: Duration::from_secs(20), max_bytes: 1 << 20 };
        run_program(&self.launcher, command, limits).await
    }

    /// What a Python program prints; its last line is an error if it fails.
    pub(crate) async fn python(&self, rights: Rights, code: &str) -> String {
        fs::write(self.path("inside/code.py"), code).expect("a file");
        let output = self.sh(rights, "python3 code.py 2>&1").await;
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn command(&self, rights: Rights, script: &str) -> Command {
        let inside = self.path("inside");
        let is_writer = rights == Rights::Write;
        Command {
            label: "sh".to_owned(),
            program: "/bin/sh".to_owned(),
            argv: ["sh", "-c", script].map(|word| Word::Text(word.to_owned())).to_vec(),
            cwd: inside.display().to_string(),
            env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
            stdin: None,
            files: Vec::new(),
            copies: PrivateCopies::default(),
            pipes: Vec::new(),
            sandbox: Sandbox {
                level: sandbox_level(),
                network: (rights == Rights::Network).into(),
                read: vec![inside.clone()],
                write: if is_writer { vec![inside] } else { Vec::new() },
                memory_bytes: 1 << 30,
                processes: 512,
                temp_bytes: 1 << 30,
                is_watched: true,
                opened: self.opened.clone(),
                protected: Arc::default(),
                unix_sockets: false,
                changes_metadata: is_writer,
                is_unrestricted: false,
            },
        }
    }
}

/// The trimmed standard output.
pub(crate) fn text(output: &ProgramOutput) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Whether a `sleep` with this argument runs.
pub(crate) fn is_running(marker: &str) -> bool {
    let all = fs::read_dir("/proc").expect("processes").flatten();
    let mut lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line == format!("sleep\0{marker}\0").into_bytes())
}

/// The permissions of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).expect("a file").permissions().mode() & 0o7777
}
