//! Types as people write them: seventy-five spellings become one JSON Schema each.

use serde_json::{Map, Value, json};

/// Types nested deeper than this are not read.
const DEEPEST: usize = 16;

/// Words for types, and what each is in JSON Schema.
const WORDS: [(&str, &str); 37] = [
    ("string", "string"),
    ("str", "string"),
    ("text", "string"),
    ("path", "string"),
    ("filepath", "string"),
    ("bytes", "string"),
    ("datetime", "string"),
    ("date", "string"),
    ("url", "string"),
    ("uuid", "string"),
    ("integer", "integer"),
    ("int", "integer"),
    ("long", "integer"),
    ("int32", "integer"),
    ("int64", "integer"),
    ("number", "number"),
    ("float", "number"),
    ("double", "number"),
    ("float32", "number"),
    ("float64", "number"),
    ("decimal", "number"),
    ("boolean", "boolean"),
    ("bool", "boolean"),
    ("object", "object"),
    ("dict", "object"),
    ("dictionary", "object"),
    ("map", "object"),
    ("mapping", "object"),
    ("record", "object"),
    ("array", "array"),
    ("list", "array"),
    ("sequence", "array"),
    ("set", "array"),
    ("tuple", "array"),
    ("null", "null"),
    ("none", "null"),
    ("nil", "null"),
];

/// The schema that a type means; none if it is no type that is known.
pub(super) fn parse(text: &str) -> Option<Map<String, Value>> {
    let text = text.replace('`', "");
    let text = text.trim().strip_suffix(", optional").unwrap_or(text.trim());
    let mut reader = Reader { rest: text, depth: 0, is_broken: false };
    let schema = reader.union()?;
    let rest = reader.rest.trim();
    // A remark in parentheses says something about the value, not about its type.
    let is_remark = rest.starts_with('(') && rest.ends_with(')');
    (!reader.is_broken && (rest.is_empty() || is_remark)).then(|| schema.as_object().cloned())?
}

/// Whether a cell leaves the type open on purpose.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(text.trim().trim_matches('`'), "" | "-" | "--" | "—" | "–" | "..." | "…" | "n/a" | "N/A")
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
        Some(Value::Array(kinds)) => kinds.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|kinds| kinds.join(" | ")),
        Some(Value::String(kind)) => Some(match (kind.as_str(), schema.get("items"), schema.get("additionalProperties")) {
            ("array", Some(items), _) => format!("array[{}]", inside(items)?),
            ("object", _, Some(values)) => format!("object[string, {}]", inside(values)?),
            ("string", ..) => worded(schema.get("format").and_then(Value::as_str)).to_owned(),
            _ => kind.clone(),
        }),
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
    const KEPT: [&str; 9] = ["path", "bytes", "datetime", "date", "url", "uuid", "text", "tuple", "set"];
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
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(|kind| is_of(kind, value)),
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

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
    /// Whether brackets were opened that hold no types or are not closed.
    is_broken: bool,
}

