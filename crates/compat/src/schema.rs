//! Two schemas, walked side by side.

use std::{cell::Cell, collections::BTreeSet};

use catalog::Tool;
use serde_json::{Map, Value};

use crate::{
    Change, ChangeRule, Direction, Effect,
    arms::{Arm, Kind, Node, arms, find, fits, is_annotation, resolved},
    object,
    rules::{
        object::{OUTPUT_SCHEMA_ADDED, OUTPUT_SCHEMA_REMOVED},
        value::{CANNOT_DECIDE, TYPE_CHANGED, TYPE_NARROWED, TYPE_WIDENED},
    },
    texts,
};

/// Schemas inside each other deeper than this are not looked into.
const DEEPEST: usize = 64;
/// No more pairs of schemas than this are looked at for one tool.
const MOST_STEPS: usize = 20_000;

/// Keywords whose values are schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies"];

/// Where a walk is.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a, 'p> {
    pub(crate) old: Node<'a>,
    pub(crate) new: Node<'a>,
    pub(crate) pointer: &'p str,
}

/// The schemas that the references of the two sides are resolved in.
type Roots<'a> = (&'a Map<String, Value>, &'a Map<String, Value>);
/// Two schemas, known by where they are.
type Location = (*const Map<String, Value>, *const Map<String, Value>);

/// A walk along two schemas, and what was found on it.
pub(crate) struct Walk<'a> {
    old_root: &'a Map<String, Value>,
    new_root: &'a Map<String, Value>,
    pub(crate) direction: Direction,
    /// Whether only what is taken counts, not what is said about it.
    is_silent: bool,
    /// The schemas that are being compared: what leads back to them is the same if they are.
    open: Vec<Location>,
    steps: Cell<usize>,
    found: Vec<Change>,
}

impl<'a> Walk<'a> {
    /// What changed in what a tool takes.
    pub(crate) fn of_input(old: &'a Tool, new: &'a Tool) -> Vec<Change> {
        Self::along(old.input.object(), new.input.object(), Direction::Input)
    }

    /// What changed in what a tool returns.
    pub(crate) fn of_output(old: &'a Tool, new: &'a Tool) -> Vec<Change> {
        let pointer = Direction::Output.pointer();
        let told = |rule, message: &str| {
            vec![Change::new(rule, Direction::Output, pointer, message.to_owned())]
        };
        let mut found = object::named_fields(old, new);
        match (&old.output, &new.output) {
            (Some(old), Some(new)) => {
                return Self::along(old.object(), new.object(), Direction::Output);
            }
            (None, Some(_)) => {
                found.extend(told(&OUTPUT_SCHEMA_ADDED, "the result has a schema now"))
            }
            (Some(_), None) => {
                found.extend(told(&OUTPUT_SCHEMA_REMOVED, "the result has no schema any more"))
            }
            (None, None) => {}
        }
        found
    }

    fn along(
        old: &'a Map<String, Value>,
        new: &'a Map<String, Value>,
        direction: Direction,
    ) -> Vec<Change> {
        if old == new {
            return Vec::new();
        }
        let mut walk = Self {
            old_root: old,
            new_root: new,
            direction,
            is_silent: false,
            open: Vec::new(),
            steps: Cell::new(0),
            found: Vec::new(),
        };
        walk.node(Pair {
            old: Node::Object(old),
            new: Node::Object(new),
            pointer: direction.pointer(),
        });
        walk.found
    }

    /// Takes a change, once: what concerns several kinds of value is found for each of them.
    pub(crate) fn push(
        &mut self,
        rule: &'static ChangeRule,
        pointer: impl Into<String>,
        message: String,
    ) {
        let change = Change::new(rule, self.direction, pointer, message);
        let is_known = |known: &Change| {
            known.rule.name == rule.name
                && known.pointer == change.pointer
                && known.message == change.message
        };
        if !self.found.iter().any(is_known) {
            self.found.push(change);
        }
    }

    /// Compares two schemas.
    pub(crate) fn node(&mut self, pair: Pair<'a, '_>) {
        if !self.is_silent {
            let (old, new) =
                (self.said(self.old_root, pair.old), self.said(self.new_root, pair.new));
            self.found.extend(texts::of_schemas(&old, &new, self.direction, pair.pointer));
        }
        let (old, new) = (resolved(self.old_root, pair.old), resolved(self.new_root, pair.new));
        let place = match (old, new) {
            (Node::Everything, Node::Everything) | (Node::Nothing, Node::Nothing) => return,
            (old, new) => (old.address(), new.address()),
        };
        if self.open.contains(&place) {
            return;
        }
        if self.open.len() >= DEEPEST || !self.may_go_on() {
            return self.undecided(pair.pointer, "it is too deep or too large to be compared");
        }
        self.open.push(place);
        self.compare(Pair { old, new, ..pair });
        self.open.pop();
    }

