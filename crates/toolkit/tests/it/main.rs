//! The toolkit as the author of a tool uses it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod arguments;
mod collecting;
mod naming;
mod replies;
mod tools;
