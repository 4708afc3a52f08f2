//! The native tools of one server: put together, checked, and named as they are served.

use std::{collections::BTreeSet, fmt};

use catalog::{ErrorForm, arguments, name};
use serde_json::Value;

use crate::{Declarations, Native, Prefix, argument};

/// The longest first line of a description.
pub const FIRST_LINE: usize = 50;

/// The native tools of one server.
#[derive(Default)]
pub struct Toolset(Vec<Native>);

/// How native tools are served.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolsetOptions {
    /// What stands before their names.
    pub prefix: Prefix,
    /// How failures are written down for programs, where the server wants all of them alike.
    pub errors: Option<ErrorForm>,
}

/// Tools that cannot be served: all that is wrong, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsetError(pub Vec<String>);

impl Toolset {
    /// Adds a tool.
    pub fn with(mut self, native: Native) -> Self {
        self.0.push(native);
        self
    }

    /// Adds what was declared and not yet taken.
    pub fn with_declared(mut self, declarations: &Declarations) -> Self {
        self.0.extend(declarations.take_once());
        self
    }

    /// The tools as they are served, in the order of their names. Two of one name, and tools that do
    /// not explain themselves, are refused.
    pub fn build(self, options: &ToolsetOptions) -> Result<Vec<Native>, ToolsetError> {
        let mut faults: Vec<_> = self.0.iter().flat_map(faults).collect();
        let mut natives: Vec<_> =
            self.0.into_iter().map(|native| native.named(&options.prefix)).collect();
        natives.sort_by(|a, b| a.tool.name.cmp(&b.tool.name));
        let mut seen = BTreeSet::new();
        for native in &mut natives {
            let served = &native.tool.name;
            if let Err(problem) = name::check(served) {
                faults.push(format!("`{served}` cannot be the name of a tool: {problem}"));
            }
            if !seen.insert(served.clone()) {
                faults.push(format!("two tools are called `{served}`"));
            }
            native.tool.errors = options.errors.unwrap_or(native.tool.errors);
        }
        if faults.is_empty() { Ok(natives) } else { Err(ToolsetError(faults)) }
    }
}

/// What is wrong with a tool that its author can mend.
fn faults(native: &Native) -> Vec<String> {
    let tool = &native.tool;
    let name = &tool.name;
    let schema = Value::Object(tool.input.object().as_ref().clone());
    let mut faults: Vec<_> = argument::undescribed(&schema)
        .iter()
        .map(|field| format!("`{name}`: the argument `{field}` has no description"))
        .collect();
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        faults.push(format!(
            "`{name}`: unknown arguments are not refused; add `#[serde(deny_unknown_fields)]`"
        ));
    }
    let first = tool.description.text.trim().lines().next().unwrap_or_default();
    match first.chars().count() {
        0 => faults.push(format!("`{name}`: it has no description")),
        length if length > FIRST_LINE && native.is_typed => {
            faults.push(format!("`{name}`: the first line of the description has {length} characters, more than {FIRST_LINE}"));
        }
        _ => {}
    }
    faults.extend(tool.description.examples.iter().filter_map(|example| {
        let arguments = Value::Object(example.arguments.clone());
        match arguments::validate(&tool.input, &arguments) {
            Ok(problems) if problems.is_empty() => None,
            Ok(problems) => Some(format!(
                "`{name}`: the example {arguments} is not valid: {}",
                problems[0].message
            )),
            Err(error) => Some(format!("`{name}`: its schema is broken: {error}")),
        }
    }));
    faults
}

impl fmt::Display for ToolsetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for ToolsetError {}
