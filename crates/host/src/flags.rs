//! The flags of a crib's project, and the tools they switch.

use std::sync::Arc;

use builtin::{FlagSources, Flags};
use catalog::{Failure, Switch, flag::FlagValues};
use toolkit::{BoxFuture, MemoryStorage};
use workspace::{Crib, Environment, FlagDefaults};

use crate::{Persistence, servers, user_store::UserStore};

/// Runs after a flag was changed through this process and before the change is answered.
#[derive(Clone)]
pub struct OnFlagChange(Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>);

impl OnFlagChange {
    /// Runs `action`.
    pub fn new(action: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(action))
    }

    /// Notifies the user's running servers.
    pub fn notify_servers(environment: &Environment) -> Self {
        let state = environment.state_folder();
        Self::new(move || {
            let state = state.clone();
            Box::pin(async move { servers::notify_flags_changed(&state).await })
        })
    }
}

impl Default for OnFlagChange {
    /// Does nothing.
    fn default() -> Self {
        Self::new(|| Box::pin(std::future::ready(())))
    }
}

/// The flags that are visible from a crib. The user's store is opened when one is first read.
pub(crate) fn open(
    crib: &Crib,
    environment: &Environment,
    persistence: Persistence,
    on_change: OnFlagChange,
) -> Flags {
    let defaults = FlagDefaults::new(crib);
    Flags::new(FlagSources {
        storage: match persistence {
            Persistence::Ephemeral => Arc::new(MemoryStorage::default()),
            _ => Arc::new(UserStore::new(environment.state_folder())),
        },
        folder: crib.folder.clone(),
        identify: workspace::resolve_project,
        defaults: Arc::new(move || defaults.read()),
        on_change: on_change.0,
    })
}

/// Reads the flags that switches depend on; reads nothing if there are no switches.
pub(crate) async fn read_for(switches: &[Switch], flags: &Flags) -> Result<FlagValues, Failure> {
    // Reading opens the user's store, which most cribs do not need.
    if switches.is_empty() {
        return Ok(FlagValues::new());
    }
    flags.values_of(switches.iter().map(|switch| &switch.flag)).await
}

/// Which switches are on, in their order.
pub(crate) fn switch_states(switches: &[Switch], values: &FlagValues) -> Vec<bool> {
    switches.iter().map(|switch| switch.is_on(values)).collect()
}
