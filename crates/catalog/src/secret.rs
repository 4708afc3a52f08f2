//! Secret arguments, which must never be logged or stored.
//!
//! A schema marks them by `format: password` or `writeOnly: true`. A mark anywhere inside an
//! argument makes the whole argument secret: redacting too much is safer than too little.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::pointer;

/// The replacement for secret values in logs, plans and records.
pub const REDACTED: &str = "[secret]";

/// The secret arguments of one schema.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    names: Vec<String>,
    /// Whether arguments that the schema does not declare are secret.
    unnamed: bool,
}

impl Secrets {
    /// Finds the secret arguments in the schema of a tool.
    pub(crate) fn find(schema: &Map<String, Value>) -> Self {
        let mut search =
            Search { root: schema, root_references: HashSet::new(), followed: HashSet::new() };
        let mut secrets = Self::default();
        search.scan_arguments(schema, &mut secrets);
        secrets
    }

    /// Whether the argument `name` is secret; `is_named` is whether the schema declares it.
    pub(crate) fn has(&self, name: &str, is_named: bool) -> bool {
        (self.unnamed && !is_named) || self.names.iter().any(|secret| secret == name)
    }
}

struct Search<'s> {
    root: &'s Map<String, Value>,
    /// References already followed at the level of the whole arguments object.
    root_references: HashSet<&'s str>,
    /// References already followed inside the current argument; stops recursive schemas.
    followed: HashSet<&'s str>,
}

impl<'s> Search<'s> {
    /// Scans a schema that applies to the whole arguments object.
    fn scan_arguments(&mut self, schema: &'s Map<String, Value>, secrets: &mut Secrets) {
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    secrets.names.extend(
                        properties
                            .iter()
                            .filter(|(_, value)| self.is_secret(value))
                            .map(|(name, _)| name.clone()),
                    );
                }
                ("patternProperties" | "additionalProperties" | "unevaluatedProperties", value) => {
                    secrets.unnamed |= self.is_secret(value);
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    parts
                        .iter()
                        .filter_map(Value::as_object)
                        .for_each(|part| self.scan_arguments(part, secrets));
                }
                ("if" | "then" | "else", Value::Object(part)) => self.scan_arguments(part, secrets),
                ("$ref", Value::String(reference)) if self.root_references.insert(reference) => {
                    let part = self.resolve(reference).and_then(Value::as_object);
                    part.into_iter().for_each(|part| self.scan_arguments(part, secrets));
                }
                _ => {}
            }
        }
    }

    fn is_secret(&mut self, argument: &'s Value) -> bool {
        // For each argument: a reference that was followed for another one may be marked for this
        // one, too.
        self.followed.clear();
        self.is_marked(argument)
    }

    /// Whether a mark occurs anywhere in a schema or in the schemas it references.
    fn is_marked(&mut self, value: &'s Value) -> bool {
        match value {
            Value::Object(members) => {
                members.iter().any(|(key, value)| match (key.as_str(), value) {
                    ("writeOnly", Value::Bool(true)) => true,
                    ("format", Value::String(format)) if format == "password" => true,
                    ("$ref", Value::String(reference)) => {
                        self.followed.insert(reference)
                            && self.resolve(reference).is_some_and(|value| self.is_marked(value))
                    }
                    (_, value) => self.is_marked(value),
                })
            }
            Value::Array(items) => items.iter().any(|item| self.is_marked(item)),
            _ => false,
        }
    }

    /// Resolves a reference inside this schema.
    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix("#/")?;
        let (first, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
        self.root.get(&*pointer::unescape(first))?.pointer(rest)
    }
}
