//! Reads a type as it is spelled: words, unions, brackets, lists of values, fields in braces.

use serde_json::{Map, Value, json};

/// Types nested deeper than this are not read.
pub(super) const DEEPEST: usize = 16;

/// Words for types, and what each is in JSON Schema.
pub(super) const WORDS: [(&str, &str); 37] = [
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

/// The schema that the beginning of a text means, and what follows it.
pub(super) fn read(text: &str) -> Option<(Value, &str)> {
    let mut reader = TypeParser { rest: text, depth: 0, is_broken: false };
    let schema = reader.union()?;
    (!reader.is_broken).then(|| (schema, reader.rest.trim()))
}

struct TypeParser<'t> {
    rest: &'t str,
    depth: usize,
    /// Whether brackets were opened that hold no types or are not closed.
    is_broken: bool,
}

impl TypeParser<'_> {
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
            "file" | "directory" | "folder"
                if self.take_word("paths") || self.take_word("path") =>
            {
                self.named("path")
            }
            "any" | "value" | "json" => Some(json!({})),
            "nullable" if self.rest.starts_with(' ') => {
                self.single().map(|inner| joined(vec![inner, json!({"type": "null"})]))
            }
            "optional" => self
                .inside(|reader| reader.union())
                .map(|inner| joined(vec![inner, json!({"type": "null"})])),
            "union" => self.inside(Self::arms).map(joined),
            "enum" | "literal" => self.inside(Self::choices),
            "tuple" => {
                Some(self.inside(Self::arms).map_or_else(|| json!({"type": "array"}), tuple))
            }
            _ => self.named(&word),
        }
    }

    fn named(&mut self, word: &str) -> Option<Value> {
        let singular = word.strip_suffix('s').filter(|_| word != "bytes").unwrap_or(word);
        let known =
            |word: &str| WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        match known(word).or_else(|| known(singular))? {
            "array" => {
                let items = self.inside(Self::union);
                let items =
                    if items.is_none() && self.take_word("of") { self.postfixed() } else { items };
                Some(items.map_or_else(
                    || json!({"type": "array"}),
                    |items| json!({"type": "array", "items": items}),
                ))
            }
            "object" => {
                let values = self.inside(Self::arms).and_then(|mut arms| arms.pop());
                let is_open = values
                    .as_ref()
                    .is_none_or(|values| values.as_object().is_some_and(Map::is_empty));
                Some(if is_open {
                    json!({"type": "object"})
                } else {
                    json!({"type": "object", "additionalProperties": values})
                })
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
        let close = [("[", "]"), ("<", ">")]
            .into_iter()
            .find(|(open, _)| self.take(open))
            .map(|(_, close)| close)?;
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
            choices.push(if self.rest.starts_with(['"', '\'']) {
                self.literal()?
            } else {
                self.bare(&[',', '|', ']', '>'])?
            });
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
                return Some(one_of(choices)).filter(|schema| {
                    schema["enum"].as_array().is_some_and(|values| values.len() > 1)
                });
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
            let kind = if self.take(":") {
                self.union()?
            } else {
                return None;
            };
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
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
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
        let rest =
            rest.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
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
    let is_plain = |arm: &Value| {
        arm.as_object()
            .is_some_and(|arm| arm.len() == 1 && arm.get("type").is_some_and(Value::is_string))
    };
    match arms.iter().all(is_plain) {
        true => json!({"type": arms.iter().map(|arm| arm["type"].clone()).collect::<Vec<_>>()}),
        false => json!({"anyOf": arms}),
    }
}
