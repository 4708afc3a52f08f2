//! Flags: named values that users and agents set, for one project or globally.
//!
//! A flag of a project is looked up in the project, then among the global flags, then (for the
//! crib's own project) in the crib's configuration. A project is identified by a path. Each change
//! is one transaction. No state is kept between calls: each call names its project.

mod project;
mod tools;

use std::{
    collections::{BTreeMap, BTreeSet},
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

/// Maximum number of flags on a page, and approximate maximum bytes of their names and values.
const MAX_PAGE_FLAGS: usize = 1000;
const MAX_PAGE_BYTES: usize = 256 << 10;
/// Number of flags that are read at once, and maximum number of reads for one page: a pattern may match
/// few flags.
const BATCH_FLAGS: usize = 1000;
const MAX_BATCHES: usize = 10;

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

/// A part of a list of flags.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagPage {
    /// The flags of this page, by name.
    pub flags: BTreeMap<String, Setting>,
    /// The name after which the list continues. A page can be empty and not the last one.
    pub next: Option<String>,
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
        self.find(&layers, name).await
    }

    async fn find(&self, layers: &Layers, name: &FlagName) -> Result<Option<Setting>, Failure> {
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
        let mut found: BTreeMap<_, _> = defaults.iter().map(to_setting).collect();
        // From the weakest to the strongest layer, so that later ones overwrite.
        for (source, space) in stored.into_iter().rev() {
            let all = self.0.storage.all(&space).await?;
            found.extend(all.into_iter().map(|(name, value)| (name, Setting { value, source })));
        }
        Ok(found)
    }

    /// The effective values in a scope of the flags that `is_listed` by name, from the one after `after`
    /// on, as many as fit on a page.
    pub async fn list_page(
        &self,
        scope: Scope,
        after: Option<String>,
        is_listed: impl Fn(&str) -> bool + Send,
    ) -> Result<FlagPage, Failure> {
        let layers = self.resolve_layers(scope).await?;
        let mut page = FlagPage { flags: BTreeMap::new(), next: after };
        let mut bytes = 0;
        for _ in 0..MAX_BATCHES {
            let (batch, is_last) = self.read_batch(&layers, page.next.as_deref()).await?;
            for (name, setting) in batch {
                // Set for names that are not listed as well, so that the next page does not read
                // them again.
                page.next = Some(name.clone());
                if is_listed(&name) {
                    bytes += name.len() + setting.value.to_string().len();
                    page.flags.insert(name, setting);
                }
                if page.flags.len() >= MAX_PAGE_FLAGS || bytes >= MAX_PAGE_BYTES {
                    return Ok(page);
                }
            }
            if is_last {
                page.next = None;
                break;
            }
        }
        Ok(page)
    }

    /// The next flags of all layers by name, and whether these are the last ones.
    async fn read_batch(
        &self,
        layers: &Layers,
        after: Option<&str>,
    ) -> Result<(BTreeMap<String, Setting>, bool), Failure> {
        let is_later = |name: &str| after.is_none_or(|after| name > after);
        let configured = layers.defaults.iter().filter(|(name, _)| is_later(name.as_str()));
        let mut batch: BTreeMap<_, _> = configured.map(to_setting).collect();
        let mut end: Option<String> = None;
        // From the weakest to the strongest layer, so that later ones overwrite.
        for (source, space) in layers.stored.iter().rev() {
            let stored = self.0.storage.page(space, after, BATCH_FLAGS).await?;
            if stored.len() == BATCH_FLAGS {
                let last = stored.last().map(|(name, _)| name.clone());
                end = end.into_iter().chain(last).min();
            }
            let with_source = |(name, value)| (name, Setting { value, source: *source });
            batch.extend(stored.into_iter().map(with_source));
        }
        // Beyond the end of the shortest layer, flags of that layer are missing.
        batch.retain(|name, _| end.as_ref().is_none_or(|end| name <= end));
        Ok((batch, end.is_none()))
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

    /// The effective flags of the crib, for templates.
    pub async fn values(&self) -> Result<FlagValues, Failure> {
        let all = self.list(Scope::Crib).await?;
        // Skips values that other programs wrote and that are not valid flags.
        let readable = |(name, setting): (String, Setting)| {
            Some((FlagName::new(name).ok()?, FlagValue::new(setting.value).ok()?))
        };
        Ok(all.into_iter().filter_map(readable).collect())
    }

    /// The effective values of these flags of the crib, as far as they are set.
    pub async fn values_of(
        &self,
        names: impl IntoIterator<Item = &FlagName> + Send,
    ) -> Result<FlagValues, Failure> {
        let layers = self.resolve_layers(Scope::Crib).await?;
        let mut values = FlagValues::new();
        for name in names.into_iter().collect::<BTreeSet<_>>() {
            let found = self.find(&layers, name).await?;
            let value = found.and_then(|setting| FlagValue::new(setting.value).ok());
            values.extend(value.map(|value| (name.clone(), value)));
        }
        Ok(values)
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

/// A flag of the configuration.
fn to_setting((name, value): (&FlagName, &FlagValue)) -> (String, Setting) {
    let setting = Setting { value: value.json().clone(), source: Source::Config };
    (name.as_str().to_owned(), setting)
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
