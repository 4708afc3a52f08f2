//! Problems of a block that do not prevent a definition.

use catalog::name;
use formats::BAD_NAME;

use super::tool::ToolCompiler;
use crate::{
    param,
    rules::{
        DOTS, DUPLICATE_PARAM, HIDDEN_REQUIRED, INTERRUPTED_BLOCK, MISSING_FILE, PHANTOM_PARAM,
        UNKNOWN_SOURCE, UNSUPPORTED_TAG,
    },
    source::Function,
    template::{self, MAX_EXPANSIONS},
};

/// Tags that only R can resolve, or that need documentation of other packages.
const UNSUPPORTED: [&str; 5] =
    ["eval", "evalRd", "includeRmd", "inheritDotParams", "inheritSection"];

impl ToolCompiler<'_, '_, '_> {
    /// Returns `None` if clients would not accept the name.
    pub(super) fn check_name(&mut self, tool: &str) -> Option<()> {
        let Err(problem) = name::check(tool) else {
            return Some(());
        };
        let message = format!("`{tool}` cannot name a tool: {problem}");
        let hint = "use at most 64 ASCII letters, digits, `_`, `-` and `.`";
        self.reporter.report(&BAD_NAME, self.block().offset(), message, hint);
        None
    }

    pub(super) fn check_block(&mut self) {
        let block = self.block();
        if let Some(offset) = block.gap(self.package.files[self.id.file].text) {
            let message = "the block is interrupted here, but read as one";
            let hint = "begin every line of it with `#'`";
            self.reporter.report(&INTERRUPTED_BLOCK, offset, message, hint);
        }
        for (index, tag) in block.tags.iter().enumerate() {
            if tag.name == "template" {
                // A template that could be expanded is not a tag any more.
                let problem = template::expand(block, index, self.read_file).err();
                let message = problem.unwrap_or_else(|| {
                    format!("more than {MAX_EXPANSIONS} templates; does one include itself?")
                });
                let hint = "write its tags into the block";
                self.reporter.report(&MISSING_FILE, tag.offset, message, hint);
            } else if UNSUPPORTED.contains(&tag.name) {
                let message =
                    format!("`@{}` needs R or other packages, so it is ignored", tag.name);
                let hint = "write its text into the block";
                self.reporter.report(&UNSUPPORTED_TAG, tag.offset, message, hint);
            }
        }
    }

    /// Reports `@param` without effect, and `@inheritParams` that cannot be resolved.
    pub(super) fn check_params(&mut self, function: &Function) {
        let block = self.block();
        let mut seen: Vec<String> = Vec::new();
        for tag in block.tags_named("param") {
            for name in param::names(tag) {
                if name == "..." || name == "\\dots" {
                    let message = "callers cannot give what `...` takes: it has no names";
                    let hint = "add formals for what callers should be able to give";
                    self.reporter.report(&DOTS, tag.offset, message, hint);
                // Functions on one page share their `@param`, so a name is only wrong if none of
                // them has it.
                } else if !self.package.may_have_formal(self.id, &name) {
                    let message = format!(
                        "`{name}` is documented, but `{}` has no such formal; it is left out",
                        function.name
                    );
                    let hint = "correct its name or remove it";
                    self.reporter.report(&PHANTOM_PARAM, tag.offset, message, hint);
                } else if seen.contains(&name) {
                    let message = format!("`{name}` is documented twice; the last text is used");
                    let hint = "remove one of the two";
                    self.reporter.report(&DUPLICATE_PARAM, tag.offset, message, hint);
                }
                seen.push(name);
            }
        }
        for tag in block.tags_named("inheritParams") {
            if self.package.resolve_topic(tag).is_none() {
                let message = format!(
                    "`{}` is not documented in this package, so nothing is inherited from it",
                    tag.text()
                );
                let hint = "document the parameters here";
                self.reporter.report(&UNKNOWN_SOURCE, tag.offset, message, hint);
            }
        }
    }

    /// Reports formals that callers cannot give although R has no value for them.
    pub(super) fn check_hidden_formals(&mut self, function: &Function) {
        // The runtime provides `.state_env`.
        let is_hidden = |name: &str| name.starts_with('.') && name != ".state_env" && name != "...";
        for formal in &function.formals {
            if formal.default.is_none() && is_hidden(&formal.name) {
                let message =
                    format!("`{}` is hidden from callers and has no default", formal.name);
                let hint = "give it a default, or a name without the dot";
                self.reporter.report(&HIDDEN_REQUIRED, formal.offset, message, hint);
            }
        }
    }
}
