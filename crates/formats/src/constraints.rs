//! The field `constraints`: conditions on arguments in CEL, with a message for each.

use catalog::{Constraint, Location, Schema};
use serde_json::{Value as Json, json};

use crate::{
    object::{KnownFields, Object, did_you_mean},
    report::Report,
    rules::definition::BAD_CONSTRAINT,
};

const KNOWN: KnownFields =
    KnownFields { groups: &[&["rule", "message"]], critical: &["rule", "message"] };

/// Reads the constraints of an object. Invalid ones are reported and skipped.
pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Vec<Constraint> {
    let at = object.at.key("constraints");
    let mut constraints = Vec::new();
    for (index, node) in object.list("constraints", report).unwrap_or_default().iter().enumerate() {
        let at = at.index(index);
        let Some(entry) = Object::new(node, &at, report) else {
            continue;
        };
        entry.check_known(&KNOWN, report);
        let message = entry.non_blank("message", report);
        let Some(rule) = entry.required("rule", report) else {
            continue;
        };
        match Constraint::compile(rule, message, Location::Value(at.pointer())) {
            Ok(constraint) => constraints.push(constraint),
            Err(reason) => {
                let problem = report.at_value(&BAD_CONSTRAINT, &at.key("rule"), reason);
                report.push(problem.with_received(rule).hint(HINT));
            }
        }
    }
    constraints
}

/// The hint for an invalid condition.
pub(crate) const HINT: &str = "write a condition over `args`, such as `args.start <= args.end`";

/// Reports conditions on arguments that the schema does not declare.
pub(crate) fn check_arguments(constraints: &[Constraint], input: &Schema, report: &mut Report) {
    for constraint in constraints {
        let Some((name, near)) = constraint.find_unknown_argument(input) else {
            continue;
        };
        let message = format!("the condition reads `args.{name}`, which is not a parameter");
        let origin = catalog::Origin {
            source: report.source().clone(),
            location: constraint.location.clone(),
        };
        let hint = near.map_or_else(|| "name a parameter of the tool".to_owned(), did_you_mean);
        report.push(catalog::Diagnostic::new(&BAD_CONSTRAINT, origin, message).hint(hint));
    }
}

/// The value of the field; `None` if there are no constraints.
pub(crate) fn write(constraints: &[Constraint]) -> Option<Json> {
    let each = constraints.iter().map(|one| json!({"rule": one.rule, "message": one.message}));
    (!constraints.is_empty()).then(|| each.collect())
}