    /// Counts a step; whether there are any left.
    fn may_go_on(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() <= MOST_STEPS
    }

    /// What a schema says beside what it takes: its own words before those of what it refers to.
    fn said(&self, root: &'a Map<String, Value>, node: Node<'a>) -> Vec<(&'a str, &'a Value)> {
        let mut said: Vec<(&str, &Value)> = Vec::new();
        for node in [node, resolved(root, node)] {
            let Node::Object(object) = node else { continue };
            for (key, value) in object.iter().filter(|(key, _)| is_annotation(key)) {
                if said.iter().all(|(own, _)| own != key) {
                    said.push((key, value));
                }
            }
        }
        said
    }

    fn compare(&mut self, pair: Pair<'a, '_>) {
        let (old, new) = (arms(self.old_root, pair.old), arms(self.new_root, pair.new));
        self.types(&old, &new, pair.pointer);
        for kind in Kind::ALL {
            let of = |arms: &[Arm<'a>]| {
                arms.iter().filter(|arm| arm.kind == kind).cloned().collect::<Vec<_>>()
            };
            match (of(&old).as_slice(), of(&new).as_slice()) {
                ([], _) | (_, []) => {}
                ([old], [new]) => self.arm(old, new, pair.pointer),
                (old, new) => self.alternatives(old, new, pair.pointer),
            }
        }
    }

    /// Conditions are the same or not: what they mean together is not looked into.
    pub(crate) fn conditions(&mut self, pair: Pair<'a, '_>) {
        let (old, new) = (pair.old.conditions(), pair.new.conditions());
        let keys: BTreeSet<&str> = old.iter().chain(&new).map(|(key, _)| *key).collect();
        for key in keys {
            let get = |all: &[(&'a str, &'a Value)]| {
                all.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
            };
            let is_same = match (get(&old), get(&new)) {
                (Some(old), Some(new)) => self.is_same(key, old, new, 0),
                _ => false,
            };
            if !is_same {
                let what = self.direction.subject(pair.pointer);
                self.undecided(
                    &format!("{}/{key}", pair.pointer),
                    &format!("`{key}` of {what} is another"),
                );
            }
        }
    }

    /// Whether a keyword says the same twice, apart from annotations, with what it refers to.
    fn is_same(&self, key: &str, old: &'a Value, new: &'a Value, depth: usize) -> bool {
        let both = |old: &'a Value, new: &'a Value| self.is_same_schema(old, new, depth + 1);
        match (key, old, new) {
            _ if depth > DEEPEST || !self.may_go_on() => false,
            ("const" | "enum" | "required", old, new) => old == new,
            ("$ref", Value::String(old), Value::String(new)) => {
                let targets = find(self.old_root, old).zip(find(self.new_root, new));
                targets.map_or(old == new, |(old, new)| self.is_same_node(old, new, depth + 1))
            }
            // What it means is decided by who refers to it.
            ("$dynamicRef", ..) => false,
            (key, Value::Object(old), Value::Object(new)) if NAMED.contains(&key) => {
                old.len() == new.len()
                    && old
                        .iter()
                        .all(|(name, value)| new.get(name).is_some_and(|other| both(value, other)))
            }
            (_, Value::Array(old), Value::Array(new)) => {
                old.len() == new.len() && old.iter().zip(new).all(|(old, new)| both(old, new))
            }
            (_, old, new) => both(old, new),
        }
    }

    fn is_same_schema(&self, old: &'a Value, new: &'a Value, depth: usize) -> bool {
        match old.is_object() && new.is_object() {
            true => self.is_same_node(Node::of(old), Node::of(new), depth),
            false => old == new,
        }
    }

    fn is_same_node(&self, old: Node<'a>, new: Node<'a>, depth: usize) -> bool {
        let (old, new) = (resolved(self.old_root, old), resolved(self.new_root, new));
        let (Node::Object(old), Node::Object(new)) = (old, new) else {
            return false;
        };
        let weighty =
            |object: &'a Map<String, Value>| object.iter().filter(|(key, _)| !is_annotation(key));
        let has = |(key, value): (&String, &'a Value)| {
            new.get(key).is_some_and(|other| self.is_same(key, value, other, depth))
        };
        weighty(old).count() == weighty(new).count() && weighty(old).all(has)
    }

    /// Says that it cannot be decided what something does, and why.
    pub(crate) fn undecided(&mut self, pointer: &str, why: &str) {
        let message =
            format!("cannot decide whether this is compatible: {why}; somebody has to look");
        self.push(&CANNOT_DECIDE, pointer, message);
    }

