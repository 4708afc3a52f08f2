//! The store of the user, opened when something of it is first wanted: most servers never want it.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use catalog::{ErrorType, Failure};
use serde_json::Value;
use store::Store;
use tokio::sync::OnceCell;
use toolkit::{Storage, StorageFuture};

/// The store of the user, not yet opened or open.
pub(crate) struct UserStore {
    folder: PathBuf,
    store: OnceCell<Arc<Store>>,
}

impl UserStore {
    /// The store in the user's state folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, store: OnceCell::new() }
    }

    /// The open store. What cannot be opened now is tried again the next time.
    async fn store(&self) -> Result<Arc<Store>, Failure> {
        if let Some(store) = self.store.get() {
            return Ok(Arc::clone(store));
        }
        let mut begun_anew = false;
        let store = self.store.get_or_try_init(|| async {
            let folder = self.folder.clone();
            let opened = tokio::task::spawn_blocking(move || Store::open_user(&folder)).await;
            let store =
                opened.map_err(|error| unusable(&error))?.map_err(|error| unusable(&error))?;
            begun_anew = store.moved_aside().is_some();
            Ok(Arc::new(store))
        });
        let store = store.await?;
        // An answer as if nothing had ever been kept would hide the loss.
        if begun_anew { Err(lost()) } else { Ok(Arc::clone(store)) }
    }
}

/// Where it is and why it cannot be used is for the log: clients may be far away.
fn unusable(error: &dyn std::error::Error) -> Failure {
    tracing::error!("the user's store cannot be opened: {error}");
    let message = "what the user keeps cannot be opened; the server's log says why. Nothing was read or changed";
    Failure::new(ErrorType::StoreFailed, message)
}

fn lost() -> Failure {
    let message = "what the user keeps was broken: it was moved aside, and a new, empty store was begun. Nothing was read or \
                   changed; call again to go on with the new one";
    Failure::new(ErrorType::StoreFailed, message)
}

impl Storage for UserStore {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        Box::pin(async move { Storage::get(&*self.store().await?, &space, &key).await })
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        let space = space.to_owned();
        Box::pin(async move { self.store().await?.all(&space).await })
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        Box::pin(async move { self.store().await?.set(&space, &key, value).await })
    }
}
