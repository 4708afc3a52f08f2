//! `docs`: pages about tools.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use atomic_file::Access;
use clap::ValueEnum;
use docs::SitePage;
use host::{Options, count};

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Write an index of all tools and a page for each, built-in tools included.
///
/// Removes pages of tools that no longer exist if this command wrote them; leaves other files
/// alone.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder to write to; created if missing.
    #[arg(long, value_name = "DIR", default_value = "site")]
    out: PathBuf,
    /// Format of the pages.
    #[arg(long, value_enum, default_value_t = PageFormat::Html)]
    format: PageFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PageFormat {
    /// For a browser: an index by category with a search box.
    Html,
    /// For a repository.
    Markdown,
}

impl PageFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
        }
    }
}

/// The last line of every Markdown page that this command writes.
const MARKER: &str = "<!-- Written by toolcrib docs. -->\n";

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    write(context, &args.out, args.format)
}

/// Writes the pages of the crib to `out`.
pub(super) fn write(context: &CommandContext<'_>, out: &Path, format: PageFormat) -> CommandResult {
    let pages = render_pages(context, format)?;
    let mut changed = Vec::new();
    for page in &pages {
        let path = out.join(&page.path);
        let old = if path.exists() {
            Some(fs::read(&path).map_err(|error| CommandError::io("read", &path, &error))?)
        } else {
            None
        };
        if old.as_ref().is_some_and(|old| !is_generated(old)) {
            let message =
                format!("`{}` exists and was not written by `toolcrib docs`", path.display());
            return Err(
                CommandError::machine(message).hint("choose another folder, or move the file away")
            );
        }
        if old.as_deref() != Some(page.text.as_bytes()) {
            changed.push((path, &page.text));
        }
    }
    atomic_file::replace_all(&changed, Access::Usual)
        .map_err(|(path, error)| CommandError::io("write", &path, &error))?;
    let removed = remove_stale(out, &pages, format)
        .map_err(|error| CommandError::io("remove stale pages from", out, &error))?;
    let removed = if removed > 0 {
        format!(", {} removed", count(removed, "stale page"))
    } else {
        String::new()
    };
    terminal::note(&format!("{} in {}{removed}", count(pages.len(), "page"), out.display()));
    Ok(ExitCode::SUCCESS)
}

fn render_pages(
    context: &CommandContext<'_>,
    format: PageFormat,
) -> Result<Vec<SitePage>, CommandError> {
    let assembly = context.assemble(Options::default())?;
    let (tools, crib) = (assembly.all_tools()?, assembly.crib());
    Ok(match format {
        PageFormat::Html => docs::render_html_site(&tools, &crib.name()),
        PageFormat::Markdown => {
            let marked =
                |page: SitePage| SitePage { text: format!("{}\n{MARKER}", page.text), ..page };
            docs::render_markdown_site(&tools, &crib.name()).into_iter().map(marked).collect()
        }
    })
}

/// Removes pages of this format that an earlier run wrote and this one did not.
fn remove_stale(out: &Path, pages: &[SitePage], format: PageFormat) -> io::Result<usize> {
    let fresh: HashSet<PathBuf> = pages.iter().map(|page| out.join(&page.path)).collect();
    let mut removed = 0;
    for entry in fs::read_dir(out.join("tools")).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_page = path.extension().is_some_and(|extension| extension == format.extension())
            && !path.is_symlink();
        if is_page && !fresh.contains(&path) && is_generated(&fs::read(&path)?) {
            fs::remove_file(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether this command wrote a page.
fn is_generated(page: &[u8]) -> bool {
    let text = String::from_utf8_lossy(page);
    text.ends_with(MARKER) || text.lines().take(8).any(|line| line == docs::GENERATOR)
}
