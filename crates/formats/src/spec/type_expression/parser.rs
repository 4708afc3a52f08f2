//! Parses type expressions: names, unions, brackets, lists of values, and fields in braces.

use serde_json::{Map, Value, json};

/// Types nested deeper than this are not read, so that hostile input cannot overflow the stack.
pub(super) const MAX_DEPTH: usize = 16;

/// The names of types in Python, TypeScript and prose, with those of JSON Schema.
pub(super) const TYPE_NAMES: [(&str, &str); 37] = [
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

/// Parses the type that a text begins with, and returns its schema with the trimmed rest.
pub(super) fn parse_prefix(text: &str) -> Option<(Value, &str)> {
    let mut parser = TypeParser { rest: text, depth: 0, has_broken_brackets: false };
    let schema = parser.union()?;
    (!parser.has_broken_brackets).then(|| (schema, parser.rest.trim()))
}

struct TypeParser<'t> {
    rest: &'t str,
    depth: usize,
    /// Whether brackets were opened that contain something else or are never closed.
    has_broken_brackets: bool,
}

impl TypeParser<'_> {
    /// `A | B`, `A or B`, `A / B`.
    fn union(&mut self) -> Option<Value> {
        self.depth += 1;
        // The depth is not restored on failure, which rejects the whole expression.
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut arms = vec![self.parse_postfix()?];
        while self.take("|") || self.take_word("or") || self.take("/") {
            arms.push(self.parse_postfix()?);
        }
        self.depth -= 1;
        Some(unite(arms))
    }

    /// A type with the brackets or question marks after it: `string[]`, `int?`.
    fn parse_postfix(&mut self) -> Option<Value> {
        let mut schema = self.parse_single()?;
        loop {
            if self.take("[]") {
                schema = json!({"type": "array", "items": schema});
            } else if self.take("?") {
                schema = make_nullable(schema);
            } else {
                return Some(schema);
            }
        }
    }

    fn parse_single(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if self.starts_with_quote() {
            return self.string_literal().map(|text| json!({"type": "string", "enum": [text]}));
        }
        if self.take("{") {
            return self.parse_fields();
        }
        let word = self.word()?.to_ascii_lowercase();
        match word.as_str() {
            "one" if self.take_word("of") => self.listed_values(),
            "file" | "directory" | "folder"
                if self.take_word("paths") || self.take_word("path") =>
            {
                self.parse_named("path")
            }
            // Prose calls arbitrary data "JSON" or "value".
            "any" | "value" | "json" => Some(json!({})),
            "nullable" if self.rest.starts_with(' ') => self.parse_single().map(make_nullable),
            "optional" => self.parse_brackets(Self::union).map(make_nullable),
            "union" => self.parse_brackets(Self::arguments).map(unite),
            "enum" | "literal" => self.parse_brackets(Self::parse_enum_values),
            "tuple" => {
                let items = self.parse_brackets(Self::arguments);
                Some(items.map_or_else(|| json!({"type": "array"}), tuple_of))
            }
            _ => self.parse_named(&word),
        }
    }

    /// A type by its name, singular or plural, with the types of its items or values.
    fn parse_named(&mut self, word: &str) -> Option<Value> {
        let find =
            |word: &str| TYPE_NAMES.iter().find(|(known, _)| *known == word).map(|(_, name)| *name);
        // Prose has plurals: "array of strings". `bytes` is the only name that ends in an s.
        let singular = word.strip_suffix('s').filter(|_| word != "bytes").unwrap_or(word);
        match find(word).or_else(|| find(singular))? {
            "array" => Some(self.array()),
            "object" => Some(self.object()),
            name => Some(match word {
                "path" | "filepath" => json!({"type": name, "format": "path"}),
                "datetime" => json!({"type": name, "format": "date-time"}),
                "date" => json!({"type": name, "format": "date"}),
                "url" => json!({"type": name, "format": "uri"}),
                "uuid" => json!({"type": name, "format": "uuid"}),
                _ => json!({"type": name}),
            }),
        }
    }

    /// The rest of an array after its name: `[T]`, `<T>`, ` of T`.
    fn array(&mut self) -> Value {
        let mut items = self.parse_brackets(Self::union);
        if items.is_none() && self.take_word("of") {
            items = self.parse_postfix();
        }
        match items {
            Some(items) => json!({"type": "array", "items": items}),
            None => json!({"type": "array"}),
        }
    }

    /// The rest of an object after its name: `[K, V]`. Keys are always strings in JSON.
    fn object(&mut self) -> Value {
        // The last argument is the type of the values; `dict[str, Any]` is the same as a plain
        // object.
        let values = self.parse_brackets(Self::arguments).and_then(|mut arguments| arguments.pop());
        match values.filter(|values| values.as_object().is_none_or(|schema| !schema.is_empty())) {
            Some(values) => json!({"type": "object", "additionalProperties": values}),
            None => json!({"type": "object"}),
        }
    }

    /// Parses the content of brackets, if they come next.
    fn parse_brackets<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        // Python writes `list[str]`, TypeScript `Array<string>`; documents mix both.
        let close = [("[", "]"), ("<", ">")]
            .into_iter()
            .find(|(open, _)| self.take(open))
            .map(|(_, close)| close)?;
        let inner = parse(self).filter(|_| self.take(close));
        // `None` must not look like brackets that are absent: `list[strng]` is not a plain list.
        self.has_broken_brackets |= inner.is_none();
        inner
    }

    /// Types separated by commas.
    fn arguments(&mut self) -> Option<Vec<Value>> {
        let mut arguments = vec![self.union()?];
        while self.take(",") {
            arguments.push(self.union()?);
        }
        Some(arguments)
    }

    /// The values in `enum["a", "b"]`.
    fn parse_enum_values(&mut self) -> Option<Value> {
        let mut values = Vec::new();
        loop {
            values.push(self.value(&[',', '|', ']', '>'])?);
            if !self.take(",") && !self.take("|") {
                return Some(enum_of(values));
            }
        }
    }

    /// The values after `one of`: `: a, b`, `"a" | "b"`, `a, b or c`. A single value is prose ("one
    /// of the files").
    fn listed_values(&mut self) -> Option<Value> {
        self.take(":");
        let mut values = Vec::new();
        loop {
            values.push(self.value(&[',', '|', ' ', ']', ')'])?);
            let has_separator = self.take(",") || self.take("|");
            // Both may come: "a, b, or c".
            let has_or = self.take_word("or");
            if !has_separator && !has_or {
                return (values.len() > 1).then(|| enum_of(values));
            }
        }
    }

    /// A quoted string, or the JSON or plain text up to one of `ends`.
    fn value(&mut self, ends: &[char]) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if self.starts_with_quote() {
            return self.string_literal();
        }
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = self.rest[..end].trim();
        self.rest = &self.rest[end..];
        (!word.is_empty()).then(|| serde_json::from_str(word).unwrap_or_else(|_| Value::from(word)))
    }

    /// The fields after an opened brace: `a: int, b?: string`. None becomes required: such types
    /// mostly describe results, where a missing `?` promises nothing.
    fn parse_fields(&mut self) -> Option<Value> {
        let mut properties = Map::new();
        while !self.take("}") {
            self.rest = self.rest.trim_start();
            let name = if self.starts_with_quote() {
                self.string_literal()?.as_str()?.to_owned()
            } else {
                self.word()?.to_owned()
            };
            self.take("?");
            if !self.take(":") {
                return None;
            }
            properties.insert(name, self.union()?);
            if !self.take(",") && !self.take(";") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(json!({"type": "object", "properties": properties}))
    }

    fn starts_with_quote(&self) -> bool {
        self.rest.starts_with(['"', '\''])
    }

    fn string_literal(&mut self) -> Option<Value> {
        let quote = self.rest.chars().next()?;
        let inner = &self.rest[1..];
        let end = inner.find(quote)?;
        self.rest = &inner[end + 1..];
        Some(Value::from(&inner[..end]))
    }

    fn word(&mut self) -> Option<&str> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Consumes a mark if it comes next.
    fn take(&mut self, mark: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes a whole word if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        let rest = self
            .rest
            .trim_start()
            .strip_prefix(word)
            .filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn enum_of(values: Vec<Value>) -> Value {
    if values.iter().all(Value::is_string) {
        json!({"type": "string", "enum": values})
    } else {
        json!({"enum": values})
    }
}

fn tuple_of(items: Vec<Value>) -> Value {
    let count = items.len();
    json!({"type": "array", "prefixItems": items, "minItems": count, "maxItems": count})
}

fn make_nullable(schema: Value) -> Value {
    unite(vec![schema, json!({"type": "null"})])
}

/// The shortest schema of a union: one `enum` for values, one list for plain types, else `anyOf`.
fn unite(mut arms: Vec<Value>) -> Value {
    if arms.len() == 1 {
        return arms.remove(0);
    }
    // A union with any type is any type.
    let is_any = |arm: &Value| arm.as_object().is_some_and(Map::is_empty);
    if arms.iter().any(is_any) {
        return json!({});
    }
    // `"a" | "b"` is how TypeScript and Python write an enumeration.
    let values: Option<Vec<Vec<Value>>> =
        arms.iter().map(|arm| arm.get("enum").and_then(Value::as_array).cloned()).collect();
    if let Some(values) = values {
        return json!({"type": "string", "enum": values.concat()});
    }
    let is_plain = |arm: &Value| {
        arm.as_object()
            .is_some_and(|arm| arm.len() == 1 && arm.get("type").is_some_and(Value::is_string))
    };
    if arms.iter().all(is_plain) {
        json!({"type": arms.iter().map(|arm| arm["type"].clone()).collect::<Vec<_>>()})
    } else {
        json!({"anyOf": arms})
    }
}
