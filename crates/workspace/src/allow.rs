//! Problems that are allowed, with reasons: `[[allow]]` of the crib and the comments of documents.

use std::{collections::HashMap, ops::Range};

use catalog::{Allowance, Diagnostic, Glob, GlobError, Origin, Rule, Severity, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{Clause, config, crib};

/// An `[[allow]]` that cannot be used.
pub(crate) static BROKEN_ALLOW: Rule = Rule {
    code: "TC640",
    name: "broken-allow",
    severity: Severity::Error,
    why: "An `[[allow]]` names the code of a rule and says why its problems are allowed, for some tools or files. One \
          without a reason, or whose glob is not a glob, would hide problems that nobody has judged.",
    bad: "[[allow]]\ncode = \"TC307\"\nreason = \"\"\n",
    good: "[[allow]]\ncode = \"TC307\"\ntools = \"git_*\"\nreason = \"examples follow with 1.0\"\n",
};

/// An allowance that allows nothing.
pub(crate) static USELESS_ALLOW: Rule = Rule {
    code: "TC641",
    name: "useless-allow",
    severity: Severity::Note,
    why: "Something is allowed that does not occur: it has been mended, or the code or the glob is misspelled. Take the \
          allowance out, so that a new problem of the kind is seen.",
    bad: "",
    good: "",
};

/// Problems that the crib allows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowClause {
    /// The code of the rule; of a change that `diff` finds, its name.
    pub code: String,
    /// A glob over tool names; without one, all.
    pub tools: Option<String>,
    /// A glob over file names, relative to the crib; without one, all.
    pub file: Option<String>,
    /// Why, in words for whoever reads this next.
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

/// Compiles the clauses that can be used, and tells what is wrong with the others.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<Clause<AllowClause>>],
    found: &mut Vec<Diagnostic>,
) -> Vec<Allow> {
    let mut compiled = Vec::new();
    for clause in written {
        let span = clause.span();
        match clause.get_ref() {
            Clause::Read(written) => compiled.extend(Allow::compile(source, written, span, found)),
            Clause::Unread(reason) => {
                found.push(config::broken(source, span.start, reason.clone()))
            }
        }
    }
    compiled
}

/// Takes out what is allowed, and tells which allowances allow nothing.
pub(crate) fn apply(
    documents: &HashMap<SourceId, Vec<Allowance>>,
    clauses: &[Allow],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut used_in_documents: Vec<(&SourceId, Range<usize>)> = Vec::new();
    let mut used = vec![false; clauses.len()];
    diagnostics.retain(|diagnostic| {
        let own = documents
            .get(&diagnostic.origin.source)
            .into_iter()
            .flatten()
            .find(|allowance| allowance.covers(diagnostic));
        if let Some(allowance) = own {
            if let Some((source, _)) = documents.get_key_value(&diagnostic.origin.source) {
                used_in_documents.push((source, allowance.span.clone()));
            }
            return false;
        }
        match clauses.iter().position(|clause| clause.covers(diagnostic)) {
            Some(index) => {
                used[index] = true;
                false
            }
            None => true,
        }
    });
    let config = SourceId::new(crib::CONFIG);
    let idle = clauses.iter().zip(used).filter(|(clause, used)| !used && !clause.is_of_change());
    let mut useless: Vec<Diagnostic> = idle
        .map(|(clause, _)| told(Origin::offset(&config, clause.span.start), &clause.code))
        .collect();
    for (source, allowances) in documents {
        let idle = allowances
            .iter()
            .filter(|allowance| !used_in_documents.contains(&(source, allowance.span.clone())));
        useless.extend(
            idle.map(|allowance| {
                told(Origin::span(source, allowance.span.clone()), &allowance.code)
            }),
        );
    }
    diagnostics.append(&mut useless);
}

impl Allow {
    fn compile(
        source: &SourceId,
        written: &AllowClause,
        span: Range<usize>,
        found: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let known = found.len();
        let mut broken = |message: String, hint: &str| {
            found.push(
                Diagnostic::new(&BROKEN_ALLOW, Origin::offset(source, span.start), message)
                    .hint(hint),
            );
        };
        let AllowClause { code, tools, file, reason } = written;
        if reason.trim().is_empty() {
            broken(format!("`{code}` is allowed without a reason"), "say why in `reason`");
        }
        let mut take = |glob: Option<Result<Glob, GlobError>>| match glob.transpose() {
            Ok(glob) => glob,
            Err(error) => {
                broken(
                    format!("this is not a glob: {error}"),
                    "write a name, with `*` for any text",
                );
                None
            }
        };
        let tools = take(tools.as_deref().map(Glob::new));
        let file = take(file.as_deref().map(Glob::for_paths));
        let is_sound = found.len() == known;
        is_sound.then(|| Self { code: code.clone(), tools, file, reason: reason.clone(), span })
    }

    /// Why a change of a tool is allowed, if it is.
    pub(crate) fn reason_for(&self, rule: &str, tool: &str) -> Option<&str> {
        let fits_tool = self.tools.as_ref().is_none_or(|glob| glob.is_match(tool));
        (self.code == rule && self.file.is_none() && fits_tool).then_some(self.reason.as_str())
    }

    /// Whether it is for a change between two versions, which is seen only when these are compared.
    fn is_of_change(&self) -> bool {
        compat::CHANGES.iter().any(|rule| rule.name == self.code)
    }

    /// Whether it is for this diagnostic. Errors are not allowed away: what has one cannot be served.
    fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let fits_tool = match (&self.tools, &diagnostic.tool) {
            (None, _) => true,
            (Some(glob), Some(tool)) => glob.is_match(tool),
            (Some(_), None) => false,
        };
        let fits_file =
            self.file.as_ref().is_none_or(|glob| glob.is_match(diagnostic.origin.source.as_str()));
        diagnostic.code == self.code
            && diagnostic.severity < Severity::Error
            && fits_tool
            && fits_file
    }
}

fn told(origin: Origin, code: &str) -> Diagnostic {
    Diagnostic::new(
        &USELESS_ALLOW,
        origin,
        format!("`{code}` is allowed here, and nothing has that problem"),
    )
    .hint("take it out, or correct the code")
}
