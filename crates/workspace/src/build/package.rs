//! An R package on disk: the sources that `build` compiles.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use catalog::{Diagnostic, Origin, SourceId};

use super::output::Build;
use crate::{Files, discover::PACKAGE_TOOLS, files::UNREADABLE_FILE, parallel};

/// The extensions of R code that R itself loads from `R/`.
const EXTENSIONS: [&str; 5] = ["R", "r", "S", "s", "q"];

/// An R package.
#[derive(Debug)]
pub struct RPackage {
    /// The folder with `DESCRIPTION` and `R/`.
    pub folder: PathBuf,
    /// The name in `DESCRIPTION`.
    pub name: String,
    /// The R files in the order in which R loads them, with names relative to the folder.
    pub files: Vec<(SourceId, String)>,
    /// Problems of R files that could not be read.
    unreadable: Vec<Diagnostic>,
}

/// Why a folder cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A part that every package has is missing or cannot be read.
    #[error("`{}` is not an R package: cannot read `{part}`: {source}", folder.display())]
    Part {
        /// The folder that was to be built.
        folder: PathBuf,
        /// The path of the part in the folder.
        part: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// `DESCRIPTION` does not name the package.
    #[error("`{}` has no line `Package: NAME`", path.display())]
    Nameless {
        /// The `DESCRIPTION` file.
        path: PathBuf,
    },
}

impl PackageError {
    /// The hint for the user: the steps that turn a folder with plain functions into a package.
    pub fn hint(&self) -> String {
        let Self::Part { folder, part, .. } = self else {
            return "add the line `Package: NAME`, and `Version: 0.1.0`".to_owned();
        };
        let has_functions = code_files(folder).is_ok_and(|files| !files.is_empty());
        let has_description = folder.join("DESCRIPTION").exists();
        let steps = [
            (!has_description).then_some(
                "write a file DESCRIPTION with the lines `Package: mytools` and `Version: 0.1.0`",
            ),
            has_functions.then_some("move the R files to a folder R"),
        ];
        let steps: Vec<_> = steps.into_iter().flatten().collect();
        if has_functions || folder.join("R").is_dir() || *part == "R" && has_description {
            let steps = if steps.is_empty() {
                "put the functions in files in a folder R".to_owned()
            } else {
                steps.join(", and ")
            };
            format!("to make it one, {steps}; then mark functions with `#' @keywords mcp-tool`")
        } else {
            "pass the folder that contains DESCRIPTION and R/".to_owned()
        }
    }
}

impl RPackage {
    /// Reads the R files of the package in a folder. Files that cannot be read become diagnostics
    /// of the build.
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let part_error =
            |part, source| PackageError::Part { folder: folder.to_owned(), part, source };
        let path = folder.join("DESCRIPTION");
        let description = fs::read(&path).map_err(|error| part_error("DESCRIPTION", error))?;
        let name = package_name(&String::from_utf8_lossy(&description))
            .ok_or(PackageError::Nameless { path })?;
        let code = folder.join("R");
        let mut paths = code_files(&code).map_err(|error| part_error("R", error))?;
        // R loads the code for one operating system (`R/unix`, `R/windows`) after the rest.
        paths.extend(code_files(&code.join(std::env::consts::FAMILY)).unwrap_or_default());
        let files = Files::new(folder);
        let mut package =
            Self { folder: folder.to_owned(), name, files: Vec::new(), unreadable: Vec::new() };
        for read in parallel::map(&paths, |path| read_code(&files, path)) {
            match read {
                Ok(file) => package.files.push(file),
                Err(problem) => package.unreadable.push(*problem),
            }
        }
        Ok(package)
    }

    /// Compiles its tools. Their files belong to the folder `out`, by default `inst/mcp/tools`.
    pub fn compile(&self, out: Option<&Path>) -> Build {
        let mut compilation =
            roxygen::compile(&self.name, &self.files, &|path| self.read_file(path));
        compilation.diagnostics.extend(self.unreadable.iter().cloned());
        let out = out.map_or_else(|| self.folder.join(PACKAGE_TOOLS), Path::to_owned);
        Build::new(self, compilation, out)
    }

    /// The text of a file by its path in the package. Paths that lead outside of it are rejected,
    /// because comments must not be able to copy other files into a definition.
    fn read_file(&self, path: &str) -> Option<String> {
        let folder = self.folder.canonicalize().ok()?;
        let file = folder.join(path).canonicalize().ok()?;
        if !file.starts_with(&folder) {
            return None;
        }
        fs::read_to_string(file).ok()
    }
}

/// The R files in a folder, sorted by name.
fn code_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_code = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && path.is_file()
    };
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = entries.filter(is_code).collect();
    // By bytes, as R does in the C locale, so that builds are the same everywhere.
    paths.sort();
    Ok(paths)
}

fn read_code(files: &Files, path: &Path) -> Result<(SourceId, String), Box<Diagnostic>> {
    let source = files.name(path);
    String::from_utf8(files.read(path)?).map(|text| (source.clone(), text)).map_err(|error| {
        let origin = Origin::offset(&source, error.utf8_error().valid_up_to());
        let message = "the file is not valid UTF-8, so its tools are not built";
        Box::new(Diagnostic::new(&UNREADABLE_FILE, origin, message).hint("save it as UTF-8"))
    })
}

/// The name in the text of a `DESCRIPTION` file.
pub(crate) fn package_name(description: &str) -> Option<String> {
    let name = description.lines().find_map(|line| line.strip_prefix("Package:"))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
