//! The user's store, opened on first use: most servers never need it.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use catalog::{ErrorType, Failure};
use serde_json::Value;
use store::Store;
use tokio::sync::OnceCell;
use toolkit::{Storage, StorageFuture};

/// The user's store in `folder`, opened on first use.
pub(crate) struct UserStore {
    folder: PathBuf,
    store: OnceCell<Arc<Store>>,
}

impl UserStore {
    /// The store in the user's state folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, store: OnceCell::new() }
    }

    /// Opens the store. A failure is not remembered: the next use tries again.
    async fn open(&self) -> Result<Arc<Store>, Failure> {
        if let Some(store) = self.store.get() {
            return Ok(Arc::clone(store));
        }
        let mut was_replaced = false;
        let store = self.store.get_or_try_init(|| async {
            let folder = self.folder.clone();
            let opened = tokio::task::spawn_blocking(move || Store::open_user(&folder)).await;
            let store = opened
                .map_err(|error| store_unusable(&error))?
                .map_err(|error| store_unusable(&error))?;
            // Set inside the initializer, so only the request that opened the store reports the
            // loss.
            was_replaced = store.corrupt_file_path().is_some();
            Ok(Arc::new(store))
        });
        let store = store.await?;
        // Answering from the new, empty store as if no flag had ever been set would hide the loss.
        if was_replaced { Err(store_replaced()) } else { Ok(Arc::clone(store)) }
    }
}

/// The path and the cause go to the log only: clients may be remote.
fn store_unusable(error: &dyn std::error::Error) -> Failure {
    tracing::error!("cannot open the user's store: {error}");
    let message =
        "the user's store cannot be opened; see the server's log. Nothing was read or changed";
    Failure::new(ErrorType::StoreFailed, message)
}

fn store_replaced() -> Failure {
    let message = "the user's store was corrupt: it was moved aside, and a new, empty one was started. \
                   Nothing was read or changed; call again to use the new store";
    Failure::new(ErrorType::StoreFailed, message)
}

impl Storage for UserStore {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        Box::pin(async move { Storage::get(&*self.open().await?, &space, &key).await })
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        let space = space.to_owned();
        Box::pin(async move { self.open().await?.all(&space).await })
    }

    fn page(
        &self,
        space: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StorageFuture<'_, Vec<(String, Value)>> {
        let (space, after) = (space.to_owned(), after.map(str::to_owned));
        Box::pin(async move { self.open().await?.page(&space, after.as_deref(), limit).await })
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        Box::pin(async move { self.open().await?.set(&space, &key, value).await })
    }
}
