//! Lint rules that a crib adds: a CEL condition over the tool model and the message to report.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::{
    Diagnostic, Glob, Origin, Severity, Tool,
    policy::{Expression, RULE_NAMES, Scope, on_large_stack},
};

/// A compiled rule.
#[derive(Debug)]
pub struct CustomRule {
    code: &'static str,
    severity: Severity,
    tools: Option<Glob>,
    when: Expression,
    message: String,
    hint: Option<String>,
}

/// A rule as written in the configuration.
#[derive(Clone, Debug)]
pub struct CustomRuleText<'a> {
    /// Capitals, digits and `-`; the codes of built-in rules (`TC` and digits) are reserved.
    pub code: &'a str,
    /// The severity of its diagnostics.
    pub severity: Severity,
    /// A glob over tool names; without one, all.
    pub tools: Option<&'a str>,
    /// A CEL expression over `tool` that is true for tools with the problem.
    pub when: &'a str,
    /// The message to report.
    pub message: &'a str,
    /// The hint to report.
    pub hint: Option<&'a str>,
}

impl CustomRule {
    /// Compiles a rule; the error is the reason why it cannot be used.
    pub fn compile(text: &CustomRuleText<'_>) -> Result<Self, String> {
        let is_own = text
            .code
            .strip_prefix("TC")
            .is_none_or(|rest| !rest.bytes().all(|byte| byte.is_ascii_digit()));
        let is_code = (2..=32).contains(&text.code.len())
            && text.code.starts_with(|c: char| c.is_ascii_uppercase())
            && text
                .code
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_code || !is_own {
            return Err(format!(
                "`{}` cannot be the code of a rule: use capitals, digits and `-`, and not `TC` with digits",
                text.code
            ));
        }
        let tools = text
            .tools
            .map(Glob::new)
            .transpose()
            .map_err(|error| format!("`tools` is not a glob: {error}"))?;
        let when = on_large_stack(|| Expression::compile(text.when, &RULE_NAMES))?;
        Ok(Self {
            code: intern(text.code),
            severity: text.severity,
            tools,
            when,
            message: text.message.to_owned(),
            hint: text.hint.map(str::to_owned),
        })
    }

    /// Checks a tool; the error is the reason why the condition could not be evaluated.
    pub fn check(&self, tool: &Tool) -> Result<Option<Diagnostic>, String> {
        if self.tools.as_ref().is_some_and(|tools| !tools.is_match(&tool.name)) {
            return Ok(None);
        }
        let holds = self
            .when
            .evaluate(&Scope::for_definition(tool))
            // The reasons are worded for calls.
            .map_err(|reason| reason.replace("these arguments", "this tool"))?;
        Ok(holds.then(|| self.diagnostic(tool.origin.clone()).tool(&tool.name)))
    }

    /// The code of its diagnostics.
    pub fn code(&self) -> &'static str {
        self.code
    }

    fn diagnostic(&self, origin: Origin) -> Diagnostic {
        let found = Diagnostic::of_code(self.code, self.severity, origin, self.message.clone());
        match &self.hint {
            Some(hint) => found.hint(hint),
            None => found,
        }
    }
}

/// Leaks a code, once. Diagnostics hold `&'static str` codes; configurations have few rules, and a
/// reload reuses the codes that are already here.
fn intern(code: &str) -> &'static str {
    static CODES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut codes = CODES.lock();
    match codes.get(code) {
        Some(known) => known,
        None => {
            let leaked: &'static str = Box::leak(code.to_owned().into_boxed_str());
            codes.insert(leaked);
            leaked
        }
    }
}
