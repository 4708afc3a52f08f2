//! A JSON Schema with its validator, compiled on first use.

mod validator;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use serde_json::{Map, Value};

pub(crate) use self::validator::is_smaller;
pub use self::validator::{FoundErrors, SchemaValidator};
use crate::secret::Secrets;

/// The JSON Schema of a tool's arguments or result. Clones are cheap and share the compiled validator.
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

struct Inner {
    object: Arc<Map<String, Value>>,
    validator: OnceLock<Result<SchemaValidator, SchemaError>>,
    secrets: OnceLock<Secrets>,
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
        Self(Arc::new(Inner {
            object: Arc::new(shrink(object)),
            validator: OnceLock::new(),
            secrets: OnceLock::new(),
        }))
    }

    /// The schema that accepts no arguments.
    pub fn empty() -> Self {
        let object = [
            ("type", Value::from("object")),
            ("properties", Value::Object(Map::new())),
            ("additionalProperties", Value::Bool(false)),
        ];
        Self::new(object.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The schema as JSON.
    pub fn object(&self) -> &Arc<Map<String, Value>> {
        &self.0.object
    }

    /// The schemas of the properties, in order.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.0.object.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of one property.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.0.object.get("properties")?.get(name)
    }

    /// The names of the required properties.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.0.object.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether the value of a property must never be logged or stored.
    pub fn is_secret(&self, name: &str) -> bool {
        let secrets = self.0.secrets.get_or_init(|| Secrets::find(&self.0.object));
        secrets.has(name, self.property(name).is_some())
    }

    /// Whether the validator is compiled. Compiling many patterns takes long.
    pub fn is_compiled(&self) -> bool {
        self.0.validator.get().is_some()
    }

    /// The validator, compiled on first use. References are resolved inside the schema only.
    pub fn validator(&self) -> Result<&SchemaValidator, &SchemaError> {
        self.0.validator.get_or_init(|| SchemaValidator::compile(&self.0.object)).as_ref()
    }
}

/// Rebuilds a schema without spare capacity: parsers grow maps and lists in steps, and a crib may have
/// thousands of schemas in memory.
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
        f.debug_tuple("Schema").field(&self.0.object).finish()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.0.object == other.0.object
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
