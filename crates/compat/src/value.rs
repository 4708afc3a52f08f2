//! Two arms of one kind: listed values, patterns, items; what is inside an object has a file of its own.

use serde_json::Value;

use crate::{
    arms::{Arm, Kind},
    bounds,
    rules::value::{
        ENUM_ADDED, ENUM_REMOVED, ENUM_VALUE_ADDED, ENUM_VALUE_REMOVED, PATTERN_ADDED,
        PATTERN_CHANGED, PATTERN_REMOVED,
    },
    schema::{Pair, Side, Walk},
};

/// Keywords that describe the text of a string.
const PATTERNS: [&str; 4] = ["pattern", "format", "contentEncoding", "contentMediaType"];

/// How many values a message names.
const MOST_NAMED: usize = 8;

impl<'a> Walk<'a> {
    /// Compares two arms of one kind.
    pub(crate) fn arm(&mut self, old: &Arm<'a>, new: &Arm<'a>, pointer: &str) {
        match (&old.values, &new.values) {
            (Some(before), Some(now)) => return self.values(before, now, pointer),
            (Some(before), None) => return self.unlisted(before, new, pointer),
            (None, Some(now)) => return self.listed(old, now, pointer),
            (None, None) => {}
        }
        self.conditions(Pair { old: old.node, new: new.node, pointer });
        let what = self.direction.subject(pointer);
        for (rule, key, words) in bounds::compare(old, new) {
            self.push(rule, format!("{pointer}/{key}"), format!("`{key}` of {what} {words}"));
        }
        match old.kind {
            Kind::String => PATTERNS.iter().for_each(|key| self.pattern(key, old, new, pointer)),
            Kind::Array => {
                let pointer = format!("{pointer}/items");
                self.node(Pair {
                    old: old.node.part("items"),
                    new: new.node.part("items"),
                    pointer: &pointer,
                });
            }
            Kind::Object => self.object(old.node, new.node, pointer),
            Kind::Null | Kind::Boolean | Kind::Number => {}
        }
    }

    fn values(&mut self, old: &[&'a Value], new: &[&'a Value], pointer: &str) {
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/enum");
        let gone: Vec<&Value> = old.iter().copied().filter(|value| !new.contains(value)).collect();
        let fresh: Vec<&Value> = new.iter().copied().filter(|value| !old.contains(value)).collect();
        if !gone.is_empty() {
            self.push(
                &ENUM_VALUE_REMOVED,
                pointer.as_str(),
                format!("{} no longer among the values of {what}", are(&gone)),
            );
        }
        if !fresh.is_empty() {
            self.push(
                &ENUM_VALUE_ADDED,
                pointer,
                format!("{} among the values of {what} now", are(&fresh)),
            );
        }
    }

    /// Any value that fits, where there was a list.
    fn unlisted(&mut self, old: &[&'a Value], new: &Arm<'a>, pointer: &str) {
        let gone: Vec<&Value> =
            old.iter().copied().filter(|value| !self.fits(Side::New, new.node, value)).collect();
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/enum");
        if !gone.is_empty() {
            self.push(
                &ENUM_VALUE_REMOVED,
                pointer.as_str(),
                format!("{} no longer among the values of {what}", are(&gone)),
            );
        }
        if new.kind != Kind::Null {
            self.push(&ENUM_REMOVED, pointer, format!("the values of {what} are no longer listed"));
        }
    }

    /// A list, where any value that fits was taken.
    fn listed(&mut self, old: &Arm<'a>, new: &[&'a Value], pointer: &str) {
        let fresh: Vec<&Value> =
            new.iter().copied().filter(|value| !self.fits(Side::Old, old.node, value)).collect();
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/enum");
        if !fresh.is_empty() {
            self.push(
                &ENUM_VALUE_ADDED,
                pointer.as_str(),
                format!("{} among the values of {what} now", are(&fresh)),
            );
        }
        if old.kind != Kind::Null {
            self.push(&ENUM_ADDED, pointer, format!("{what} can only be {} now", named(new)));
        }
    }

    fn pattern(&mut self, key: &str, old: &Arm<'a>, new: &Arm<'a>, pointer: &str) {
        let what = self.direction.subject(pointer);
        let pointer = format!("{pointer}/{key}");
        match (old.node.get(key), new.node.get(key)) {
            (None, Some(now)) => {
                self.push(&PATTERN_ADDED, pointer, format!("`{key}` of {what} must be {now} now"))
            }
            (Some(before), None) => self.push(
                &PATTERN_REMOVED,
                pointer,
                format!("`{key}` of {what} need not be {before} any more"),
            ),
            (Some(before), Some(now)) if before != now => {
                let message = format!(
                    "cannot decide whether this is compatible: `{key}` of {what} was {before} and is {now}; somebody has to look"
                );
                self.push(&PATTERN_CHANGED, pointer, message);
            }
            _ => {}
        }
    }
}

fn named(values: &[&Value]) -> String {
    let all: Vec<String> =
        values.iter().take(MOST_NAMED).map(|value| format!("`{value}`")).collect();
    match values.len().saturating_sub(MOST_NAMED) {
        0 => all.join(", "),
        more => format!("{} and {more} more", all.join(", ")),
    }
}

fn are(values: &[&Value]) -> String {
    format!("{} {}", named(values), if values.len() == 1 { "is" } else { "are" })
}
