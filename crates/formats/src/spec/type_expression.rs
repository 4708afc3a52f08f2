//! Type expressions: the 75 spellings of types in real documents, each read as one JSON Schema.

mod parser;

use serde_json::{Map, Value};

use parser::{MAX_DEPTH, TYPE_NAMES};

/// Parses a type expression; `None` if it is not a known type.
pub(super) fn parse(text: &str) -> Option<Map<String, Value>> {
    let text = text.replace('`', "");
    let text = text.trim().strip_suffix(", optional").unwrap_or(text.trim());
    let (schema, rest) = parser::parse_prefix(text)?;
    // A remark in parentheses is about the value, not about its type: `integer (1-10)`.
    let is_remark = rest.starts_with('(') && rest.ends_with(')');
    (rest.is_empty() || is_remark).then(|| schema.as_object().cloned())?
}

/// Whether a cell is left empty on purpose.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(
        text.trim().trim_matches('`'),
        "" | "-" | "--" | "—" | "–" | "..." | "…" | "n/a" | "N/A"
    )
}

/// Spells a type expression with the names of JSON Schema; `None` if it already is, or if that
/// would change its meaning.
pub(super) fn canonicalize(text: &str) -> Option<String> {
    let mut spelled = String::with_capacity(text.len());
    let mut quote = None;
    let mut word = String::new();
    // The blank at the end flushes the last word.
    for c in text.chars().chain(std::iter::once(' ')) {
        if quote.is_none() && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        spelled.push_str(canonical_name(&word).unwrap_or(&word));
        word.clear();
        spelled.push(c);
        quote = match quote {
            None if matches!(c, '"' | '\'') => Some(c),
            Some(open) if open == c => None,
            other => other,
        };
    }
    spelled.pop();
    (spelled != text && parse(&spelled) == parse(text)).then_some(spelled)
}

/// Renders a schema as a type expression; `None` if no expression means exactly that schema.
pub(super) fn render(schema: &Map<String, Value>) -> Option<String> {
    let rendered = render_nested(schema, 0)?;
    // Rendering ignores keywords that it does not know, so reading back is what proves it complete.
    (parse(&rendered).as_ref() == Some(schema)).then_some(rendered)
}

fn render_nested(schema: &Map<String, Value>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let render_inner = |schema: &Value| render_nested(schema.as_object()?, depth + 1);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Some(format!("enum[{}]", values.join(", ")));
    }
    if let Some(arms) = schema.get("anyOf").and_then(Value::as_array) {
        let arms: Option<Vec<String>> = arms.iter().map(render_inner).collect();
        return arms.map(|arms| arms.join(" | "));
    }
    let name = match schema.get("type") {
        None => return Some("any".to_owned()),
        Some(Value::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            return names.map(|names| names.join(" | "));
        }
        Some(name) => name.as_str()?,
    };
    Some(match (name, schema.get("items"), schema.get("additionalProperties")) {
        ("array", Some(items), _) => format!("array[{}]", render_inner(items)?),
        ("object", _, Some(values)) => format!("object[string, {}]", render_inner(values)?),
        ("string", ..) => string_name(schema.get("format").and_then(Value::as_str)).to_owned(),
        _ => name.to_owned(),
    })
}

/// The formats of strings that have a name as a type.
pub(super) const NAMED_FORMATS: [&str; 5] = ["path", "date-time", "date", "uri", "uuid"];

/// The name of the type of strings with a format.
fn string_name(format: Option<&str>) -> &'static str {
    match format {
        Some("path") => "path",
        Some("date-time") => "datetime",
        Some("date") => "date",
        Some("uri") => "url",
        Some("uuid") => "uuid",
        _ => "string",
    }
}

/// The name in JSON Schema of a type; `None` for names that say more than it would.
fn canonical_name(word: &str) -> Option<&'static str> {
    const KEPT: [&str; 9] =
        ["path", "bytes", "datetime", "date", "url", "uuid", "text", "tuple", "set"];
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "any" => Some("any"),
        lower if KEPT.contains(&lower) => None,
        lower => TYPE_NAMES.iter().find(|(known, _)| *known == lower).map(|(_, name)| *name),
    }
}

