//! Which arguments must never be written down.
//!
//! A schema says so by `format: password` or `writeOnly: true`. One mark anywhere inside an argument
//! makes the whole of it secret: better too little in a log than too much.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// What stands for a secret value.
pub const REDACTED: &str = "[secret]";

/// The secret arguments of one schema.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    names: Vec<String>,
    /// Whether arguments that the schema does not name are secret.
    unnamed: bool,
}

impl Secrets {
    /// Looks for annotations in the schema of a tool's arguments.
    pub(crate) fn find(schema: &Map<String, Value>) -> Self {
        let mut search = Search { root: schema, wholes: HashSet::new(), followed: HashSet::new() };
        let mut secrets = Self::default();
        search.arguments(schema, &mut secrets);
        secrets
    }

    /// Whether the argument `name` is secret; `is_named` says whether the schema names it.
    pub(crate) fn has(&self, name: &str, is_named: bool) -> bool {
        (self.unnamed && !is_named) || self.names.iter().any(|secret| secret == name)
    }
}

struct Search<'s> {
    root: &'s Map<String, Value>,
    /// The references that were followed from the arguments as a whole.
    wholes: HashSet<&'s str>,
    /// The references that were followed from one argument: once is enough, and a circle ends.
    followed: HashSet<&'s str>,
}

impl<'s> Search<'s> {
    /// Looks at a schema that describes the arguments as a whole.
    fn arguments(&mut self, schema: &'s Map<String, Value>, secrets: &mut Secrets) {
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
                        .for_each(|part| self.arguments(part, secrets));
                }
                ("if" | "then" | "else", Value::Object(part)) => self.arguments(part, secrets),
                ("$ref", Value::String(reference)) if self.wholes.insert(reference) => {
                    let part = self.target(reference).and_then(Value::as_object);
                    part.into_iter().for_each(|part| self.arguments(part, secrets));
                }
                _ => {}
            }
        }
    }

    fn is_secret(&mut self, argument: &'s Value) -> bool {
        self.followed.clear();
        self.is_marked(argument)
    }

    /// Whether there is a mark anywhere in a value or in what it refers to.
    fn is_marked(&mut self, value: &'s Value) -> bool {
        match value {
            Value::Object(members) => {
                members.iter().any(|(key, value)| match (key.as_str(), value) {
                    ("writeOnly", Value::Bool(true)) => true,
                    ("format", Value::String(format)) if format == "password" => true,
                    ("$ref", Value::String(reference)) => {
                        self.followed.insert(reference)
                            && self.target(reference).is_some_and(|value| self.is_marked(value))
                    }
                    (_, value) => self.is_marked(value),
                })
            }
            Value::Array(items) => items.iter().any(|item| self.is_marked(item)),
            _ => false,
        }
    }

    /// What a reference inside this schema points at.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix("#/")?;
        let (first, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
        self.root.get(&first.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
    }
}
