//! Compares two schemas by walking them side by side.
//!
//! At each pair of schemas the [`Comparer`] splits both into branches (see [`branch`]), compares
//! which types there are, and then compares the branches of each type: values and patterns in
//! [`value`], ranges in [`bounds`], properties in [`object`], and several branches of one type in
//! [`alternatives`]. [`equality`] covers the keywords that are too hard to compare.

mod alternatives;
mod bounds;
mod branch;
mod disjoint;
mod equality;
mod keywords;
mod node;
mod object;
mod value;

use std::{cell::Cell, collections::BTreeSet};

use catalog::Tool;
use serde_json::{Map, Value};

use crate::{
    Change, ChangeRule, Direction,
    rules::{
        object::{OUTPUT_SCHEMA_ADDED, OUTPUT_SCHEMA_REMOVED},
        value::{CANNOT_DECIDE, TYPE_CHANGED, TYPE_NARROWED, TYPE_WIDENED},
    },
    text::compare_annotations,
};
use branch::{Branch, JsonType};
use node::{Node, resolve};

/// Schemas nested deeper than this are reported as undecided. The walk is recursive, and
/// definitions come from other people.
const MAX_DEPTH: usize = 64;

/// The budget of schema pairs for one tool. Alternatives are compared each with each, so the work
/// could otherwise grow exponentially with the nesting.
const MAX_STEPS: usize = 20_000;

/// Compares the parameters of two versions of a tool.
pub(crate) fn compare_input(old: &Tool, new: &Tool) -> Vec<Change> {
    compare_schemas(old.input.object(), new.input.object(), Direction::Input)
}

/// Compares the results of two versions of a tool.
pub(crate) fn compare_output(old: &Tool, new: &Tool) -> Vec<Change> {
    let (rule, message) = match (&old.output, &new.output) {
        (Some(old), Some(new)) => {
            return compare_schemas(old.object(), new.object(), Direction::Output);
        }
        // Specifications may list result fields in prose without any schema. Their names are the
        // only thing that can be compared then.
        (None, None) => return object::compare_field_names(old, new),
        (None, Some(_)) => (&OUTPUT_SCHEMA_ADDED, "the result has a schema now"),
        (Some(_), None) => (&OUTPUT_SCHEMA_REMOVED, "the result no longer has a schema"),
    };
    // The schema itself is new or gone, but fields that both sides document in prose are still
    // comparable.
    let mut changes = object::compare_field_names(old, new);
    let pointer = Direction::Output.pointer();
    changes.push(Change::in_schema(rule, Direction::Output, pointer, message.to_owned()));
    changes
}

fn compare_schemas(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    direction: Direction,
) -> Vec<Change> {
    // Most tools do not change between two versions.
    if old == new {
        return Vec::new();
    }
    let mut comparer = Comparer {
        old_root: old,
        new_root: new,
        direction,
        ignores_annotations: false,
        in_progress: Vec::new(),
        steps: Cell::new(0),
        changes: Vec::new(),
    };
    let (old, new) = (Node::Object(old), Node::Object(new));
    comparer.compare_nodes(Pair { old, new, pointer: direction.pointer() });
    comparer.changes
}

/// Two schemas at the same place, and the JSON pointer of that place.
#[derive(Clone, Copy)]
struct Pair<'a, 'p> {
    old: Node<'a>,
    new: Node<'a>,
    pointer: &'p str,
}

/// Identifies two schemas by their addresses.
type PairAddress = (*const Map<String, Value>, *const Map<String, Value>);

/// A walk along two schemas that collects their differences.
struct Comparer<'a> {
    /// The documents in which references of the two sides are resolved.
    old_root: &'a Map<String, Value>,
    new_root: &'a Map<String, Value>,
    direction: Direction,
    /// Set while alternatives are tried: only the accepted values count.
    ignores_annotations: bool,
    /// The pairs that enclose the current one.
    in_progress: Vec<PairAddress>,
    /// The number of pairs so far. A cell, because [`equality`] counts its steps too but changes
    /// nothing else.
    steps: Cell<usize>,
    changes: Vec<Change>,
}

impl<'a> Comparer<'a> {
    /// Adds a change unless it is already there. Keywords such as `not` belong to every branch of a
    /// schema, so their changes are found once for each type.
    fn push(&mut self, rule: &'static ChangeRule, pointer: impl Into<String>, message: String) {
        let change = Change::in_schema(rule, self.direction, pointer, message);
        let is_duplicate = |known: &Change| {
            known.rule.name == rule.name
                && known.pointer == change.pointer
                && known.message == change.message
        };
        if !self.changes.iter().any(is_duplicate) {
            self.changes.push(change);
        }
    }

    /// Reports that a difference cannot be judged.
    fn push_undecided(&mut self, pointer: &str, reason: &str) {
        let message = format!("cannot decide whether this is compatible: {reason}; review it");
        self.push(&CANNOT_DECIDE, pointer, message);
    }

