//! An R file: its blocks of documentation, and the object that each documents.

use tree_sitter::{Node, Parser, Tree};

use super::{
    block::{Block, Line},
    constant::{self, Constant},
    outline::blank_bodies,
};

/// The documentation in an R file.
pub(crate) struct Source<'a> {
    /// The documented objects, in source order.
    pub(crate) documented: Vec<DocumentedObject<'a>>,
    /// The byte offset of the first syntax error.
    pub(crate) syntax_error: Option<usize>,
}

/// A block and the object after it.
pub(crate) struct DocumentedObject<'a> {
    pub(crate) block: Block<'a>,
    pub(crate) object: Object,
}

/// The code that follows a block.
pub(crate) enum Object {
    /// A function definition.
    Function(Function),
    /// A named object that is not a function definition: the result of a call such as `Vectorize`
    /// or `setRefClass`, or another name for a function. Only R knows whether it has formals.
    Value(String),
    /// Anything without a name, such as `NULL` after the documentation of a topic.
    Unnamed,
}

pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) formals: Vec<Formal>,
    /// Whether there is a syntax error in its formals.
    pub(crate) is_broken: bool,
}

/// A formal argument of a function.
pub(crate) struct Formal {
    pub(crate) name: String,
    pub(crate) default: Option<Default>,
    pub(crate) offset: usize,
    /// Whether the function accepts several of its choices: `match.arg(x, several.ok = TRUE)`.
    pub(crate) takes_several: bool,
}

/// The default of a formal, folded and as written.
pub(crate) struct Default {
    pub(crate) value: Constant,
    pub(crate) text: String,
}

impl DocumentedObject<'_> {
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.object {
            Object::Function(Function { name, .. }) | Object::Value(name) => Some(name),
            Object::Unnamed => None,
        }
    }
}

/// Reads the documentation in the text of an R file.
pub(crate) fn read(text: &str) -> Source<'_> {
    // Offsets in the outline are those of the text, so nodes can be looked up in it.
    let tree = parse(&blank_bodies(text));
    let root = tree.root_node();
    let mut source = Source { documented: Vec::new(), syntax_error: first_error(root) };
    let mut lines = Vec::new();
    let mut last_code_row = None;
    let mut cursor = root.walk();
    for node in root.children(&mut cursor) {
        if node.kind() == "comment" {
            // A comment after code on the same line documents nothing.
            if last_code_row != Some(node.start_position().row) {
                lines.extend(Line::parse(text, node.byte_range()));
            }
            continue;
        }
        // tree-sitter makes a trailing comment a sibling of the code before it.
        last_code_row = Some(node.end_position().row);
        if !lines.is_empty() {
            // Blank lines and plain comments between the lines do not end a block, as in roxygen2.
            let block = Block::new(std::mem::take(&mut lines));
            source.documented.push(DocumentedObject { block, object: read_object(node, text) });
        }
    }
    // A block at the end of a file documents nothing, but may be a misplaced tool.
    if !lines.is_empty() {
        let block = Block::new(lines);
        source.documented.push(DocumentedObject { block, object: Object::Unnamed });
    }
    source
}

/// Folds a short piece of R, such as an example value.
pub(crate) fn parse_constant(text: &str) -> Constant {
    let tree = parse(text);
    let root = tree.root_node();
    match (root.has_error(), root.named_child_count(), root.named_child(0)) {
        (false, 1, Some(only)) => constant::fold(only, text),
        _ => Constant::Computed(None),
    }
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_r::LANGUAGE.into())
        .expect("the grammar was generated for this version of tree-sitter");
    parser.parse(text, None).expect("a parser with a language and no timeout returns a tree")
}

