//! Renders Jinja templates with bounded steps, nesting and output.
//!
//! Templates are files of the crib's owner. The bounds end a runaway loop or include and keep the
//! response small; they do not defend against a hostile author, who could allocate memory with
//! values that are never printed. Templates read no files except through the loader they are given,
//! and an undefined name is an error. Output is Markdown or plain text, so nothing is HTML-escaped.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    sync::{Arc, OnceLock},
};

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
    value::{Object, ObjectRepr, Serde, ValueKind},
};
use toolkit::Context;

/// Instructions that one rendering may execute. Includes share the budget of the outer template.
const MAX_STEPS: u64 = 1_000_000;
/// Nesting depth of macros and includes.
const MAX_DEPTH: usize = 50;
const MAX_OUTPUT_BYTES: usize = 8 << 20;

/// Reads the values of all flags. It may block; a request calls it at most once.
pub type FlagReader = Arc<dyn Fn() -> BTreeMap<String, serde_json::Value> + Send + Sync>;

/// The project, as templates see it.
#[derive(Clone)]
pub struct Project {
    /// The name of the crib, `project.name` in templates.
    pub name: String,
    /// The folder of the crib, `project.path` in templates.
    pub path: String,
    /// Reads the flags that count for the crib, `flags` in templates.
    pub flags: FlagReader,
}

/// Why a template could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The template with the error: the one requested, or one that it includes.
    pub name: String,
    /// The line in that template's file, from 1, front matter included.
    pub line: Option<usize>,
    /// The reason, without the location.
    pub message: String,
}

impl Project {
    /// The flags as one request sees them.
    pub(crate) fn request_flags(&self) -> Arc<RequestFlags> {
        Arc::new(RequestFlags { read: Arc::clone(&self.flags), values: OnceLock::new() })
    }

    /// Builds an environment with the globals `project` and `flags` and the function `tool`, which
    /// resolves the name under which a tool is served.
    pub(crate) fn build_environment(
        &self,
        flags: &Arc<RequestFlags>,
        context: &Context,
    ) -> Environment<'static> {
        let mut environment = Environment::new();
        // A misspelled variable must not silently print nothing.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // The output is Markdown for a model, in which `&lt;` would be wrong.
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(MAX_STEPS));
        environment.set_recursion_limit(MAX_DEPTH);
        environment.set_path_join_callback(|name, parent| Cow::Owned(join_path(name, parent)));
        environment.set_formatter(write_value);
        environment
            .add_global("project", minijinja::context! { name => &self.name, path => &self.path });
        environment.add_global("flags", Value::from_dyn_object(flags.clone()));
        let context = context.clone();
        environment.add_function("tool", move |name: &str| match context.tool(name) {
            Some(_) => Ok(context.served_name(name)),
            None => {
                Err(Error::new(ErrorKind::InvalidOperation, format!("there is no tool `{name}`")))
            }
        });
        environment
    }
}

/// Prints booleans, lists and maps as JSON instead of Python's notation, and `none` as nothing.
fn write_value(
    output: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None => Ok(()),
        ValueKind::Bool | ValueKind::Seq | ValueKind::Map => {
            let text = serde_json::to_string(value)
                .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
            Ok(output.write_str(&text)?)
        }
        _ => minijinja::escape_formatter(output, state, value),
    }
}

/// Renders a template; see [`pad_lines`] for its source.
pub(crate) fn render(
    environment: &Environment<'_>,
    name: &str,
    source: &str,
    context: Value,
) -> Result<String, TemplateError> {
    let mut output = BoundedOutput(Vec::new());
    environment
        .template_from_named_str(name, source)
        .and_then(|template| template.render_captured_to(context, &mut output).map(drop))
        .map_err(|error| TemplateError::new(name, &error))?;
    Ok(String::from_utf8(output.0)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Pads a template body so that errors name the line in its file instead of the line after the
/// front matter.
pub(crate) fn pad_lines(body: &str, lines_before: usize) -> String {
    match lines_before {
        0 => body.to_owned(),
        // A comment prints nothing, but its lines count.
        lines => format!("{{#{}#}}{body}", "\n".repeat(lines)),
    }
}

/// Resolves the path of an included file: relative to the including file, or with a leading `/` to
/// the root of the category. A path that leads out keeps its `..`, and the loader rejects it.
fn join_path(name: &str, parent: &str) -> String {
    let mut parts: Vec<&str> = match name.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => parent.split('/').collect(),
    };
    // The last part names the including file.
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            // Only a name can be removed; further `..` stay, for the loader to reject.
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A snapshot of the flags for one request, read on first use. In templates an unset flag is `none`
/// rather than undefined, so that `{% if flags.x %}` is not an error.
pub(crate) struct RequestFlags {
    read: FlagReader,
    values: OnceLock<BTreeMap<String, serde_json::Value>>,
}

impl RequestFlags {
    fn get(&self, name: &str) -> Option<&serde_json::Value> {
        self.all().get(name)
    }

    /// Finds a flag by exact name, else ignoring case: the front matter reader lower-cases its
    /// keys.
    pub(crate) fn get_ignoring_case(&self, name: &str) -> Option<&serde_json::Value> {
        let is_same = |known: &str| known.to_lowercase() == name.to_lowercase();
        self.get(name)
            .or_else(|| self.all().iter().find(|(known, _)| is_same(known)).map(|(_, value)| value))
    }

    fn all(&self) -> &BTreeMap<String, serde_json::Value> {
        self.values.get_or_init(|| (self.read)())
    }
}

impl fmt::Debug for RequestFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flags")
    }
}

impl Object for RequestFlags {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(Value::from(Serde(self.get(key.as_str()?))))
    }
}

/// Output that fails beyond [`MAX_OUTPUT_BYTES`].
struct BoundedOutput(Vec<u8>);

impl Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT_BYTES {
            return Err(io::Error::other(format!(
                "the output has more than {MAX_OUTPUT_BYTES} bytes"
            )));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TemplateError {
    /// Takes the innermost error: the ones around it only tell how it was reached (`include`, macro
    /// calls).
    fn new(requested: &str, error: &Error) -> Self {
        let mut innermost = error;
        while let Some(inner) =
            std::error::Error::source(innermost).and_then(|source| source.downcast_ref::<Error>())
        {
            innermost = inner;
        }
        // Errors from functions have no location of their own.
        let located = if innermost.name().is_some() { innermost } else { error };
        let message = match std::error::Error::source(innermost) {
            // The reason comes from [`BoundedOutput`]; the engine adds only "I/O error during
            // rendering".
            Some(source) => source.to_string(),
            None => innermost.detail().map_or_else(|| innermost.kind().to_string(), str::to_owned),
        };
        let name = located.name().unwrap_or(requested).to_owned();
        Self { name, line: located.line(), message }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.name, self.message),
            None => write!(f, "{}: {}", self.name, self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join_path;

    #[test]
    fn resolves_included_paths_and_keeps_leading_parent_dots() {
        assert_eq!(join_path("_part.md", "sub/page.md"), "sub/_part.md");
        assert_eq!(join_path("../_part.md", "sub/page.md"), "_part.md");
        assert_eq!(join_path("/_part.md", "sub/page.md"), "_part.md");
        assert_eq!(join_path("../../../etc/passwd", "sub/page.md"), "../../etc/passwd");
    }
}
