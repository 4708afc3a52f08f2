//! Constraints on the arguments of a tool that a JSON Schema cannot express: CEL conditions that
//! must hold, with the message for the caller.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::{
    Constraint, Failure, Location, Schema, closest,
    failures::argument_failure,
    policy::{ARGUMENT_NAMES, Expression, Scope, on_large_stack},
};

/// Maximum number of compiled conditions in the cache.
const MAX_KEPT: usize = 1_000;

impl Constraint {
    /// Compiles a condition over `args`, or returns why it is invalid. The default message is the
    /// condition itself.
    pub fn compile(rule: &str, message: Option<&str>, location: Location) -> Result<Self, String> {
        find_condition(rule)?;
        let message = message.map_or_else(|| format!("`{rule}` must hold"), str::to_owned);
        Ok(Self { rule: rule.to_owned(), message, location })
    }

    /// Finds an argument in the condition that the schema does not declare, with the closest
    /// declared name.
    pub fn find_unknown_argument<'a>(
        &self,
        input: &'a Schema,
    ) -> Option<(String, Option<&'a str>)> {
        let condition = find_condition(&self.rule).ok()?;
        let mut read = condition.list_untested_arguments();
        let unknown = read.find(|name| input.property(name).is_none())?.to_owned();
        let near = closest(&unknown, input.properties().map(|(name, _)| name));
        Some((unknown, near))
    }

    /// Whether the arguments violate the constraint. A constraint on an absent argument does not
    /// apply. The error says why the condition could not be evaluated.
    pub fn is_violated(&self, arguments: &Map<String, Value>) -> Result<bool, String> {
        let is_absent = |name: &str| arguments.get(name).is_none_or(Value::is_null);
        let condition = find_condition(&self.rule)?;
        if condition.list_untested_arguments().any(is_absent) {
            return Ok(false);
        }
        condition.evaluate(&Scope::for_arguments(arguments)).map(|holds| !holds)
    }

    /// The failure of a call whose arguments violate the constraint, or on which it cannot be
    /// evaluated.
    pub fn find_failure(&self, arguments: &Map<String, Value>) -> Option<Failure> {
        let message = match self.is_violated(arguments) {
            Ok(false) => return None,
            Ok(true) => self.message.clone(),
            Err(reason) => format!("{}: `{}`: {reason}", self.message, self.rule),
        };
        // The message names no values, because one of them may be secret.
        let condition = find_condition(&self.rule).ok();
        let read =
            condition.as_ref().and_then(|condition| condition.list_untested_arguments().next());
        Some(argument_failure(read.unwrap_or_default(), message, &self.rule, Value::Null))
    }
}

/// Returns the compiled condition from a cache, because compiling takes much longer than
/// evaluating.
fn find_condition(rule: &str) -> Result<Arc<Expression>, String> {
    static COMPILED: Mutex<Option<HashMap<String, Arc<Expression>>>> = Mutex::new(None);
    if let Some(known) = COMPILED.lock().as_ref().and_then(|known| known.get(rule)) {
        return Ok(Arc::clone(known));
    }
    // Compiled without the lock, so that other calls need not wait for it.
    let compiled = Arc::new(on_large_stack(|| Expression::compile(rule, &ARGUMENT_NAMES))?);
    let mut kept = COMPILED.lock();
    let kept = kept.get_or_insert_default();
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(rule.to_owned(), Arc::clone(&compiled));
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Constraint, Location};

    fn is_violated(rule: &str, arguments: Value) -> Result<bool, String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        Constraint::compile(rule, None, Location::Whole)?.is_violated(&arguments)
    }

    #[test]
    fn compares_arguments() {
        assert_eq!(is_violated("args.a <= args.b", json!({"a": 2, "b": 1})), Ok(true));
        assert_eq!(is_violated("args.a <= args.b", json!({"a": 1, "b": 1.5})), Ok(false));
        assert_eq!(is_violated("args.a <= args.b", json!({"a": 2})), Ok(false), "b is absent");
        let either = "has(args.a) || has(args.b)";
        assert_eq!(is_violated(either, json!({})), Ok(true));
        assert_eq!(is_violated(either, json!({"b": 1})), Ok(false));
        assert_eq!(is_violated("size(args.a) < 3", json!({"a": [1, 2, 3]})), Ok(true));
    }

    #[test]
    fn rejects_what_is_not_a_condition_on_arguments() {
        assert!(is_violated("args.a <", json!({})).is_err());
        assert!(is_violated("tool.name == 'x'", json!({})).is_err());
        assert!(is_violated("args.a", json!({"a": 1})).is_err(), "not a boolean");
    }
}
