//! One side of a comparison: a file or folder, as it is or as it was in a revision.

use std::path::{Path, PathBuf};

use catalog::{Diagnostic, Severity};
use workspace::{Loaded, OpenError, Revision, RevisionError, check_paths};

use super::super::Surroundings;
use crate::{error::CommandError, keeper, terminal};

/// Reads one side. What is no definition cannot be compared; what has errors in it is compared without them.
pub(super) fn read(here: &Surroundings<'_>, named: &str) -> Result<Loaded, CommandError> {
    let path = Path::new(named);
    let loaded = match Revision::parse(named).filter(|_| !path.exists()) {
        Some(revision) => at(here, revision)?,
        None => check_paths(&[path.to_owned()], here.environment).map_err(|error| unknown(named, error))?,
    };
    let hint = format!("`toolcrib check {named}` shows what is wrong");
    if loaded.catalog.tools().is_empty() && loaded.diagnostics.iter().any(is_unreadable) {
        return Err(CommandError::machine(format!("`{named}` is no definition that can be read")).hint(hint));
    }
    let errors = loaded.count(Severity::Error);
    if errors > 0 {
        terminal::note(&format!("{} in `{named}`: tools with errors count as absent", keeper::count(errors, "error")));
    }
    Ok(loaded)
}

/// Whether a file is no definition at all, rather than one with mistakes in it.
fn is_unreadable(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && (diagnostic.code.starts_with("TC0") || diagnostic.code.starts_with("TC6"))
}

fn at(here: &Surroundings<'_>, revision: Revision<'_>) -> Result<Loaded, CommandError> {
    let folder = here.global.crib.clone().unwrap_or_else(|| PathBuf::from("."));
    let folder = folder.canonicalize().map_err(|error| CommandError::io("open", &folder, &error))?;
    let checkout = keeper::block_on(revision.check_out(&folder, here.environment))?.map_err(told)?;
    Ok(check_paths(std::slice::from_ref(&checkout.path), here.environment)?)
}

fn told(error: RevisionError) -> CommandError {
    let hint = match &error {
        RevisionError::Git(_) => "install git, or name files and folders",
        RevisionError::NoRepository(_) => "name the folder of a repository with -C, or files and folders",
        RevisionError::UnknownRevision(_) => "`git log` shows the revisions; in CI the history may have to be fetched first",
        RevisionError::UnknownPath { .. } => "paths count from the root of the repository; `./` stands for the current folder",
        RevisionError::TooLarge | RevisionError::Write(_) => "name a folder or a file in the revision",
    };
    CommandError::machine(error.to_string()).hint(hint)
}

fn unknown(named: &str, error: OpenError) -> CommandError {
    match error {
        OpenError::Path { .. } => CommandError::from(error)
            .hint(format!("name a file or folder that exists, or a revision with a colon: `{named}:` is all of it")),
        error => error.into(),
    }
}
