//! R source: which documentation stands before which function, and what the function takes.

use tree_sitter::{Node, Parser, Tree};

use super::{
    block::{self, Block},
    constant::{self, Constant},
    omissible::omissible,
    skeleton::skeleton,
};

/// What a file documents.
pub(crate) struct Source<'a> {
    /// The documented things, in order.
    pub(crate) documented: Vec<Documented<'a>>,
    /// The first place where the text is not R.
    pub(crate) broken: Option<usize>,
}

/// A block of documentation and what it is about.
pub(crate) struct Documented<'a> {
    pub(crate) block: Block<'a>,
    pub(crate) subject: Subject,
}

/// What a block is about.
pub(crate) enum Subject {
    /// A function.
    Function(Function),
    /// Something else that has a name: what only R knows, or another name of a function.
    Object(String),
    /// Something else, or nothing.
    Other,
}

/// A function and its formals.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) formals: Vec<Formal>,
    /// Whether R could not read it.
    pub(crate) is_broken: bool,
}

/// One formal of a function.
pub(crate) struct Formal {
    pub(crate) name: String,
    pub(crate) default: Option<Default>,
    /// Whether the function does without it.
    pub(crate) is_omissible: bool,
    /// Its first byte.
    pub(crate) at: usize,
}

/// A default: what it is, and how it is written.
pub(crate) struct Default {
    pub(crate) value: Constant,
    pub(crate) text: String,
}

impl Documented<'_> {
    /// The name of what it is about.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.subject {
            Subject::Function(Function { name, .. }) | Subject::Object(name) => Some(name),
            Subject::Other => None,
        }
    }
}

/// Reads a file.
pub(crate) fn read(text: &str) -> Source<'_> {
    let tree = parse(&skeleton(text));
    let root = tree.root_node();
    let mut found = Source { documented: Vec::new(), broken: first_error(root) };
    let mut lines = Vec::new();
    let mut last_row = None;
    let mut cursor = root.walk();
    for node in root.children(&mut cursor) {
        if node.kind() == "comment" {
            // A remark behind code documents nothing.
            if last_row != Some(node.start_position().row) {
                lines.extend(block::line(text, node.byte_range()));
            }
            continue;
        }
        last_row = Some(node.end_position().row);
        if !lines.is_empty() {
            let block = Block::new(std::mem::take(&mut lines));
            found.documented.push(Documented { block, subject: subject(node, text) });
        }
    }
    if !lines.is_empty() {
        found.documented.push(Documented { block: Block::new(lines), subject: Subject::Other });
    }
    found
}

/// The constant that a short piece of R is.
pub(crate) fn constant(text: &str) -> Constant {
    let tree = parse(text);
    let root = tree.root_node();
    match (root.has_error(), root.named_child_count(), root.named_child(0)) {
        (false, 1, Some(only)) => constant::fold(only, text),
        _ => Constant::Computed(None),
    }
}

/// The name and the value, as it is written, of a short piece of R that is an assignment.
pub(crate) fn assigned(text: &str) -> Option<(String, &str)> {
    let tree = parse(text);
    let root = tree.root_node();
    let only =
        root.named_child(0).filter(|_| !root.has_error() && root.named_child_count() == 1)?;
    assignment(only, text).map(|(name, value)| (name, &text[value.byte_range()]))
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_r::LANGUAGE.into())
        .expect("the grammar is of a version that the parser knows");
    parser.parse(text, None).expect("a parser with a language and without a limit has a tree")
}

/// The first byte that is not R.
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

fn subject(node: Node<'_>, text: &str) -> Subject {
    let object = || assignment(node, text).map(|(name, _)| Subject::Object(name));
    function(node, text).map(Subject::Function).or_else(object).unwrap_or(Subject::Other)
}

/// The function that an assignment makes, in any of its forms.
fn function(node: Node<'_>, text: &str) -> Option<Function> {
    let (name, value) = assignment(node, text)?;
    // `a <- b <- function(x) x` makes both.
    if value.kind() == "binary_operator" {
        return function(value, text).map(|made| Function { name, ..made });
    }
    let definition = unwrapped(value).filter(|node| node.kind() == "function_definition")?;
    let parameters = definition.child_by_field_name("parameters")?;
    let body = definition.child_by_field_name("body").map_or("", |body| &text[body.byte_range()]);
    Some(Function {
        name,
        formals: formals(parameters, text, &omissible(body)),
        is_broken: parameters.has_error(),
    })
}

/// The name that an assignment gives, and to what.
fn assignment<'n>(node: Node<'n>, text: &str) -> Option<(String, Node<'n>)> {
    let field = |name| node.child_by_field_name(name);
    let (target, value) = match node.kind() {
        "binary_operator" => match &text[field("operator")?.byte_range()] {
            "<-" | "=" | "<<-" | ":=" => (field("lhs")?, field("rhs")?),
            "->" | "->>" => (field("rhs")?, field("lhs")?),
            _ => return None,
        },
        _ => return None,
    };
    let is_name = matches!(target.kind(), "identifier" | "string");
    is_name.then(|| (constant::name(&text[target.byte_range()]), value))
}

fn unwrapped(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parenthesized_expression" => node.child_by_field_name("body").and_then(unwrapped),
        _ => Some(node),
    }
}

fn formals(parameters: Node<'_>, text: &str, omissible: &[&str]) -> Vec<Formal> {
    let mut cursor = parameters.walk();
    let formal = |node: Node<'_>| {
        let name = constant::name(&text[node.child_by_field_name("name")?.byte_range()]);
        let default = node.child_by_field_name("default").map(|value| Default {
            value: constant::fold(value, text),
            text: text[value.byte_range()].split_whitespace().collect::<Vec<_>>().join(" "),
        });
        let is_omissible = omissible.contains(&name.as_str());
        Some(Formal { name, default, is_omissible, at: node.start_byte() })
    };
    parameters.children_by_field_name("parameter", &mut cursor).filter_map(formal).collect()
}
