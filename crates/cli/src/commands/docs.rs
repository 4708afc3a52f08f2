//! `docs`: pages for people.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use super::{CommandResult, Surroundings};
use crate::{error::CommandError, keeper, terminal};

/// Write a page for each tool, and an index.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(here: &Surroundings<'_>, args: &Args) -> CommandResult {
    write(here, &args.out)
}

/// Writes the pages of the crib below `out`.
pub(super) fn write(here: &Surroundings<'_>, out: &Path) -> CommandResult {
    let (crib, loaded) = here.load()?;
    let pages = docs::pages(&loaded.catalog, &crib.name());
    for page in &pages {
        let path = out.join(&page.path);
        let folder = path.parent().unwrap_or(out);
        fs::create_dir_all(folder).map_err(|error| CommandError::io("make", folder, &error))?;
        fs::write(&path, &page.text).map_err(|error| CommandError::io("write", &path, &error))?;
    }
    terminal::note(&format!("{} in {}", keeper::count(pages.len(), "page"), out.display()));
    Ok(ExitCode::SUCCESS)
}
