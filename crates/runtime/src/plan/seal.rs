//! Makes an approved command run the files that were approved.
//!
//! Between the comparison of the plans and the moment at which the kernel or an interpreter opens a file,
//! another tool may replace it, even if a mount covers it: a name that is removed in one mount namespace
//! loses its mounts in all of them. So a file that tools could change is copied to the private folder of
//! the call, and the copy runs. Files that are mounted read-only for every tool run where they are.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{ErrorType, Failure, Tool, failures::utf8_path, find_script};
use process::{Command, SandboxLevel, Word, is_program};
use workers::ApprovedFiles;

use super::{CommandPlan, plan_changed};
use crate::{
    Settings,
    code_files::named_file,
    digest::{content_digest, file_digest, identity_digest, read_content},
};

/// The part of a plan that differs if a file does.
pub(super) const CONTENT: &str = "content of the program or its scripts";

impl CommandPlan {
    /// The command with copies of the program and the script that tools could change.
    pub(crate) fn seal(
        self,
        settings: &Settings,
        tool: &Tool,
        files: &ApprovedFiles,
    ) -> Result<Self, Failure> {
        // Without a sandbox, copies are useless, because tools can change them as well.
        if self.command.sandbox.level == SandboxLevel::None {
            return Ok(self);
        }
        let mut command = Command::clone(&self.command);
        let sealer = Sealer { settings, tool, files, level: command.sandbox.level };
        match sealer.find_source(Path::new(&command.program))? {
            Source::Own => {}
            Source::Target(path) => command.program = utf8_path(&path)?,
            Source::Copy(content) => {
                let name = add_copy(&mut command, &self.command.program, content);
                command.copies.program = Some(name);
            }
        }
        if let Some((index, path)) = find_script_file(&command) {
            let word = command.argv[index].to_string();
            let prefix = prefix_of(&word, &path);
            command.argv[index] = match sealer.find_source(&path)? {
                Source::Own => Word::Text(word),
                Source::Target(path) => Word::Text(format!("{prefix}{}", utf8_path(&path)?)),
                Source::Copy(content) => {
                    let name = add_copy(&mut command, &word, content);
                    Word::File { prefix: prefix.to_owned(), name }
                }
            };
        }
        Ok(Self { command: Arc::new(command), ..self })
    }
}

/// Where a file with code is run from.
enum Source {
    /// The path that the command names, which no tool can change.
    Own,
    /// The file behind links, because a tool could replace the links.
    Target(PathBuf),
    /// A copy with this content.
    Copy(Arc<[u8]>),
}

struct Sealer<'a> {
    settings: &'a Settings,
    tool: &'a Tool,
    files: &'a ApprovedFiles,
    level: SandboxLevel,
}

impl Sealer<'_> {
    fn find_source(&self, path: &Path) -> Result<Source, Failure> {
        let changed = || plan_changed(self.tool, CONTENT);
        let real = path.canonicalize().map_err(|_| changed())?;
        let is_fixed = self.is_fixed(&real).map_err(|_| changed())?;
        // Neither the file nor a link on the way to it can be replaced.
        if is_fixed && (real == path || !self.is_writable(path) || self.is_mounted(path.parent())) {
            return Ok(Source::Own);
        }
        let approved = self.files.iter().find(|(file, _)| file == path).map(|(_, digest)| digest);
        // Compared again: a link may have got another target since the plans were compared.
        if is_fixed {
            let is_approved = self.is_identical(&real, approved)
                || file_digest(&real).is_ok_and(|now| Some(&now) == approved);
            return is_approved.then_some(Source::Target(real)).ok_or_else(changed);
        }
        if self.is_identical(&real, approved) {
            return Err(too_large(path));
        }
        let content = read_content(&real).map_err(|_| changed())?;
        let is_approved = Some(&content_digest(&content)) == approved;
        is_approved.then_some(Source::Copy(content.into())).ok_or_else(changed)
    }

    /// Whether the identity of a file was approved, because there was too much to read.
    fn is_identical(&self, real: &Path, approved: Option<&String>) -> bool {
        fs::metadata(real).is_ok_and(|found| Some(&identity_digest(&found)) == approved)
    }

    /// Whether no tool can change a file, whose path has no links.
    fn is_fixed(&self, real: &Path) -> io::Result<bool> {
        // A second name of the same file may not be protected.
        Ok(!self.is_writable(real)
            || self.is_mounted(Some(real)) && fs::metadata(real)?.nlink() == 1)
    }

    fn is_writable(&self, path: &Path) -> bool {
        let Settings { roots, write, .. } = self.settings;
        roots.iter().chain(write).any(|folder| path.starts_with(folder))
    }

    /// Whether a path is mounted read-only for all tools, and the folders above it are fixed.
    fn is_mounted(&self, path: Option<&Path>) -> bool {
        let paths = self.settings.protected.paths();
        self.level == SandboxLevel::Namespaces
            && path.is_some_and(|path| paths.iter().any(|place| path.starts_with(place)))
    }
}

/// The content of such a file is not compared, so it cannot be copied.
fn too_large(path: &Path) -> Failure {
    let message = format!(
        "`{}`, or all code of this call together, is too large to compare, and tools could change it before it \
         starts; move it to a folder that tools may not write",
        path.display()
    );
    Failure::new(ErrorType::CannotStart, message)
}

/// The word of a command line that names the code to run, and the file.
fn find_script_file(command: &Command) -> Option<(usize, PathBuf)> {
    let folder = Path::new(&command.cwd);
    let words: Vec<_> = command.argv.iter().skip(1).map(ToString::to_string).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    // A program without a folder is looked up in the `PATH`.
    let is_file = |word: &str| word.contains('/') && is_program(&folder.join(word));
    let index = find_script(&command.program, &words, &is_file)?;
    Some((index + 1, named_file(folder, words.get(index)?)?))
}

/// The flag in front of the name of a file: `--file=` of `--file=run.R`.
fn prefix_of<'w>(word: &'w str, path: &Path) -> &'w str {
    match word.split_once('=') {
        Some((flag, value)) if path.ends_with(value) => &word[..=flag.len()],
        _ => "",
    }
}

/// Adds a copy with the name of a file, which programs print in messages. Returns its path in the private
/// folder.
fn add_copy(command: &mut Command, file: &str, content: Arc<[u8]>) -> String {
    let base = file.rsplit(['/', '=']).next().unwrap_or_default();
    let name = format!("approved-{}/{base}", command.copies.files.len());
    command.copies.files.push((name.clone(), content));
    name
}
