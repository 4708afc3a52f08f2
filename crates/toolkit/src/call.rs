//! The types that every call passes around.

use std::{future::Future, pin::Pin};

use serde_json::{Map, Value};

use crate::{Capability, Question};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The arguments of a call, validated against the tool's schema.
pub type Arguments = Map<String, Value>;

/// Why a call has no outcome. A tool that failed has an outcome, and is not one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupt {
    /// The tool needs answers first. The call is repeated once they are known.
    Ask {
        /// The questions, each under a key that the tool chose.
        questions: Vec<(String, Question)>,
        /// State that the repeated call can read.
        state: Option<Vec<u8>>,
    },
    /// The client lacks a capability that the tool requires.
    MissingCapability(Capability),
    /// The request is invalid, for example because it names an unknown resource or prompt.
    Invalid(String),
    /// The client was asked and gave no usable answer, for this reason.
    Unanswered(String),
}
