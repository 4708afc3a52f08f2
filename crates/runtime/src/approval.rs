//! A recorded approval of exactly one plan.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::operation::{ApprovalId, Owner};

/// Lifetime of a request and of an approval.
pub(crate) const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Identifies what is approved, by hexadecimal SHA-256 digests. Those of arguments and plan have a key
/// of the journal, so that values cannot be guessed from them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    /// The definition of the tool; for a sequence, also those of its steps.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: String,
    /// What the call would do with them: command line, environment, content of the program, ….
    pub plan: String,
}

impl Digest {
    /// Whether tool and arguments are the same, whatever the plan.
    pub fn is_same_call(&self, other: &Self) -> bool {
        (&self.tool, &self.arguments) == (&other.tool, &other.arguments)
    }
}

/// A request for approval with its ruling, once there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// A random id, by which a person refers to it.
    pub id: ApprovalId,
    /// Whose calls it allows.
    pub owner: Owner,
    /// The name of the tool.
    pub tool: String,
    /// Identifies the call.
    pub digest: Digest,
    /// Why policy asks for it.
    pub reason: String,
    /// What the call would do, without secrets.
    pub plan: Value,
    /// When it was requested.
    pub created: SystemTime,
    /// When it can no longer be decided or used.
    pub expires: SystemTime,
    /// Number of calls that it still allows.
    pub uses: u32,
    /// The decision of a person.
    pub ruling: Option<Ruling>,
}

/// The decision about a request for approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Whether the call is allowed.
    pub approved: bool,
    /// How it was decided: `client`, `terminal`, ….
    pub by: String,
    /// When it was decided.
    pub at: SystemTime,
}

impl Approval {
    /// Whether it waits for a ruling.
    pub fn is_open(&self, now: SystemTime) -> bool {
        self.ruling.is_none() && self.is_current(now)
    }

    /// Whether it allows a call now.
    pub fn is_usable(&self, now: SystemTime) -> bool {
        self.uses > 0
            && self.ruling.as_ref().is_some_and(|ruling| ruling.approved)
            && self.is_current(now)
    }

    /// The creation time is checked too, so that setting the clock back does not extend the approval.
    fn is_current(&self, now: SystemTime) -> bool {
        now < self.expires && self.created <= now + LIFETIME
    }
}
