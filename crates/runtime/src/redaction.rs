//! Removes secrets of a call from what is stored and logged: programs echo their arguments.
//!
//! Unlike plans, whose values are masked by parameter, output is free text, so the values themselves are
//! searched. No decision depends on this text, so it does not matter if something else with the same value
//! is hidden.

use std::sync::Arc;

use catalog::{Content, Outcome, REDACTED, Tool};
use serde_json::Value;
use toolkit::Arguments;

/// Shorter values are too common in ordinary text, and not worth hiding.
const MIN_LENGTH: usize = 4;

/// The secret values of one call.
#[derive(Clone, Debug)]
pub(crate) struct Redaction(Arc<[String]>);

impl Redaction {
    /// The secrets among the arguments of a call, as plain text and as JSON spells them.
    pub(crate) fn new(tool: &Tool, arguments: &Arguments) -> Self {
        let mut texts = Vec::new();
        for (_, value) in arguments.iter().filter(|(name, _)| tool.is_secret(name)) {
            collect_texts(value, &mut texts);
        }
        texts.retain(|text| text.len() >= MIN_LENGTH);
        // Longest first, because one secret may be a prefix of another.
        texts.sort_unstable_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Self(texts.into())
    }

    /// Whether there is nothing to remove.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text without secrets.
    pub(crate) fn redact(&self, text: &mut String) {
        for secret in self.0.iter() {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), REDACTED);
            }
        }
    }

    /// Removes secrets from every text of an outcome.
    pub(crate) fn redact_outcome(&self, outcome: &mut Outcome) {
        if self.is_empty() {
            return;
        }
        for content in &mut outcome.content {
            match content {
                Content::Text(text) | Content::Resource { text, .. } => self.redact(text),
                Content::Link { .. } | Content::Image { .. } | Content::Audio { .. } => {}
            }
        }
        outcome.structured.iter_mut().for_each(|value| self.redact_value(value));
    }

    fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.redact(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.redact_value(member));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let escaped = Value::from(text.as_str()).to_string();
            texts.extend([escaped.trim_matches('"').to_owned(), text.clone()]);
        }
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|item| collect_texts(item, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}
