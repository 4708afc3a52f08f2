//! Security sections that leave out what the parameters can touch.

use catalog::{Diagnostic, Rule, Severity, Tool, aspect::Section, name::split_words};
use serde_json::Value;

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC508",
    name: "unanswered-risk",
    severity: Severity::Warning,
    why: "A parameter that names a file, a command, an address or a query lets the caller touch what these reach. The \
          section on security must say what is done about it: what is validated, what is refused, with which rights.",
    bad: include_str!("examples/unanswered_risk.md"),
    good: include_str!("examples/count_lines.md"),
};

/// One kind of thing that a parameter can reach.
struct Risk {
    /// What it is.
    what: &'static str,
    /// The last words of names that say so.
    names: &'static [&'static str],
    /// The format that says so.
    format: &'static str,
    /// Syllables by which a text answers for it.
    answers: &'static [&'static str],
}

const RISKS: [Risk; 4] = [
    Risk {
        what: "a path",
        names: &[
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
        what: "a command",
        names: &["command", "commands", "cmd", "script", "shell", "code", "argv"],
        format: "",
        answers: &["command", "shell", "inject", "sandbox", "execut", "code", "script", "isolat"],
    },
    Risk {
        what: "an address",
        names: &["url", "urls", "uri", "endpoint", "host", "hostname", "webhook"],
        format: "uri",
        answers: &[
            "url", "uri", "network", "ssrf", "host", "request", "domain", "address", "https",
        ],
    },
    Risk {
        what: "a query",
        names: &["sql", "query", "cypher"],
        format: "",
        answers: &["query", "queries", "sql", "inject", "sanit", "escap", "parameteri"],
    },
];

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let Some(aspects) = &tool.aspects else { return };
    let Some(place) = aspects.section(Section::Security) else {
        return;
    };
    let text = aspects
        .security
        .iter()
        .map(|remark| remark.text.to_lowercase())
        .collect::<Vec<_>>()
        .join("\n");
    for risk in &RISKS {
        let reaching: Vec<&str> = tool
            .input
            .properties()
            .filter(|(name, schema)| risk.is_in(name, schema))
            .map(|(name, _)| name)
            .collect();
        let is_answered = risk.answers.iter().any(|answer| text.contains(answer));
        let is_named = |name: &&str| text.contains(&format!("`{}`", name.to_lowercase()));
        let Some(name) = reaching.iter().find(|name| !is_named(name)).filter(|_| !is_answered)
        else {
            continue;
        };
        let message = format!("`{name}` is {}, and nothing here says what it may reach", risk.what);
        report.push(
            Diagnostic::new(&RULE, tool.origin_of(place), message)
                .hint("say what is validated and refused, and with which rights it runs"),
        );
    }
}

impl Risk {
    fn is_in(&self, name: &str, schema: &Value) -> bool {
        let last = split_words(name).pop().unwrap_or_default();
        let has_format = !self.format.is_empty()
            && schema.get("format").and_then(Value::as_str) == Some(self.format);
        let is_free = schema.get("enum").is_none();
        has_format || takes_text(schema) && is_free && self.names.contains(&last.as_str())
    }
}

/// Whether a value, or each item of it, may be a text.
fn takes_text(schema: &Value) -> bool {
    let is_text = |kind: &Value| {
        kind == "string" || kind == "array" && schema.get("items").is_none_or(takes_text)
    };
    match schema.get("type") {
        Some(kind @ Value::String(_)) => is_text(kind),
        Some(Value::Array(kinds)) => kinds.iter().any(is_text),
        _ => true,
    }
}
