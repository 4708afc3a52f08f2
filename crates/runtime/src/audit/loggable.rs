//! Prepares the arguments of a call for the audit log: secrets are masked and long values truncated.

use catalog::Tool;
use serde_json::{Map, Value};
use toolkit::Arguments;

use crate::redaction::Redaction;

/// Replaces a secret in the log.
const MASK: &str = "***";
/// Maximum length of a text, in bytes.
const MAX_TEXT: usize = 200;
/// Maximum number of items of a list or members of an object.
const MAX_ITEMS: usize = 16;
/// Maximum number of values in all arguments together.
const MAX_VALUES: usize = 64;

/// Masks secret arguments, also where another argument repeats a secret, and truncates long values.
/// `…` marks omitted parts.
pub(crate) fn to_loggable(tool: &Tool, arguments: &Arguments, redaction: &Redaction) -> Arguments {
    let mut shortener = Shortener { redaction, values: MAX_VALUES };
    let has_secrets = arguments.keys().any(|name| tool.is_secret(name))
        || tool.input.properties().any(|(name, _)| tool.is_secret(name));
    shortener.shorten_members(arguments, |name| {
        // An undeclared argument of such a tool may be a secret with a misspelt name.
        tool.is_secret(name) || (has_secrets && tool.input.property(name).is_none())
    })
}

struct Shortener<'a> {
    redaction: &'a Redaction,
    /// The number of values that may still be added.
    values: usize,
}

impl Shortener<'_> {
    fn shorten_members(
        &mut self,
        members: &Map<String, Value>,
        is_secret: impl Fn(&str) -> bool,
    ) -> Map<String, Value> {
        let mut short = Map::new();
        for (name, value) in members.iter().take(MAX_ITEMS) {
            let value = if is_secret(name) { MASK.into() } else { self.shorten(value) };
            short.insert(self.shorten_text(name), value);
        }
        if members.len() > MAX_ITEMS {
            short.insert("…".to_owned(), count_omitted(members.len()));
        }
        short
    }

    fn shorten(&mut self, value: &Value) -> Value {
        if self.values == 0 {
            return "…".into();
        }
        self.values -= 1;
        match value {
            Value::String(text) => self.shorten_text(text).into(),
            Value::Array(items) => {
                let shown = items.iter().take(MAX_ITEMS).map(|item| self.shorten(item));
                let mut shown: Vec<_> = shown.collect();
                if items.len() > MAX_ITEMS {
                    shown.push(count_omitted(items.len()));
                }
                shown.into()
            }
            Value::Object(members) => self.shorten_members(members, |_| false).into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Truncates a text. Secrets are removed first, because a truncated secret would not be
    /// recognized.
    fn shorten_text(&self, text: &str) -> String {
        if self.redaction.is_empty() {
            return truncate(text);
        }
        let mut redacted = text.to_owned();
        self.redaction.redact(&mut redacted);
        truncate(&redacted)
    }
}

fn truncate(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    format!("{}… ({} bytes)", &text[..end], text.len())
}

fn count_omitted(all: usize) -> Value {
    format!("… ({} more)", all - MAX_ITEMS).into()
}

#[cfg(test)]
mod tests {
    use catalog::{Implementation, Origin, Schema, SourceId, Tool};
    use serde_json::{Value, json};

    use super::to_loggable;
    use crate::redaction::Redaction;

    fn log(properties: Value, arguments: Value) -> Value {
        let schema = json!({"type": "object", "properties": properties});
        let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
        let origin = Origin::whole_file(&SourceId::new("test"));
        let tool = Tool::new("t", "", schema, Implementation::Native, origin);
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        to_loggable(&tool, &arguments, &Redaction::new(&tool, &arguments)).into()
    }

    #[test]
    fn masks_secrets_repeated_secrets_and_misspelt_ones() {
        let properties = json!({"token": {"type": "string", "format": "password"}, "url": {}});
        let arguments = json!({
            "token": "hunter22",
            "url": ["https://a:hunter22@example.org", {"hunter22": "x"}],
            "tokn": "other secret",
        });
        let logged = log(properties, arguments);
        assert_eq!(logged["token"], "***");
        assert_eq!(logged["tokn"], "***");
        assert!(!logged.to_string().contains("hunter22"), "{logged}");
        assert!(logged["url"][0].as_str().is_some_and(|url| url.contains("@example.org")));
        let open = log(json!({"url": {}}), json!({"extra": 1}));
        assert_eq!(open, json!({"extra": 1}), "a tool without secrets hides nothing");
    }

    #[test]
    fn long_values_are_shortened() {
        let many: Vec<_> = (0..100).collect();
        let nested = json!([[many, many], [many, many], [many, many], [many, many], [many, many]]);
        let logged =
            log(json!({}), json!({"text": "é".repeat(1000), "many": many, "nested": nested}));
        let text = logged["text"].as_str().unwrap_or_default();
        assert!(text.ends_with("é… (2000 bytes)") && text.len() < 250, "{text}");
        assert_eq!(logged["many"][15], 15);
        assert_eq!(logged["many"][16], "… (84 more)");
        assert!(logged.to_string().len() < 2000, "{logged}");
        let wide: serde_json::Map<_, _> =
            (0..50).map(|index| (format!("k{index}"), Value::Null)).collect();
        let logged = log(json!({}), wide.into());
        assert_eq!(logged["…"], "… (34 more)");
    }
}
