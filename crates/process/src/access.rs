//! The access that the operator grants to all programs of a server. The sandbox and the environment of
//! each program are derived from it.

use std::path::{Path, PathBuf};

use egress::NetworkAccess;

use crate::{
    OpenedPaths, ProtectedPaths,
    level::sandbox_level,
    opened_path::follow_links_outside,
    program::search_path,
    sandbox::{Sandbox, SandboxLevel},
};

/// What the operator allows all programs of a server.
#[derive(Clone, Copy, Debug)]
pub struct ProgramAccess<'a> {
    /// The default working directory, which every program may read.
    pub folder: &'a Path,
    /// Folders that programs may read, and write unless they are read-only.
    pub roots: &'a [PathBuf],
    /// Paths that programs may read beyond the system's folders.
    pub read: &'a [PathBuf],
    /// Paths that all programs may write, read-only ones too: caches, for example.
    pub write: &'a [PathBuf],
    /// The environment of programs, with `PATH`.
    pub environment: &'a [(String, String)],
    /// Whether the operator wants programs sandboxed.
    pub is_sandboxed: bool,
    /// Maximum memory of one program, in bytes.
    pub memory_bytes: u64,
    /// Maximum number of processes and threads of one program.
    pub processes: u64,
    /// Maximum bytes in the private folders of one program.
    pub temp_bytes: u64,
    /// Files and folders that only people may change.
    pub protected: &'a ProtectedPaths,
    /// The granted paths as they were opened when the crib was loaded.
    pub opened: &'a OpenedPaths,
}

/// The part of it that one program needs.
#[derive(Clone, Debug)]
pub struct AccessNeeds {
    /// Whether it only reads the roots.
    pub is_read_only: bool,
    /// The network access of the program.
    pub network: NetworkAccess,
}

impl ProgramAccess<'_> {
    /// The sandbox of a program.
    pub fn sandbox(&self, program: &Path, needs: AccessNeeds) -> Sandbox {
        let mut sandbox = Sandbox {
            level: if self.is_sandboxed { sandbox_level() } else { SandboxLevel::None },
            network: needs.network,
            read: Vec::new(),
            write: Vec::new(),
            memory_bytes: self.memory_bytes,
            processes: self.processes,
            temp_bytes: self.temp_bytes,
            is_watched: true,
            opened: self.opened.clone(),
            protected: self.protected.paths(),
            unix_sockets: false,
            changes_metadata: !needs.is_read_only,
            is_unrestricted: false,
        };
        // People read these lists: their own folders come first.
        if needs.is_read_only {
            sandbox.allow_read(self.roots.iter().cloned());
        } else {
            sandbox.allow_write(self.roots.iter().cloned());
        }
        if !self.roots.iter().any(|root| root == self.folder) {
            sandbox.allow_read([self.folder.to_owned()]);
        }
        // Programs start others through the `PATH`. A folder there that overlaps with the state
        // folder would hand out its tokens.
        let path = search_path(self.environment).filter(|folder| !self.is_delicate(folder));
        sandbox.allow_read(self.read.iter().cloned().chain(path));
        sandbox.allow_write(self.write.iter().cloned());
        // The program may be a link into a folder of its own, with the files that it needs.
        let real = self.real_program(program);
        let own = real.parent().map(|folder| if self.is_delicate(folder) { &real } else { folder });
        sandbox.allow_read(own.map(Path::to_owned));
        sandbox
    }

    /// The file of a program, with links followed, except those that programs can create.
    pub fn real_program(&self, program: &Path) -> PathBuf {
        let writable: Vec<_> = self.roots.iter().chain(self.write).cloned().collect();
        follow_links_outside(program, &writable)
    }

    /// Whether a folder overlaps with what only people may change outside of the default folder, such as
    /// the state folder with its tokens. A program in the home folder must not open all of it.
    pub fn is_delicate(&self, folder: &Path) -> bool {
        // The links of a folder in the `PATH` were followed when it was opened.
        let real = self.opened.get(folder).map_or(folder, |(real, _)| real);
        let paths = self.protected.paths();
        let outside = paths.iter().filter(|path| !path.starts_with(self.folder));
        outside.into_iter().any(|path| path.starts_with(real) || real.starts_with(path))
    }

    /// The environment of a program, with the variables in `added`, which take precedence.
    ///
    /// A home that a sandboxed program may not read is left out, because programs such as git fail on
    /// a file there that exists and cannot be opened. See [`crate::private_variables`].
    pub fn environment(&self, added: Vec<(String, String)>) -> Vec<(String, String)> {
        let is_kept = |(name, value): &&(String, String)| match name.as_str() {
            // Set to the private folder at the start. `getenv` would find this earlier entry
            // instead.
            "TMPDIR" => false,
            "HOME" if self.is_sandboxed => self.is_readable(Path::new(value)),
            name => !added.iter().any(|(other, _)| other == name),
        };
        let mut environment: Vec<_> = self.environment.iter().filter(is_kept).cloned().collect();
        environment.extend(added);
        environment
    }

    fn is_readable(&self, folder: &Path) -> bool {
        let mut allowed =
            self.roots.iter().chain(self.read).chain(self.write).map(PathBuf::as_path);
        folder.starts_with(self.folder) || allowed.any(|allowed| folder.starts_with(allowed))
    }
}