fn first_error(node: Node<'_>) -> Option<usize> {
    if !node.has_error() {
        return None;
    }
    if node.is_error() || node.is_missing() {
        return Some(node.start_byte());
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(first_error)
}

fn read_object(node: Node<'_>, text: &str) -> Object {
    let value = || read_assignment(node, text).map(|(name, _)| Object::Value(name));
    read_function(node, text).map(Object::Function).or_else(value).unwrap_or(Object::Unnamed)
}

/// The function that an assignment defines: `f <- function(x)`, `f = \(x)`, `function(x) -> f`.
fn read_function(node: Node<'_>, text: &str) -> Option<Function> {
    let (name, value) = read_assignment(node, text)?;
    // `a <- b <- function(x) x` defines both; the block documents the first.
    if value.kind() == "binary_operator" {
        return read_function(value, text).map(|inner| Function { name, ..inner });
    }
    let definition = unwrap_parentheses(value)?;
    if definition.kind() != "function_definition" {
        return None;
    }
    let parameters = definition.child_by_field_name("parameters")?;
    let body = &text[parameters.end_byte()..definition.end_byte()];
    Some(Function {
        name,
        formals: read_formals(parameters, text, body),
        // Errors elsewhere in the function do not matter: the body is never evaluated here.
        is_broken: parameters.has_error(),
    })
}

/// The name and the value of an assignment.
fn read_assignment<'n>(node: Node<'n>, text: &str) -> Option<(String, Node<'n>)> {
    if node.kind() != "binary_operator" {
        return None;
    }
    let field = |name| node.child_by_field_name(name);
    let (target, value) = match &text[field("operator")?.byte_range()] {
        "<-" | "=" | "<<-" | ":=" => (field("lhs")?, field("rhs")?),
        "->" | "->>" => (field("rhs")?, field("lhs")?),
        _ => return None,
    };
    let is_name = matches!(target.kind(), "identifier" | "string");
    is_name.then(|| (constant::unquote_name(&text[target.byte_range()]), value))
}

fn unwrap_parentheses(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parenthesized_expression" => node.child_by_field_name("body").and_then(unwrap_parentheses),
        _ => Some(node),
    }
}

fn read_formals(parameters: Node<'_>, text: &str, body: &str) -> Vec<Formal> {
    let several = several_choices(body);
    let mut cursor = parameters.walk();
    let read_formal = |node: Node<'_>| {
        let name = constant::unquote_name(&text[node.child_by_field_name("name")?.byte_range()]);
        let default = node.child_by_field_name("default").map(|value| Default {
            value: constant::fold(value, text),
            // Put on one line, because it is used in messages and comments.
            text: text[value.byte_range()].split_whitespace().collect::<Vec<_>>().join(" "),
        });
        let takes_several = several.contains(&name.as_str());
        Some(Formal { name, default, offset: node.start_byte(), takes_several })
    };
    parameters.children_by_field_name("parameter", &mut cursor).filter_map(read_formal).collect()
}

/// The names in calls `match.arg(name, several.ok = TRUE)` or `arg_match(name, multiple = TRUE)`.
/// The body is searched as text, because parsing all bodies of a package would take most of the
/// build time.
fn several_choices(body: &str) -> Vec<&str> {
    let calls = ["match.arg(", "arg_match("].into_iter();
    let found =
        calls.flat_map(|call| body.match_indices(call).map(|(at, call)| (at, at + call.len())));
    let is_code = |at: usize| !body[..at].rsplit('\n').next().unwrap_or_default().contains('#');
    let named = found.filter(|(at, _)| is_code(*at)).filter_map(|(_, start)| {
        let arguments = &body[start..];
        let arguments = &arguments[..closing_parenthesis(arguments)];
        let compact: String = arguments.split_whitespace().collect();
        let takes_several =
            ["several.ok=T", "multiple=T"].iter().any(|flag| compact.contains(flag));
        let name = arguments.trim_start();
        let after_label = name.strip_prefix("arg").map(str::trim_start);
        let name = after_label.and_then(|rest| rest.strip_prefix('=')).unwrap_or(name).trim_start();
        let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_');
        name.split(is_end).next().filter(|_| takes_several)
    });
    named.collect()
}

/// The offset of the parenthesis that closes the argument list at the start of `code`.
fn closing_parenthesis(code: &str) -> usize {
    let mut depth = 0;
    let end = code.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    end.unwrap_or(code.len())
}
