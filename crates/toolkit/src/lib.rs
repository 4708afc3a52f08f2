//! What one needs to write a native tool, a resource or a prompt in Rust.
//!
//! A tool is a [`Native`]: its description as a [`Tool`] of the model, and a [`Handler`], the
//! function behind it. The function is given checked arguments and a [`Context`], through which it
//! reports progress and asks its user. No protocol type appears here: the same tool answers
//! clients of every era.

mod context;
mod handler;
mod provider;
mod question;

pub use catalog::{Content, Failure, Outcome, Schema, Tool, closest};
pub use context::{Capability, Change, Client, Context, Level, Progress};
pub use handler::{Arguments, BoxFuture, Handler, Interrupt, Native};
pub use provider::{
    Body, Message, Prompt, PromptArgument, Prompts, Resource, ResourceContent, ResourceTemplate, Resources, Role,
};
pub use question::{Answer, Question};
