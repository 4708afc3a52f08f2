//! Compiles the R files of a package to definitions.

mod checks;
mod example;
mod overrides;
mod tool;

use catalog::{Diagnostic, SourceId};

use self::tool::ToolCompiler;
use super::{definition::Definition, keywords, package::Package, reporter::Reporter};
use crate::rules::{BROKEN_R, DUPLICATE_FUNCTION};

/// The tools of a package.
#[derive(Debug, Default)]
pub struct Compilation {
    /// One definition per tool, in the order of the files and of the functions in them.
    pub definitions: Vec<Definition>,
    /// All problems that were found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the package `name` from the R files `files`, which R would load in this order.
///
/// `read_file` returns the text of another file of the package by its path in the package:
/// templates, and the files that `@example` names.
pub fn compile(
    name: &str,
    files: &[(SourceId, String)],
    read_file: &dyn Fn(&str) -> Option<String>,
) -> Compilation {
    let package = Package::read(name, files, read_file);
    let mut compilation = Compilation::default();
    for file in &package.files {
        let mut reporter = Reporter::new(file.source);
        if let Some(offset) = file.content.syntax_error {
            reporter.report(
                &BROKEN_R,
                offset,
                "this is not valid R; the code after it may be misread",
                "run `Rscript -e 'parse(\"FILE\")'` to see the error of R",
            );
        }
        // A block that does not mark a tool may be meant to: `mcp_tool`, `@keyword mcp-tool`.
        for documented in &file.content.documented {
            if !keywords::marks_tool(&documented.block) {
                keywords::read_keywords(&documented.block, &mut reporter);
            }
        }
        compilation.diagnostics.append(&mut reporter.diagnostics);
    }
    for id in package.tools() {
        let mut reporter = Reporter::new(package.files[id.file].source);
        let compiler = ToolCompiler { package: &package, id, read_file, reporter: &mut reporter };
        let definition = compiler.compile();
        compilation.diagnostics.append(&mut reporter.diagnostics);
        if let Some(definition) = definition {
            compilation.add(definition);
        }
    }
    compilation
}

impl Compilation {
    /// Adds a definition. It replaces an earlier one of the same name, because R keeps the last
    /// function that a package assigns to a name.
    fn add(&mut self, definition: Definition) {
        let earlier = self.definitions.iter().position(|known| known.tool == definition.tool);
        if let Some(index) = earlier {
            // The diagnostic points to the definition that is lost.
            let origin = self.definitions.remove(index).origin;
            let message = format!(
                "the function of `{}` is defined again later, and R uses the later one",
                definition.tool
            );
            let found =
                Diagnostic::new(&DUPLICATE_FUNCTION, origin, message).tool(&definition.tool);
            self.diagnostics.push(found.hint("rename one of the two, or remove it"));
        }
        self.definitions.push(definition);
    }
}