/// Whether a value is of a type. This compares only type, values and alternatives, which is enough
/// to tell an example from a remark and much cheaper than a validator per cell.
pub(super) fn admits(schema: &Map<String, Value>, value: &Value) -> bool {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.contains(value);
    }
    if let Some(arms) = schema.get("anyOf").and_then(Value::as_array) {
        return arms.iter().filter_map(Value::as_object).any(|arm| admits(arm, value));
    }
    match schema.get("type") {
        Some(Value::String(name)) => is_of_type(name, value),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).any(|name| is_of_type(name, value))
        }
        _ => true,
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{canonicalize, parse};

    fn parse_to_value(text: &str) -> Value {
        parse(text).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn reads_every_spelling() {
        let array_of = |items: Value| json!({"type": "array", "items": items});
        let string = || json!({"type": "string"});
        for (spelling, schema) in [
            ("`str`", string()),
            ("list[str]", array_of(string())),
            ("List[str]", array_of(string())),
            ("array of strings", array_of(string())),
            ("string[]", array_of(string())),
            ("array[array[float]]", array_of(array_of(json!({"type": "number"})))),
            ("str | None", json!({"type": ["string", "null"]})),
            ("string or null", json!({"type": ["string", "null"]})),
            ("Optional[int]", json!({"type": ["integer", "null"]})),
            ("dict[str, Any]", json!({"type": "object"})),
            (
                "dict[str, list]",
                json!({"type": "object", "additionalProperties": {"type": "array"}}),
            ),
            (r#"enum["a", "b"]"#, json!({"type": "string", "enum": ["a", "b"]})),
            (r#""a" | "b""#, json!({"type": "string", "enum": ["a", "b"]})),
            (
                "integer or string or array[float]",
                json!({"anyOf": [{"type": "integer"}, string(), array_of(json!({"type": "number"}))]}),
            ),
            ("Any", json!({})),
            ("integer (1-10)", json!({"type": "integer"})),
            ("`float` (0-1)", json!({"type": "number"})),
            ("`string` | `null`", json!({"type": ["string", "null"]})),
            ("string, optional", string()),
            ("nullable string", json!({"type": ["string", "null"]})),
            ("int64", json!({"type": "integer"})),
            (r#"enum["a" | "b"]"#, json!({"type": "string", "enum": ["a", "b"]})),
            ("enum[a | b]", json!({"type": "string", "enum": ["a", "b"]})),
            ("one of: a, b", json!({"type": "string", "enum": ["a", "b"]})),
            (r#"One of "a", "b" or "c d""#, json!({"type": "string", "enum": ["a", "b", "c d"]})),
            ("one of: 1, 2", json!({"enum": [1, 2]})),
            ("file path", json!({"type": "string", "format": "path"})),
            ("list of file paths", array_of(json!({"type": "string", "format": "path"}))),
            ("{a: int}", json!({"type": "object", "properties": {"a": {"type": "integer"}}})),
            (
                r#"list[{"a": str, b?: {c: int | None}}]"#,
                array_of(json!({"type": "object", "properties": {
                    "a": string(), "b": {"type": "object", "properties": {"c": {"type": ["integer", "null"]}}}}})),
            ),
        ] {
            assert_eq!(parse_to_value(spelling), schema, "{spelling}");
        }
        assert_eq!(parse_to_value("tuple[float,float]")["maxItems"], 2);
        let unknown = [
            "",
            "strng",
            "[DataType]",
            "list[",
            "a string that says",
            "one of the files",
            "one of",
            "file",
            "{",
            "{a}",
            "{a: b}",
        ];
        for unknown in unknown {
            assert_eq!(parse_to_value(unknown), Value::Null, "{unknown}");
        }
    }

    #[test]
    fn a_very_deep_type_is_unknown() {
        assert_eq!(parse_to_value(&"list[".repeat(100_000)), Value::Null);
    }

    #[test]
    fn canonicalizing_keeps_the_meaning() {
        assert_eq!(canonicalize("list[str]").as_deref(), Some("array[string]"));
        assert_eq!(canonicalize("str | None").as_deref(), Some("string | null"));
        assert_eq!(canonicalize(r#"enum["str"]"#), None);
        assert_eq!(canonicalize("string"), None);
        assert_eq!(canonicalize("strng"), None);
    }
}
