//! What surrounds the tools of a server: each other, and a place where they keep things.

use std::{collections::BTreeMap, sync::Arc};

use catalog::{Failure, Outcome, Tool};
use serde_json::Value;

use crate::{Arguments, BoxFuture, Context, Interrupt};

/// The server around a tool, as one call sees it. Runtimes implement this; tools use [`Context`].
pub trait Services: Send + Sync {
    /// Calls another tool, by its served or its bare name, on the way that every call goes.
    fn call(
        &self,
        name: &str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>>;

    /// Another tool, by its served or its bare name.
    fn tool(&self, name: &str) -> Option<Arc<Tool>>;

    /// The name under which a tool is served.
    fn served_name(&self, name: &str) -> Option<String>;

    /// Where the tool keeps things for the owner of the call.
    fn storage(&self) -> Option<ToolStorage>;
}

/// Values by key, in spaces, that survive the server. Each change is durable and whole before it is
/// answered, and changes of several processes do not undo each other.
pub trait Storage: Send + Sync {
    /// The value of a key.
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>>;

    /// Everything in a space, by key.
    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>>;

    /// Sets the value of a key, or removes it. Answers what it was before.
    fn set(&self, space: &str, key: &str, value: Option<Value>)
    -> StorageFuture<'_, Option<Value>>;
}

/// What is kept, or why that could not be found out.
pub type StorageFuture<'a, T> = BoxFuture<'a, Result<T, Failure>>;

/// The place of one tool and one owner among what is kept.
#[derive(Clone)]
pub struct ToolStorage {
    keep: Arc<dyn Storage>,
    space: String,
}

impl ToolStorage {
    /// The place called `space`.
    pub fn new(keep: Arc<dyn Storage>, space: impl Into<String>) -> Self {
        Self { keep, space: space.into() }
    }

    /// The value of a key.
    pub async fn get(&self, key: &str) -> Result<Option<Value>, Failure> {
        self.keep.get(&self.space, key).await
    }

    /// Everything there is, by key.
    pub async fn all(&self) -> Result<BTreeMap<String, Value>, Failure> {
        self.keep.all(&self.space).await
    }

    /// Sets the value of a key. Answers what it was before.
    pub async fn set(&self, key: &str, value: Value) -> Result<Option<Value>, Failure> {
        self.keep.set(&self.space, key, Some(value)).await
    }

    /// Removes a key. Answers what its value was.
    pub async fn remove(&self, key: &str) -> Result<Option<Value>, Failure> {
        self.keep.set(&self.space, key, None).await
    }
}