impl Reader<'_> {
    fn union(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut arms = vec![self.postfixed()?];
        while self.take("|") || self.take_word("or") || self.take("/") {
            arms.push(self.postfixed()?);
        }
        self.depth -= 1;
        Some(joined(arms))
    }

    /// A type, and the brackets or question mark behind it.
    fn postfixed(&mut self) -> Option<Value> {
        let mut schema = self.single()?;
        loop {
            if self.take("[]") {
                schema = json!({"type": "array", "items": schema});
            } else if self.take("?") {
                schema = joined(vec![schema, json!({"type": "null"})]);
            } else {
                return Some(schema);
            }
        }
    }

    fn single(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with(['"', '\'']) {
            return self.literal().map(|text| json!({"type": "string", "enum": [text]}));
        }
        if self.take("{") {
            return self.fields();
        }
        let word = self.word()?.to_ascii_lowercase();
        match word.as_str() {
            "one" if self.take_word("of") => self.listed(),
            "file" | "directory" | "folder" if self.take_word("paths") || self.take_word("path") => self.named("path"),
            "any" | "value" | "json" => Some(json!({})),
            "nullable" if self.rest.starts_with(' ') => self.single().map(|inner| joined(vec![inner, json!({"type": "null"})])),
            "optional" => self.inside(|reader| reader.union()).map(|inner| joined(vec![inner, json!({"type": "null"})])),
            "union" => self.inside(Self::arms).map(joined),
            "enum" | "literal" => self.inside(Self::choices),
            "tuple" => Some(self.inside(Self::arms).map_or_else(|| json!({"type": "array"}), tuple)),
            _ => self.named(&word),
        }
    }

    fn named(&mut self, word: &str) -> Option<Value> {
        let singular = word.strip_suffix('s').filter(|_| word != "bytes").unwrap_or(word);
        let known = |word: &str| WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        match known(word).or_else(|| known(singular))? {
            "array" => {
                let items = self.inside(Self::union);
                let items = if items.is_none() && self.take_word("of") { self.postfixed() } else { items };
                Some(items.map_or_else(|| json!({"type": "array"}), |items| json!({"type": "array", "items": items})))
            }
            "object" => {
                let values = self.inside(Self::arms).and_then(|mut arms| arms.pop());
                let is_open = values.as_ref().is_none_or(|values| values.as_object().is_some_and(Map::is_empty));
                Some(if is_open { json!({"type": "object"}) } else { json!({"type": "object", "additionalProperties": values}) })
            }
            kind => Some(match word {
                "path" | "filepath" => json!({"type": kind, "format": "path"}),
                "datetime" => json!({"type": kind, "format": "date-time"}),
                "date" => json!({"type": kind, "format": "date"}),
                "url" => json!({"type": kind, "format": "uri"}),
                "uuid" => json!({"type": kind, "format": "uuid"}),
                _ => json!({"type": kind}),
            }),
        }
    }

    /// What stands in the brackets that follow, if they do.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let close = [("[", "]"), ("<", ">")].into_iter().find(|(open, _)| self.take(open)).map(|(_, close)| close)?;
        let inner = read(self).filter(|_| self.take(close));
        self.is_broken |= inner.is_none();
        inner
    }

    fn arms(&mut self) -> Option<Vec<Value>> {
        let mut arms = vec![self.union()?];
        while self.take(",") {
            arms.push(self.union()?);
        }
        Some(arms)
    }

    fn choices(&mut self) -> Option<Value> {
        let mut choices = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            choices.push(if self.rest.starts_with(['"', '\'']) { self.literal()? } else { self.bare(&[',', '|', ']', '>'])? });
            if !self.take(",") && !self.take("|") {
                return Some(one_of(choices));
            }
        }
    }

    /// The values behind `one of`: `: a, b`, `"a" | "b"`, `a, b or c`. One alone, or one of several words, is running text.
    fn listed(&mut self) -> Option<Value> {
        self.take(":");
        let mut choices = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            choices.push(if self.rest.starts_with(['"', '\'']) {
                self.literal()?
            } else {
                self.bare(&[',', '|', ' ', ']', ')'])?
            });
            let (is_parted, is_last) = (self.take(",") || self.take("|"), self.take_word("or"));
            if !is_parted && !is_last {
                return Some(one_of(choices)).filter(|schema| schema["enum"].as_array().is_some_and(|values| values.len() > 1));
            }
        }
    }

    /// The fields behind an opened brace: `a: int, b?: string`. Which of them must be there is left open.
    fn fields(&mut self) -> Option<Value> {
        let mut properties = Map::new();
        while !self.take("}") {
            self.rest = self.rest.trim_start();
            let quoted = if self.rest.starts_with(['"', '\'']) { self.literal() } else { None };
            let name = match quoted {
                Some(name) => name.as_str().unwrap_or_default().to_owned(),
                None => self.word()?.to_owned(),
            };
            self.take("?");
            let kind = if self.take(":") { self.union()? } else { return None };
            properties.insert(name, kind);
            if !self.take(",") && !self.take(";") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(json!({"type": "object", "properties": properties}))
    }

    fn bare(&mut self, ends: &[char]) -> Option<Value> {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = self.rest[..end].trim();
        self.rest = &self.rest[end..];
        (!word.is_empty()).then(|| serde_json::from_str(word).unwrap_or_else(|_| Value::from(word)))
    }

    fn literal(&mut self) -> Option<Value> {
        let quote = self.rest.chars().next()?;
        let inner = &self.rest[1..];
        let end = inner.find(quote)?;
        self.rest = &inner[end + 1..];
        Some(Value::from(&inner[..end]))
    }

    fn word(&mut self) -> Option<&str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn take(&mut self, mark: &str) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        let rest = rest.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }
}

/// One of these values.
fn one_of(choices: Vec<Value>) -> Value {
    let is_text = choices.iter().all(Value::is_string);
    if is_text { json!({"type": "string", "enum": choices}) } else { json!({"enum": choices}) }
}

fn tuple(items: Vec<Value>) -> Value {
    let count = items.len();
    json!({"type": "array", "prefixItems": items, "minItems": count, "maxItems": count})
}

/// One schema for several: choices in one list, plain types in one, anything else as arms.
fn joined(mut arms: Vec<Value>) -> Value {
    if arms.len() == 1 {
        return arms.remove(0);
    }
    if arms.iter().any(|arm| arm.as_object().is_some_and(Map::is_empty)) {
        return json!({});
    }
    let choices: Option<Vec<Value>> = arms
        .iter()
        .map(|arm| arm.get("enum").and_then(Value::as_array).cloned())
        .collect::<Option<Vec<_>>>()
        .map(|all| all.concat());
    if let Some(choices) = choices {
        return json!({"type": "string", "enum": choices});
    }
    let is_plain =
        |arm: &Value| arm.as_object().is_some_and(|arm| arm.len() == 1 && arm.get("type").is_some_and(Value::is_string));
    match arms.iter().all(is_plain) {
        true => json!({"type": arms.iter().map(|arm| arm["type"].clone()).collect::<Vec<_>>()}),
        false => json!({"anyOf": arms}),
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
            ("dict[str, list]", json!({"type": "object", "additionalProperties": {"type": "array"}})),
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
