//! What is served, to whom it is announced, and who does the work. Connections share it.

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
    Snapshot, SnapshotOptions,
    audience::Audience,
    completion::Watch,
    delivery::{self, Deliveries},
    era::Era,
    seal::Seal,
};

/// How many providers of resources a server has by itself.
const OWN_RESOURCES: usize = 2;

/// Who a server says it is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What a model should know before it uses the tools.
    pub instructions: Option<String>,
}

/// What is served, to whom it is announced, and who does the work. Clones are the same server.
#[derive(Clone)]
pub struct Server {
    identity: Arc<Identity>,
    /// The identity as every result to a modern client carries it.
    stamp: Arc<MetaObject>,
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
    resources: Arc<Vec<Arc<dyn Resources>>>,
    prompts: Arc<Vec<Arc<dyn Prompts>>>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) audience: Arc<Audience>,
    pub(crate) seal: Arc<Seal>,
    /// Who calls on stdio.
    pub(crate) owner: Arc<str>,
    pub(crate) deliveries: Arc<Deliveries>,
    watch: Arc<Mutex<Weak<Watch>>>,
}

impl Server {
    /// A server of these tools. What calls leave behind is served as resources.
    pub fn new(identity: Identity, runtime: Arc<Runtime>, snapshot: Snapshot) -> Self {
        let who = json!({"name": identity.name, "version": identity.version});
        let stamp = MetaObject(
            [("io.modelcontextprotocol/serverInfo".to_owned(), who)].into_iter().collect(),
        );
        Self {
            identity: Arc::new(identity),
            stamp: Arc::new(stamp),
            snapshot: Arc::new(RwLock::new(Arc::new(snapshot))),
            resources: Arc::new(vec![
                runtime.outputs(),
                builtin::operation_resources(&runtime.operations()),
            ]),
            prompts: Arc::default(),
            runtime,
            audience: Arc::default(),
            seal: Arc::new(Seal::new()),
            owner: "local".into(),
            deliveries: Arc::default(),
            watch: Arc::default(),
        }
    }

    /// A server of native tools alone, in the current folder, with the policy that annotations make.
    pub fn of(identity: Identity, natives: Vec<Native>, describe: fn(&Tool) -> String) -> Self {
        let runtime = Runtime::new(Settings::new(".".into()));
        let (catalog, _) = Catalog::merge(natives.iter().map(|native| native.tool.clone()));
        let crib = identity.name.clone();
        let options =
            SnapshotOptions { crib, full_names: false, describe, policy: Policy::default() };
        Self::new(
            identity,
            Arc::new(runtime.with_natives(natives)),
            Snapshot::new(&catalog, &options),
        )
    }

    /// Says whose the calls on stdio are: the operating system's user. Over HTTP it is the token that tells.
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

    /// Serves other tools from now on. Running calls keep theirs; clients are told if the list is
    /// another than before.
    pub async fn replace(&self, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        let before = {
            let mut current = self.snapshot.write();
            std::mem::replace(&mut *current, snapshot.clone())
        };
        if !before.serves_the_same(&snapshot) {
            self.audience.announce(Change::Tools).await;
        }
    }

    /// Tells every client that something changed.
    pub async fn announce(&self, change: Change) {
        self.audience.announce(change).await;
    }

    /// What is served now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }

    /// A context in which what is served now can be called.
    pub(crate) fn host(&self, context: Context) -> Context {
        let snapshot = self.snapshot();
        self.runtime.host(context, &snapshot.catalog, &snapshot.policy)
    }

    /// The operations of its runtime.
    pub(crate) fn operations(&self) -> Operations {
        self.runtime.operations()
    }

    /// What tells clients of ends, for as long as somebody holds it.
    pub(crate) fn watch(&self) -> Arc<Watch> {
        let mut watch = self.watch.lock();
        if let Some(watch) = watch.upgrade() {
            return watch;
        }
        let new = Arc::new(Watch::new(self));
        *watch = Arc::downgrade(&new);
        new
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

    /// The metadata of a result: modern clients learn from each who answered.
    pub(crate) fn stamp(&self, era: Era) -> Option<MetaObject> {
        (era == Era::Modern).then(|| (*self.stamp).clone())
    }

    /// What clients are told about the server: only what is there.
    pub(crate) fn config(&self) -> ServerConfig {
        let who = Implementation::new(&self.identity.name, &self.identity.version);
        let config = ServerConfig::new(self.capabilities()).with_server_info(who);
        let long_work = delivery::instructions(&self.snapshot());
        let parts: Vec<_> =
            self.identity.instructions.clone().into_iter().chain(long_work).collect();
        if parts.is_empty() { config } else { config.with_instructions(parts.join("\n\n")) }
    }

    #[expect(deprecated, reason = "older revisions, which we serve, have logging")]
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
        capabilities.prompts = has_prompts.then(|| {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            prompts
        });
        // What calls leave behind, always the first providers, completes nothing.
        let can_complete = has_prompts || self.resources.len() > OWN_RESOURCES;
        capabilities.completions = can_complete.then(Default::default);
        capabilities
    }
}
