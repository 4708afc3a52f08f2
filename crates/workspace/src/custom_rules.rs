//! `[[rule]]`: rules that the crib adds to ours.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, CustomRule, CustomRuleText, Diagnostic, Origin, Rule, Severity, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{Clause, config};

/// A `[[rule]]` that cannot be used.
pub(crate) static BROKEN_RULE: Rule = Rule {
    code: "TC642",
    name: "broken-rule",
    severity: Severity::Error,
    why: "A `[[rule]]` of the crib has a code, a severity, a message, and a condition in CEL over `tool` that holds where \
          there is a problem. One that cannot be used would let through what it was written to find.",
    bad: "[[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\nwhen = \"tool.nam == ''\"\nmessage = \"the tool has no name\"\n",
    good: "[[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\nwhen = \"!tool.name.startsWith('acme_')\"\nmessage = \"the name does not begin with acme_\"\n",
};

/// A rule that fails for a tool.
pub(crate) static FAILED_RULE: Rule = Rule {
    code: "TC643",
    name: "failed-rule",
    severity: Severity::Warning,
    why: "The condition of one of the crib's own rules could not be evaluated for a tool, so it is not known whether the \
          tool keeps the rule. Most often something is absent: ask for it first, `has(tool.input.properties.path) && …`.",
    bad: "",
    good: "",
};

/// A rule of the crib's own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleClause {
    /// Its code: capitals, digits and `-`.
    pub code: String,
    /// How bad what it finds is. A tool with an error is not served.
    pub severity: RuleSeverity,
    /// A glob over tool names; without one, all.
    pub tools: Option<String>,
    /// A CEL expression over `tool` that holds where there is a problem.
    pub when: String,
    /// What is wrong there.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSeverity {
    /// Worth knowing.
    Note,
    /// Probably a mistake.
    Warning,
    /// The tool is not served.
    Error,
}

impl From<RuleSeverity> for Severity {
    fn from(level: RuleSeverity) -> Self {
        match level {
            RuleSeverity::Note => Self::Note,
            RuleSeverity::Warning => Self::Warning,
            RuleSeverity::Error => Self::Error,
        }
    }
}

/// Compiles the rules that can be used, and tells what is wrong with the others.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<Clause<RuleClause>>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Arc<CustomRule>> {
    let mut rules = Vec::new();
    for clause in written {
        let start = clause.span().start;
        let RuleClause { code, severity, tools, when, message, hint } = match clause.get_ref() {
            Clause::Read(written) => written,
            Clause::Unread(reason) => {
                found.push(config::broken(source, start, reason.clone()));
                continue;
            }
        };
        let text = CustomRuleText {
            code,
            severity: (*severity).into(),
            tools: tools.as_deref(),
            when,
            message,
            hint: hint.as_deref(),
        };
        match CustomRule::compile(&text) {
            Ok(rule) => rules.push(Arc::new(rule)),
            Err(problem) => {
                let origin = Origin::offset(source, start);
                found.push(
                    Diagnostic::new(&BROKEN_RULE, origin, problem)
                        .hint("conditions are CEL over `tool`"),
                );
            }
        }
    }
    rules
}

/// What the rules find, and the catalog without the tools in which they found errors.
pub(crate) fn check(rules: &[Arc<CustomRule>], catalog: &Catalog) -> (Catalog, Vec<Diagnostic>) {
    let mut found = Vec::new();
    for tool in catalog.tools() {
        for rule in rules {
            match rule.check(tool) {
                Ok(problem) => found.extend(problem),
                Err(reason) => {
                    let message = format!(
                        "the rule {} cannot be applied to `{}`: {reason}",
                        rule.code(),
                        tool.name
                    );
                    found.push(
                        Diagnostic::new(&FAILED_RULE, tool.origin.clone(), message)
                            .tool(&tool.name)
                            .hint("ask with `has(…)` first"),
                    );
                }
            }
        }
    }
    let bad: HashSet<&str> = found
        .iter()
        .filter(|found| found.is_error())
        .filter_map(|found| found.tool.as_deref())
        .collect();
    let kept = catalog.filter(|tool| !bad.contains(tool.name.as_str()));
    (kept, found)
}
