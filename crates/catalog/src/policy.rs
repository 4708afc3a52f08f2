//! Policy: whether a call is allowed, needs approval, or is denied. Annotations set the default;
//! the clauses of a crib override it.
//!
//! A policy only decides. Asking a person and storing approvals are up to the caller, and so is the
//! current time, because this crate has no clock.

mod expression;
mod scope;
mod syntax;
mod variables;

use std::{fmt, sync::Arc, time::SystemTime};

use serde_json::{Map, Value};

use crate::{Glob, Implementation, Tool};
pub(crate) use expression::Expression;
pub(crate) use scope::Scope;
use syntax::CALL_NAMES;
pub(crate) use syntax::{ARGUMENT_NAMES, RULE_NAMES};
use variables::{find_make_variable, find_unlisted_variable};

/// Stack size for compiling conditions, in bytes. Only the pages that are used take memory.
const STACK: usize = 64 << 20;

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Run it after a person has approved it.
    Ask {
        /// The reason shown to that person.
        reason: String,
    },
    /// Do not run it; no approval can override this.
    Deny {
        /// The reason reported to the caller.
        reason: String,
    },
}

/// The effect of a clause, from weakest to strongest: of several matching clauses the strongest
/// wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Run without asking.
    Allow,
    /// Ask a person first.
    Ask,
    /// Reject.
    Deny,
}

/// A `[[policy]]` table as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// A glob over tool names.
    pub tools: String,
    /// A CEL expression over `args` and `tool`; `None` matches every call.
    pub when: Option<String>,
    /// The decision about calls that match.
    pub effect: Effect,
    /// When the clause expires.
    pub until: Option<SystemTime>,
    /// The reason shown to people.
    pub reason: Option<String>,
}

/// The key of a clause that is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKey {
    /// `tools`.
    Tools,
    /// `when`.
    When,
}

/// Why a clause is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseError {
    /// The index of the clause.
    pub clause: usize,
    /// The invalid key.
    pub key: ClauseKey,
    /// The problem.
    pub message: String,
}

/// The compiled clauses of a crib. Clones are cheap; without clauses, annotations alone decide.
#[derive(Clone, Debug, Default)]
pub struct Policy(Arc<[CompiledClause]>);

#[derive(Debug)]
struct CompiledClause {
    clause: Clause,
    tools: Glob,
    when: Option<Expression>,
}

impl Policy {
    /// Compiles clauses; on failure returns every error of every clause.
    pub fn compile(clauses: impl IntoIterator<Item = Clause>) -> Result<Self, Vec<ClauseError>> {
        let clauses: Vec<_> = clauses.into_iter().collect();
        if clauses.is_empty() {
            return Ok(Self::default());
        }
        let mut compiled = Vec::new();
        let mut errors = Vec::new();
        for (index, clause) in
            on_large_stack(|| clauses.into_iter().map(CompiledClause::new).collect::<Vec<_>>())
                .into_iter()
                .enumerate()
        {
            match clause {
                Ok(clause) => compiled.push(clause),
                Err(found) => {
                    errors.extend(found.into_iter().map(|(key, message)| ClauseError {
                        clause: index,
                        key,
                        message,
                    }));
                }
            }
        }
        if errors.is_empty() { Ok(Self(compiled.into())) } else { Err(errors) }
    }

    /// A policy that allows every call.
    pub fn allow_all() -> Self {
        let clause = Clause {
            tools: "*".to_owned(),
            when: None,
            effect: Effect::Allow,
            until: None,
            reason: None,
        };
        Self::compile([clause]).expect("the clause has a valid glob and no condition")
    }

    /// Decides about a call of `tool` at the time `now`. The arguments are valid and have defaults
    /// applied.
    pub fn decide(&self, tool: &Tool, arguments: &Map<String, Value>, now: SystemTime) -> Decision {
        let mut scope = None;
        let mut strongest: Option<(Effect, &CompiledClause, Match)> = None;
        for compiled in self.0.iter().filter(|compiled| compiled.applies_to(tool, now)) {
            let effect = compiled.clause.effect;
            // A policy that cannot change the decision is skipped, which saves evaluating its
            // condition.
            if strongest.as_ref().is_some_and(|(found, ..)| *found >= effect) {
                continue;
            }
            let matched =
                compiled.matches(|| scope.get_or_insert_with(|| Scope::new(tool, arguments)));
            // A condition that fails to evaluate may ask or deny, but never allow.
            if let Some(matched) =
                matched.filter(|matched| effect > Effect::Allow || *matched == Match::Holds)
            {
                strongest = Some((effect, compiled, matched));
            }
        }
        match strongest {
            None => decide_by_annotations(tool, arguments),
            Some((Effect::Allow, ..)) => Decision::Allow,
            Some((Effect::Ask, compiled, matched)) => {
                Decision::Ask { reason: compiled.reason(&matched) }
            }
            Some((Effect::Deny, compiled, matched)) => {
                Decision::Deny { reason: compiled.reason(&matched) }
            }
        }
    }

