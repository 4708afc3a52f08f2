//! Values that tools store between calls.

use std::{collections::BTreeMap, future::ready, sync::Arc};

use catalog::Failure;
use parking_lot::Mutex;
use serde_json::Value;

use crate::BoxFuture;

/// A persistent key-value store, divided into spaces. Each change is atomic and durable before its
/// future completes, and changes by several processes do not overwrite each other's keys.
pub trait Storage: Send + Sync {
    /// The value of a key.
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>>;

    /// All values of a space, by key.
    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>>;

    /// The values of a space after a key, in the order of their keys, at most `limit`.
    fn page(
        &self,
        space: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StorageFuture<'_, Vec<(String, Value)>> {
        let (all, after) = (self.all(space), after.unwrap_or_default().to_owned());
        Box::pin(async move {
            let later = all.await?.into_iter().filter(|(key, _)| *key > after);
            Ok(later.take(limit).collect())
        })
    }

    /// Sets the value of a key, or removes the key. Returns the previous value.
    fn set(&self, space: &str, key: &str, value: Option<Value>)
    -> StorageFuture<'_, Option<Value>>;
}

/// The result of a storage request. A [`Failure`] means that the store could not be used.
pub type StorageFuture<'a, T> = BoxFuture<'a, Result<T, Failure>>;

/// A [`Storage`] in memory, for servers that store nothing and for tests.
#[derive(Default)]
pub struct MemoryStorage(Mutex<BTreeMap<String, BTreeMap<String, Value>>>);

impl Storage for MemoryStorage {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let found = self.0.lock().get(space).and_then(|values| values.get(key)).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        Box::pin(ready(Ok(self.0.lock().get(space).cloned().unwrap_or_default())))
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let mut spaces = self.0.lock();
        let values = spaces.entry(space.to_owned()).or_default();
        let before = match value {
            Some(value) => values.insert(key.to_owned(), value),
            None => values.remove(key),
        };
        Box::pin(ready(Ok(before)))
    }
}

/// The values of one tool and one owner: a [`Storage`] restricted to one space.
#[derive(Clone)]
pub struct ToolStorage {
    storage: Arc<dyn Storage>,
    space: String,
}

impl ToolStorage {
    /// Restricts `storage` to `space`.
    pub fn new(storage: Arc<dyn Storage>, space: impl Into<String>) -> Self {
        Self { storage, space: space.into() }
    }

    /// The value of a key.
    pub async fn get(&self, key: &str) -> Result<Option<Value>, Failure> {
        self.storage.get(&self.space, key).await
    }

    /// All values, by key.
    pub async fn all(&self) -> Result<BTreeMap<String, Value>, Failure> {
        self.storage.all(&self.space).await
    }

    /// Sets the value of a key. Returns the previous value.
    pub async fn set(&self, key: &str, value: Value) -> Result<Option<Value>, Failure> {
        self.storage.set(&self.space, key, Some(value)).await
    }

    /// Removes a key. Returns its value.
    pub async fn remove(&self, key: &str) -> Result<Option<Value>, Failure> {
        self.storage.set(&self.space, key, None).await
    }
}
