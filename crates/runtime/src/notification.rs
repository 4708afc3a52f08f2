//! Tells the operator that a call waits for approval, by a command of their choice.
//!
//! It runs with the operator's rights and environment, outside of the sandbox. The text comes from a call,
//! so it is passed as arguments and variables, never through a shell.

/// The operator's command.
#[derive(Clone, Debug)]
pub struct Notification {
    /// The program and its first arguments. A title and a text follow.
    pub command: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
}
