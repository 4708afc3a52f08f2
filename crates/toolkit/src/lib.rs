//! The API for writing native tools, resources and prompts in Rust.
//!
//! A tool is a [`Native`]: its description as a [`Tool`] of the model, and a [`Handler`], the
//! function that runs a call. [`Native::typed`] builds one from an argument type and a function
//! that returns a [`Reply`]; [`declare!`] registers it, and a [`Toolset`] validates and names the
//! tools that a server serves. The function receives validated arguments and a [`Context`], through
//! which it reports progress, asks the user, stores values and calls other tools. No protocol type
//! appears here, so the same tool serves clients of every protocol revision.

mod argument_schema;
mod call;
mod client;
mod consent;
mod context;
mod declare;
mod handler;
mod naming;
mod native;
mod prompt;
mod question;
mod reply;
mod resource;
mod storage;
mod toolset;
mod typed;

#[doc(hidden)]
pub use declare::DECLARED;
// The macros of this crate expand to these paths.
#[doc(hidden)]
pub use {linkme, schemars, serde};

pub use call::{Arguments, BoxFuture, Interrupt};
pub use catalog::{
    Content, ErrorDetail, ErrorForm, ErrorType, Example, Failure, Glob, Outcome, Schema, Tool,
    closest, flag,
};
pub use client::{Change, Client, Level, Progress};
pub use context::{Context, Services};
pub use declare::Declarations;
pub use handler::Handler;
pub use naming::{BadPrefix, Naming, Prefix};
pub use native::Native;
pub use prompt::{Message, Prompt, PromptArgument, Prompts, Role};
pub use question::{Answer, Capability, Question};
pub use reply::{Reply, Return};
pub use resource::{Body, Resource, ResourceContent, ResourceError, ResourceTemplate, Resources};
pub use storage::{MemoryStorage, Storage, StorageFuture, ToolStorage};
pub use toolset::{Examples, FIRST_LINE, PREFIX_VARIABLE, Toolset, ToolsetError, ToolsetOptions};
