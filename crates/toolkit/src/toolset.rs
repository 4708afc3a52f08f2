//! The native tools of one server: collected, validated and named.

use std::{collections::BTreeSet, fmt};

use catalog::{ErrorForm, arguments, name};
use serde_json::Value;

use crate::{BadPrefix, Declarations, Native, Prefix, argument_schema};

/// The maximum length of the first line of a description, in characters.
pub const FIRST_LINE: usize = 50;

/// The environment variable with the prefix of tool names.
pub const PREFIX_VARIABLE: &str = "MCP_TOOL_PREFIX";

/// The environment variable that enables demonstrations if it is `true`.
const EXAMPLES_VARIABLE: &str = "MCP_INCLUDE_EXAMPLE_TOOLS";

/// The native tools of one server.
#[derive(Default)]
pub struct Toolset(Vec<Native>);

/// Options for the native tools of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolsetOptions {
    /// The prefix of their names.
    pub prefix: Prefix,
    /// The form of structured errors for all tools; `None` leaves each tool its own.
    pub errors: Option<ErrorForm>,
    /// Whether demonstrations are served.
    pub examples: Examples,
}

/// Whether demonstrations are served, see [`Native::demonstration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Examples {
    /// Not served.
    #[default]
    Hidden,
    /// Served.
    Shown,
}

impl ToolsetOptions {
    /// Reads the options from environment variables: the prefix from `MCP_TOOL_PREFIX`, and whether
    /// to serve demonstrations from `MCP_INCLUDE_EXAMPLE_TOOLS`. `variable` looks up a variable.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, BadPrefix> {
        let prefix = match variable(PREFIX_VARIABLE) {
            Some(prefix) => Prefix::parse(&prefix)?,
            None => Prefix::unset(),
        };
        let examples = match variable(EXAMPLES_VARIABLE) {
            Some(value) if value.eq_ignore_ascii_case("true") => Examples::Shown,
            _ => Examples::Hidden,
        };
        Ok(Self { prefix, errors: None, examples })
    }
}

/// Tools that cannot be served: one message for each problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsetError(pub Vec<String>);

impl Toolset {
    /// Adds a tool.
    pub fn with(mut self, native: Native) -> Self {
        self.0.push(native);
        self
    }

    /// Adds the declared tools, unless `declarations` was used before.
    pub fn with_declared(mut self, declarations: &Declarations) -> Self {
        self.0.extend(declarations.take_once());
        self
    }

    /// Validates the tools and gives them their served names. Returns them sorted by name, or all
    /// problems: duplicate or invalid names, missing descriptions, invalid examples.
    pub fn build(self, options: &ToolsetOptions) -> Result<Vec<Native>, ToolsetError> {
        // Checked before the names change, so that messages show the names that authors wrote.
        let mut faults: Vec<_> = self.0.iter().flat_map(find_faults).collect();
        let is_shown =
            |native: &Native| options.examples == Examples::Shown || !native.is_demonstration;
        let shown = self.0.into_iter().filter(is_shown);
        let mut natives: Vec<_> = shown.map(|native| native.with_prefix(&options.prefix)).collect();
        natives.sort_by(|a, b| a.tool.name.cmp(&b.tool.name));
        let mut seen = BTreeSet::new();
        for native in &mut natives {
            let served = &native.tool.name;
            if let Err(problem) = name::check(served) {
                faults.push(format!("`{served}` is not a valid tool name: {problem}"));
            }
            if !seen.insert(served.clone()) {
                faults.push(format!("two tools have the name `{served}`"));
            }
            native.tool.errors = options.errors.unwrap_or(native.tool.errors);
        }
        if faults.is_empty() { Ok(natives) } else { Err(ToolsetError(faults)) }
    }
}

/// Problems that the author of a tool can fix.
fn find_faults(native: &Native) -> Vec<String> {
    let tool = &native.tool;
    let name = &tool.name;
    let schema = Value::Object(tool.input.object().as_ref().clone());
    let mut faults: Vec<_> = argument_schema::find_undescribed(&schema)
        .iter()
        .map(|field| format!("`{name}`: the argument `{field}` has no description"))
        .collect();
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        faults.push(format!(
            "`{name}`: unknown arguments are accepted; add `#[serde(deny_unknown_fields)]`"
        ));
    }
    let first = tool.description.text.trim().lines().next().unwrap_or_default();
    match first.chars().count() {
        0 => faults.push(format!("`{name}`: the tool has no description")),
        length if length > FIRST_LINE && native.is_typed => {
            faults.push(format!("`{name}`: the first line of the description has {length} characters; the maximum is {FIRST_LINE}"));
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
            Err(error) => Some(format!("`{name}`: the schema is invalid: {error}")),
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
