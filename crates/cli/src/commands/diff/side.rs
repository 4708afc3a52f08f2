//! The two sides of a comparison: each a file or folder, as it is or as it was in a revision.

use std::{
    path::{Path, PathBuf},
    thread,
};

use catalog::{Catalog, Diagnostic, Severity};
use host::count;
use workspace::{Files, Loaded, OpenError, Revision, RevisionError, read_paths};

use super::super::CommandContext;
use crate::{error::CommandError, executor::block_on, terminal};

/// Extensions that say of an empty file what it would hold.
const DEFINITIONS: [&str; 4] = ["json", "yaml", "yml", "md"];

/// The tools of both sides. What is no definition cannot be compared; what has errors in it is compared without them.
pub(super) fn read_both(
    context: &CommandContext<'_>,
    old: &str,
    new: &str,
) -> Result<(Catalog, Catalog), CommandError> {
    let (old, new) = thread::scope(|scope| {
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
    /// Whether it is a file with nothing in it, which is a definition only if something else says so.
    is_empty_file: bool,
}

impl<'n> Side<'n> {
    /// Reads one side. How well its tools are written is not asked.
    fn read(context: &CommandContext<'_>, named: &'n str) -> Result<Self, CommandError> {
        let path = Path::new(named);
        match Revision::parse(named).filter(|_| !path.exists()) {
            Some(revision) => Self::at(context, named, revision),
            None => Self::of(context, named, path).map_err(|error| unknown(named, error)),
        }
    }

    fn of(context: &CommandContext<'_>, named: &'n str, path: &Path) -> Result<Self, OpenError> {
        let loaded = read_paths(&[path.to_owned()], context.environment)?;
        let is_empty_file = loaded.catalog.tools().is_empty()
            && Files::new("")
                .read(path)
                .is_ok_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace));
        Ok(Self { named, loaded, is_empty_file })
    }

    fn at(
        context: &CommandContext<'_>,
        named: &'n str,
        revision: Revision<'_>,
    ) -> Result<Self, CommandError> {
        let folder = context.global.crib.clone().unwrap_or_else(|| PathBuf::from("."));
        let folder =
            folder.canonicalize().map_err(|error| CommandError::io("open", &folder, &error))?;
        let checkout = block_on(revision.check_out(&folder, context.environment))?.map_err(told)?;
        Ok(Self::of(context, named, &checkout.path)?)
    }

    /// Whether it is something that could have tools.
    fn is_definition(&self) -> bool {
        !self.loaded.catalog.tools().is_empty()
            || !self.loaded.diagnostics.iter().any(is_unreadable)
    }

    /// Whether nothing is in it where definitions would be: by its name, or because the other side is one.
    fn is_without_tools(&self, other: &Self) -> bool {
        let extension = Path::new(self.named).extension();
        let is_named_so =
            extension.is_some_and(|own| DEFINITIONS.iter().any(|definition| own == *definition));
        self.is_empty_file && (is_named_so || other.is_definition())
    }

    /// Tells what of it cannot be compared.
    fn check(&self, other: &Self) -> Result<(), CommandError> {
        let named = self.named;
        if self.is_without_tools(other) {
            return Ok(());
        }
        if !self.is_definition() {
            let hint = format!("`toolcrib check {named}` shows what is wrong");
            return Err(CommandError::machine(format!(
                "`{named}` is no definition that can be read"
            ))
            .hint(hint));
        }
        let errors = self.loaded.count(Severity::Error);
        if errors > 0 {
            terminal::note(&format!(
                "{} in `{named}`: tools with errors count as absent",
                count(errors, "error")
            ));
        }
        Ok(())
    }
}

/// Whether a file is no definition at all, rather than one with mistakes in it.
fn is_unreadable(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error()
        && (diagnostic.code.starts_with("TC0") || diagnostic.code.starts_with("TC6"))
}

fn told(error: RevisionError) -> CommandError {
    let hint = match &error {
        RevisionError::Git(_) => "install git, or name files and folders",
        RevisionError::NoRepository(_) => {
            "name the folder of a repository with -C, or files and folders"
        }
        RevisionError::UnknownRevision(_) => {
            "`git log` shows the revisions; in CI the history may have to be fetched first"
        }
        RevisionError::UnknownPath { .. } => {
            "paths count from the root of the repository; `./` stands for the current folder"
        }
        RevisionError::TooLarge | RevisionError::Write(_) => {
            "name a folder or a file in the revision"
        }
    };
    CommandError::machine(error.to_string()).hint(hint)
}

fn unknown(named: &str, error: OpenError) -> CommandError {
    match error {
        OpenError::Path { .. } => CommandError::from(error).hint(format!(
            "name a file or folder that exists, or a revision with a colon: `{named}:` is all of it"
        )),
        error => error.into(),
    }
}
