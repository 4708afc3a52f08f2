//! Flags: values that the user and agents set by name, for one project or for all.
//!
//! What is asked of a project is answered by the project, else by the global flags, else by the
//! configuration of the crib, if it is the crib's own project. A project is a path. Each change is
//! one transaction, and nothing is remembered between two calls: a call says which project it means.

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

/// Where flags are kept.
const GLOBAL: &str = "flags/global";
const PROJECTS: &str = "flags/project/";

/// The flags that can be seen from a crib.
#[derive(Clone)]
pub struct Flags(Arc<FlagSources>);

/// Where flags come from, and who wants to know when they change.
pub struct FlagSources {
    /// Where they are kept.
    pub storage: Arc<dyn Storage>,
    /// The folder of the crib: the project that is meant where none is named.
    pub folder: PathBuf,
    /// Says which project a path belongs to.
    pub identify: fn(&Path) -> PathBuf,
    /// What the configuration of the crib says now.
    pub defaults: Arc<dyn Fn() -> FlagValues + Send + Sync>,
    /// Called after a change, before it is answered.
    pub on_change: Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
}

/// Which flags are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of the crib's own project.
    Crib,
    /// Those of another project, by a path; a relative one begins at the crib.
    Project(PathBuf),
    /// The global ones, and no others.
    Global,
}

/// The value of a flag, and where it comes from.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Setting {
    /// Its value.
    #[schemars(schema_with = "schema_of_value")]
    pub value: Value,
    /// What set it.
    pub source: Source,
}

/// What set a flag.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The project.
    Project,
    /// The user, for all projects.
    Global,
    /// The configuration of the crib.
    Config,
}

impl Source {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
            Self::Config => "config",
        }
    }
}

impl Flags {
    /// The flags in these places.
    pub fn new(places: FlagSources) -> Self {
        Self(Arc::new(places))
    }

    /// A flag as it counts in a scope, if anything sets it.
    pub async fn get(&self, scope: Scope, name: &FlagName) -> Result<Option<Setting>, Failure> {
        let layers = self.layers(scope).await?;
        for (source, space) in &layers.kept {
            if let Some(value) = self.0.storage.get(space, name.as_str()).await? {
                return Ok(Some(Setting { value, source: *source }));
            }
        }
        let configured = layers.defaults.get(name).cloned();
        Ok(configured.map(|value| Setting { value: value.into_json(), source: Source::Config }))
    }

    /// All flags as they count in a scope.
    pub async fn list(&self, scope: Scope) -> Result<BTreeMap<String, Setting>, Failure> {
        let Layers { kept, defaults } = self.layers(scope).await?;
        let configured = |(name, value): (FlagName, FlagValue)| {
            (name.as_str().to_owned(), Setting { value: value.into_json(), source: Source::Config })
        };
        let mut found: BTreeMap<_, _> = defaults.into_iter().map(configured).collect();
        for (source, space) in kept.into_iter().rev() {
            let all = self.0.storage.all(&space).await?;
            found.extend(all.into_iter().map(|(name, value)| (name, Setting { value, source })));
        }
        Ok(found)
    }

    /// Sets a flag in a scope, or removes it there. Answers what it was there.
    pub async fn set(
        &self,
        scope: Scope,
        name: &FlagName,
        value: Option<FlagValue>,
    ) -> Result<Option<Value>, Failure> {
        let space = match self.project(scope).await? {
            Some(project) => space_of(&project.path),
            None => GLOBAL.to_owned(),
        };
        let before =
            self.0.storage.set(&space, name.as_str(), value.map(FlagValue::into_json)).await?;
        (self.0.on_change)().await;
        Ok(before)
    }

    /// The flags that count for the crib, for what it switches by them.
    pub async fn values(&self) -> Result<FlagValues, Failure> {
        let all = self.list(Scope::Crib).await?;
        // What was put there by other means than these may be anything.
        let readable = |(name, setting): (String, Setting)| {
            Some((FlagName::new(name).ok()?, FlagValue::new(setting.value).ok()?))
        };
        Ok(all.into_iter().filter_map(readable).collect())
    }

    async fn layers(&self, scope: Scope) -> Result<Layers, Failure> {
        let global = (Source::Global, GLOBAL.to_owned());
        let Some(project) = self.project(scope).await? else {
            return Ok(Layers { kept: vec![global], defaults: FlagValues::new() });
        };
        Ok(Layers {
            kept: vec![(Source::Project, space_of(&project.path)), global],
            defaults: if project.is_own { (self.0.defaults)() } else { FlagValues::new() },
        })
    }

    /// The project that a scope is about, found out where waiting for a disk harms nobody.
    async fn project(&self, scope: Scope) -> Result<Option<Project>, Failure> {
        let named = match scope {
            Scope::Global => return Ok(None),
            Scope::Crib => None,
            Scope::Project(path) => Some(self.0.folder.join(path)),
        };
        let places = Arc::clone(&self.0);
        let found = tokio::task::spawn_blocking(move || {
            let own = (places.identify)(&places.folder);
            let path = named.map_or_else(|| own.clone(), |path| (places.identify)(&path));
            Project { is_own: path == own, path }
        });
        let problem = |error| {
            Failure::new(
                ErrorType::InternalError,
                format!("the project could not be found out: {error}"),
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

/// Where to look for the value of a flag: first what is kept, in this order, then the configuration.
struct Layers {
    kept: Vec<(Source, String)>,
    defaults: FlagValues,
}

/// The space of a project. Two paths never share one, whatever bytes they are made of.
fn space_of(project: &Path) -> String {
    let bytes = project.as_os_str().as_encoded_bytes();
    let name =
        str::from_utf8(bytes).map_or_else(|_| bytes.escape_ascii().to_string(), str::to_owned);
    format!("{PROJECTS}{name}")
}

/// The tools that work on these flags.
pub(crate) fn natives(flags: &Flags) -> Vec<Native> {
    tools::natives(flags)
}

fn schema_of_value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    value_schema().try_into().expect("a JSON object is a schema")
}
