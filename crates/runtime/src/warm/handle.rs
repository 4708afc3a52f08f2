//! The argument by which a caller names the session that is meant, for callers whose requests belong to no connection.

use catalog::{Failure, Implementation, Schema, Tool};
use serde_json::{Value, json};
use toolkit::Arguments;

use crate::failures;

/// The name of the argument, where a tool has none of that name itself.
const HANDLE: &str = "session";
/// The longest handle, in bytes.
const LONGEST: usize = 256;

/// The same tool with an argument by which a caller names the session that is meant; none if it is
/// no function of R or Python, or has an argument of that name itself.
pub fn with_handle(tool: &Tool) -> Option<Tool> {
    if !matches!(tool.implementation, Implementation::R(_) | Implementation::Python(_))
        || tool.input.property(HANDLE).is_some()
    {
        return None;
    }
    let mut object = (**tool.input.object()).clone();
    let properties = object.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    properties.insert(HANDLE.to_owned(), property(tool));
    Some(Tool { input: Schema::new(object), ..tool.clone() })
}

fn property(tool: &Tool) -> Value {
    let language = if matches!(tool.implementation, Implementation::R(_)) { "R" } else { "Python" };
    let description = format!(
        "A name of your choice for a session: calls with the same name share what the tools of {language} keep between \
         calls, until it was not used for a while. Without one, nothing is shared"
    );
    json!({"type": "string", "minLength": 1, "maxLength": LONGEST, "description": description})
}

/// Whether callers of a tool may name a session, so that each who does not has a state of its own.
pub(super) fn is_offered(tool: &Tool) -> bool {
    tool.input.property(HANDLE).is_some_and(|offered| *offered == property(tool))
}

/// The handle of a session, taken out of the arguments.
pub(super) fn take(tool: &Tool, arguments: &mut Arguments) -> Result<Option<String>, Failure> {
    if !is_offered(tool) {
        return Ok(None);
    }
    match arguments.shift_remove(HANDLE) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(handle)) if !handle.is_empty() && handle.len() <= LONGEST => {
            Ok(Some(handle))
        }
        Some(other) => {
            let message = format!(
                "'{HANDLE}' must be a text of 1 to {LONGEST} characters that names a session"
            );
            Err(failures::invalid_argument(HANDLE, message, "a text of 1 to 256 characters", other))
        }
    }
}
