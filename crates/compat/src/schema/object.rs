//! Compares two object schemas: which properties there are, which are required, and whether others
//! are allowed.

use std::collections::BTreeSet;

use catalog::{Tool, pointer};

use super::{Comparer, Pair, node::Node};
use crate::{
    Change, Direction,
    rules::object::{
        OBJECT_CLOSED, OBJECT_OPENED, OUTPUT_ADDED, OUTPUT_PROMISED, OUTPUT_REMOVED,
        OUTPUT_UNPROMISED, PARAMETER_ADDED, PARAMETER_OPTIONAL, PARAMETER_REMOVED,
        PARAMETER_REQUIRED, REQUIRED_ADDED,
    },
};

/// The keyword for properties that `properties` does not name.
const ADDITIONAL: &str = "additionalProperties";

impl<'a> Comparer<'a> {
    pub(super) fn compare_objects(&mut self, old: Node<'a>, new: Node<'a>, pointer: &str) {
        let old_names = mentioned_properties(old);
        let added = mentioned_properties(new).into_iter().filter(|name| !old_names.contains(name));
        for name in old_names.iter().copied().chain(added) {
            let pointer = pointer::child(&format!("{pointer}/properties"), name);
            match (find_property(old, name), find_property(new, name)) {
                // Breaking even if additional properties are allowed: the call is accepted, but the
                // tool silently ignores what it asks for.
                (Some(_), None) => self.push_removed(&pointer),
                (None, Some(now)) => {
                    self.push_added(is_required(new, name), &pointer);
                    // If additional properties had a schema, callers could already send this one,
                    // and had to follow that schema. Without one it is new.
                    if let additional @ Node::Object(_) = old.subschema(ADDITIONAL) {
                        self.compare_nodes(Pair { old: additional, new: now, pointer: &pointer });
                    }
                }
                (Some(before), Some(now)) => {
                    self.compare_required(is_required(old, name), is_required(new, name), &pointer);
                    self.compare_nodes(Pair { old: before, new: now, pointer: &pointer });
                }
                // Unreachable: every name comes from one of the two sides.
                (None, None) => {}
            }
        }
        self.compare_additional(old, new, pointer);
    }

    fn push_removed(&mut self, pointer: &str) {
        let name = self.direction.describe_subject(pointer);
        let (rule, message) = match self.direction {
            Direction::Input => (&PARAMETER_REMOVED, format!("{name} is no longer accepted")),
            Direction::Output => (&OUTPUT_REMOVED, format!("{name} is no longer returned")),
        };
        self.push(rule, pointer, message);
    }

    fn push_added(&mut self, is_required: bool, pointer: &str) {
        let name = self.direction.describe_subject(pointer);
        let (rule, message) = match (self.direction, is_required) {
            (Direction::Input, true) => (&REQUIRED_ADDED, format!("{name} is new and required")),
            (Direction::Input, false) => (&PARAMETER_ADDED, format!("{name} is new and optional")),
            (Direction::Output, _) => (&OUTPUT_ADDED, format!("{name} is new in the result")),
        };
        self.push(rule, pointer, message);
    }

    fn compare_required(&mut self, was_required: bool, is_required: bool, pointer: &str) {
        let name = self.direction.describe_subject(pointer);
        let (rule, message) = match (self.direction, was_required, is_required) {
            (Direction::Input, false, true) => {
                (&PARAMETER_REQUIRED, format!("{name} was optional and is required now"))
            }
            (Direction::Input, true, false) => {
                (&PARAMETER_OPTIONAL, format!("{name} is optional now"))
            }
            (Direction::Output, false, true) => {
                (&OUTPUT_PROMISED, format!("{name} is always returned now"))
            }
            (Direction::Output, true, false) => {
                (&OUTPUT_UNPROMISED, format!("{name} is no longer always returned"))
            }
            (_, true, true) | (_, false, false) => return,
        };
        self.push(rule, pointer, message);
    }

    fn compare_additional(&mut self, old: Node<'a>, new: Node<'a>, pointer: &str) {
        let subject = self.direction.describe_subject(pointer);
        let pointer = format!("{pointer}/{ADDITIONAL}");
        match (old.subschema(ADDITIONAL), new.subschema(ADDITIONAL)) {
            (Node::Nothing, Node::Nothing) => {}
            // Closing an object breaks callers that send more than the listed properties, even if
            // each listed property is unchanged.
            (_, Node::Nothing) => {
                let message = format!("additional properties of {subject} are no longer allowed");
                self.push(&OBJECT_CLOSED, pointer, message);
            }
            (Node::Nothing, _) => {
                let message = format!("additional properties of {subject} are allowed now");
                self.push(&OBJECT_OPENED, pointer, message);
            }
            (old, new) => self.compare_nodes(Pair { old, new, pointer: &pointer }),
        }
    }
}

/// Compares the names of result fields that a specification lists in prose, for tools without an
/// output schema. Nested fields (`a.b`) follow from their parents.
pub(super) fn compare_field_names(old: &Tool, new: &Tool) -> Vec<Change> {
    let field_names = |tool: &Tool| -> Vec<String> {
        let fields = tool.details.iter().flat_map(|details| &details.outputs);
        fields.map(|field| field.name.clone()).filter(|name| !name.contains('.')).collect()
    };
    let (old, new) = (field_names(old), field_names(new));
    // No list means that the fields are not documented, not that there are none.
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let change = |rule, name: &str, event: &str| {
        let pointer = format!("{}/properties/{name}", Direction::Output.pointer());
        Change::in_schema(rule, Direction::Output, pointer, format!("`{name}` {event}"))
    };
    let removed = old
        .iter()
        .filter(|name| !new.contains(name))
        .map(|name| change(&OUTPUT_REMOVED, name, "is no longer returned"));
    let added = new
        .iter()
        .filter(|name| !old.contains(name))
        .map(|name| change(&OUTPUT_ADDED, name, "is new in the result"));
    removed.chain(added).collect()
}

/// The names in `properties` and `required`, in this order. A name may be required without a
/// schema.
fn mentioned_properties(node: Node<'_>) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    node.property_names().chain(node.required()).filter(|name| seen.insert(*name)).collect()
}

/// The schema of a property. One that is only required has the schema of additional properties.
fn find_property<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    let own = node.get("properties").and_then(|all| all.get(name)).map(Node::from_value);
    own.or_else(|| is_required(node, name).then(|| node.subschema(ADDITIONAL)))
}

fn is_required(node: Node<'_>, name: &str) -> bool {
    node.required().any(|required| required == name)
}
