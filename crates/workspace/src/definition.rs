//! One definition file, with the schemas that it links to.

use std::{
    cell::Cell,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use catalog::{Allowance, Diagnostic, Implementation, Tool};
use formats::{Document, Guidance, Reading};

use crate::{Files, linting::Linting, r_sources};

/// The contents of a definition file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definition {
    pub(crate) tools: Vec<Arc<Tool>>,
    /// The diagnostics of the rules for single tools, for each of `tools`; empty if they were not
    /// linted.
    pub(crate) findings: Vec<Vec<Diagnostic>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) allowances: Vec<Allowance>,
    /// Whether it is a Markdown specification. Repositories contain identical copies, which count
    /// once.
    pub(crate) is_document: bool,
    pub(crate) digest: ContentDigest,
    /// Whether the same bytes always have these contents: they link to no other file, and name no R
    /// package whose sources would have to be found.
    pub(crate) is_self_contained: bool,
}

/// The SHA-256 digest of a file.
pub(crate) type ContentDigest = [u8; 32];

impl Definition {
    /// Reads a file of the crib in the folder `crib`. Links are followed inside the crib.
    pub(crate) fn read(
        files: &Files,
        path: &Path,
        bytes: &[u8],
        guidance: &Guidance,
        linting: Linting<'_>,
        crib: &Path,
    ) -> Self {
        let has_links = Cell::new(false);
        let read_link: formats::ReadLink<'_> = &|link| {
            has_links.set(true);
            read_link(files, path, crib, link)
        };
        let document = Document::parse(&files.name(path), bytes);
        let mut read = Self::from_document(document, guidance, linting, read_link);
        let mut is_r = false;
        for tool in &mut read.tools {
            // Located here, because only the reader of the file knows where the definition is.
            r_sources::locate(Arc::make_mut(tool), path, crib);
            is_r |= matches!(tool.implementation, Implementation::R(_));
        }
        Self { is_self_contained: !has_links.get() && !is_r, ..read }
    }

    /// Reads a parsed file: the valid tools, and every problem of the others.
    pub(crate) fn from_document(
        document: Document<'_>,
        guidance: &Guidance,
        linting: Linting<'_>,
        read_link: formats::ReadLink<'_>,
    ) -> Self {
        let is_document = document.is_markdown();
        let Reading { tools, broken, mut diagnostics, allowances } =
            document.read_linked(guidance, read_link);
        let broken: Vec<_> = broken.into_iter().map(Arc::new).collect();
        // Broken tools are linted too, so that authors see everything in one run.
        let mut more = linting.check_each(&broken);
        // A rule sees a broken tool without its unreadable parts. Findings about those parts, such
        // as a missing description, would be consequences of the error.
        more.retain(|found| {
            !diagnostics.iter().filter(|of| of.is_error()).any(|error| is_about_same(found, error))
        });
        diagnostics.extend(more);
        let mut tools: Vec<_> = tools.into_iter().map(Arc::new).collect();
        // The list was collected in place, in memory for a hundred times as many pointers.
        tools.shrink_to_fit();
        Self { tools, diagnostics, allowances, is_document, ..Self::default() }
    }
}

/// Whether a finding is about the value with the error, a part of it, or the object that contains
/// it.
fn is_about_same(found: &Diagnostic, error: &Diagnostic) -> bool {
    let [error, found] =
        [error, found].map(|diagnostic| diagnostic.origin.pointer().unwrap_or_default());
    let is_inside =
        found.strip_prefix(error).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    // A missing `description` is reported on the object, not on the member with the error.
    is_inside || error.rsplit_once('/').is_some_and(|(object, _)| object == found)
}

/// Reads a file that the definition at `path` links to, if it is below `folder`. Otherwise a
/// definition could copy any readable file into what agents see.
pub(crate) fn read_link(
    files: &Files,
    path: &Path,
    folder: &Path,
    link: &str,
) -> Result<String, String> {
    // Nothing is fetched from a network: definitions must mean the same everywhere.
    if link.contains("://") || Path::new(link).has_root() {
        return Err("only files in the crib are read".to_owned());
    }
    let target = normalize(&path.parent().unwrap_or(Path::new("")).join(link));
    // Compared after resolving symbolic links, which may point out of the folder.
    let real = fs::canonicalize(&target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let folder =
        fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
            .map_err(|error| error.to_string())?;
    if !real.starts_with(folder) {
        return Err("it is outside the crib".to_owned());
    }
    let bytes = files.read(&target).map_err(|problem| problem.message)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// Removes `.` and, where possible, `..` from a path, so that sources have readable names.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use catalog::SourceId;
    use formats::{Document, Guidance};

    use super::Definition;
    use crate::linting::Linting;

    #[test]
    fn list_of_tools_takes_no_more_memory_than_its_pointers() {
        let text = r#"{"name": "a", "description": "Does things", "command": "echo", "subcommand": [
            {"name": "b", "description": "One"}, {"name": "c", "description": "Two"}]}"#;
        let document = Document::parse(&SourceId::new("tools/a.json"), text.as_bytes());
        let read_link: formats::ReadLink<'_> = &|_| Err("no files".to_owned());
        let guidance = Guidance::default();
        let read = Definition::from_document(document, &guidance, Linting::Disabled, read_link);
        assert_eq!((read.tools.len(), read.tools.capacity()), (2, 2));
    }
}
