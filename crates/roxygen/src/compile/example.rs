//! The example of a tool: `@examples`, `@example FILE` and `@examplesIf`.

use super::tool::ToolCompiler;
use crate::{
    block::Block,
    example_code::{self, ExampleCode},
    package::BlockId,
    rules::{MISSING_FILE, NO_EXAMPLES},
};

impl ToolCompiler<'_, '_, '_> {
    pub(super) fn compile_example(&mut self) -> Option<ExampleCode> {
        let blocks = self.page_blocks();
        let conditional = blocks
            .iter()
            .find_map(|(_, block)| block.tag("examplesIf"))
            .map(|tag| example_code::parse_conditional(&tag.code()));
        let mut unconditional = None;
        for (id, block) in blocks {
            unconditional = unconditional.or_else(|| self.unconditional_example(id, block));
        }
        let example = match (unconditional, conditional) {
            // A tool has one example. The unconditional code is run, since its output does not
            // depend on the machine.
            (Some(code), Some(conditional)) => Some(code.append(&conditional)),
            (code, conditional) => code.or(conditional),
        };
        let example = example.filter(|example| !example.shown.is_empty());
        if example.is_none() {
            let offset = self.block().offset();
            let message = "the function has no `@examples`";
            self.reporter.report(&NO_EXAMPLES, offset, message, "add code that uses it");
        }
        example
    }

    /// The code of `@examples` and of the files that `@example` names, in the order of the tags.
    fn unconditional_example(&mut self, id: BlockId, block: &Block<'_>) -> Option<ExampleCode> {
        let mut parts = Vec::new();
        for tag in &block.tags {
            match tag.name {
                "examples" => parts.push(tag.code()),
                "example" => match (self.read_file)(&tag.text()) {
                    Some(code) => parts.push(code.replace("\r\n", "\n").trim_end().to_owned()),
                    None => {
                        let is_own = id == self.id;
                        // Offsets of other blocks may be in another file, which the reporter cannot
                        // name.
                        let offset = if is_own { tag.offset } else { self.block().offset() };
                        let message = format!("there is no `{}` in the package", tag.text());
                        let hint = "give the path of a file relative to the package";
                        self.reporter.report(&MISSING_FILE, offset, message, hint);
                    }
                },
                _ => {}
            }
        }
        let code = parts.join("\n");
        (!code.is_empty()).then(|| example_code::parse(&code))
    }
}
