//! Prompts that clients offer to their users.

use catalog::Content;

use crate::{Arguments, BoxFuture, Context, Interrupt};

/// A prompt that a user can choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The name, unique among all providers of a server.
    pub name: String,
    /// The purpose, shown to the user.
    pub description: String,
    /// The arguments, in the order in which clients ask for them.
    pub arguments: Vec<PromptArgument>,
}

/// One argument of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptArgument {
    /// The name, unique in its prompt.
    pub name: String,
    /// The meaning, shown to the user.
    pub description: Option<String>,
    /// Whether the prompt needs a value.
    pub required: bool,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person who uses the client.
    User,
    /// The model.
    Assistant,
}

/// A message of an expanded prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text, image or resource.
    pub content: Content,
}

/// A provider of prompts. Servers ask for prompts when a client requests them and cache nothing.
pub trait Prompts: Send + Sync + 'static {
    /// The current prompts.
    fn list(&self) -> BoxFuture<'_, Vec<Prompt>>;

    /// Expands a prompt into messages; `Ok(None)` if this provider has no prompt of that name.
    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<Vec<Message>>, Interrupt>>;

    /// Completes the value of an argument; `None` if this provider has no prompt of that name.
    fn complete<'a>(
        &'a self,
        _name: &'a str,
        _argument: &'a str,
        _value: &'a str,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        Box::pin(std::future::ready(None))
    }
}
