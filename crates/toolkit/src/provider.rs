//! Resources and prompts: asked for when a client wants them, never held by the server.

use std::collections::HashMap;

use catalog::Content;

use crate::{Arguments, BoxFuture, Context, Interrupt};

/// Something to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: String,
    /// How many bytes it has, where that is known.
    pub size: Option<u64>,
}

/// A family of resources whose addresses follow a pattern (RFC 6570).
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceTemplate {
    /// The pattern.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// The media type of what it leads to.
    pub mime_type: String,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContent {
    /// Its address.
    pub uri: String,
    /// Its media type.
    pub mime_type: String,
    /// Its text or bytes.
    pub body: Body,
}

/// Text or bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Why nothing is at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceError {
    /// It is no address of anything that the provider has. Other providers may know better.
    Malformed(String),
    /// What it names is not there.
    NotFound(String),
}

/// A provider of resources.
pub trait Resources: Send + Sync + 'static {
    /// What can be read now.
    fn list(&self) -> BoxFuture<'_, Vec<Resource>>;

    /// The families of what can be read.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads one; `Ok(None)` if the address is not one of this provider's.
    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>>;

    /// Why nothing is at an address; `None` if that is not for this provider to say.
    fn explain_missing(&self, _uri: &str) -> Option<ResourceError> {
        None
    }

    /// Values for a variable of a template that go on from `value`, given the variables that are chosen already;
    /// `None` if the template is not one of this provider's.
    fn complete<'a>(
        &'a self,
        _template: &'a str,
        _variable: &'a str,
        _value: &'a str,
        _chosen: &'a HashMap<String, String>,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        Box::pin(std::future::ready(None))
    }
}

/// A prompt that a person can choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it takes.
    pub arguments: Vec<PromptArgument>,
}

/// One argument of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

/// Who says something in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Something said in a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// What.
    pub content: Content,
}

/// A provider of prompts.
pub trait Prompts: Send + Sync + 'static {
    /// The prompts there are now.
    fn list(&self) -> BoxFuture<'_, Vec<Prompt>>;

    /// The messages of one; `Ok(None)` if the name is not one of this provider's.
    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<Vec<Message>>, Interrupt>>;

    /// Values for an argument that go on from `value`; `None` if the prompt is not one of this provider's.
    fn complete<'a>(
        &'a self,
        _name: &'a str,
        _argument: &'a str,
        _value: &'a str,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        Box::pin(std::future::ready(None))
    }
}