    /// Compares the types that two schemas take.
    fn types(&mut self, old: &[Arm<'a>], new: &[Arm<'a>], pointer: &str) {
        let takes = |arms: &[Arm<'a>], one: &Arm<'a>| {
            arms.iter().any(|arm| {
                arm.kind == one.kind
                    && (!arm.is_whole
                        || one.is_whole
                        || one.values.is_some() && arm.values.is_some())
            })
        };
        let is_less = old.iter().any(|arm| !takes(new, arm));
        let is_more = new.iter().any(|arm| !takes(old, arm));
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/type");
        let words = format!("of {what} was {} and is {}", types_of(old), types_of(new));
        match (is_less, is_more) {
            (false, false) => {}
            (true, true) => self.push(&TYPE_CHANGED, pointer, format!("the type {words}")),
            (true, false) => {
                self.push(&TYPE_NARROWED, pointer, format!("the type {words}, which is less"))
            }
            (false, true) => {
                self.push(&TYPE_WIDENED, pointer, format!("the type {words}, which is more"))
            }
        }
    }

    /// Compares several alternatives of one kind: each must be within one of the others.
    fn alternatives(&mut self, old: &[Arm<'a>], new: &[Arm<'a>], pointer: &str) {
        let (roots, back) = ((self.old_root, self.new_root), (self.new_root, self.old_root));
        let lost = self.outside(old, new, roots);
        let fresh = self.outside(new, old, back);
        let is_sure = !lost.is_doubtful && !fresh.is_doubtful;
        if let ([old], [new]) = (lost.sure.as_slice(), fresh.sure.as_slice())
            && is_sure
            && old.is_whole == new.is_whole
        {
            return self.arm(old, new, pointer);
        }
        let (kind, what) = (old[0].kind.name(), self.direction.subject(pointer));
        let words = |count: usize| {
            let one = if count == 1 {
                "one alternative".to_owned()
            } else {
                format!("{count} alternatives")
            };
            format!("{one} of type `{kind}` for {what}")
        };
        match (lost.sure.len(), fresh.sure.len()) {
            (0, 0) => {}
            (count, 0) => self.push(&TYPE_NARROWED, pointer, format!("{} less", words(count))),
            (0, count) => self.push(&TYPE_WIDENED, pointer, format!("{} more", words(count))),
            (count, _) => {
                self.push(&TYPE_CHANGED, pointer, format!("{} became another", words(count)))
            }
        }
        if !is_sure {
            self.undecided(
                pointer,
                &format!("the alternatives of type `{kind}` for {what} are others"),
            );
        }
    }

    /// Those of some arms that are within none of the others.
    fn outside(&mut self, arms: &[Arm<'a>], others: &[Arm<'a>], roots: Roots<'a>) -> Outside<'a> {
        let mut outside = Outside { sure: Vec::new(), is_doubtful: false };
        for arm in arms {
            let worst = |other: &Arm<'a>, walk: &mut Self| walk.within(arm, other, roots);
            let best =
                others.iter().map(|other| worst(other, self)).min().unwrap_or(Effect::Breaking);
            match best {
                Effect::Breaking => outside.sure.push(arm.clone()),
                Effect::Undecided => outside.is_doubtful = true,
                _ => {}
            }
        }
        outside
    }

    /// What it would do to callers if `arm` became `other`: nothing bad if it is within it.
    fn within(
        &mut self,
        arm: &Arm<'a>,
        other: &Arm<'a>,
        (old_root, new_root): Roots<'a>,
    ) -> Effect {
        if other.is_whole && !arm.is_whole {
            return Effect::Breaking;
        }
        if !self.may_go_on() {
            return Effect::Undecided;
        }
        let is_forward = std::ptr::eq(old_root, self.old_root);
        let turned = |(old, new): &Location| {
            if is_forward { (*old, *new) } else { (*new, *old) }
        };
        let mut walk = Self {
            old_root,
            new_root,
            direction: Direction::Input,
            is_silent: true,
            open: self.open.iter().map(turned).collect(),
            steps: self.steps.clone(),
            found: Vec::new(),
        };
        walk.arm(arm, other, "");
        self.steps = walk.steps;
        walk.found.iter().map(|change| change.effect).max().unwrap_or(Effect::Metadata)
    }

    /// Whether a value fits the schema that an arm of the old or the new side is of.
    pub(crate) fn fits(&self, side: Side, node: Node<'a>, value: &Value) -> bool {
        match side {
            Side::Old => fits(self.old_root, node, value),
            Side::New => fits(self.new_root, node, value),
        }
    }
}

/// Which of the two.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Old,
    New,
}

struct Outside<'a> {
    sure: Vec<Arm<'a>>,
    is_doubtful: bool,
}

fn types_of(arms: &[Arm<'_>]) -> String {
    let names: BTreeSet<&str> = arms.iter().map(Arm::name).collect();
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| *name != "integer" || !names.contains("number"))
        .collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        all if all.len() == Kind::ALL.len() => "anything".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
    }
}
