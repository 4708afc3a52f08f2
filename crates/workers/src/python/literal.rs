//! Python source of a call, to show people what would run.

use catalog::implementation::PythonFunction;
use serde_json::Value;
use toolkit::Arguments;

/// The import and the call of a function.
pub(super) fn format_call(function: &PythonFunction, arguments: &Arguments) -> String {
    let PythonFunction { module, function, .. } = function;
    let arguments: Vec<_> =
        arguments.iter().map(|(name, value)| format_argument(name, value)).collect();
    format!("import {module}; {module}.{function}({})", arguments.join(", "))
}

/// A keyword argument; as an unpacked dict if its name is not an identifier.
fn format_argument(name: &str, value: &Value) -> String {
    // Keywords such as `from` pass as identifiers here; the worker renames them to `from_`, and the
    // plan is for reading only.
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric());
    if is_name && !name.is_empty() {
        format!("{name}={}", format_value(value))
    } else {
        format!("**{{{}: {}}}", Value::from(name), format_value(value))
    }
}

/// A literal. Strings and numbers are the same as in JSON.
fn format_value(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(format_value).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), format_value(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use catalog::implementation::PythonFunction;
    use serde_json::{Value, json};

    use super::format_call;

    #[test]
    fn formats_a_call_as_python_source() {
        let function =
            PythonFunction { module: "a.b".into(), function: "go".into(), path: Vec::new() };
        let Value::Object(arguments) =
            json!({"path": "x\"y", "deep": {"on": true, "off": [null, 1.5]}, "a-b": 1})
        else {
            panic!("an object")
        };
        let written = r#"import a.b; a.b.go(path="x\"y", deep={"on": True, "off": [None, 1.5]}, **{"a-b": 1})"#;
        assert_eq!(format_call(&function, &arguments), written);
    }
}
