//! A recorded yes to exactly one plan, and the gate that asks for it.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::operation::{ApprovalId, Owner};

/// How long a request stays open and an approval valid.
pub(crate) const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// What a yes is given to: hexadecimal SHA-256 digests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    /// Of the tool as it is defined; for a sequence, of its steps too.
    pub tool: String,
    /// Of the arguments.
    pub arguments: String,
}

/// A question for approval and, once there is one, the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// Whose calls it is good for.
    pub owner: Owner,
    /// The name of the tool.
    pub tool: String,
    /// What exactly it is about.
    pub digest: Digest,
    /// Why it is asked.
    pub reason: String,
    /// What the call would do, without secrets.
    pub plan: Value,
    /// When it was asked.
    pub created: SystemTime,
    /// Until when it can be answered and used.
    pub expires: SystemTime,
    /// How many calls it is good for.
    pub uses: u32,
    /// The answer.
    pub ruling: Option<Ruling>,
}

/// A yes or a no to an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it is a yes.
    pub approved: bool,
    /// Who says so.
    pub by: String,
    /// When.
    pub at: SystemTime,
}

impl Approval {
    /// Whether it waits for an answer.
    pub fn is_open(&self, now: SystemTime) -> bool {
        self.ruling.is_none() && self.is_current(now)
    }

    /// Whether a call may be made on it.
    pub fn is_usable(&self, now: SystemTime) -> bool {
        self.uses > 0
            && self.ruling.as_ref().is_some_and(|ruling| ruling.approved)
            && self.is_current(now)
    }

    /// A clock that was set back must not make it good for longer.
    fn is_current(&self, now: SystemTime) -> bool {
        now < self.expires && self.created <= now + LIFETIME
    }
}
