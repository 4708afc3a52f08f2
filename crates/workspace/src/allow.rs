//! Suppresses diagnostics that are allowed with a reason, by `[[allow]]` or by a comment in a
//! document.

use std::{collections::HashMap, ops::Range};

use catalog::{Allowance, Diagnostic, Glob, GlobError, Origin, Rule, Severity, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{Clause, clause::report_broken_config, discover::CONFIG};

/// An invalid `[[allow]]`.
pub(crate) static BROKEN_ALLOW: Rule = Rule {
    code: "TC640",
    name: "broken-allow",
    severity: Severity::Error,
    why: "An `[[allow]]` names the code of a rule and the reason why its diagnostics are allowed, for some tools or files. \
          A clause without a reason or with an invalid glob would hide diagnostics that no one has reviewed.",
    bad: "[[allow]]\ncode = \"TC307\"\nreason = \"\"\n",
    good: "[[allow]]\ncode = \"TC307\"\ntools = \"git_*\"\nreason = \"examples follow with 1.0\"\n",
};

/// An allowance that matches no diagnostic.
pub(crate) static USELESS_ALLOW: Rule = Rule {
    code: "TC641",
    name: "useless-allow",
    severity: Severity::Note,
    why: "The allowed problem does not occur: it was fixed, or the code or the glob is misspelled. Remove the allowance, \
          so that a new problem of this kind is reported.",
    bad: "",
    good: "",
};

/// Ignores the diagnostics of a rule. Errors cannot be ignored.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowClause {
    /// Code of the rule, or the name of a change that `diff` reports.
    pub code: String,
    /// Glob for tool names. Default: all.
    pub tools: Option<String>,
    /// Glob for file names, relative to the crib. Default: all.
    pub file: Option<String>,
    /// Reason, for the next reader.
    pub reason: String,
}

/// A compiled `[[allow]]`.
#[derive(Clone, Debug)]
pub(crate) struct Allow {
    code: String,
    tools: Option<Glob>,
    file: Option<Glob>,
    reason: String,
    span: Range<usize>,
}

/// Compiles the valid clauses and reports the problems of the others.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<Clause<AllowClause>>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Allow> {
    let mut compiled = Vec::new();
    for clause in written {
        let span = clause.span();
        match clause.get_ref() {
            Clause::Valid(written) => compiled.extend(Allow::compile(source, written, span, found)),
            Clause::Invalid(reason) => {
                found.push(report_broken_config(source, span.start, reason.clone()))
            }
        }
    }
    compiled
}

/// Removes allowed diagnostics, and reports allowances that match none.
pub(crate) fn apply(
    documents: &HashMap<SourceId, Vec<Allowance>>,
    clauses: &[Allow],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut used_allowances: Vec<(&SourceId, Range<usize>)> = Vec::new();
    let mut is_clause_used = vec![false; clauses.len()];
    // Comments in a document come first: they are closer to the problem than the configuration,
    // which then counts as unused.
    diagnostics.retain(|diagnostic| {
        let own = documents
            .get(&diagnostic.origin.source)
            .into_iter()
            .flatten()
            .find(|allowance| allowance.covers(diagnostic));
        if let Some(allowance) = own {
            if let Some((source, _)) = documents.get_key_value(&diagnostic.origin.source) {
                used_allowances.push((source, allowance.span.clone()));
            }
            return false;
        }
        match clauses.iter().position(|clause| clause.covers(diagnostic)) {
            Some(index) => {
                is_clause_used[index] = true;
                false
            }
            // Later clauses that would also match count as unused, which is right: they change
            // nothing.
            None => true,
        }
    });
    let config = SourceId::new(CONFIG);
    let unused = clauses
        .iter()
        .zip(is_clause_used)
        .filter(|(clause, is_used)| !is_used && !clause.is_for_others());
    let mut useless: Vec<Diagnostic> = unused
        .map(|(clause, _)| report_useless(Origin::offset(&config, clause.span.start), &clause.code))
        .collect();
    for (source, allowances) in documents {
        let unused = allowances
            .iter()
            .filter(|allowance| !used_allowances.contains(&(source, allowance.span.clone())));
        useless.extend(unused.map(|allowance| {
            report_useless(Origin::span(source, allowance.span.clone()), &allowance.code)
        }));
    }
    diagnostics.append(&mut useless);
}

/// Removes allowed diagnostics that only `check` finds.
pub(crate) fn remove_allowed(clauses: &[Allow], diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.retain(|found| !clauses.iter().any(|clause| clause.covers(found)));
}

impl Allow {
    fn compile(
        source: &SourceId,
        written: &AllowClause,
        span: Range<usize>,
        found: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        // All problems of a clause are reported at once, so success is known only at the end.
        let problems_before = found.len();
        let mut broken = |message: String, hint: &str| {
            found.push(
                Diagnostic::new(&BROKEN_ALLOW, Origin::offset(source, span.start), message)
                    .hint(hint),
            );
        };
        let AllowClause { code, tools, file, reason } = written;
        if reason.trim().is_empty() {
            broken(format!("`{code}` is allowed without a reason"), "give a reason in `reason`");
        }
        let mut check_glob = |glob: Option<Result<Glob, GlobError>>| match glob.transpose() {
            Ok(glob) => glob,
            Err(error) => {
                broken(format!("invalid glob: {error}"), "write a name, with `*` for any text");
                None
            }
        };
        let tools = check_glob(tools.as_deref().map(Glob::new));
        let file = check_glob(file.as_deref().map(Glob::for_paths));
        let is_valid = found.len() == problems_before;
        is_valid.then(|| Self { code: code.clone(), tools, file, reason: reason.clone(), span })
    }

    /// The reason to allow a change of a tool, if this clause covers it.
    pub(crate) fn reason_for(&self, rule: &str, tool: &str) -> Option<&str> {
        let matches_tool = self.tools.as_ref().is_none_or(|glob| glob.is_match(tool));
        (self.code == rule && self.file.is_none() && matches_tool).then_some(self.reason.as_str())
    }

    /// Whether it is for a change between two versions or for a problem in a document. The first are
    /// found only by `diff` and the second only by `check`, so it may not be useless.
    fn is_for_others(&self) -> bool {
        compat::CHANGES.iter().any(|rule| rule.name == self.code)
            || formats::rmd::RULES.iter().any(|rule| rule.code == self.code)
    }

    /// Whether it covers a diagnostic. It never covers errors, because a tool with an error cannot
    /// be served.
    fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let matches_tool = match (&self.tools, &diagnostic.tool) {
            (None, _) => true,
            (Some(glob), Some(tool)) => glob.is_match(tool),
            (Some(_), None) => false,
        };
        let matches_file =
            self.file.as_ref().is_none_or(|glob| glob.is_match(diagnostic.origin.source.as_str()));
        diagnostic.code == self.code
            && diagnostic.severity < Severity::Error
            && matches_tool
            && matches_file
    }
}

fn report_useless(origin: Origin, code: &str) -> Diagnostic {
    Diagnostic::new(
        &USELESS_ALLOW,
        origin,
        format!("`{code}` is allowed here, but no diagnostic has this code"),
    )
    .hint("remove it, or correct the code")
}
