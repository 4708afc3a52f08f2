//! An R package as a folder: what `build` reads of it, and the files it keeps in it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};
use roxygen::{Compiled, Definition, Writer};

use crate::{Files, Record, discover::PACKAGE_TOOLS, files::UNREADABLE_FILE, parallel};

/// A file in the way that `build` did not write.
pub(crate) static FOREIGN_FILE: Rule = Rule {
    code: "TC630",
    name: "foreign-file",
    severity: Severity::Error,
    why: "`build` replaces and removes files that it wrote itself, which it knows by their first line. A file of the name of a \
          tool that somebody else wrote is left alone; move it away, or build to another folder with `--out`. One that \
          another generator of this format made is replaced, and that is said.",
    bad: "",
    good: "",
};

/// A file that is not what the documentation would give.
pub(crate) static STALE_FILE: Rule = Rule {
    code: "TC631",
    name: "stale-file",
    severity: Severity::Error,
    why: "`build --check` found that a file differs from what the documentation gives now, is missing, or belongs to a tool \
          that is gone. Output and timing of examples are not compared. Run `toolcrib build` and commit what it writes.",
    bad: "",
    good: "",
};

/// An R package.
#[derive(Debug)]
pub struct RPackage {
    /// Its folder.
    pub folder: PathBuf,
    /// Its name.
    pub name: String,
    /// Its R files, named relative to the folder, in order.
    pub files: Vec<(SourceId, String)>,
    /// What could not be read.
    unread: Vec<Diagnostic>,
}

/// A folder that is no R package.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// Something that a package has is missing or cannot be read.
    #[error("`{}` is not an R package: cannot read `{part}`: {source}", folder.display())]
    Part {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        part: &'static str,
        /// Why.
        source: io::Error,
    },
    /// It has no name.
    #[error("`{}` has no line `Package: NAME`", path.display())]
    Nameless {
        /// The file that should name it.
        path: PathBuf,
    },
}

impl RPackage {
    /// Reads the R files of a package.
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let problem = |part, source| PackageError::Part { folder: folder.to_owned(), part, source };
        let path = folder.join("DESCRIPTION");
        let description = fs::read(&path).map_err(|error| problem("DESCRIPTION", error))?;
        let name = name_in(&String::from_utf8_lossy(&description))
            .ok_or(PackageError::Nameless { path })?;
        let code = folder.join("R");
        let mut paths = code_in(&code).map_err(|error| problem("R", error))?;
        // What is for one kind of system R reads there, behind the rest.
        paths.extend(code_in(&code.join(std::env::consts::FAMILY)).unwrap_or_default());
        let names = Files::new(folder);
        let read = parallel::map(&paths, |path| read(&names, path));
        let mut package =
            Self { folder: folder.to_owned(), name, files: Vec::new(), unread: Vec::new() };
        for one in read {
            match one {
                Ok(file) => package.files.push(file),
                Err(problem) => package.unread.push(*problem),
            }
        }
        Ok(package)
    }

    /// The text of another file of the package, by its path in it; nothing that lies elsewhere.
    fn beside(&self, path: &str) -> Option<String> {
        let folder = self.folder.canonicalize().ok()?;
        let file = folder.join(path).canonicalize().ok()?;
        if !file.starts_with(&folder) {
            return None;
        }
        fs::read_to_string(file).ok()
    }

    /// Makes its tools, to be kept in `out`, or where packages keep them.
    pub fn compile(&self, out: Option<&Path>) -> Build {
        let Compiled { definitions, mut diagnostics } =
            roxygen::compile_with(&self.name, &self.files, &|path| self.beside(path));
        diagnostics.extend(self.unread.iter().cloned());
        let out = out.map_or_else(|| self.folder.join(PACKAGE_TOOLS), Path::to_owned);
        let existing = existing(&out, &self.name);
        Build { definitions, diagnostics, out, existing, folder: self.folder.clone() }
    }
}

/// The tools of a package, and the files that are there.
#[derive(Debug)]
pub struct Build {
    /// The tools.
    pub definitions: Vec<Definition>,
    /// Everything that was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The folder of the files.
    pub out: PathBuf,
    existing: BTreeMap<String, String>,
    folder: PathBuf,
}

/// One thing to be done to the folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// Write this text to a file.
    Write(PathBuf, String),
    /// Remove a file that was written earlier, of a tool that is gone.
    Remove(PathBuf),
}

impl Change {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Write(path, _) | Self::Remove(path) => path,
        }
    }

    /// Does it.
    pub fn apply(&self) -> io::Result<()> {
        match self {
            Self::Write(path, text) => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(path, text)
            }
            Self::Remove(path) => fs::remove_file(path),
        }
    }
}

