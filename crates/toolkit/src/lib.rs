//! What one needs to write a native tool, a resource or a prompt in Rust.
//!
//! A tool is a [`Native`]: its description as a [`Tool`] of the model, and a [`Handler`], the
//! function behind it. [`Native::typed`] makes one of a type and a function that returns a
//! [`Reply`]; [`declare!`] collects it, and a [`Toolset`] checks and names what a server serves. The
//! function is given checked arguments and a [`Context`], through which it reports progress, asks
//! its user, keeps things and calls other tools. No protocol type appears here: the same tool
//! answers clients of every era.

mod agreement;
mod argument;
mod context;
mod declare;
mod handler;
mod host;
mod naming;
mod provider;
mod question;
mod reply;
mod toolset;
mod typed;

#[doc(hidden)]
pub use declare::DECLARED;
// What the macros of this crate expand to.
#[doc(hidden)]
pub use {linkme, schemars, serde};

pub use catalog::{
    Content, ErrorForm, ErrorType, Failure, Glob, Outcome, Schema, Tool, arguments::ErrorDetail,
    closest, flag,
};
pub use context::{Capability, Change, Client, Context, Level, Progress};
pub use declare::Declarations;
pub use handler::{Arguments, BoxFuture, Handler, Interrupt, Native};
pub use host::{Services, Storage, StorageFuture, ToolStorage};
pub use naming::{BadPrefix, Naming, Prefix};
pub use provider::{
    Body, Message, Prompt, PromptArgument, Prompts, Resource, ResourceContent, ResourceError,
    ResourceTemplate, Resources, Role,
};
pub use question::{Answer, Question};
pub use reply::{Reply, Return};
pub use toolset::{FIRST_LINE, Toolset, ToolsetError, ToolsetOptions};
