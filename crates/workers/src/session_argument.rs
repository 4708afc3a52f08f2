//! The argument with which a caller names a session, for requests that belong to no connection.

use catalog::{Failure, Implementation, Schema, Tool, failures};
use serde_json::{Value, json};
use toolkit::Arguments;

/// The name of the argument, unless the tool has one of that name itself.
const ARGUMENT: &str = "session";
/// Maximum length of a session name, in bytes.
const MAX_BYTES: usize = 256;

/// Adds an argument with which callers name a session. `None` if the tool is not an R or Python
/// function, or has an argument of that name itself.
pub fn with_session_argument(tool: &Tool) -> Option<Tool> {
    if !matches!(tool.implementation, Implementation::R(_) | Implementation::Python(_))
        || tool.input.property(ARGUMENT).is_some()
    {
        return None;
    }
    // Added to the input schema, so that it is validated and listed like any other argument.
    let mut object = (**tool.input.object()).clone();
    let properties = object.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    properties.insert(ARGUMENT.to_owned(), property(tool));
    Some(Tool { input: Schema::new(object), ..tool.clone() })
}

fn property(tool: &Tool) -> Value {
    let language = if matches!(tool.implementation, Implementation::R(_)) { "R" } else { "Python" };
    let description = format!(
        "A name of your choice for a session. Calls with the same name share the state that {language} \
         tools keep between calls, until the session was idle for a while. Without a name, nothing \
         is shared"
    );
    json!({"type": "string", "minLength": 1, "maxLength": MAX_BYTES, "description": description})
}

/// Whether callers of this tool can name a session; a call without a name then has a state of its
/// own.
pub(crate) fn has_session_argument(tool: &Tool) -> bool {
    // Compared with the whole schema: an author may have an argument of the same name with another
    // meaning.
    tool.input.property(ARGUMENT).is_some_and(|argument| *argument == property(tool))
}

/// Removes the name of the session from the arguments.
pub(crate) fn take_session_name(
    tool: &Tool,
    arguments: &mut Arguments,
) -> Result<Option<String>, Failure> {
    if !has_session_argument(tool) {
        return Ok(None);
    }
    match arguments.shift_remove(ARGUMENT) {
        None | Some(Value::Null) => Ok(None),
        // Validated again: the schema counts characters and this limit counts bytes.
        Some(Value::String(name)) if !name.is_empty() && name.len() <= MAX_BYTES => Ok(Some(name)),
        Some(other) => {
            let message = format!(
                "'{ARGUMENT}' must be a text of 1 to {MAX_BYTES} characters that names a session"
            );
            let expected = "a text of 1 to 256 characters";
            Err(failures::argument_failure(ARGUMENT, message, expected, other))
        }
    }
}
