//! A call as it would be written in Python, for a person who is shown what would run.

use catalog::implementation::PythonFunction;
use serde_json::Value;
use toolkit::Arguments;

/// The import and the call.
pub(crate) fn call(function: &PythonFunction, arguments: &Arguments) -> String {
    let PythonFunction { module, function, .. } = function;
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| argument(name, value)).collect();
    format!("import {module}; {module}.{function}({})", arguments.join(", "))
}

fn argument(name: &str, value: &Value) -> String {
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric());
    match is_name && !name.is_empty() {
        true => format!("{name}={}", literal(value)),
        false => format!("**{{{}: {}}}", Value::from(name), literal(value)),
    }
}

/// A value as Python writes it. Texts and numbers are written as in JSON.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), literal(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use catalog::implementation::PythonFunction;
    use serde_json::{Value, json};

    use super::call;

    #[test]
    fn writes_a_call_as_python_does() {
        let function =
            PythonFunction { module: "a.b".into(), function: "go".into(), path: Vec::new() };
        let Value::Object(arguments) =
            json!({"path": "x\"y", "deep": {"on": true, "off": [null, 1.5]}, "a-b": 1})
        else {
            panic!("an object")
        };
        let written = r#"import a.b; a.b.go(path="x\"y", deep={"on": True, "off": [None, 1.5]}, **{"a-b": 1})"#;
        assert_eq!(call(&function, &arguments), written);
    }
}
