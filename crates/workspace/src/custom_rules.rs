//! `[[rule]]`: custom rules of a crib, in addition to the built-in ones.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, CustomRule, CustomRuleText, Diagnostic, Origin, Rule, Severity, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{Clause, clause::report_broken_config};

/// An invalid `[[rule]]`.
pub(crate) static BROKEN_RULE: Rule = Rule {
    code: "TC642",
    name: "broken-rule",
    severity: Severity::Error,
    why: "A `[[rule]]` has a code, a severity, a message, and a CEL condition over `tool` that is true where there is a \
          problem. An invalid rule would miss the problems that it was written to find.",
    bad: "[[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\nwhen = \"tool.nam == ''\"\nmessage = \"the tool has no name\"\n",
    good: "[[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\nwhen = \"!tool.name.startsWith('acme_')\"\nmessage = \"the name does not begin with acme_\"\n",
};

/// A rule whose condition fails for a tool.
pub(crate) static FAILED_RULE: Rule = Rule {
    code: "TC643",
    name: "failed-rule",
    severity: Severity::Warning,
    why: "The condition of a custom rule could not be evaluated for a tool, so it is unknown whether the tool follows the \
          rule. Usually a field is absent: test for it first, `has(tool.input.properties.path) && …`.",
    bad: "",
    good: "",
};

/// A custom rule for definitions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleClause {
    /// Code: capital letters, digits and `-`.
    pub code: String,
    /// Severity. A tool with an error is not served.
    pub severity: RuleSeverity,
    /// Glob for tool names. Default: all.
    pub tools: Option<String>,
    /// CEL expression over `tool` that is true where there is a problem.
    pub when: String,
    /// Message of the diagnostic.
    pub message: String,
    /// Hint of the diagnostic: what to do.
    pub hint: Option<String>,
}

/// Severity of a custom rule.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSeverity {
    /// For information.
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

/// Compiles the valid rules and reports the problems of the others.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<Clause<RuleClause>>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Arc<CustomRule>> {
    let mut rules = Vec::new();
    for clause in written {
        let start = clause.span().start;
        let RuleClause { code, severity, tools, when, message, hint } = match clause.get_ref() {
            Clause::Valid(written) => written,
            // The other rules still apply: one typo must not hide what they would find.
            Clause::Invalid(reason) => {
                found.push(report_broken_config(source, start, reason.clone()));
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
                        .hint("conditions are CEL expressions over `tool`"),
                );
            }
        }
    }
    rules
}

/// Applies the rules. Returns the catalog without the tools that have an error, and the diagnostics.
pub(crate) fn check(rules: &[Arc<CustomRule>], catalog: &Catalog) -> (Catalog, Vec<Diagnostic>) {
    let mut found = Vec::new();
    for tool in catalog.tools() {
        for rule in rules {
            match rule.check(tool) {
                Ok(problem) => found.extend(problem),
                // Reported rather than skipped, because the author would believe that the tool
                // follows the rule.
                Err(reason) => {
                    let message = format!(
                        "the rule {} could not be evaluated for `{}`: {reason}",
                        rule.code(),
                        tool.name
                    );
                    found.push(
                        Diagnostic::new(&FAILED_RULE, tool.origin.clone(), message)
                            .tool(&tool.name)
                            .hint("test with `has(…)` first"),
                    );
                }
            }
        }
    }
    let broken: HashSet<&str> = found
        .iter()
        .filter(|found| found.is_error())
        .filter_map(|found| found.tool.as_deref())
        .collect();
    // A custom rule of severity `error` excludes a tool like a built-in one.
    let kept = catalog.filter(|tool| !broken.contains(tool.name.as_str()));
    (kept, found)
}