    /// Counts a step and returns whether the budget allows it.
    fn count_step(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() <= MAX_STEPS
    }

    /// Compares two schemas.
    fn compare_nodes(&mut self, pair: Pair<'a, '_>) {
        // Collected before resolving, because annotations next to a `$ref` describe this use of the
        // definition and would be lost with the reference.
        if !self.ignores_annotations {
            let old = collect_annotations(self.old_root, pair.old);
            let new = collect_annotations(self.new_root, pair.new);
            self.changes.extend(compare_annotations(&old, &new, self.direction, pair.pointer));
        }
        let (old, new) = (resolve(self.old_root, pair.old), resolve(self.new_root, pair.new));
        if let (Node::Everything, Node::Everything) | (Node::Nothing, Node::Nothing) = (old, new) {
            return;
        }
        let address = (old.address(), new.address());
        // A recursive schema leads back to a pair that is being compared. Assume that the pair is
        // equal (coinduction): if it is not, the difference is found where the cycle began.
        if self.in_progress.contains(&address) {
            return;
        }
        if self.in_progress.len() >= MAX_DEPTH || !self.count_step() {
            return self.push_undecided(pair.pointer, "the schema is too deep or too large");
        }
        self.in_progress.push(address);
        self.compare_by_type(Pair { old, new, ..pair });
        self.in_progress.pop();
    }

    /// Compares the types of two schemas, then their branches type by type.
    fn compare_by_type(&mut self, pair: Pair<'a, '_>) {
        let old = Branch::split(self.old_root, pair.old);
        let new = Branch::split(self.new_root, pair.new);
        self.compare_types(&old, &new, pair.pointer);
        for json_type in JsonType::ALL {
            let of_type = |branches: &[Branch<'a>]| -> Vec<Branch<'a>> {
                branches.iter().filter(|branch| branch.json_type == json_type).cloned().collect()
            };
            match (of_type(&old).as_slice(), of_type(&new).as_slice()) {
                // A type on one side only is a change of the type, reported above.
                ([], _) | (_, []) => {}
                ([old], [new]) => self.compare_branches(old, new, pair.pointer),
                (old, new) => self.compare_alternatives(old, new, pair.pointer),
            }
        }
    }

    fn compare_types(&mut self, old: &[Branch<'a>], new: &[Branch<'a>], pointer: &str) {
        let is_lost = old.iter().any(|branch| !has_type_of(new, branch));
        let is_gained = new.iter().any(|branch| !has_type_of(old, branch));
        let subject = self.direction.describe_subject(pointer);
        // Alternatives and enumerations change the type too, but they are reported at `type`, where
        // readers look for it.
        let pointer = format!("{pointer}/type");
        let change = format!(
            "the type of {subject} changed from {} to {}",
            format_types(old),
            format_types(new)
        );
        match (is_lost, is_gained) {
            (false, false) => {}
            (true, true) => self.push(&TYPE_CHANGED, pointer, change),
            (true, false) => {
                self.push(&TYPE_NARROWED, pointer, format!("{change}, which is narrower"));
            }
            (false, true) => {
                self.push(&TYPE_WIDENED, pointer, format!("{change}, which is wider"));
            }
        }
    }
}

/// The annotations of a schema and of the schema it refers to. Those next to the reference win, as
/// they describe this use of it.
fn collect_annotations<'a>(
    root: &'a Map<String, Value>,
    node: Node<'a>,
) -> Vec<(&'a str, &'a Value)> {
    let mut annotations: Vec<(&str, &Value)> = Vec::new();
    for (key, value) in node.annotations().chain(resolve(root, node).annotations()) {
        if annotations.iter().all(|(own, _)| *own != key) {
            annotations.push((key, value));
        }
    }
    annotations
}

/// Whether one of `branches` has the type of `branch`, as far as `type` is concerned.
fn has_type_of(branches: &[Branch<'_>], branch: &Branch<'_>) -> bool {
    branches.iter().any(|other| {
        let has_same_type = other.json_type == branch.json_type;
        // Between two enumerations, integers and fractions are a difference of values, not of type.
        let are_both_lists = branch.values.is_some() && other.values.is_some();
        has_same_type && (!other.integers_only || branch.integers_only || are_both_lists)
    })
}

/// The types of a schema for a message: `` `integer` or `null` ``.
fn format_types(branches: &[Branch<'_>]) -> String {
    let names: BTreeSet<&str> = branches.iter().map(Branch::type_name).collect();
    // Every integer is a number, so "`integer` or `number`" would suggest two cases.
    let is_redundant = |name: &str| name == "integer" && names.contains("number");
    let names: Vec<&str> = names.iter().copied().filter(|name| !is_redundant(name)).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        all if all.len() == JsonType::ALL.len() => "anything".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
    }
}