    /// The clauses as written.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &Clause> {
        self.0.iter().map(|compiled| &compiled.clause)
    }

    /// Whether the glob of a clause matches a tool name, regardless of its condition.
    pub fn matches_name(&self, clause: usize, tool: &str) -> bool {
        self.0.get(clause).is_some_and(|compiled| compiled.tools.is_match(tool))
    }

    /// The optional arguments that the condition of a clause reads without testing for their
    /// presence: if one is absent, the condition fails to evaluate.
    pub fn list_untested_arguments(&self, clause: usize) -> impl Iterator<Item = &str> {
        self.0
            .get(clause)
            .and_then(|compiled| compiled.when.as_ref())
            .into_iter()
            .flat_map(Expression::list_untested_arguments)
    }
}

/// Runs `work` on a thread with a large stack: the CEL parser uses up to 100 KiB per parenthesis.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The decision without a matching clause: only declared annotations need approval, not undeclared
/// ones, and what a caller can use to run code of its own.
fn decide_by_annotations(tool: &Tool, arguments: &Map<String, Value>) -> Decision {
    let ask = |why: &str| Decision::Ask { reason: format!("it {why}") };
    // Checked first for its more precise reason: format readers also mark every shell script
    // dangerous.
    if let Implementation::Process(process) = &tool.implementation {
        if process.is_shell_script() {
            return ask("runs a shell script");
        }
        if let Some(program) = process.find_given_code() {
            return ask(&format!("runs code from its arguments with `{program}`"));
        }
    }
    if tool.annotations.dangerous == Some(true) {
        ask("is marked as dangerous")
    } else if tool.annotations.requires_approval == Some(true) {
        ask("is marked as requiring approval")
    } else if tool.consent.is_some() {
        ask("requires explicit consent")
    } else if let Some(name) = find_unlisted_variable(tool, arguments) {
        ask(&format!("sets the environment variable `{name}`, which its definition does not list"))
    } else if let Some(name) = find_make_variable(tool, arguments) {
        ask(&format!("sets the variable `{name}` of `make`, which can make it run other programs"))
    } else {
        Decision::Allow
    }
}

/// How a clause matched.
#[derive(Debug, PartialEq, Eq)]
enum Match {
    /// Its condition is true, or it has none.
    Holds,
    /// Its condition could not be evaluated, for this reason. Such a clause still asks or denies:
    /// failing open would let a misspelt condition allow everything.
    Fails(String),
}

impl CompiledClause {
    fn new(clause: Clause) -> Result<Self, Vec<(ClauseKey, String)>> {
        let tools = Glob::new(&clause.tools).map_err(|error| {
            (ClauseKey::Tools, format!("`{}` is not a glob: {error}", clause.tools))
        });
        let when = clause
            .when
            .as_deref()
            .map(|when| Expression::compile(when, &CALL_NAMES))
            .transpose()
            .map_err(|message| (ClauseKey::When, message));
        match (tools, when) {
            (Ok(tools), Ok(when)) => Ok(Self { clause, tools, when }),
            (tools, when) => Err(tools.err().into_iter().chain(when.err()).collect()),
        }
    }

    fn applies_to(&self, tool: &Tool, now: SystemTime) -> bool {
        self.clause.until.is_none_or(|until| now < until)
            && (self.tools.is_match(&tool.name) || self.tools.is_match(tool.bare_name()))
    }

    fn matches<'s, 'a: 's>(&self, scope: impl FnOnce() -> &'s mut Scope<'a>) -> Option<Match> {
        let Some(expression) = &self.when else {
            return Some(Match::Holds);
        };
        match expression.evaluate(scope()) {
            Ok(true) => Some(Match::Holds),
            Ok(false) => None,
            Err(reason) => Some(Match::Fails(reason)),
        }
    }

    /// The reason for a person. Contains no argument values, which may be secret.
    fn reason(&self, matched: &Match) -> String {
        let Clause { tools, when, reason, effect, .. } = &self.clause;
        let mut text = match (reason, when) {
            (Some(reason), _) => reason.clone(),
            (None, None) => format!("the policy for `{tools}` is to {effect}"),
            (None, Some(when)) => format!("the policy for `{tools}` is to {effect} when `{when}`"),
        };
        if let Match::Fails(why) = matched {
            text.push_str(&format!("; the condition could not be evaluated: {why}"));
        }
        text
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}
