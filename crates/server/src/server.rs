//! The state that all connections share: tools, resources, prompts, subscribers and the runtime.

use std::sync::{Arc, Weak};

use catalog::{Catalog, Policy};
use parking_lot::{Mutex, RwLock};
use rmcp::model::{
    Implementation, MetaObject, PromptsCapability, ServerCapabilities, ServerConfig,
};
use runtime::{Operations, Runtime, Settings};
use serde_json::json;
use toolkit::{Change, Context, Native, Prompts, Resources, Tool};

use crate::{
    OutputSchemas, Snapshot, SnapshotOptions,
    delivery::{self, PendingResults},
    era::Era,
    operation_watcher::OperationWatcher,
    request_state::StateSealer,
    subscribers::Subscribers,
};

/// Resource providers that every server has: truncated outputs and results of operations.
const OWN_RESOURCES: usize = 2;

/// The identity that a server presents to clients.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The name in `serverInfo`.
    pub name: String,
    /// The version in `serverInfo`.
    pub version: String,
    /// Instructions that clients show to the model before it uses the tools.
    pub instructions: Option<String>,
}

/// The state that all connections share. Clones are handles on the same server.
#[derive(Clone)]
pub struct Server {
    identity: Arc<Identity>,
    /// The identity in the metadata of results.
    identity_meta: Arc<MetaObject>,
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
    resources: Arc<Vec<Arc<dyn Resources>>>,
    prompts: Arc<Vec<Arc<dyn Prompts>>>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) subscribers: Arc<Subscribers>,
    pub(crate) sealer: Arc<StateSealer>,
    /// The owner of calls on stdio.
    pub(crate) owner: Arc<str>,
    pub(crate) pending_results: Arc<PendingResults>,
    /// Shared by the transports that serve at the moment.
    watcher: Arc<Mutex<Weak<OperationWatcher>>>,
}

impl Server {
    /// Creates a server of these tools. Truncated outputs and results of operations are resources.
    pub fn new(identity: Identity, runtime: Arc<Runtime>, snapshot: Snapshot) -> Self {
        let info = json!({"name": identity.name, "version": identity.version});
        let identity_meta = MetaObject(
            [("io.modelcontextprotocol/serverInfo".to_owned(), info)].into_iter().collect(),
        );
        Self {
            identity: Arc::new(identity),
            identity_meta: Arc::new(identity_meta),
            snapshot: Arc::new(RwLock::new(Arc::new(snapshot))),
            resources: Arc::new(vec![
                runtime.outputs(),
                builtin::operation_resources(&runtime.operations()),
            ]),
            prompts: Arc::default(),
            runtime,
            subscribers: Arc::default(),
            sealer: Arc::new(StateSealer::new()),
            owner: "stdio".into(),
            pending_results: Arc::default(),
            watcher: Arc::default(),
        }
    }

    /// Creates a server of native tools only, in the current folder. The policy follows from their
    /// annotations.
    pub fn of(identity: Identity, natives: Vec<Native>, describe: fn(&Tool) -> String) -> Self {
        let runtime = Runtime::new(Settings::new(".".into()));
        let (catalog, _) = Catalog::merge(natives.iter().map(|native| native.tool.clone()));
        let crib = identity.name.clone();
        let options = SnapshotOptions {
            crib,
            full_names: false,
            describe,
            output_schemas: OutputSchemas::Auto,
            policy: Policy::default(),
            clients: Vec::new(),
        };
        Self::new(
            identity,
            Arc::new(runtime.with_natives(natives)),
            Snapshot::new(&catalog, &options),
        )
    }

    /// Sets the owner of calls on stdio, which is `stdio` by default: all stdio clients of a crib are
    /// programs of its user. Over HTTP the owner follows from the token.
    pub fn with_owner(mut self, owner: impl Into<Arc<str>>) -> Self {
        self.owner = owner.into();
        self
    }

    /// Also serves these resources.
    pub fn with_resources(mut self, resources: Arc<dyn Resources>) -> Self {
        Arc::make_mut(&mut self.resources).push(resources);
        self
    }

    /// Also serves these prompts.
    pub fn with_prompts(mut self, prompts: Arc<dyn Prompts>) -> Self {
        Arc::make_mut(&mut self.prompts).push(prompts);
        self
    }

    /// Replaces the served tools. Running calls keep the old ones; clients are notified if the list
    /// differs.
    pub async fn replace(&self, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        let before = {
            // Only the pointer is replaced under the lock; readers clone it and never wait for a
            // rendering.
            let mut current = self.snapshot.write();
            std::mem::replace(&mut *current, snapshot.clone())
        };
        // A reload that changes only a policy or a command must not make every client list again.
        if !before.lists_same_tools(&snapshot) {
            self.subscribers.notify(Change::Tools).await;
        }
    }

    /// Notifies every client of a change.
    pub async fn notify(&self, change: Change) {
        self.subscribers.notify(change).await;
    }

    /// The tools that are served at the moment.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }

    /// Extends a context so that prompts and resources can call the tools served at the moment.
    pub(crate) fn host(&self, context: Context) -> Context {
        let snapshot = self.snapshot();
        self.runtime.host(context, &snapshot.catalog, &snapshot.policy)
    }

    pub(crate) fn operations(&self) -> Operations {
        self.runtime.operations()
    }

    /// Notifies clients of ended operations while the returned watcher is held. Transports share
    /// one, so that clients are notified once.
    pub(crate) fn start_watcher(&self) -> Arc<OperationWatcher> {
        // Weak: the watcher ends with the last transport that holds it.
        let mut current = self.watcher.lock();
        if let Some(watcher) = current.upgrade() {
            return watcher;
        }
        let watcher = Arc::new(OperationWatcher::start(
            &self.operations(),
            self.subscribers.clone(),
            self.pending_results.clone(),
        ));
        *current = Arc::downgrade(&watcher);
        watcher
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn resources(&self) -> &[Arc<dyn Resources>] {
        &self.resources
    }

    pub(crate) fn prompts(&self) -> &[Arc<dyn Prompts>] {
        &self.prompts
    }

    /// The metadata of a result. 2026-07-28 recommends the server's identity on every result; the
    /// protocol library sets it only for `server/discover` and `subscriptions/listen`.
    pub(crate) fn result_meta(&self, era: Era) -> Option<MetaObject> {
        (era == Era::Modern).then(|| (*self.identity_meta).clone())
    }

    /// The answer to `initialize` and `server/discover`. Called for each request, so it is cheap.
    pub(crate) fn config(&self) -> ServerConfig {
        let info = Implementation::new(&self.identity.name, &self.identity.version);
        let config = ServerConfig::new(self.capabilities()).with_server_info(info);
        let operations = delivery::instructions(&self.snapshot());
        let parts: Vec<_> =
            self.identity.instructions.clone().into_iter().chain(operations).collect();
        if parts.is_empty() { config } else { config.with_instructions(parts.join("\n\n")) }
    }

    #[expect(deprecated, reason = "logging is deprecated, but legacy clients use it")]
    fn capabilities(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let has_prompts = !self.prompts.is_empty();
        // Advertised only if there are prompts, so that clients do not request an empty list.
        capabilities.prompts = has_prompts.then(|| {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            prompts
        });
        // The server's own providers complete nothing.
        let can_complete = has_prompts || self.resources.len() > OWN_RESOURCES;
        capabilities.completions = can_complete.then(Default::default);
        capabilities
    }
}
