//! Resources that clients can read.

use std::collections::HashMap;

use crate::{BoxFuture, Context, Interrupt};

/// A resource in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The address.
    pub uri: String,
    /// The display name.
    pub name: String,
    /// The contents, in a sentence.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: String,
    /// The size in bytes, if it is known.
    pub size: Option<u64>,
}

/// A family of resources whose URIs follow a template (RFC 6570).
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceTemplate {
    /// The template, such as `note:///{name}`.
    pub uri_template: String,
    /// The display name.
    pub name: String,
    /// The contents, in a sentence.
    pub description: Option<String>,
    /// The media type of the resources.
    pub mime_type: String,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContent {
    /// The address.
    pub uri: String,
    /// The media type.
    pub mime_type: String,
    /// The text or the bytes.
    pub body: Body,
}

/// Text or bytes, which MCP transfers differently.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// UTF-8 text.
    Text(String),
    /// Bytes, sent as Base64.
    Bytes(Vec<u8>),
}

/// Why a URI has no resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceError {
    /// The URI is malformed for this provider. Another provider may still accept it.
    Malformed(String),
    /// The URI is well-formed, and the resource does not exist.
    NotFound(String),
}

/// A provider of resources. Servers ask for resources when a client requests them and cache
/// nothing.
pub trait Resources: Send + Sync + 'static {
    /// The current resources.
    fn list(&self) -> BoxFuture<'_, Vec<Resource>>;

    /// The families of resources.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource; `Ok(None)` if the URI is not one of this provider's.
    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>>;

    /// Explains why a URI has no resource; `None` if the URI is not one of this provider's.
    fn explain_missing(&self, _uri: &str) -> Option<ResourceError> {
        None
    }

    /// Completes the value of a template variable, given the variables that are already chosen;
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
