//! Finds the definitions in installed R packages that the configuration or the command line names.

use std::path::{Path, PathBuf};

use catalog::{Diagnostic, Implementation, Origin, Rule, Severity, SourceId, Tool};

use crate::{Crib, RenderBackend, discover, files};

/// A configured package that is missing or has no tools.
pub(crate) static MISSING_PACKAGE: Rule = Rule {
    code: "TC634",
    name: "missing-package",
    severity: Severity::Error,
    why: "`[r] packages` and `--package` name installed R packages whose tools are served: those in the folder \
          `mcp/tools` of the package, which is `inst/mcp/tools` in its sources. The package is looked for in the \
          libraries that R uses.",
    bad: "",
    good: "",
};

/// Where R and Linux distributions install packages for all users.
const LIBRARIES: [&str; 4] = [
    "/usr/local/lib/R/site-library",
    "/usr/lib/R/site-library",
    "/usr/local/lib/R/library",
    "/usr/lib/R/library",
];

/// The folder with definitions in an installed package.
const TOOLS: &str = "mcp/tools";

/// The definition files of the packages that a crib names, and the packages that have none.
pub(crate) fn find_definitions(crib: &Crib) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for name in crib.r_packages() {
        let found = find_package(crib, name);
        let tools = found
            .as_ref()
            .map(|package| discover::list_files(&package.join(TOOLS), &["yaml", "yml"]));
        match (found, tools) {
            (Some(package), Some(tools)) if tools.is_empty() => {
                let message = format!(
                    "the R package `{name}` has no tools in `{}`",
                    package.join(TOOLS).display()
                );
                problems.push(report(
                    message,
                    "build its sources with `toolcrib build` and install it again",
                ));
            }
            (_, Some(tools)) => files.extend(tools),
            (_, None) => {
                let hint = format!("run install.packages(\"{name}\") in R, or correct the name");
                problems.push(report(format!("the R package `{name}` is not installed"), &hint));
            }
        }
    }
    (files, problems)
}

/// Reports packages that documents use and that are not installed, if R on this machine renders
/// them.
pub(crate) fn check_document_packages(crib: &Crib) -> Option<Diagnostic> {
    let documents =
        crib.documents.as_ref().filter(|documents| documents.backend == RenderBackend::Local)?;
    let missing: Vec<_> =
        documents.packages.iter().filter(|name| find_package(crib, name).is_none()).collect();
    if missing.is_empty() {
        return None;
    }
    let list = |quote: &str| {
        let quoted: Vec<_> = missing.iter().map(|name| format!("{quote}{name}{quote}")).collect();
        quoted.join(", ")
    };
    let message = format!("R packages of documents are not installed: {}", list("`"));
    let hint = format!("run install.packages(c({})) in R", list("\""));
    Some(report(message, &hint).severity(Severity::Warning))
}

/// Whether an R package is installed.
pub fn has_r_package(crib: &Crib, name: &str) -> bool {
    find_package(crib, name).is_some()
}

/// The missing R packages of a tool: its own package or, if the crib contains the sources of that,
/// the packages that it imports. Empty if R's libraries cannot be found.
pub fn missing_r_packages(crib: &Crib, tool: &Tool) -> Vec<String> {
    let Implementation::R(function) = &tool.implementation else {
        return Vec::new();
    };
    let needed = match &function.sources {
        Some(sources) => {
            let path = crib.folder.join(sources).join("DESCRIPTION");
            imports(&files::read_text(&path).unwrap_or_default())
        }
        None => vec![function.package.clone()],
    };
    let is_missing = |name: &String| find_package(crib, name).is_none();
    // `stats` comes with R. If even that is not found, R's libraries are elsewhere, and nothing is
    // known.
    if is_missing(&"stats".to_owned()) {
        return Vec::new();
    }
    needed.into_iter().filter(is_missing).collect()
}

/// The packages in `Depends` and `Imports` of a `DESCRIPTION`, without R itself.
fn imports(description: &str) -> Vec<String> {
    let mut is_listed = false;
    let mut names = Vec::new();
    for line in description.lines() {
        let is_continued = line.starts_with([' ', '\t']);
        let field = line.split_once(':').filter(|_| !is_continued);
        let text = field.map_or(line, |(_, text)| text);
        if let Some((name, _)) = field {
            is_listed = matches!(name, "Depends" | "Imports");
        }
        if is_listed {
            let words = text.split(',').map(|entry| entry.split('(').next().unwrap_or_default());
            let words = words.map(str::trim).filter(|name| !name.is_empty() && *name != "R");
            names.extend(words.map(str::to_owned));
        }
    }
    names
}

fn report(message: String, hint: &str) -> Diagnostic {
    let origin = Origin::whole_file(&SourceId::new(discover::CONFIG));
    Diagnostic::new(&MISSING_PACKAGE, origin, message).hint(hint)
}

/// Finds the folder of an installed package. The name is validated, because it becomes part of a
/// path.
fn find_package(crib: &Crib, name: &str) -> Option<PathBuf> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    if !is_name {
        return None;
    }
    let libraries = crib.r_libraries().into_iter().flat_map(|library| {
        // The library of a user has subfolders for platform and version.
        let nested = discover::list_folders(&library).into_iter().filter(|folder| {
            folder.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-library"))
        });
        let versions: Vec<_> = nested.flat_map(|folder| discover::list_folders(&folder)).collect();
        std::iter::once(library).chain(versions)
    });
    let folders = libraries.chain(LIBRARIES.map(PathBuf::from)).map(|library| library.join(name));
    folders.into_iter().find(|folder| is_installed(folder))
}

fn is_installed(folder: &Path) -> bool {
    // Package sources have a DESCRIPTION, too, but only an installed package has `Meta`.
    folder.join("DESCRIPTION").is_file() && folder.join("Meta").is_dir()
}
