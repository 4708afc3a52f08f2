//! Flags: named values that users and agents set, for one project or globally.
//!
//! A flag of a project is looked up in the project, then among the global flags, then (for the
//! crib's own project) in the crib's configuration. A project is identified by a path. Each change
//! is one transaction. No state is kept between calls: each call names its project.

mod project;
mod tools;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolkit::{
    BoxFuture, ErrorType, Failure, Native, Storage,
    flag::{FlagName, FlagValue, FlagValues, value_schema},
};

// Storage spaces.
const GLOBAL_SPACE: &str = "flags/global";
const PROJECT_SPACES: &str = "flags/project/";

/// The flags that a crib sees. Clones are handles on the same flags.
#[derive(Clone)]
pub struct Flags(Arc<FlagSources>);

/// Where flags come from, and what to do when they change.
pub struct FlagSources {
    /// Stores project and global flags.
    pub storage: Arc<dyn Storage>,
    /// The folder of the crib, the default project.
    pub folder: PathBuf,
    /// Maps a path to the project that it belongs to.
    pub identify: fn(&Path) -> PathBuf,
    /// Reads the defaults in the crib's configuration, at each use.
    pub defaults: Arc<dyn Fn() -> FlagValues + Send + Sync>,
    /// Called after a change, before the response.
    pub on_change: Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
}

/// The flags that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The crib's own project.
    Crib,
    /// Another project, by its path. A relative path starts at the crib.
    Project(PathBuf),
    /// The global flags only.
    Global,
}

/// The effective value of a flag and its source.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Setting {
    /// The value.
    #[schemars(schema_with = "schema_of_value")]
    pub value: Value,
    /// Where it is set.
    pub source: Source,
}

/// Where a flag is set.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// In the project.
    Project,
    /// Globally.
    Global,
    /// In the configuration of the crib.
    Config,
}

impl Source {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
            Self::Config => "config",
        }
    }
}

impl Flags {
    /// Creates flags from these sources.
    pub fn new(sources: FlagSources) -> Self {
        Self(Arc::new(sources))
    }

    /// The effective value of a flag in a scope, if it is set.
    pub async fn get(&self, scope: Scope, name: &FlagName) -> Result<Option<Setting>, Failure> {
        let layers = self.resolve_layers(scope).await?;
        for (source, space) in &layers.stored {
            if let Some(value) = self.0.storage.get(space, name.as_str()).await? {
                return Ok(Some(Setting { value, source: *source }));
            }
        }
        let configured = layers.defaults.get(name).cloned();
        Ok(configured.map(|value| Setting { value: value.into_json(), source: Source::Config }))
    }

    /// The effective values of all flags in a scope.
    pub async fn list(&self, scope: Scope) -> Result<BTreeMap<String, Setting>, Failure> {
        let Layers { stored, defaults } = self.resolve_layers(scope).await?;
        let configured = |(name, value): (FlagName, FlagValue)| {
            (name.as_str().to_owned(), Setting { value: value.into_json(), source: Source::Config })
        };
        let mut found: BTreeMap<_, _> = defaults.into_iter().map(configured).collect();
        // From the weakest to the strongest layer, so that later ones overwrite.
        for (source, space) in stored.into_iter().rev() {
            let all = self.0.storage.all(&space).await?;
            found.extend(all.into_iter().map(|(name, value)| (name, Setting { value, source })));
        }
        Ok(found)
    }

    /// Sets a flag in a scope, or removes it there (`None`). Returns the previous value there.
    pub async fn set(
        &self,
        scope: Scope,
        name: &FlagName,
        value: Option<FlagValue>,
    ) -> Result<Option<Value>, Failure> {
        let space = match self.resolve_project(scope).await? {
            Some(project) => space_of(&project.path),
            None => GLOBAL_SPACE.to_owned(),
        };
        let before =
            self.0.storage.set(&space, name.as_str(), value.map(FlagValue::into_json)).await?;
        // Awaited: when the caller gets its response, the tools that the flag switches are already
        // served.
        (self.0.on_change)().await;
        Ok(before)
    }

    /// The effective flags of the crib, for switching its tools.
    pub async fn values(&self) -> Result<FlagValues, Failure> {
        let all = self.list(Scope::Crib).await?;
        // Skips values that other programs wrote and that are not valid flags.
        let readable = |(name, setting): (String, Setting)| {
            Some((FlagName::new(name).ok()?, FlagValue::new(setting.value).ok()?))
        };
        Ok(all.into_iter().filter_map(readable).collect())
    }

    async fn resolve_layers(&self, scope: Scope) -> Result<Layers, Failure> {
        let global = (Source::Global, GLOBAL_SPACE.to_owned());
        let Some(project) = self.resolve_project(scope).await? else {
            return Ok(Layers { stored: vec![global], defaults: FlagValues::new() });
        };
        Ok(Layers {
            stored: vec![(Source::Project, space_of(&project.path)), global],
            // The configuration belongs to the crib; other projects have their own.
            defaults: if project.is_own { (self.0.defaults)() } else { FlagValues::new() },
        })
    }

    /// The project of a scope; `None` for the global one. Reads the disk, so on a blocking thread.
    async fn resolve_project(&self, scope: Scope) -> Result<Option<Project>, Failure> {
        let named = match scope {
            Scope::Global => return Ok(None),
            Scope::Crib => None,
            Scope::Project(path) => Some(self.0.folder.join(path)),
        };
        let sources = Arc::clone(&self.0);
        let found = tokio::task::spawn_blocking(move || {
            // Compared after identification, because a worktree and its main tree are one project.
            let own = (sources.identify)(&sources.folder);
            let path = named.map_or_else(|| own.clone(), |path| (sources.identify)(&path));
            Project { is_own: path == own, path }
        });
        let problem = |error| {
            Failure::new(
                ErrorType::InternalError,
                format!("could not determine the project: {error}"),
            )
        };
        found.await.map(Some).map_err(problem)
    }
}

/// A project, and whether it is the crib's own.
struct Project {
    path: PathBuf,
    is_own: bool,
}

/// Where to look up a flag: in these storage spaces in order, then among the defaults.
struct Layers {
    stored: Vec<(Source, String)>,
    defaults: FlagValues,
}

/// The storage space of a project. Unique for each path, also for one that is not UTF-8.
fn space_of(project: &Path) -> String {
    let bytes = project.as_os_str().as_encoded_bytes();
    let name =
        str::from_utf8(bytes).map_or_else(|_| bytes.escape_ascii().to_string(), str::to_owned);
    format!("{PROJECT_SPACES}{name}")
}

/// The flag tools.
pub(crate) fn natives(flags: &Flags) -> Vec<Native> {
    tools::natives(flags)
}

fn schema_of_value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    value_schema().try_into().expect("a JSON object is a schema")
}
