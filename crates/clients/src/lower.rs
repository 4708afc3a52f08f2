//! Looser forms of schemas, for clients that would otherwise drop a tool or a part of it.
//!
//! A lowered schema admits every value that the full one admits. Each constraint that it drops
//! becomes a line of the tool's description; arguments are always validated against the full
//! schema.

mod arrays;
mod conditions;
mod properties;

use serde_json::Value;

use crate::schema::Object;

pub(crate) use self::{
    arrays::{give_items, has_bare_array, has_tuple, open_tuples},
    conditions::{drop_conditions, fold_combinations, has_combination, has_condition},
    properties::{
        declare_required, describe_bounds, has_bounds, has_foreign_name, has_undeclared_required,
        has_untyped, make_object, rename, type_untyped,
    },
};

/// A looser form of a schema, with notes about the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The looser schema.
    pub schema: Object,
    /// The constraints that were dropped, each as a sentence.
    pub notes: Vec<String>,
    /// Renamed parameters: the advertised name, and the name in the full schema.
    pub renamed: Vec<(String, String)>,
}

impl Lowered {
    pub(crate) fn new(schema: Object) -> Self {
        Self { schema, notes: Vec::new(), renamed: Vec::new() }
    }

    pub(crate) fn note(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.notes.contains(&sentence) {
            self.notes.push(sentence);
        }
    }

    /// Renames the arguments of a call to the names of the full schema.
    pub fn restore(&self, arguments: &mut Object) {
        for (advertised, own) in &self.renamed {
            if let Some(value) = arguments.shift_remove(advertised) {
                arguments.insert(own.clone(), value);
            }
        }
    }
}

/// The names that a schema requires.
fn required(schema: &Object) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn properties(schema: &Object) -> Option<&Object> {
    schema.get("properties").and_then(Value::as_object)
}

fn properties_mut(schema: &mut Object) -> Option<&mut Object> {
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Object::new()));
    properties.as_object_mut()
}
