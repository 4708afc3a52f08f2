//! The two sides of a comparison: each a file or folder, as it is now or in a git revision.

use std::{
    path::{Path, PathBuf},
    thread,
};

use catalog::{Catalog, Diagnostic, Severity};
use host::count;
use workspace::{Files, Loaded, OpenError, Revision, RevisionError, read_paths};

use super::super::CommandContext;
use crate::{error::CommandError, executor::block_on, terminal};

/// Extensions by which an empty file counts as a definition without tools.
const DEFINITIONS: [&str; 4] = ["json", "yaml", "yml", "md"];

/// Reads the tools of both sides. Fails if a side is not a definition; leaves out tools with
/// errors.
pub(super) fn read_both(
    context: &CommandContext<'_>,
    old: &str,
    new: &str,
) -> Result<(Catalog, Catalog), CommandError> {
    let (old, new) = thread::scope(|scope| {
        // Reading a revision waits for git, so both sides are read at the same time.
        let new = scope.spawn(|| Side::read(context, new));
        let old = Side::read(context, old);
        (old, new.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (old, new) = (old?, new?);
    old.check(&new)?;
    new.check(&old)?;
    Ok((old.loaded.catalog, new.loaded.catalog))
}

struct Side<'n> {
    named: &'n str,
    loaded: Loaded,
    /// Whether it is an empty file, which is a definition only by its extension or by the other
    /// side.
    is_empty_file: bool,
}

impl<'n> Side<'n> {
    /// Reads one side without linting it.
    fn read(context: &CommandContext<'_>, named: &'n str) -> Result<Self, CommandError> {
        let path = Path::new(named);
        // A file name may contain a colon, and an existing file wins.
        match Revision::parse(named).filter(|_| !path.exists()) {
            Some(revision) => Self::at_revision(context, named, revision),
            None => Self::on_disk(context, named, path).map_err(|error| open_error(named, error)),
        }
    }

    fn on_disk(
        context: &CommandContext<'_>,
        named: &'n str,
        path: &Path,
    ) -> Result<Self, OpenError> {
        let loaded = read_paths(&[path.to_owned()], context.environment)?;
        let is_empty_file = loaded.catalog.tools().is_empty()
            && Files::new("")
                .read(path)
                .is_ok_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace));
        Ok(Self { named, loaded, is_empty_file })
    }

    fn at_revision(
        context: &CommandContext<'_>,
        named: &'n str,
        revision: Revision<'_>,
    ) -> Result<Self, CommandError> {
        let folder = context.global.crib.clone().unwrap_or_else(|| PathBuf::from("."));
        let folder =
            folder.canonicalize().map_err(|error| CommandError::io("open", &folder, &error))?;
        let checkout =
            block_on(revision.check_out(&folder, context.environment))?.map_err(revision_error)?;
        Ok(Self::on_disk(context, named, &checkout.path)?)
    }

    /// Whether it could be read as a definition.
    fn is_definition(&self) -> bool {
        !self.loaded.catalog.tools().is_empty()
            || !self.loaded.diagnostics.iter().any(is_unreadable)
    }

    /// Whether it is an empty definition: by its extension, or because the other side is a
    /// definition.
    fn is_empty_definition(&self, other: &Self) -> bool {
        let extension = Path::new(self.named).extension();
        let has_extension =
            extension.is_some_and(|own| DEFINITIONS.iter().any(|definition| own == *definition));
        self.is_empty_file && (has_extension || other.is_definition())
    }

    /// Fails if it cannot be compared; notes how many errors it has.
    fn check(&self, other: &Self) -> Result<(), CommandError> {
        let named = self.named;
        if self.is_empty_definition(other) {
            return Ok(());
        }
        if !self.is_definition() {
            let hint = format!("run `toolcrib check {named}` to see the problems");
            return Err(
                CommandError::machine(format!("cannot read `{named}` as a definition")).hint(hint)
            );
        }
        let errors = self.loaded.count(Severity::Error);
        if errors > 0 {
            terminal::note(&format!(
                "{} in `{named}`: tools with errors count as missing",
                count(errors, "error")
            ));
        }
        Ok(())
    }
}

/// Whether a diagnostic means that the file is not a definition at all.
fn is_unreadable(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error()
        // TC0 are syntax errors, TC6 problems of files and configuration.
        && (diagnostic.code.starts_with("TC0") || diagnostic.code.starts_with("TC6"))
}

fn revision_error(error: RevisionError) -> CommandError {
    let hint = match &error {
        RevisionError::Git(_) => "install git, or pass files or folders",
        RevisionError::NoRepository(_) => {
            "pass the folder of a repository with -C, or files or folders"
        }
        RevisionError::UnknownRevision(_) => {
            "run `git log` to see the revisions; CI may have to fetch the history first"
        }
        RevisionError::UnknownPath { .. } => {
            "paths are relative to the root of the repository; start with `./` for the current folder"
        }
        RevisionError::TooLarge | RevisionError::Write(_) => {
            "pass a folder or a file of the revision"
        }
    };
    CommandError::machine(error.to_string()).hint(hint)
}

fn open_error(named: &str, error: OpenError) -> CommandError {
    match error {
        OpenError::Path { .. } => CommandError::from(error).hint(format!(
            "pass an existing file or folder, or a revision with a colon, such as `{named}:`"
        )),
        error => error.into(),
    }
}
