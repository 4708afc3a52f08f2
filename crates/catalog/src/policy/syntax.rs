//! Static analysis of a condition: unknown names, cost and the arguments it reads.

use std::collections::BTreeSet;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators,
};

use super::scope::{MODEL_MEMBERS, TOOL_MEMBERS};
use crate::closest;

/// The error for a condition that is nested too deeply.
pub(super) const TOO_DEEP: &str =
    "the condition is nested too deeply; split it into several clauses";

/// The names that a condition may use.
#[derive(Debug)]
pub(crate) struct Names {
    /// Variables.
    variables: &'static [&'static str],
    /// Members of `tool`.
    members: &'static [&'static str],
}

/// Names in policies.
pub(super) static CALL_NAMES: Names =
    Names { variables: &["args", "tool"], members: &TOOL_MEMBERS };

/// Names in constraints on arguments.
pub(crate) static ARGUMENT_NAMES: Names = Names { variables: &["args"], members: &[] };

/// Names in custom rules.
pub(crate) static RULE_NAMES: Names = Names { variables: &["tool"], members: &MODEL_MEMBERS };

/// Type names, as in `type(x) == int`, and the namespace `optional_type`.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "dyn",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// Functions, without operators and macros.
const FUNCTIONS: [&str; 23] = [
    "bool",
    "bytes",
    "contains",
    "double",
    "dyn",
    "endsWith",
    "hasValue",
    "int",
    "list",
    "map",
    "matches",
    "none",
    "of",
    "ofNonZeroValue",
    "or",
    "orValue",
    "size",
    "startsWith",
    "string",
    "type",
    "uint",
    "value",
    "has",
];

/// Maximum nesting of a condition: evaluation recurses on the stack of the calling thread.
const MAX_DEPTH: usize = 24;

/// The result of the analysis.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// Number of nodes.
    pub(super) parts: u64,
    /// Nesting depth of its loops.
    pub(super) loops: u32,
    /// The arguments it reads without testing for their presence.
    pub(super) untested_arguments: BTreeSet<String>,
}

/// Analyzes a condition; the first unknown name is an error.
pub(super) fn examine(expression: &IdedExpr, names: &Names) -> Result<Shape, String> {
    let mut walk = Walk {
        names,
        shape: Shape::default(),
        bound: Vec::new(),
        loops: 0,
        depth: 0,
        tested: BTreeSet::new(),
    };
    walk.visit(expression)?;
    let Walk { mut shape, tested, .. } = walk;
    shape.untested_arguments.retain(|name| !tested.contains(name));
    Ok(shape)
}

struct Walk<'e> {
    names: &'e Names,
    shape: Shape,
    /// Variables of the enclosing loops.
    bound: Vec<&'e str>,
    /// Number of enclosing loops.
    loops: u32,
    /// Number of enclosing nodes.
    depth: usize,
    /// Arguments tested for presence by `has()` or `in`.
    tested: BTreeSet<String>,
}

impl<'e> Walk<'e> {
    fn visit(&mut self, part: &'e IdedExpr) -> Result<(), String> {
        self.shape.parts += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TOO_DEEP.to_owned());
        }
        self.visit_kind(part)?;
        self.depth -= 1;
        Ok(())
    }

    fn visit_kind(&mut self, part: &'e IdedExpr) -> Result<(), String> {
        match &part.expr {
            Expr::Unspecified | Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                if let Expr::Ident(name) = &select.operand.expr {
                    self.member(name, &select.field, select.test)?;
                }
                self.visit(&select.operand)
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => list.elements.iter().try_for_each(|part| self.visit(part)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| self.entry(&entry.expr)),
            Expr::Struct(made) => Err(format!("there is no type `{}`", made.type_name)),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn call(&mut self, call: &'e CallExpr) -> Result<(), String> {
        check_function(&call.func_name)?;
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::INDEX, [IdedExpr { expr: Expr::Ident(name), .. }, key]) => {
                text(key).map_or(Ok(()), |key| self.member(name, key, false))?
            }
            (operators::IN, [key, IdedExpr { expr: Expr::Ident(name), .. }]) => {
                text(key).map_or(Ok(()), |key| self.member(name, key, true))?
            }
            _ => {}
        }
        // `optional.of(x)` parses like a method call on a variable named `optional`.
        let target = call
            .target
            .as_deref()
            .filter(|target| !matches!(&target.expr, Expr::Ident(name) if name == "optional"));
        target.into_iter().chain(&call.args).try_for_each(|part| self.visit(part))
    }

    fn entry(&mut self, entry: &'e EntryExpr) -> Result<(), String> {
        match entry {
            EntryExpr::StructField(field) => self.visit(&field.value),
            EntryExpr::MapEntry(entry) => {
                self.visit(&entry.key)?;
                self.visit(&entry.value)
            }
        }
    }

    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> Result<(), String> {
        self.visit(&comprehension.iter_range)?;
        self.visit(&comprehension.accu_init)?;
        let outside = self.bound.len();
        self.bound.extend([comprehension.iter_var.as_str(), comprehension.accu_var.as_str()]);
        self.bound.extend(comprehension.iter_var2.as_deref());
        self.loops += 1;
        self.shape.loops = self.shape.loops.max(self.loops);
        self.visit(&comprehension.loop_cond)?;
        self.visit(&comprehension.loop_step)?;
        self.loops -= 1;
        self.visit(&comprehension.result)?;
        self.bound.truncate(outside);
        Ok(())
    }

    fn variable(&self, name: &str) -> Result<(), String> {
        // Macros expand to loops over variables such as `@result`, which no author writes.
        let is_known = name.starts_with('@')
            || self.bound.contains(&name)
            || self.names.variables.contains(&name)
            || TYPES.contains(&name);
        if is_known {
            return Ok(());
        }
        let variables = self.names.variables;
        let hint = closest(name, variables.iter().copied())
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let known =
            variables.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(" and ");
        Err(format!("there is no variable `{name}`, only {known}{hint}"))
    }

    /// Visits `name.field` in any spelling; `is_test` if only its presence is tested.
    fn member(&mut self, name: &str, field: &str, is_test: bool) -> Result<(), String> {
        match name {
            _ if self.bound.contains(&name) => {}
            "args" if is_test => drop(self.tested.insert(field.to_owned())),
            "args" => drop(self.shape.untested_arguments.insert(field.to_owned())),
            "tool" if !self.names.members.contains(&field) => {
                let members = self
                    .names
                    .members
                    .iter()
                    .map(|member| format!("`{member}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(format!("there is no `tool.{field}`, only {members}"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn text(part: &IdedExpr) -> Option<&str> {
    match &part.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

fn check_function(name: &str) -> Result<(), String> {
    // Operators are functions with names such as `_+_`, `!_` and `@in`.
    let is_operator = name.contains('_')
        || name.starts_with('@')
        || name.starts_with('!')
        || name.starts_with('-');
    if is_operator || FUNCTIONS.contains(&name) {
        return Ok(());
    }
    let hint = closest(name, FUNCTIONS)
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(format!("there is no function `{name}`{hint}"))
}
