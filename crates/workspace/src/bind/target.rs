//! The implementation that a `[[bind]]` names.

use super::Bind;

#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A Python module, and a function if the clause names one.
    Python(String, Option<String>),
    Command(Vec<String>),
    Tool(String),
}

impl Target {
    /// The target of a clause; else the problem and a hint.
    pub(super) fn parse(bind: &Bind) -> Result<Self, (String, &'static str)> {
        match (&bind.python, &bind.command, &bind.tool) {
            (Some(text), None, None) => parse_python(text),
            (None, _, _) if bind.path.is_some() => Err((
                "`path` applies only to `python`".to_owned(),
                "remove it, or bind to `python`",
            )),
            (None, Some(command), None)
                if command.first().is_some_and(|program| !program.is_empty()) =>
            {
                Ok(Self::Command(command.clone()))
            }
            (None, Some(_), None) => Err((
                "`command` names no program".to_owned(),
                "write `command = [\"prog\", \"arg\"]`",
            )),
            (None, None, Some(tool)) => Ok(Self::Tool(tool.clone())),
            (None, None, None) => Err((
                format!("no implementation is given for `{}`", bind.tools),
                "add one of `python`, `command` and `tool`",
            )),
            _ => Err((
                format!("more than one implementation is given for `{}`", bind.tools),
                "keep one of `python`, `command` and `tool`",
            )),
        }
    }
}

fn parse_python(text: &str) -> Result<Target, (String, &'static str)> {
    let (module, function) = match text.split_once(':') {
        Some((module, function)) => (module, Some(function)),
        None => (text, None),
    };
    if !module.split('.').all(is_identifier) || !function.is_none_or(is_identifier) {
        return Err((
            format!("`{text}` is not a Python module"),
            "write it as in an import, `package.module`, or `package.module:function`",
        ));
    }
    Ok(Target::Python(module.to_owned(), function.map(str::to_owned)))
}

/// The Python function for a tool: the last part of its name, if that is an identifier.
pub(super) fn function_name(tool: &str) -> Option<String> {
    // Specifications write `files.read-all`; in Python that is `read_all` of a module.
    let last = tool.rsplit(['.', '/']).next().unwrap_or(tool).replace('-', "_");
    is_identifier(&last).then_some(last)
}

fn is_identifier(text: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_allowed) && !text.starts_with(|c: char| c.is_numeric())
}
