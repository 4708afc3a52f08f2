//! The public API, as the author of a native tool uses it.

#![expect(clippy::unwrap_used, reason = "a failed precondition should fail the test")]

mod arguments;
mod declarations;
mod greeter;
mod naming;
mod replies;
