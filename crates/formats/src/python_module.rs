//! The names that a Python module defines, found by parsing it without running it.
//!
//! A module can define names in ways that no parser sees, so [`PythonModule::has_name`] is true in
//! case of doubt.

use std::collections::HashSet;

use tree_sitter::{Node, Parser};

/// The names in a module.
#[derive(Debug, Default)]
pub struct PythonModule {
    /// The top-level functions without decorators, which could change the signature.
    pub functions: Vec<PythonSignature>,
    /// The line of the first syntax error, from 1.
    pub syntax_error: Option<usize>,
    names: HashSet<String>,
    /// Whether the module may define names that do not appear in its text.
    is_open: bool,
}

/// A function and its parameters.
#[derive(Debug)]
pub struct PythonSignature {
    /// The name of the function as it is imported.
    pub name: String,
    /// Byte offset of its name.
    pub offset: usize,
    /// The parameters that can be passed by name.
    pub parameters: Vec<PythonParameter>,
    /// Whether it accepts any other name (`**kwargs`).
    pub takes_any: bool,
}

/// A parameter of a function.
#[derive(Debug)]
pub struct PythonParameter {
    /// The name by which an argument is passed.
    pub name: String,
    /// Whether it has no default value.
    pub is_required: bool,
}

impl PythonModule {
    /// Reads the text of a module.
    pub fn read(text: &str) -> Self {
        let mut parser = Parser::new();
        let mut module = Self::default();
        let is_set = parser.set_language(&tree_sitter_python::LANGUAGE.into()).is_ok();
        let Some(tree) = parser.parse(text, None).filter(|_| is_set) else {
            return Self { is_open: true, ..module };
        };
        if tree.root_node().has_error() {
            module.syntax_error = find_error(tree.root_node());
        }
        module.read_block(tree.root_node(), text);
        module
    }

    /// Whether the module defines a name, or may define it.
    pub fn has_name(&self, name: &str) -> bool {
        self.is_open || self.names.contains(name)
    }

    /// The names found in the text: at least those that the module defines.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    fn read_block(&mut self, block: Node<'_>, text: &str) {
        let mut cursor = block.walk();
        for statement in block.named_children(&mut cursor) {
            match statement.kind() {
                "function_definition" => self.functions.extend(read_function(statement, text)),
                // `if TYPE_CHECKING:` and `try: import` define names as well.
                "if_statement" | "try_statement" | "with_statement" | "else_clause"
                | "elif_clause" | "except_clause" | "finally_clause" | "block" => {
                    self.read_block(statement, text);
                    continue;
                }
                "import_from_statement" => self.is_open |= has_kind(statement, "wildcard_import"),
                _ => {}
            }
            self.collect_names(statement, text);
        }
        // Such a function supplies names when they are looked up (PEP 562).
        self.is_open |= self.names.contains("__getattr__");
    }

    /// Collects the names that a statement defines. It may collect more, but never fewer.
    fn collect_names(&mut self, statement: Node<'_>, text: &str) {
        let definition = statement.child_by_field_name("definition").unwrap_or(statement);
        match definition.kind() {
            "function_definition" | "class_definition" => {
                let name = definition.child_by_field_name("name");
                self.names.extend(name.map(|name| text[name.byte_range()].to_owned()));
            }
            _ => self.collect_identifiers(definition, text),
        }
    }

    fn collect_identifiers(&mut self, node: Node<'_>, text: &str) {
        if node.kind() == "identifier" {
            self.names.insert(text[node.byte_range()].to_owned());
        }
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        children.into_iter().for_each(|child| self.collect_identifiers(child, text));
    }
}

fn read_function(node: Node<'_>, text: &str) -> Option<PythonSignature> {
    let name = node.child_by_field_name("name")?;
    let list = node.child_by_field_name("parameters")?;
    let mut signature = PythonSignature {
        name: text[name.byte_range()].to_owned(),
        offset: name.start_byte(),
        parameters: Vec::new(),
        takes_any: false,
    };
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        // `x`, `x: int`, `x=1`, `x: int = 1`; a typed one may also be `*args: int`.
        let is_typed = parameter.kind() == "typed_parameter";
        let own = if is_typed { parameter.named_child(0)? } else { parameter };
        match own.kind() {
            "identifier" | "default_parameter" | "typed_default_parameter" => {
                let name = own.child_by_field_name("name").unwrap_or(own);
                signature.parameters.push(PythonParameter {
                    name: text[name.byte_range()].to_owned(),
                    is_required: own.kind() == "identifier",
                });
            }
            "dictionary_splat_pattern" => signature.takes_any = true,
            // Parameters before `/` cannot be passed by name.
            "positional_separator" => signature.parameters.clear(),
            _ => {}
        }
    }
    Some(signature)
}

fn has_kind(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| child.kind() == kind)
}

fn find_error(node: Node<'_>) -> Option<usize> {
    if node.is_error() || node.is_missing() {
        return Some(node.start_position().row + 1);
    }
    let mut cursor = node.walk();
    let children: Vec<_> = node.children(&mut cursor).filter(|child| child.has_error()).collect();
    children.into_iter().find_map(find_error)
}

#[cfg(test)]
mod tests {
    use super::PythonModule;

    const TEXT: &str = "\
import json as j
from pathlib import Path
LIMIT = 3

def plain(a, b: int, c=1, d: str = 'x', *rest, e, **more): pass
async def later(x, /, y): pass
@wrapped
def decorated(a): pass
if LIMIT:
    def inside(): pass
class Thing:
    def method(self): pass
";

    #[test]
    fn reads_functions_and_names() {
        let module = PythonModule::read(TEXT);
        let functions = module.functions.iter().map(|function| {
            let parameters = function.parameters.iter();
            let names = parameters
                .map(|one| format!("{}{}", one.name, if one.is_required { "" } else { "?" }));
            let more = if function.takes_any { " **" } else { "" };
            format!("{}: {}{more}", function.name, names.collect::<Vec<_>>().join(" "))
        });
        let functions: Vec<_> = functions.collect();
        assert_eq!(functions, ["plain: a b c? d? e **", "later: y", "inside: "]);
        for name in ["plain", "decorated", "inside", "Thing", "j", "Path", "LIMIT"] {
            assert!(module.has_name(name), "{name}");
        }
        assert!(!module.has_name("method") && !module.has_name("missing"));
        assert_eq!(module.syntax_error, None);
    }

    #[test]
    fn is_unsure_about_names_that_are_not_in_the_text() {
        assert!(PythonModule::read("from x import *\n").has_name("anything"));
        assert!(PythonModule::read("def __getattr__(name): ...\n").has_name("anything"));
        assert_eq!(PythonModule::read("a = 1\ndef f(:\n  pass\n").syntax_error, Some(2));
    }
}
