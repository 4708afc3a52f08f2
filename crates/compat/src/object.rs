//! Two objects: which properties there are, which must be there, and whether there may be others.

use std::collections::BTreeSet;

use catalog::Tool;
use serde_json::{Map, Value};

use crate::{
    Change, ChangeRule, Direction,
    arms::Node,
    rules::object::{
        OBJECT_CLOSED, OBJECT_OPENED, OUTPUT_ADDED, OUTPUT_PROMISED, OUTPUT_REMOVED,
        OUTPUT_UNPROMISED, PARAMETER_ADDED, PARAMETER_OPTIONAL, PARAMETER_REMOVED,
        PARAMETER_REQUIRED, REQUIRED_ADDED,
    },
    schema::{Pair, Walk},
};

/// The keyword for properties that have no name.
const REST: &str = "additionalProperties";

impl<'a> Walk<'a> {
    /// Compares two objects.
    pub(crate) fn object(&mut self, old: Node<'a>, new: Node<'a>, pointer: &str) {
        for name in names(old)
            .into_iter()
            .chain(names(new).into_iter().filter(|name| !names(old).contains(name)))
        {
            let at = catalog::pointer::child(&format!("{pointer}/properties"), name);
            match (property(old, name), property(new, name)) {
                (Some(_), None) => self.removed(&at),
                (None, Some(now)) => {
                    self.added(is_required(new, name), &at);
                    // Of an object whose other properties had a type, it had that type before.
                    if let rest @ Node::Object(_) = old.part(REST) {
                        self.node(Pair { old: rest, new: now, pointer: &at });
                    }
                }
                (Some(before), Some(now)) => {
                    self.obligation(is_required(old, name), is_required(new, name), &at);
                    self.node(Pair { old: before, new: now, pointer: &at });
                }
                (None, None) => {}
            }
        }
        self.rest(old, new, pointer);
    }

    fn removed(&mut self, pointer: &str) {
        let name = self.direction.subject(pointer);
        match self.direction {
            Direction::Input => {
                self.push(&PARAMETER_REMOVED, pointer, format!("{name} is no longer taken"))
            }
            Direction::Output => {
                self.push(&OUTPUT_REMOVED, pointer, format!("{name} is no longer returned"))
            }
        }
    }

    fn added(&mut self, is_required: bool, pointer: &str) {
        let name = self.direction.subject(pointer);
        match (self.direction, is_required) {
            (Direction::Input, true) => {
                self.push(&REQUIRED_ADDED, pointer, format!("{name} must be given now"))
            }
            (Direction::Input, false) => {
                self.push(&PARAMETER_ADDED, pointer, format!("{name} may be given now"))
            }
            (Direction::Output, _) => {
                self.push(&OUTPUT_ADDED, pointer, format!("{name} is returned now"))
            }
        }
    }

    fn obligation(&mut self, before: bool, now: bool, pointer: &str) {
        let name = self.direction.subject(pointer);
        let (rule, message): (&'static ChangeRule, _) = match (self.direction, before, now) {
            (Direction::Input, false, true) => {
                (&PARAMETER_REQUIRED, format!("{name} could be left out and must be given now"))
            }
            (Direction::Input, true, false) => {
                (&PARAMETER_OPTIONAL, format!("{name} can be left out now"))
            }
            (Direction::Output, false, true) => {
                (&OUTPUT_PROMISED, format!("{name} is always returned now"))
            }
            (Direction::Output, true, false) => {
                (&OUTPUT_UNPROMISED, format!("{name} is no longer always returned"))
            }
            _ => return,
        };
        self.push(rule, pointer, message);
    }

    /// What is taken beyond the properties that have names.
    fn rest(&mut self, old: Node<'a>, new: Node<'a>, pointer: &str) {
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/{REST}");
        match (old.part(REST), new.part(REST)) {
            (Node::Nothing, Node::Nothing) => {}
            (_, Node::Nothing) => self.push(
                &OBJECT_CLOSED,
                pointer,
                format!("{what} may have no others than these any more"),
            ),
            (Node::Nothing, _) => {
                self.push(&OBJECT_OPENED, pointer, format!("{what} may have others than these now"))
            }
            (old, new) => self.node(Pair { old, new, pointer: &pointer }),
        }
    }
}

/// Of results without a schema only the names of fields are known, if at all.
pub(crate) fn named_fields(old: &Tool, new: &Tool) -> Vec<Change> {
    let listed = |tool: &Tool| {
        tool.aspects.as_ref().map(|aspects| aspects.outputs.clone()).unwrap_or_default()
    };
    let top = |tool: &Tool| {
        listed(tool)
            .into_iter()
            .map(|field| field.name)
            .filter(|name| !name.contains('.'))
            .collect::<Vec<_>>()
    };
    let (old, new) = (top(old), top(new));
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let pointer = |name: &str| format!("{}/properties/{name}", Direction::Output.pointer());
    let told = |rule, name: &str, what: &str| {
        Change::new(rule, Direction::Output, pointer(name), format!("`{name}` {what}"))
    };
    let gone = old
        .iter()
        .filter(|name| !new.contains(name))
        .map(|name| told(&OUTPUT_REMOVED, name, "is no longer returned"));
    let fresh = new
        .iter()
        .filter(|name| !old.contains(name))
        .map(|name| told(&OUTPUT_ADDED, name, "is returned now"));
    gone.chain(fresh).collect()
}

/// The properties that an object speaks of, in their order.
fn names(node: Node<'_>) -> Vec<&str> {
    let own = node.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let required = node
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let mut seen = BTreeSet::new();
    own.map(String::as_str).chain(required).filter(|name| seen.insert(*name)).collect()
}

fn property<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    let own = node.get("properties").and_then(|all| all.get(name)).map(Node::of);
    own.or_else(|| is_required(node, name).then(|| node.part(REST)))
}

fn is_required(node: Node<'_>, name: &str) -> bool {
    node.get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| names.iter().any(|own| own == name))
}
