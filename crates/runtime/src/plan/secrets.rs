//! Keeps the values of secret arguments out of plans that are shown or recorded.

use catalog::{REDACTED, Tool};
use serde_json::Value;
use toolkit::Arguments;

/// The texts that the secret arguments of a call may appear as: plain, and escaped as in JSON.
pub(super) fn find(tool: &Tool, arguments: &Arguments) -> Vec<String> {
    let secret = arguments.iter().filter(|(name, _)| tool.is_secret(name));
    let texts = secret.filter_map(|(_, value)| match value {
        Value::String(text) => Some(text.clone()),
        // Masking these would garble the plan and protect nothing.
        Value::Null | Value::Bool(_) => None,
        other => Some(other.to_string()),
    });
    let forms = texts.flat_map(|text| {
        // The longer, escaped form first: replacing the plain one would leave parts of it.
        [Value::from(text.as_str()).to_string().trim_matches('"').to_owned(), text]
    });
    forms.filter(|text| !text.is_empty()).collect()
}

/// Replaces the secrets in every text.
pub(super) fn mask(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => {
            for secret in
                secrets.iter().filter(|secret| text.contains(secret.as_str())).collect::<Vec<_>>()
            {
                *text = text.replace(secret.as_str(), REDACTED);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, secrets)),
        Value::Object(object) => object.values_mut().for_each(|member| mask(member, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
