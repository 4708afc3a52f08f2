//! How large, how long and how many: two ranges, and which is within the other.

use serde_json::Value;

use crate::{
    ChangeRule,
    arms::{Arm, Kind},
    rules::value::{RANGE_NARROWED, RANGE_WIDENED},
};

/// A difference of two ranges: the rule, the keyword, and what became of it.
type Difference = (&'static ChangeRule, &'static str, String);

/// Counts that have an upper and a lower bound, by the kind of value that they count in.
const COUNTS: [(Kind, &str, &str); 3] = [
    (Kind::String, "minLength", "maxLength"),
    (Kind::Array, "minItems", "maxItems"),
    (Kind::Object, "minProperties", "maxProperties"),
];

/// Compares the bounds of two arms of one kind.
pub(crate) fn compare(old: &Arm<'_>, new: &Arm<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    if old.kind == Kind::Number {
        let (before, now) = (numbers(old), numbers(new));
        found.extend(bound("minimum", before.0, now.0, Ends::Low));
        found.extend(bound("maximum", before.1, now.1, Ends::High));
        found.extend(multiple(old, new));
    }
    for (_, low, high) in COUNTS.into_iter().filter(|(kind, ..)| *kind == old.kind) {
        let count =
            |arm: &Arm<'_>, key: &str| arm.node.get(key).and_then(Value::as_f64).map(Bound::closed);
        let low_of = |arm: &Arm<'_>| count(arm, low).filter(|bound| bound.at > 0.0);
        found.extend(bound(low, low_of(old), low_of(new), Ends::Low));
        found.extend(bound(high, count(old, high), count(new, high), Ends::High));
    }
    if old.kind == Kind::Array {
        let unique = |arm: &Arm<'_>| arm.node.get("uniqueItems") == Some(&Value::Bool(true));
        match (unique(old), unique(new)) {
            (false, true) => found.push((
                &RANGE_NARROWED,
                "uniqueItems",
                "forbids the same item twice now".to_owned(),
            )),
            (true, false) => found.push((
                &RANGE_WIDENED,
                "uniqueItems",
                "lets the same item be there twice now".to_owned(),
            )),
            _ => {}
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
struct Bound {
    at: f64,
    is_open: bool,
}

impl Bound {
    fn closed(at: f64) -> Self {
        Self { at, is_open: false }
    }
}

#[derive(Clone, Copy)]
enum Ends {
    Low,
    High,
}

/// The lower and the upper bound of numbers. Those of whole numbers are closed.
fn numbers(arm: &Arm<'_>) -> (Option<Bound>, Option<Bound>) {
    let get = |key: &str| arm.node.get(key).and_then(Value::as_f64);
    let open = |at: f64, step: f64, round: fn(f64) -> f64| match arm.is_whole {
        true => Bound::closed(round(at) + step),
        false => Bound { at, is_open: true },
    };
    let whole =
        |at: f64, round: fn(f64) -> f64| Bound::closed(if arm.is_whole { round(at) } else { at });
    let low = [
        get("minimum").map(|at| whole(at, f64::ceil)),
        get("exclusiveMinimum").map(|at| open(at, 1.0, f64::floor)),
    ];
    let high = [
        get("maximum").map(|at| whole(at, f64::floor)),
        get("exclusiveMaximum").map(|at| open(at, -1.0, f64::ceil)),
    ];
    let tightest = |bounds: [Option<Bound>; 2], ends| {
        bounds.into_iter().flatten().reduce(|a, b| if is_tighter(b, a, ends) { b } else { a })
    };
    (tightest(low, Ends::Low), tightest(high, Ends::High))
}

fn is_tighter(one: Bound, other: Bound, ends: Ends) -> bool {
    let is_inside = match ends {
        Ends::Low => one.at > other.at,
        Ends::High => one.at < other.at,
    };
    is_inside || one.at == other.at && one.is_open && !other.is_open
}

fn bound(
    key: &'static str,
    old: Option<Bound>,
    new: Option<Bound>,
    ends: Ends,
) -> Option<Difference> {
    let shown = |bound: Option<Bound>| match bound {
        Some(Bound { at, is_open: true }) => format!("{at}, itself excluded"),
        Some(Bound { at, .. }) => at.to_string(),
        None => "not bounded".to_owned(),
    };
    let is_narrower = match (old, new) {
        (old, new) if old == new => return None,
        (None, _) => true,
        (_, None) => false,
        (Some(old), Some(new)) => is_tighter(new, old, ends),
    };
    let rule = if is_narrower { &RANGE_NARROWED } else { &RANGE_WIDENED };
    Some((rule, key, format!("was {} and is {}", shown(old), shown(new))))
}

fn multiple(old: &Arm<'_>, new: &Arm<'_>) -> Vec<Difference> {
    let key = "multipleOf";
    let get = |arm: &Arm<'_>| arm.node.get(key).and_then(Value::as_f64);
    let divides = |small: f64, large: f64| small != 0.0 && (large / small).fract() == 0.0;
    let (is_less, is_more) = match (get(old), get(new)) {
        (old, new) if old == new => (false, false),
        (None, _) => (true, false),
        (_, None) => (false, true),
        (Some(old), Some(new)) => (!divides(new, old), !divides(old, new)),
    };
    let shown = |value: Option<f64>| {
        value.map_or_else(|| "not given".to_owned(), |value| value.to_string())
    };
    let message = format!("was {} and is {}", shown(get(old)), shown(get(new)));
    let rules = [(is_less, &RANGE_NARROWED), (is_more, &RANGE_WIDENED)];
    rules
        .into_iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, rule)| (rule, key, message.clone()))
        .collect()
}
