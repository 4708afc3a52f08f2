//! The folder with the definition files of a package.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};
use roxygen::{
    Compilation, Definition, ExampleRecord, FileAuthor, FileChange, ForeignFile, OtherBuilderFiles,
    plan_changes,
};

use super::package::RPackage;

/// A file with the name of a tool that `build` did not write.
pub(crate) static FOREIGN_FILE: Rule = Rule {
    code: "TC630",
    name: "foreign-file",
    severity: Severity::Error,
    why: "`build` replaces and removes only files that it wrote itself, which it recognizes by their \
          first line. Another file with the name of a tool is not touched: move it, or build to \
          another folder with `--out`. A file that another builder of this format wrote is replaced \
          with `--replace`.",
    bad: "",
    good: "",
};

/// A file that `build` would change.
pub(crate) static STALE_FILE: Rule = Rule {
    code: "TC631",
    name: "stale-file",
    severity: Severity::Error,
    why: "`build --check` found a file that differs from the documentation, is missing, or belongs to \
          a tool that no longer exists. Output and timing of examples are not compared. Run `toolcrib \
          build` and commit the files.",
    bad: "",
    good: "",
};

/// The compiled tools of a package and the definition files it has.
#[derive(Debug)]
pub struct Build {
    /// The compiled tools.
    pub definitions: Vec<Definition>,
    /// All problems that were found so far.
    pub diagnostics: Vec<Diagnostic>,
    /// The folder of the definition files.
    pub out: PathBuf,
    /// The texts of the definition files by name.
    existing: BTreeMap<String, String>,
    package_folder: PathBuf,
}

/// A change to a definition file.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// Write this text to the file.
    Write(PathBuf, String),
    /// Remove the file.
    Remove(PathBuf),
}

impl Change {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Write(path, _) | Self::Remove(path) => path,
        }
    }

    /// Applies the change to the disk.
    pub fn apply(&self) -> io::Result<()> {
        match self {
            Self::Write(path, text) => atomic_file::replace(path, text.as_bytes(), Access::Usual),
            Self::Remove(path) => fs::remove_file(path),
        }
    }
}

impl Build {
    pub(super) fn new(package: &RPackage, compilation: Compilation, out: PathBuf) -> Self {
        let existing = read_existing(&out, &package.name);
        let Compilation { definitions, diagnostics } = compilation;
        let package_folder = package.folder.clone();
        Self { definitions, diagnostics, out, existing, package_folder }
    }

    /// The records of example runs in the existing files, one per definition.
    pub fn records(&self) -> Vec<ExampleRecord> {
        let read = |definition: &Definition| {
            let text = self.existing.get(&definition.file_name());
            text.map(|text| definition.read_record(text)).unwrap_or_default()
        };
        self.definitions.iter().map(read).collect()
    }

    /// The changes that bring the folder up to date. Files of other authors are reported.
    pub fn plan_changes(
        &mut self,
        records: &[ExampleRecord],
        others: OtherBuilderFiles,
    ) -> Vec<Change> {
        let plan = plan_changes(&self.definitions, records, &self.existing, others);
        self.diagnostics.extend(plan.foreign.iter().map(|file| report_foreign(file, &self.out)));
        let locate = |change| match change {
            FileChange::Write { name, text } => Change::Write(self.out.join(name), text),
            FileChange::Remove { name } => Change::Remove(self.out.join(name)),
        };
        plan.changes.into_iter().map(locate).collect()
    }

    /// The changes as diagnostics, for `--check`.
    pub fn report_stale(&self, changes: &[Change]) -> Vec<Diagnostic> {
        let report = |change: &Change| {
            let path = change.path();
            let problem = match change {
                Change::Remove(_) => "belongs to a tool that no longer exists",
                Change::Write(..) if path.exists() => "differs from the documentation",
                Change::Write(..) => "is missing",
            };
            let origin = Origin::whole_file(&self.source_id(path));
            let message = format!("`{}` {problem}", path.display());
            Diagnostic::new(&STALE_FILE, origin, message).hint("run `toolcrib build`")
        };
        changes.iter().map(report).collect()
    }

    /// The name of a file: relative to the package, as for all diagnostics of a build, or absolute
    /// if it is outside.
    fn source_id(&self, path: &Path) -> SourceId {
        let inside = path.strip_prefix(&self.package_folder).map(Path::to_owned).ok();
        let path =
            inside.or_else(|| std::path::absolute(path).ok()).unwrap_or_else(|| path.to_owned());
        SourceId::new(path.to_string_lossy())
    }
}

fn report_foreign(file: &ForeignFile<'_>, out: &Path) -> Diagnostic {
    let definition = file.definition;
    let (author, hint) = match file.author {
        FileAuthor::OtherBuilder => (
            "written by another builder",
            "replace such files with --replace, or build to another folder with --out",
        ),
        FileAuthor::Toolcrib | FileAuthor::Person => {
            ("not written by `toolcrib build`", "move it, or build to another folder with --out")
        }
    };
    let path = out.join(definition.file_name());
    let message = format!("`{}` was {author}, so it is not replaced", path.display());
    Diagnostic::new(&FOREIGN_FILE, definition.origin.clone(), message)
        .hint(hint)
        .tool(&definition.tool)
}

/// The texts of the package's YAML files in `out`, by name. A file that cannot be read counts as an
/// empty one, whose author is unknown, so that it is not replaced.
fn read_existing(out: &Path, package: &str) -> BTreeMap<String, String> {
    let prefix = format!("{package}-");
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    let named =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    // Files of other packages may be in the same folder, and must not count as stale.
    let own = named.filter(|(name, _)| name.starts_with(&prefix) && name.ends_with(".yaml"));
    let read = |path: PathBuf| {
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    own.map(|(name, path)| (name, read(path))).collect()
}
