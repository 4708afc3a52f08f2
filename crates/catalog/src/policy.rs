//! May this call be made? Annotations set the default, the rules of a crib replace it.
//!
//! A policy only decides. It asks nobody and stores nothing; what a person answered is not its
//! business, and it is told the time because this crate has no clock.

mod expression;
mod scope;
mod syntax;

use std::{fmt, sync::Arc, time::SystemTime};

use serde_json::{Map, Value};

use crate::{Glob, Implementation, Tool};
pub(crate) use expression::Expression;
pub(crate) use scope::Scope;
use syntax::CALL_NAMES;
pub(crate) use syntax::RULE_NAMES;

/// The stack for compiling, in bytes. Only what is used of it takes memory.
const STACK: usize = 64 << 20;

/// What to do with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Run it once a person has said yes.
    Ask {
        /// Why, in words for that person.
        reason: String,
    },
    /// Do not run it, whoever says yes.
    Deny {
        /// Why, in words for the caller.
        reason: String,
    },
}

/// What a clause says to do. The later wins over the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Run the call without asking.
    Allow,
    /// Ask a person first.
    Ask,
    /// Refuse.
    Deny,
}

/// One `[[policy]]` as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// A glob over tool names.
    pub tools: String,
    /// A CEL expression over `args` and `tool`; without one, every call is meant.
    pub when: Option<String>,
    /// What to do.
    pub verdict: Verdict,
    /// The moment from which the clause does not count any more.
    pub until: Option<SystemTime>,
    /// Why, in words for people.
    pub reason: Option<String>,
}

/// The part of a clause that a problem is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The glob.
    Tools,
    /// The expression.
    When,
}

/// A clause that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which clause, from zero.
    pub clause: usize,
    /// Where in it.
    pub part: Part,
    /// What is wrong.
    pub message: String,
}

/// The compiled clauses of a crib. Cloning is cheap; without clauses, annotations decide alone.
#[derive(Clone, Debug, Default)]
pub struct Policy(Arc<[Compiled]>);

#[derive(Debug)]
struct Compiled {
    clause: Clause,
    tools: Glob,
    when: Option<Expression>,
}

impl Policy {
    /// Compiles clauses; all problems of all clauses if there are any.
    pub fn compile(clauses: impl IntoIterator<Item = Clause>) -> Result<Self, Vec<Problem>> {
        let clauses: Vec<_> = clauses.into_iter().collect();
        if clauses.is_empty() {
            return Ok(Self::default());
        }
        let mut compiled = Vec::new();
        let mut problems = Vec::new();
        for (index, clause) in
            on_large_stack(|| clauses.into_iter().map(Compiled::new).collect::<Vec<_>>())
                .into_iter()
                .enumerate()
        {
            match clause {
                Ok(clause) => compiled.push(clause),
                Err(found) => {
                    problems.extend(found.into_iter().map(|(part, message)| Problem {
                        clause: index,
                        part,
                        message,
                    }));
                }
            }
        }
        if problems.is_empty() { Ok(Self(compiled.into())) } else { Err(problems) }
    }

    /// What to do with a call of `tool` at the time `now`. The arguments have been checked and their
    /// defaults filled in.
    pub fn decide(&self, tool: &Tool, arguments: &Map<String, Value>, now: SystemTime) -> Decision {
        let mut scope = None;
        let mut strongest: Option<(Verdict, &Compiled, Match)> = None;
        for compiled in self.0.iter().filter(|compiled| compiled.concerns(tool, now)) {
            let verdict = compiled.clause.verdict;
            if strongest.as_ref().is_some_and(|(found, ..)| *found >= verdict) {
                continue;
            }
            let matched =
                compiled.matches(|| scope.get_or_insert_with(|| Scope::new(tool, arguments)));
            if let Some(matched) =
                matched.filter(|matched| verdict > Verdict::Allow || *matched == Match::Holds)
            {
                strongest = Some((verdict, compiled, matched));
            }
        }
        match strongest {
            None => by_annotations(tool),
            Some((Verdict::Allow, ..)) => Decision::Allow,
            Some((Verdict::Ask, compiled, matched)) => {
                Decision::Ask { reason: compiled.reason(&matched) }
            }
            Some((Verdict::Deny, compiled, matched)) => {
                Decision::Deny { reason: compiled.reason(&matched) }
            }
        }
    }

    /// The clauses, as they were written.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &Clause> {
        self.0.iter().map(|compiled| &compiled.clause)
    }

    /// Whether the glob of a clause fits the name of a tool, whatever else the clause says.
    pub fn names(&self, clause: usize, tool: &str) -> bool {
        self.0.get(clause).is_some_and(|compiled| compiled.tools.is_match(tool))
    }

    /// The arguments that the expression of a clause reads and that a call may lack, by name: where
    /// one is absent, the expression fails.
    pub fn reads(&self, clause: usize) -> impl Iterator<Item = &str> {
        self.0
            .get(clause)
            .and_then(|compiled| compiled.when.as_ref())
            .into_iter()
            .flat_map(Expression::reads)
    }
}

/// Runs `work` where there is room: the parser of conditions takes up to 100 KiB for a parenthesis.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What annotations say: only what was marked is asked about, not what nobody spoke of.
fn by_annotations(tool: &Tool) -> Decision {
    // First, because the readers of definitions take every shell script for dangerous.
    let why = if matches!(&tool.implementation, Implementation::Process(process) if process.is_shell_script())
    {
        "runs a shell script"
    } else if tool.annotations.dangerous == Some(true) {
        "is marked as dangerous"
    } else if tool.annotations.requires_approval == Some(true) {
        "is marked as requiring approval"
    } else if tool.consent.is_some() {
        "requires explicit consent"
    } else {
        return Decision::Allow;
    };
    Decision::Ask { reason: format!("it {why}") }
}

/// How a clause came to count.
#[derive(Debug, PartialEq, Eq)]
enum Match {
    /// Its expression holds, or it has none.
    Holds,
    /// Its expression could not be evaluated, for this reason.
    Fails(String),
}

impl Compiled {
    fn new(clause: Clause) -> Result<Self, Vec<(Part, String)>> {
        let tools = Glob::new(&clause.tools)
            .map_err(|error| (Part::Tools, format!("`{}` is not a glob: {error}", clause.tools)));
        let when = clause
            .when
            .as_deref()
            .map(|when| Expression::compile(when, &CALL_NAMES))
            .transpose()
            .map_err(|message| (Part::When, message));
        match (tools, when) {
            (Ok(tools), Ok(when)) => Ok(Self { clause, tools, when }),
            (tools, when) => Err(tools.err().into_iter().chain(when.err()).collect()),
        }
    }

    fn concerns(&self, tool: &Tool, now: SystemTime) -> bool {
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

    /// What to tell a person. It has no argument values, which may be secret.
    fn reason(&self, matched: &Match) -> String {
        let Clause { tools, when, reason, verdict, .. } = &self.clause;
        let mut text = match (reason, when) {
            (Some(reason), _) => reason.clone(),
            (None, None) => format!("the policy for `{tools}` is to {verdict}"),
            (None, Some(when)) => format!("the policy for `{tools}` is to {verdict} when `{when}`"),
        };
        if let Match::Fails(why) = matched {
            text.push_str(&format!("; the condition could not be evaluated: {why}"));
        }
        text
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}
