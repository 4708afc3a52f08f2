//! Compares ranges: the size of numbers, the length of strings, the number of items and properties.

use serde_json::Value;

use super::branch::{Branch, JsonType};
use crate::{
    ChangeRule,
    rules::value::{RANGE_NARROWED, RANGE_WIDENED},
};

/// A difference between two ranges.
pub(super) struct Difference {
    pub(super) rule: &'static ChangeRule,
    /// The keyword.
    pub(super) key: &'static str,
    /// The end of a sentence whose subject is the keyword.
    pub(super) change: String,
}

/// The keywords that limit a size, by the type that has it.
const SIZE_KEYWORDS: [(JsonType, &str, &str); 3] = [
    (JsonType::String, "minLength", "maxLength"),
    (JsonType::Array, "minItems", "maxItems"),
    (JsonType::Object, "minProperties", "maxProperties"),
];

/// Compares the ranges of two branches of one type.
pub(super) fn compare_bounds(old: &Branch<'_>, new: &Branch<'_>) -> Vec<Difference> {
    let mut differences = Vec::new();
    if old.json_type == JsonType::Number {
        let (before, now) = (number_range(old), number_range(new));
        differences.extend(compare_bound("minimum", before.0, now.0, End::Lower));
        differences.extend(compare_bound("maximum", before.1, now.1, End::Upper));
        differences.extend(compare_multiples(old, new));
    }
    for (json_type, minimum, maximum) in SIZE_KEYWORDS {
        if json_type != old.json_type {
            continue;
        }
        let bound = |branch: &Branch<'_>, key: &str| {
            branch.node.get(key).and_then(Value::as_f64).map(Bound::inclusive)
        };
        // A minimum of 0 is no restriction.
        let lower = |branch: &Branch<'_>| bound(branch, minimum).filter(|bound| bound.at > 0.0);
        differences.extend(compare_bound(minimum, lower(old), lower(new), End::Lower));
        let (before, now) = (bound(old, maximum), bound(new, maximum));
        differences.extend(compare_bound(maximum, before, now, End::Upper));
    }
    if old.json_type == JsonType::Array {
        differences.extend(compare_uniqueness(old, new));
    }
    differences
}

/// One end of a range.
#[derive(Clone, Copy, PartialEq)]
struct Bound {
    at: f64,
    is_exclusive: bool,
}

impl Bound {
    fn inclusive(at: f64) -> Self {
        Self { at, is_exclusive: false }
    }
}

#[derive(Clone, Copy)]
enum End {
    Lower,
    Upper,
}

/// The lower and the upper bound of numbers.
///
/// Bounds of integers are rounded to the nearest valid integer and become inclusive, so that
/// `exclusiveMinimum: 0` and `minimum: 1` are equal.
fn number_range(branch: &Branch<'_>) -> (Option<Bound>, Option<Bound>) {
    let get = |key: &str| branch.node.get(key).and_then(Value::as_f64);
    let inclusive = |at: f64, round: fn(f64) -> f64| {
        Bound::inclusive(if branch.integers_only { round(at) } else { at })
    };
    let exclusive = |at: f64, step: f64, round: fn(f64) -> f64| {
        if branch.integers_only {
            Bound::inclusive(round(at) + step)
        } else {
            Bound { at, is_exclusive: true }
        }
    };
    let lower = [
        get("minimum").map(|at| inclusive(at, f64::ceil)),
        get("exclusiveMinimum").map(|at| exclusive(at, 1.0, f64::floor)),
    ];
    let upper = [
        get("maximum").map(|at| inclusive(at, f64::floor)),
        get("exclusiveMaximum").map(|at| exclusive(at, -1.0, f64::ceil)),
    ];
    // A schema may have both keywords; the stricter one counts.
    let strictest = |bounds: [Option<Bound>; 2], end| {
        bounds.into_iter().flatten().reduce(|a, b| if is_stricter(b, a, end) { b } else { a })
    };
    (strictest(lower, End::Lower), strictest(upper, End::Upper))
}

fn is_stricter(one: Bound, other: Bound, end: End) -> bool {
    let is_inside = match end {
        End::Lower => one.at > other.at,
        End::Upper => one.at < other.at,
    };
    is_inside || one.at == other.at && one.is_exclusive && !other.is_exclusive
}

fn compare_bound(
    key: &'static str,
    old: Option<Bound>,
    new: Option<Bound>,
    end: End,
) -> Option<Difference> {
    let is_narrower = match (old, new) {
        (old, new) if old == new => return None,
        // `old == new` is handled above, so here the new schema has a bound that the old one lacks.
        (None, _) => true,
        (_, None) => false,
        (Some(old), Some(new)) => is_stricter(new, old, end),
    };
    let format_bound = |bound: Option<Bound>| match bound {
        Some(Bound { at, is_exclusive: true }) => format!("{at} (exclusive)"),
        Some(Bound { at, is_exclusive: false }) => at.to_string(),
        None => "unlimited".to_owned(),
    };
    Some(Difference {
        rule: if is_narrower { &RANGE_NARROWED } else { &RANGE_WIDENED },
        key,
        change: format!("changed from {} to {}", format_bound(old), format_bound(new)),
    })
}

/// Compares `multipleOf`. Multiples of 4 are multiples of 2, but 2 and 3 are both lost and gained.
fn compare_multiples(old: &Branch<'_>, new: &Branch<'_>) -> Vec<Difference> {
    let key = "multipleOf";
    let get = |branch: &Branch<'_>| branch.node.get(key).and_then(Value::as_f64);
    let (old, new) = (get(old), get(new));
    // `multipleOf: 0` is invalid, but schemas come from other people and a division by zero would
    // make every multiple fit.
    let divides = |divisor: f64, number: f64| divisor != 0.0 && (number / divisor).fract() == 0.0;
    let (is_narrower, is_wider) = match (old, new) {
        (old, new) if old == new => (false, false),
        (None, _) => (true, false),
        (_, None) => (false, true),
        // Both may be true: of 4 and 6, each rejects values that the other accepts.
        (Some(old), Some(new)) => (!divides(new, old), !divides(old, new)),
    };
    let format_step = |step: Option<f64>| step.map_or_else(|| "none".to_owned(), |s| s.to_string());
    let change = format!("changed from {} to {}", format_step(old), format_step(new));
    [(is_narrower, &RANGE_NARROWED), (is_wider, &RANGE_WIDENED)]
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, rule)| Difference { rule, key, change: change.clone() })
        .collect()
}

fn compare_uniqueness(old: &Branch<'_>, new: &Branch<'_>) -> Option<Difference> {
    let key = "uniqueItems";
    let is_unique = |branch: &Branch<'_>| branch.node.get(key) == Some(&Value::Bool(true));
    let (rule, change) = match (is_unique(old), is_unique(new)) {
        (false, true) => (&RANGE_NARROWED, "rejects duplicate items now"),
        (true, false) => (&RANGE_WIDENED, "allows duplicate items now"),
        (true, true) | (false, false) => return None,
    };
    Some(Difference { rule, key, change: change.to_owned() })
}
