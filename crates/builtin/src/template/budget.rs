//! How much one rendering may hold: every value that is made is counted, and the filters that can make
//! much of little say what they will make before they do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use minijinja::{
    Environment, Error, ErrorKind, State, Value, filters,
    value::{Kwargs, StringInput, ValueKind},
};

use super::metered::{TEXT, VALUE};

/// How many bytes all values of one rendering may have together, and how deep they may nest.
const MOST_BYTES: usize = 64 << 20;
const DEPTH: usize = 64;

/// What a value costs beside its text.
const EACH: usize = 24;

/// What is left to spend. Clones are the same budget.
#[derive(Clone)]
pub(super) struct Budget(Arc<AtomicUsize>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(MOST_BYTES)))
    }

    pub(super) fn spend(&self, bytes: usize) -> Result<(), Error> {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        left.map(drop)
            .map_err(|_| Error::new(ErrorKind::InvalidOperation, "its values become too large"))
    }

    /// Counts a value with all that it holds.
    pub(super) fn value(&self, value: &Value) -> Result<(), Error> {
        self.nested(value, DEPTH)
    }

    fn nested(&self, value: &Value, depth: usize) -> Result<(), Error> {
        self.spend(EACH + value.as_str().map_or(0, str::len))?;
        if !matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable) {
            return Ok(());
        }
        let below = depth.checked_sub(1);
        let below = below
            .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "its values nest too deep"))?;
        for key in value.try_iter()? {
            if value.kind() == ValueKind::Map {
                self.nested(&value.get_item(&key)?, below)?;
            }
            self.nested(&key, below)?;
        }
        Ok(())
    }
}

/// Has an environment count what its templates make.
pub(super) fn add(environment: &mut Environment<'_>, budget: &Budget) {
    let meter = |budget: Budget| move |value: Value| budget.value(&value).map(|()| value);
    environment.add_function(VALUE, meter(budget.clone()));
    environment.add_filter(VALUE, meter(budget.clone()));
    let spent = budget.clone();
    environment.add_function(TEXT, move |bytes: usize| spent.spend(bytes).map(|()| ""));
    // It could hold itself, and grow in a loop without end.
    environment.remove_global("namespace");
    add_filters(environment, budget);
}

fn add_filters(environment: &mut Environment<'_>, budget: &Budget) {
    let spent = budget.clone();
    environment.add_filter(
        "replace",
        move |state: &mut State<'_, '_>,
              text: StringInput<'_>,
              from: StringInput<'_>,
              to: StringInput<'_>| {
            let times = text.as_str().matches(from.as_str()).count();
            spent.spend(times.saturating_mul(to.as_str().len()))?;
            filters::replace(state, text, from, to)
        },
    );
    let spent = budget.clone();
    environment.add_filter(
        "join",
        move |state: &mut State<'_, '_>,
              value: &Value,
              joiner: Option<StringInput<'_>>,
              attribute: Option<&str>,
              rest: Kwargs| {
            let count = value.len().unwrap_or_else(|| value.try_iter().map_or(0, Iterator::count));
            spent.spend(
                count.saturating_mul(joiner.as_ref().map_or(0, |joiner| joiner.as_str().len())),
            )?;
            spent.value(value)?;
            filters::join(state, value, joiner, attribute, rest)
        },
    );
    let spent = budget.clone();
    environment.add_filter(
        "indent",
        move |text: StringInput<'_>,
              width: Option<usize>,
              first: Option<bool>,
              blank: Option<bool>,
              rest: Kwargs| {
            let named = rest.peek::<Option<usize>>("width").ok().flatten();
            let lines = text.as_str().lines().count();
            spent.spend(lines.saturating_mul(width.or(named).unwrap_or_default()))?;
            filters::indent(text, width, first, blank, rest)
        },
    );
    for filter in ["batch", "slice"] {
        let spent = budget.clone();
        environment.add_filter(
            filter,
            move |state: &State<'_, '_>, value: Value, count: usize, fill: Option<Value>| {
                spent.spend(count.saturating_mul(EACH))?;
                if filter == "batch" {
                    filters::batch(state, value, count, fill)
                } else {
                    filters::slice(state, value, count, fill)
                }
            },
        );
    }
    // A width in a format makes a long text of a short one; `~` and `round` do what is left.
    environment.remove_filter("format");
}
