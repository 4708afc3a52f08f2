//! Reports definitions in places where they are not read, which explains a missing tool.

use std::path::Path;

use catalog::{Diagnostic, Origin, Rule, Severity};

use crate::{Files, discover};

/// A definition in a place that is not read.
pub(crate) static MISPLACED_DEFINITION: Rule = Rule {
    code: "TC610",
    name: "misplaced-definition",
    severity: Severity::Warning,
    why: "Definitions are read from `tools/` and `inst/mcp/tools/`, from files that end with `.json`, `.yaml` or `.yml`, and \
          not from folders below. A definition elsewhere is not served.",
    bad: "tools/git/status.json",
    good: "tools/git_status.json",
};

/// Maximum number of files that are read to see whether they are definitions.
const MAX_FILES: usize = 200;

/// Reports files of a crib that look like definitions but are not read.
pub(crate) fn find(files: &Files, folder: &Path) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let extensions = discover::extensions_in(discover::TOOLS);
    let mut suspects: Vec<_> = discover::list_files(folder, &extensions)
        .into_iter()
        .map(|path| (path, "the root of the crib is not searched for definitions"))
        .collect();
    for tools in discover::definition_folders() {
        let known = discover::extensions_in(tools);
        for path in discover::list_others(&folder.join(tools), &known) {
            if !path.is_dir() {
                suspects.push((path, "files with this extension are not read"));
            } else if has_extension(&path, &known) {
                let message = format!("`{}` is a folder, not a definition", files.name(&path));
                found.push(report(files, &path, message));
            } else {
                let below = discover::find_files(&path).into_iter();
                suspects.extend(
                    below.map(|path| (path, "folders below are not searched for definitions")),
                );
            }
        }
    }
    for (path, why) in suspects.into_iter().take(MAX_FILES) {
        let is_definition = || {
            let bytes = files.read(&path).ok();
            bytes.is_some_and(|bytes| formats::looks_like_definition(&files.name(&path), &bytes))
        };
        if !path.ends_with(formats::GUIDANCE_FILE) && is_definition() {
            found.push(report(files, &path, format!("this looks like a definition, but {why}")));
        }
    }
    found
}

fn report(files: &Files, path: &Path, message: String) -> Diagnostic {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Diagnostic::new(&MISPLACED_DEFINITION, Origin::whole_file(&files.name(path)), message)
        .hint(format!("move it to `tools/{name}.json`"))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
}
