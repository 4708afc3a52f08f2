//! Types as people write them: seventy-five spellings become one JSON Schema each.

mod parser;

use serde_json::{Map, Value};

use parser::{DEEPEST, WORDS};

/// The schema that a type means; none if it is no type that is known.
pub(super) fn parse(text: &str) -> Option<Map<String, Value>> {
    let text = text.replace('`', "");
    let text = text.trim().strip_suffix(", optional").unwrap_or(text.trim());
    let (schema, rest) = parser::read(text)?;
    // A remark in parentheses says something about the value, not about its type.
    let is_remark = rest.starts_with('(') && rest.ends_with(')');
    (rest.is_empty() || is_remark).then(|| schema.as_object().cloned())?
}

/// Whether a cell leaves the type open on purpose.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(
        text.trim().trim_matches('`'),
        "" | "-" | "--" | "—" | "–" | "..." | "…" | "n/a" | "N/A"
    )
}

/// The same type in the words of JSON Schema, if it is spelled otherwise.
pub(super) fn respelled(text: &str) -> Option<String> {
    let mut spelled = String::with_capacity(text.len());
    let mut in_text = None;
    let mut word = String::new();
    for c in text.chars().chain(std::iter::once(' ')) {
        if in_text.is_none() && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        spelled.push_str(canonical(&word).unwrap_or(&word));
        word.clear();
        spelled.push(c);
        in_text = match in_text {
            None if matches!(c, '"' | '\'') => Some(c),
            Some(quote) if quote == c => None,
            other => other,
        };
    }
    spelled.pop();
    (spelled != text && parse(&spelled) == parse(text)).then_some(spelled)
}

/// A schema as a type; none if no type means just that.
pub(super) fn spelled(schema: &Map<String, Value>) -> Option<String> {
    let spelled = spell(schema, 0)?;
    (parse(&spelled).as_ref() == Some(schema)).then_some(spelled)
}

fn spell(schema: &Map<String, Value>, depth: usize) -> Option<String> {
    let inside = |schema: &Value| spell(schema.as_object()?, depth + 1);
    if depth > DEEPEST {
        return None;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        return Some(format!("enum[{}]", choices.join(", ")));
    }
    if let Some(arms) = schema.get("anyOf").and_then(Value::as_array) {
        return arms.iter().map(inside).collect::<Option<Vec<_>>>().map(|arms| arms.join(" | "));
    }
    match schema.get("type") {
        None => Some("any".to_owned()),
        Some(Value::Array(kinds)) => kinds
            .iter()
            .map(Value::as_str)
            .collect::<Option<Vec<_>>>()
            .map(|kinds| kinds.join(" | ")),
        Some(Value::String(kind)) => {
            Some(match (kind.as_str(), schema.get("items"), schema.get("additionalProperties")) {
                ("array", Some(items), _) => format!("array[{}]", inside(items)?),
                ("object", _, Some(values)) => format!("object[string, {}]", inside(values)?),
                ("string", ..) => worded(schema.get("format").and_then(Value::as_str)).to_owned(),
                _ => kind.clone(),
            })
        }
        Some(_) => None,
    }
}

/// The formats that there is a word for.
pub(super) const FORMATS: [&str; 5] = ["path", "date-time", "date", "uri", "uuid"];

/// The word for texts of a format.
fn worded(format: Option<&str>) -> &'static str {
    match format {
        Some("path") => "path",
        Some("date-time") => "datetime",
        Some("date") => "date",
        Some("uri") => "url",
        Some("uuid") => "uuid",
        _ => "string",
    }
}

fn canonical(word: &str) -> Option<&'static str> {
    const KEPT: [&str; 9] =
        ["path", "bytes", "datetime", "date", "url", "uuid", "text", "tuple", "set"];
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "any" => Some("any"),
        lower if KEPT.contains(&lower) => None,
        lower => WORDS.iter().find(|(known, _)| *known == lower).map(|(_, kind)| *kind),
    }
}

/// Whether a value has the type: enough to tell an example from a remark.
pub(super) fn admits(schema: &Map<String, Value>, value: &Value) -> bool {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.contains(value);
    }
    if let Some(arms) = schema.get("anyOf").and_then(Value::as_array) {
        return arms.iter().filter_map(Value::as_object).any(|arm| admits(arm, value));
    }
    match schema.get("type") {
        Some(Value::String(kind)) => is_of(kind, value),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).any(|kind| is_of(kind, value))
        }
        _ => true,
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
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

    use super::{parse, respelled};

    fn kind(text: &str) -> Value {
        parse(text).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn reads_every_spelling() {
        let of = |items: Value| json!({"type": "array", "items": items});
        let string = || json!({"type": "string"});
        for (spelling, schema) in [
            ("`str`", string()),
            ("list[str]", of(string())),
            ("List[str]", of(string())),
            ("array of strings", of(string())),
            ("string[]", of(string())),
            ("array[array[float]]", of(of(json!({"type": "number"})))),
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
                json!({"anyOf": [{"type": "integer"}, string(), of(json!({"type": "number"}))]}),
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
            ("list of file paths", of(json!({"type": "string", "format": "path"}))),
            ("{a: int}", json!({"type": "object", "properties": {"a": {"type": "integer"}}})),
            (
                r#"list[{"a": str, b?: {c: int | None}}]"#,
                of(json!({"type": "object", "properties": {
                    "a": string(), "b": {"type": "object", "properties": {"c": {"type": ["integer", "null"]}}}}})),
            ),
        ] {
            assert_eq!(kind(spelling), schema, "{spelling}");
        }
        assert_eq!(kind("tuple[float,float]")["maxItems"], 2);
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
            assert_eq!(kind(unknown), Value::Null, "{unknown}");
        }
    }

    #[test]
    fn a_very_deep_type_is_unknown() {
        assert_eq!(kind(&"list[".repeat(100_000)), Value::Null);
    }

    #[test]
    fn respelling_keeps_the_meaning() {
        assert_eq!(respelled("list[str]").as_deref(), Some("array[string]"));
        assert_eq!(respelled("str | None").as_deref(), Some("string | null"));
        assert_eq!(respelled(r#"enum["str"]"#), None);
        assert_eq!(respelled("string"), None);
        assert_eq!(respelled("strng"), None);
    }
}
