//! Rules that a crib adds: a condition over the tool model, and what to say where it holds.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::{
    Diagnostic, Glob, Origin, Severity, Tool,
    policy::{Expression, RULE_NAMES, Scope, on_large_stack},
};

/// A rule of the crib's own.
#[derive(Debug)]
pub struct CustomRule {
    code: &'static str,
    severity: Severity,
    tools: Option<Glob>,
    when: Expression,
    message: String,
    hint: Option<String>,
}

/// A rule as it is written.
#[derive(Clone, Debug)]
pub struct CustomRuleText<'a> {
    /// Its code: capitals, digits and `-`, and not one of ours.
    pub code: &'a str,
    /// How bad what it finds is.
    pub severity: Severity,
    /// A glob over tool names; without one, all.
    pub tools: Option<&'a str>,
    /// A CEL expression over `tool` that holds where there is a problem.
    pub when: &'a str,
    /// What is wrong there.
    pub message: &'a str,
    /// What to do about it.
    pub hint: Option<&'a str>,
}

impl CustomRule {
    /// Compiles a rule, or says why it cannot be used.
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
            code: interned(text.code),
            severity: text.severity,
            tools,
            when,
            message: text.message.to_owned(),
            hint: text.hint.map(str::to_owned),
        })
    }

    /// What it finds in a tool; why it cannot be said, if the condition fails.
    pub fn check(&self, tool: &Tool) -> Result<Option<Diagnostic>, String> {
        if self.tools.as_ref().is_some_and(|tools| !tools.is_match(&tool.name)) {
            return Ok(None);
        }
        let holds = self
            .when
            .evaluate(&Scope::of_tool(tool))
            .map_err(|reason| reason.replace("these arguments", "this tool"))?;
        Ok(holds.then(|| self.found(tool.origin.clone()).tool(&tool.name)))
    }

    /// Its code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    fn found(&self, origin: Origin) -> Diagnostic {
        let found = Diagnostic::of_code(self.code, self.severity, origin, self.message.clone());
        match &self.hint {
            Some(hint) => found.hint(hint),
            None => found,
        }
    }
}

/// A code that lives as long as the program: there are as few as rules in configurations, and each is kept once.
fn interned(code: &str) -> &'static str {
    static CODES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut codes = CODES.lock();
    match codes.get(code) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(code.to_owned().into_boxed_str());
            codes.insert(kept);
            kept
        }
    }
}
