//! A JSON Schema with its validator, compiled on first use.

mod validator;

use std::{
    fmt,
    sync::{Arc, LazyLock, OnceLock},
};

use serde_json::{Map, Number, Value};

pub(crate) use self::validator::is_smaller;
pub use self::validator::{FoundErrors, SchemaValidator};
use crate::secret::Secrets;

/// The JSON Schema of a tool's arguments or result. Clones are cheap and share the compiled
/// validator.
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

struct Inner {
    /// The schema as JSON, if it is parsed on first use.
    text: Option<Box<str>>,
    object: OnceLock<Arc<Map<String, Value>>>,
    // Boxed, because most of the schemas of a large catalog are never used.
    validator: OnceLock<Box<Result<SchemaValidator, SchemaError>>>,
    secrets: OnceLock<Box<Secrets>>,
}

/// A schema that cannot be used for validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The problem.
    pub message: String,
    /// JSON pointer into the schema.
    pub pointer: String,
}

impl Schema {
    /// Wraps a schema without checking it; it is compiled on first use.
    pub fn new(object: Map<String, Value>) -> Self {
        Self::with(None, OnceLock::from(Arc::new(object)))
    }

    fn with(text: Option<Box<str>>, object: OnceLock<Arc<Map<String, Value>>>) -> Self {
        let (validator, secrets) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { text, object, validator, secrets }))
    }

    /// The same schema as text that is parsed on first use, which takes a sixth of the memory. A
    /// schema that would not come back exactly is returned as it is.
    pub fn to_compact(&self) -> Self {
        match self.0.object.get() {
            Some(object) if object.values().all(|value| survives_text(value, MAX_TEXT_DEPTH)) => {
                let text = serde_json::to_string(&**object).expect("a JSON value is plain data");
                Self::with(Some(text.into()), OnceLock::new())
            }
            _ => self.clone(),
        }
    }

    /// Removes the spare capacity of its maps and lists, unless it is shared.
    pub fn shrink_to_fit(&mut self) {
        if let Some(inner) = Arc::get_mut(&mut self.0)
            && let Some(object) = inner.object.take()
        {
            inner.object = OnceLock::from(Arc::new(shrink(Arc::unwrap_or_clone(object))));
        }
    }

    /// Whether it is text that was not used yet.
    pub fn is_compact(&self) -> bool {
        self.0.object.get().is_none()
    }

    /// The schema that accepts no arguments.
    pub fn empty() -> Self {
        // Readers start every tool with it.
        static EMPTY: LazyLock<Schema> = LazyLock::new(|| {
            let object = [
                ("type", Value::from("object")),
                ("properties", Value::Object(Map::new())),
                ("additionalProperties", Value::Bool(false)),
            ];
            let object = object.into_iter().map(|(key, value)| (key.to_owned(), value));
            Schema::new(object.collect())
        });
        EMPTY.clone()
    }

    /// The schema as JSON. The first use of a compact schema parses it and keeps the result.
    pub fn object(&self) -> &Arc<Map<String, Value>> {
        self.0.object.get_or_init(|| Arc::new(shrink(self.parse())))
    }

    /// As [`Schema::object`], but does not keep the result of parsing: for passes over all tools of
    /// a catalog.
    pub fn to_object(&self) -> Arc<Map<String, Value>> {
        self.0.object.get().cloned().unwrap_or_else(|| Arc::new(self.parse()))
    }

    fn parse(&self) -> Map<String, Value> {
        let text = self.0.text.as_deref().expect("a schema without an object has a text");
        serde_json::from_str(text).expect("written by `to_compact`")
    }

    /// The schemas of the properties, in order.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.object().get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of one property.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.object().get("properties")?.get(name)
    }

    /// The names of the required properties.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.object().get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether the value of a property must never be logged or stored.
    pub fn is_secret(&self, name: &str) -> bool {
        let secrets = self.0.secrets.get_or_init(|| Box::new(Secrets::find(self.object())));
        secrets.has(name, self.property(name).is_some())
    }

    /// Whether the validator is compiled. Compiling many patterns takes long.
    pub fn is_compiled(&self) -> bool {
        self.0.validator.get().is_some()
    }

    /// The validator, compiled on first use. References are resolved inside the schema only.
    pub fn validator(&self) -> Result<&SchemaValidator, &SchemaError> {
        let compile = || Box::new(SchemaValidator::compile(self.object()));
        (**self.0.validator.get_or_init(compile)).as_ref()
    }
}

/// How deeply a schema may be nested to be kept as text. The parser of JSON stops at 128.
const MAX_TEXT_DEPTH: usize = 100;

/// Whether a value is the same after writing and parsing it. The parser is not exact for every
/// fraction.
fn survives_text(value: &Value, depth: usize) -> bool {
    match value {
        Value::Object(members) => {
            depth > 0 && members.values().all(|member| survives_text(member, depth - 1))
        }
        Value::Array(items) => depth > 0 && items.iter().all(|item| survives_text(item, depth - 1)),
        Value::Number(number) if number.is_f64() => {
            number.to_string().parse::<Number>().is_ok_and(|parsed| parsed == *number)
        }
        _ => true,
    }
}

/// Rebuilds a schema without spare capacity: parsers grow maps and lists in steps, and a crib may
/// have thousands of schemas in memory.
fn shrink(object: Map<String, Value>) -> Map<String, Value> {
    object.into_iter().map(|(keyword, value)| (keyword, shrink_value(value))).collect()
}

fn shrink_value(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(shrink(members)),
        Value::Array(items) => {
            let mut items: Vec<_> = items.into_iter().map(shrink_value).collect();
            items.shrink_to_fit();
            Value::Array(items)
        }
        other => other,
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.to_object()).finish()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_object() == other.to_object()
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

impl std::error::Error for SchemaError {}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_TEXT_DEPTH, Schema};

    fn schema(value: Value) -> Schema {
        Schema::new(value.as_object().cloned().expect("an object"))
    }

    #[test]
    fn compact_schema_is_the_same_in_every_respect() {
        let values = json!({"z": 1, "a": [0.1, -0.0, 1e300, 5e-324, u64::MAX, i64::MIN, "\u{0}é\u{10ffff}"]});
        let full = schema(json!({
            "type": "object", "default": values, "required": ["key"],
            "properties": {"key": {"type": "string", "writeOnly": true}, "a": true},
        }));
        let compact = full.to_compact();
        assert!(compact.is_compact() && !full.is_compact());
        assert_eq!(format!("{compact:?}"), format!("{full:?}"));
        assert_eq!(compact, full);
        assert!(compact.is_compact(), "reading all schemas does not keep them");
        assert_eq!(compact.is_secret("key"), full.is_secret("key"));
        assert!(compact.validator().is_ok_and(|validator| !validator.is_valid(&json!({}))));
        assert!(!compact.is_compact());
    }

    #[test]
    fn schema_that_text_cannot_express_stays_parsed() {
        let nest = |levels| (0..levels).fold(json!({}), |inner, _| json!({"not": inner}));
        assert!(schema(nest(MAX_TEXT_DEPTH)).to_compact().is_compact());
        assert!(!schema(nest(200)).to_compact().is_compact());
    }
}
