//! Compares two branches of one type: enumerated values, patterns and items.

use serde_json::Value;

use super::{
    Comparer, Pair, bounds,
    branch::{Branch, JsonType},
    node::accepts,
};
use crate::rules::value::{
    ENUM_ADDED, ENUM_REMOVED, ENUM_VALUE_ADDED, ENUM_VALUE_REMOVED, PATTERN_ADDED, PATTERN_CHANGED,
    PATTERN_REMOVED,
};

/// Keywords that restrict the text of a string.
const PATTERN_KEYWORDS: [&str; 4] = ["pattern", "format", "contentEncoding", "contentMediaType"];

/// Maximum number of values in a message.
const MAX_LISTED: usize = 8;

impl<'a> Comparer<'a> {
    /// Compares two branches of one type.
    pub(super) fn compare_branches(&mut self, old: &Branch<'a>, new: &Branch<'a>, pointer: &str) {
        // Enumerated values were already checked against the other keywords of their schema, so
        // only the values count.
        match (&old.values, &new.values) {
            (Some(before), Some(now)) => return self.compare_values(before, now, pointer),
            (Some(before), None) => return self.compare_removed_enum(before, new, pointer),
            (None, Some(now)) => return self.compare_added_enum(old, now, pointer),
            (None, None) => {}
        }
        // Compared before the specific keywords, because an undecided `not` or `if` is worth more
        // attention than the rest, and order is kept among equal effects.
        self.compare_opaque_keywords(Pair { old: old.node, new: new.node, pointer });
        let subject = self.direction.describe_subject(pointer);
        for bounds::Difference { rule, key, change } in bounds::compare_bounds(old, new) {
            let message = format!("`{key}` of {subject} {change}");
            self.push(rule, format!("{pointer}/{key}"), message);
        }
        match old.json_type {
            JsonType::String => {
                for key in PATTERN_KEYWORDS {
                    self.compare_pattern(key, old, new, pointer);
                }
            }
            JsonType::Array => {
                let (old, new) = (old.node.subschema("items"), new.node.subschema("items"));
                self.compare_nodes(Pair { old, new, pointer: &format!("{pointer}/items") });
            }
            JsonType::Object => self.compare_objects(old.node, new.node, pointer),
            JsonType::Null | JsonType::Boolean | JsonType::Number => {}
        }
    }

    fn compare_values(&mut self, old: &[&'a Value], new: &[&'a Value], pointer: &str) {
        let lost = old.iter().copied().filter(|value| !new.contains(value)).collect();
        let gained = new.iter().copied().filter(|value| !old.contains(value)).collect();
        self.push_values(lost, gained, pointer);
    }

    /// Compares a list of values with a schema that accepts any value of the type.
    fn compare_removed_enum(&mut self, old: &[&'a Value], new: &Branch<'a>, pointer: &str) {
        // The old values may violate the new pattern or range.
        let is_lost = |value: &&Value| !accepts(self.new_root, new.node, value);
        let lost = old.iter().copied().filter(is_lost).collect();
        self.push_values(lost, Vec::new(), pointer);
        // `null` is its only value; listing it or not is the same.
        if new.json_type != JsonType::Null {
            let subject = self.direction.describe_subject(pointer);
            let message = format!("{subject} is no longer limited to a list of values");
            self.push(&ENUM_REMOVED, format!("{pointer}/enum"), message);
        }
    }

    /// Compares a schema that accepts any value of the type with a list of values.
    fn compare_added_enum(&mut self, old: &Branch<'a>, new: &[&'a Value], pointer: &str) {
        let is_gained = |value: &&Value| !accepts(self.old_root, old.node, value);
        let gained = new.iter().copied().filter(is_gained).collect();
        self.push_values(Vec::new(), gained, pointer);
        if old.json_type != JsonType::Null {
            let subject = self.direction.describe_subject(pointer);
            let message = format!("{subject} is limited to {} now", list_values(new));
            self.push(&ENUM_ADDED, format!("{pointer}/enum"), message);
        }
    }

    fn push_values(&mut self, lost: Vec<&'a Value>, gained: Vec<&'a Value>, pointer: &str) {
        let subject = self.direction.describe_subject(pointer);
        let pointer = format!("{pointer}/enum");
        if !lost.is_empty() {
            let verb =
                if lost.len() == 1 { "is no longer a value" } else { "are no longer values" };
            let message = format!("{} {verb} of {subject}", list_values(&lost));
            self.push(&ENUM_VALUE_REMOVED, pointer.as_str(), message);
        }
        if !gained.is_empty() {
            let verb = if gained.len() == 1 { "is a new value" } else { "are new values" };
            let message = format!("{} {verb} of {subject}", list_values(&gained));
            self.push(&ENUM_VALUE_ADDED, pointer, message);
        }
    }

    fn compare_pattern(&mut self, key: &str, old: &Branch<'a>, new: &Branch<'a>, pointer: &str) {
        let subject = self.direction.describe_subject(pointer);
        let pointer = format!("{pointer}/{key}");
        match (old.node.get(key), new.node.get(key)) {
            (None, Some(now)) => {
                let message = format!("{subject} must have the `{key}` {now} now");
                self.push(&PATTERN_ADDED, pointer, message);
            }
            (Some(before), None) => {
                let message = format!("{subject} need not have the `{key}` {before} any more");
                self.push(&PATTERN_REMOVED, pointer, message);
            }
            // Inclusion of regular expressions is decidable in theory, but not for the ECMA 262
            // dialect with look-around and back references that JSON Schema allows.
            (Some(before), Some(now)) if before != now => {
                let message = format!(
                    "cannot decide whether this is compatible: \
                     `{key}` of {subject} changed from {before} to {now}; review it"
                );
                self.push(&PATTERN_CHANGED, pointer, message);
            }
            _ => {}
        }
    }
}

fn list_values(values: &[&Value]) -> String {
    let listed: Vec<String> =
        values.iter().take(MAX_LISTED).map(|value| format!("`{value}`")).collect();
    match values.len().saturating_sub(MAX_LISTED) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