impl Build {
    /// What the files that are there say about runs of the examples, in the order of the tools.
    pub fn records(&self) -> Vec<Record> {
        let of = |definition: &Definition| {
            let text = self.existing.get(&definition.file_name());
            text.map(|text| Record::of_file(definition, text)).unwrap_or_default()
        };
        self.definitions.iter().map(of).collect()
    }

    /// What must be done so that the folder has these tools and examples. Files that others wrote are said, not touched.
    pub fn changes(&mut self, records: &[Record]) -> Vec<Change> {
        let mut changes = Vec::new();
        for (definition, record) in self.definitions.iter().zip(records) {
            let name = definition.file_name();
            let text = record.file_of(definition);
            let old = self.existing.remove(&name);
            let path = self.out.join(&name);
            match old.as_deref().map(|old| (old, roxygen::writer_of(old))) {
                Some((old, _)) if old == text => {}
                Some((_, Writer::Person)) => {
                    self.diagnostics.push(foreign(definition, &path, Writer::Person))
                }
                Some((_, Writer::Generator)) => {
                    self.diagnostics.push(foreign(definition, &path, Writer::Generator));
                    changes.push(Change::Write(path, text));
                }
                Some((_, Writer::Toolcrib)) | None => changes.push(Change::Write(path, text)),
            }
        }
        let gone =
            self.existing.iter().filter(|(_, text)| roxygen::writer_of(text) == Writer::Toolcrib);
        changes.extend(gone.map(|(name, _)| Change::Remove(self.out.join(name))));
        changes
    }

    /// What is stale, as diagnostics: for `--check`, which changes nothing.
    pub fn stale(&self, changes: &[Change]) -> Vec<Diagnostic> {
        let of = |change: &Change| {
            let path = change.path();
            let why = match change {
                Change::Remove(_) => "belongs to a tool that is gone",
                Change::Write(..) if path.exists() => "is not what the documentation gives now",
                Change::Write(..) => "is missing",
            };
            // Named from the package, as everything else is; what lies elsewhere by its whole path.
            let inside = path.strip_prefix(&self.folder).map(Path::to_owned).ok();
            let named = inside
                .or_else(|| std::path::absolute(path).ok())
                .unwrap_or_else(|| path.to_owned());
            let origin = Origin::whole(&SourceId::new(named.to_string_lossy()));
            Diagnostic::new(&STALE_FILE, origin, format!("`{}` {why}", path.display()))
                .hint("run `toolcrib build`")
        };
        changes.iter().map(of).collect()
    }
}

fn foreign(definition: &Definition, path: &Path, writer: Writer) -> Diagnostic {
    let (severity, message, hint) = match writer {
        Writer::Generator => (
            Severity::Note,
            "was made by another generator and is replaced",
            "it is in your version control",
        ),
        _ => (
            Severity::Error,
            "was not written by `toolcrib build`, and is left alone",
            "move it away, or use --out",
        ),
    };
    let found = Diagnostic::new(
        &FOREIGN_FILE,
        definition.origin.clone(),
        format!("`{}` {message}", path.display()),
    );
    found.hint(hint).severity(severity).tool(&definition.tool)
}

/// The YAML files of a package's tools that are there. One that cannot be read is there, too: it is nobody's to replace.
fn existing(out: &Path, package: &str) -> BTreeMap<String, String> {
    let prefix = format!("{package}-");
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    let named =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let own = named.filter(|(name, _)| name.starts_with(&prefix) && name.ends_with(".yaml"));
    let text = |path: PathBuf| {
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    own.map(|(name, path)| (name, text(path))).collect()
}

/// The R files in a folder, by name.
fn code_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_code = |path: &PathBuf| {
        path.extension().is_some_and(|extension| {
            ["R", "r", "S", "s", "q"].iter().any(|known| extension == *known)
        })
    };
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = entries.filter(|path| is_code(path) && path.is_file()).collect();
    paths.sort();
    Ok(paths)
}

fn read(files: &Files, path: &Path) -> Result<(SourceId, String), Box<Diagnostic>> {
    let source = files.name(path);
    let bytes = files.read(path)?;
    String::from_utf8(bytes).map(|text| (source.clone(), text)).map_err(|error| {
        let origin = Origin::offset(&source, error.utf8_error().valid_up_to());
        Box::new(
            Diagnostic::new(
                &UNREADABLE_FILE,
                origin,
                "it is not UTF-8, so its tools are not built",
            )
            .hint("save it as UTF-8"),
        )
    })
}

/// The name in a DESCRIPTION.
pub(crate) fn name_in(description: &str) -> Option<String> {
    let name = description.lines().find_map(|line| line.strip_prefix("Package:"))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
