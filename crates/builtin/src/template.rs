//! Templates, rendered in a closed room: no files but those it is handed, bounded steps, depth and
//! output, and an undefined name is a mistake. Text is not HTML, so nothing is escaped.

mod budget;
mod metered;

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

use budget::Budget;

/// How many instructions a template may take, how deep it may nest and how many bytes it may give.
const STEPS: u64 = 1_000_000;
const DEPTH: usize = 50;
const MOST_BYTES: usize = 8 << 20;

/// Reads the values of all flags. It may wait; a request calls it at most once.
pub type FlagReader = Arc<dyn Fn() -> BTreeMap<String, serde_json::Value> + Send + Sync>;

/// The project, as templates know it.
#[derive(Clone)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Its flags.
    pub flags: FlagReader,
}

/// Why a template gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The template at fault: the one asked for, or one that it includes.
    pub name: String,
    /// The line in its file.
    pub line: Option<usize>,
    /// What is wrong there.
    pub message: String,
}

impl Project {
    /// The flags as one request sees them.
    pub(crate) fn flags(&self) -> Arc<SeenFlags> {
        Arc::new(SeenFlags { read: Arc::clone(&self.flags), values: OnceLock::new() })
    }

    /// An environment in which templates know the project, the flags and the names of the tools around a call.
    pub(crate) fn environment(
        &self,
        flags: &Arc<SeenFlags>,
        context: &Context,
    ) -> Environment<'static> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(STEPS));
        environment.set_recursion_limit(DEPTH);
        environment.set_path_join_callback(|name, parent| Cow::Owned(join(name, parent)));
        environment
            .add_global("project", minijinja::context! { name => &self.name, path => &self.path });
        environment.add_global("flags", Value::from_dyn_object(flags.clone()));
        let budget = Budget::new();
        budget::add(&mut environment, &budget);
        environment.set_formatter(move |output, state, value| {
            budget.value(value)?;
            write(output, state, value)
        });
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

/// Writes values as everybody reads them, not as Python writes them; none is nothing.
fn write(output: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
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

/// Renders a template; see [`in_place`] for its source.
pub(crate) fn render(
    environment: &Environment<'_>,
    name: &str,
    source: &str,
    context: Value,
) -> Result<String, TemplateError> {
    let mut output = Bounded(Vec::new());
    let template =
        environment.template_from_named_str(name, source).map_err(TemplateError::from)?;
    template.render_captured_to(context, &mut output)?;
    Ok(String::from_utf8(output.0)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A body as it must be given to [`render`] or to a loader: what it makes is counted, and its lines
/// are counted from the top of its file.
pub(crate) fn in_place(body: &str, lines_before: usize) -> String {
    let body = metered::metered(body);
    match lines_before {
        0 => body,
        // A comment gives nothing, and its lines count.
        lines => format!("{{#{}#}}{body}", "\n".repeat(lines)),
    }
}

/// The path of an included file: relative to the file that includes it, or with a `/` before it to
/// the folder of all. A path that leads out of the folder keeps its `..`, and is refused when read.
fn join(name: &str, parent: &str) -> String {
    let mut parts: Vec<&str> = match name.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => parent.split('/').collect(),
    };
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The flags as one request sees them: read when the first of them is asked for. One that is not set
/// is none in a template, not undefined.
pub(crate) struct SeenFlags {
    read: FlagReader,
    values: OnceLock<BTreeMap<String, serde_json::Value>>,
}

impl SeenFlags {
    fn get(&self, name: &str) -> Option<&serde_json::Value> {
        self.all().get(name)
    }

    /// A flag by a name whose case is not known.
    pub(crate) fn in_any_case(&self, name: &str) -> Option<&serde_json::Value> {
        let is_it = |known: &str| known.to_lowercase() == name.to_lowercase();
        self.get(name)
            .or_else(|| self.all().iter().find(|(known, _)| is_it(known)).map(|(_, value)| value))
    }

    fn all(&self) -> &BTreeMap<String, serde_json::Value> {
        self.values.get_or_init(|| (self.read)())
    }
}

impl fmt::Debug for SeenFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flags")
    }
}

impl Object for SeenFlags {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(Value::from(Serde(self.get(key.as_str()?))))
    }
}

/// A text that may not become too long.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::other("the text becomes too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Error> for TemplateError {
    /// The innermost error is the one to mend: those around it only say how it was reached.
    fn from(error: Error) -> Self {
        let mut innermost = &error;
        while let Some(inner) =
            std::error::Error::source(innermost).and_then(|source| source.downcast_ref::<Error>())
        {
            innermost = inner;
        }
        let message =
            innermost.detail().map_or_else(|| innermost.kind().to_string(), str::to_owned);
        let placed = if innermost.name().is_some() { innermost } else { &error };
        Self { name: placed.name().unwrap_or_default().to_owned(), line: placed.line(), message }
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
    use super::join;

    #[test]
    fn included_paths_are_relative_and_those_that_leave_are_recognisable() {
        assert_eq!(join("_part.md", "sub/page.md"), "sub/_part.md");
        assert_eq!(join("../_part.md", "sub/page.md"), "_part.md");
        assert_eq!(join("/_part.md", "sub/page.md"), "_part.md");
        assert_eq!(join("../../../etc/passwd", "sub/page.md"), "../../etc/passwd");
    }
}
