//! Security sections that do not cover the parameters.

use catalog::{Diagnostic, Rule, Severity, Tool, name::split_words, spec_details::Section};
use serde_json::Value;

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC508",
    name: "unanswered-risk",
    severity: Severity::Warning,
    why: "A parameter that is a path, a command, an address or a query gives callers access to \
          whatever it names. The section on security must state how that is limited: what is \
          validated, what is rejected, and with which permissions the tool runs.",
    bad: include_str!("examples/unanswered_risk.md"),
    good: include_str!("examples/count_lines.md"),
};

/// A kind of parameter that gives callers access to something.
struct Risk {
    /// The kind, for messages.
    name: &'static str,
    /// The last words of parameter names of this kind.
    parameter_words: &'static [&'static str],
    /// The `format` of parameters of this kind; empty if they have none.
    format: &'static str,
    /// Parts of words by which a security section covers the risk.
    answers: &'static [&'static str],
}

const RISKS: [Risk; 4] = [
    Risk {
        name: "a path",
        parameter_words: &[
            "path",
            "paths",
            "file",
            "files",
            "dir",
            "directory",
            "folder",
            "filename",
            "filepath",
            "cwd",
        ],
        format: "path",
        answers: &["path", "file", "director", "folder", "traversal"],
    },
    Risk {
        name: "a command",
        parameter_words: &["command", "commands", "cmd", "script", "shell", "code", "argv"],
        format: "",
        answers: &["command", "shell", "inject", "sandbox", "execut", "code", "script", "isolat"],
    },
    Risk {
        name: "an address",
        parameter_words: &["url", "urls", "uri", "endpoint", "host", "hostname", "webhook"],
        format: "uri",
        answers: &[
            "url", "uri", "network", "ssrf", "host", "request", "domain", "address", "https",
        ],
    },
    Risk {
        name: "a query",
        parameter_words: &["sql", "query", "cypher"],
        format: "",
        answers: &["query", "queries", "sql", "inject", "sanit", "escap", "parameteri"],
    },
];

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(details) = &tool.details else { return };
    let Some(location) = details.section(Section::Security) else {
        return;
    };
    let text = details
        .security
        .iter()
        .map(|remark| remark.text.to_lowercase())
        .collect::<Vec<_>>()
        .join("\n");
    for risk in &RISKS {
        let parameters: Vec<&str> = tool
            .input
            .properties()
            .filter(|(name, schema)| risk.applies_to(name, schema))
            .map(|(name, _)| name)
            .collect();
        let is_covered = risk.answers.iter().any(|answer| text.contains(answer));
        let is_named = |name: &&str| text.contains(&format!("`{}`", name.to_lowercase()));
        let Some(name) = parameters.iter().find(|name| !is_named(name)).filter(|_| !is_covered)
        else {
            continue;
        };
        let message =
            format!("`{name}` is {}, but this section does not state what it may reach", risk.name);
        sink.push(Diagnostic::new(&RULE, tool.origin_of(location), message).hint(
            "state what is validated and rejected, and with which permissions the tool runs",
        ));
    }
}

impl Risk {
    fn applies_to(&self, name: &str, schema: &Value) -> bool {
        let last = split_words(name).pop().unwrap_or_default();
        let has_format = !self.format.is_empty()
            && schema.get("format").and_then(Value::as_str) == Some(self.format);
        let has_choices = schema.get("enum").is_some();
        has_format
            || accepts_text(schema) && !has_choices && self.parameter_words.contains(&last.as_str())
    }
}

/// Whether the value, or each of its items, may be a string.
fn accepts_text(schema: &Value) -> bool {
    let is_text = |kind: &Value| {
        kind == "string" || kind == "array" && schema.get("items").is_none_or(accepts_text)
    };
    match schema.get("type") {
        Some(kind @ Value::String(_)) => is_text(kind),
        Some(Value::Array(kinds)) => kinds.iter().any(is_text),
        _ => true,
    }
}
