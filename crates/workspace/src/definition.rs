//! One definition file: read, with the files that it links to.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use catalog::{Allowance, Diagnostic, Tool};
use formats::{Document, Guidance, Reading};

use crate::{Files, judging::Judging, sources};

/// What a definition file holds.
#[derive(Default)]
pub(crate) struct Definition {
    pub(crate) tools: Vec<Arc<Tool>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) allowances: Vec<Allowance>,
    is_document: bool,
    /// The bytes of a document, of which identical copies count once.
    pub(crate) document: Option<Vec<u8>>,
}

impl Definition {
    /// Reads a file of the crib in the folder `within`. What it links to is read if it lies below that.
    pub(crate) fn read(
        files: &Files,
        path: &Path,
        guidance: &Guidance,
        judging: Judging<'_>,
        within: &Path,
    ) -> Self {
        match files.read(path) {
            Ok(bytes) => {
                let linked: formats::Linked<'_> = &|link| linked(files, path, within, link);
                let mut read =
                    Self::of(Document::parse(&files.name(path), &bytes), guidance, judging, linked);
                read.tools
                    .iter_mut()
                    .for_each(|tool| sources::settle(Arc::make_mut(tool), path, within));
                Self { document: read.is_document.then_some(bytes), ..read }
            }
            Err(problem) => Self { diagnostics: vec![*problem], ..Self::default() },
        }
    }

    /// Reads a file that was parsed: the good tools, and everything that is wrong with the others.
    pub(crate) fn of(
        document: Document<'_>,
        guidance: &Guidance,
        judging: Judging<'_>,
        linked: formats::Linked<'_>,
    ) -> Self {
        let is_document = document.is_markdown();
        let Reading { tools, broken, mut diagnostics, allowances } =
            document.read_linked(guidance, linked);
        let broken: Vec<_> = broken.into_iter().map(Arc::new).collect();
        let mut more = judging.each(&broken);
        // Where there is an error, too little is known to say more.
        more.retain(|found| {
            !diagnostics.iter().filter(|of| of.is_error()).any(|error| touches(error, found))
        });
        diagnostics.extend(more);
        let tools = tools.into_iter().map(Arc::new).collect();
        Self { tools, diagnostics, allowances, is_document, document: None }
    }
}

/// Whether a finding is about what could not be read: inside of it, or about the object that it is a field of.
fn touches(error: &Diagnostic, found: &Diagnostic) -> bool {
    let [error, found] =
        [error, found].map(|diagnostic| diagnostic.origin.pointer().unwrap_or_default());
    let is_inside =
        found.strip_prefix(error).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    is_inside || error.rsplit_once('/').is_some_and(|(object, _)| object == found)
}

/// The text of a file that the definition at `path` links to.
pub(crate) fn linked(
    files: &Files,
    path: &Path,
    within: &Path,
    link: &str,
) -> Result<String, String> {
    if link.contains("://") || Path::new(link).has_root() {
        return Err("only files below the crib are read".to_owned());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let target = plain(&folder.join(link));
    let real = fs::canonicalize(&target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let within =
        fs::canonicalize(if within.as_os_str().is_empty() { Path::new(".") } else { within })
            .map_err(|error| error.to_string())?;
    if !real.starts_with(within) {
        return Err("it lies outside the crib".to_owned());
    }
    let bytes = files.read(&target).map_err(|problem| problem.message)?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// A path without `.` in it, and without `..` where something stands before it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
