//! A crib with everything that listing, calling and serving its tools needs.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use builtin::Flags;
use catalog::{
    Catalog, Failure, Implementation, Severity, Switch, Tool, flag::FlagValues,
    implementation::Piece,
};
use parking_lot::Mutex;
use runtime::{Runtime, Settings, code_paths};
use server::Snapshot;
use toolkit::Native;
use workspace::{Crib, Drift, Environment, Groups, Loaded, Loader};

use crate::{
    AssemblyError, OnFlagChange, Persistence, Sessions, built_ins, count, definitions_log, flags,
    persistence, providers::Providers, snapshot,
};

/// A crib with everything that listing, calling and serving its tools needs.
///
/// Nothing is read or opened before it is used: definitions by [`Assembly::loaded`], the store and
/// the built-in tools by [`Assembly::runtime`], the user's flags by [`Assembly::flag_values`].
pub struct Assembly {
    crib: Crib,
    environment: Environment,
    options: Options,
    flags: Flags,
    loader: Mutex<Loader>,
    loaded: OnceLock<Loaded>,
    /// Tools that differ from the lock file. Belongs to `loaded`.
    held: OnceLock<Vec<Drift>>,
    components: OnceLock<Components>,
}

/// How a crib is assembled.
#[derive(Clone, Default)]
pub struct Options {
    /// Where operations, approvals, the audit log and flags are stored.
    pub persistence: Persistence,
    /// Which of the crib's tools are kept; all by default.
    pub groups: Groups,
    /// The `[[profile]]` whose tools are served; all tools by default.
    pub profile: Option<String>,
    /// Whether every `[[profile]]` is served beside them, at an address of its own.
    pub profiles_apart: bool,
    /// The prefix for the names of native tools; the environment decides by default.
    pub prefix: Option<String>,
    /// How long a call waits for an asynchronous tool before it returns an operation id; by default
    /// as the runtime's settings have it.
    pub async_wait: Option<Duration>,
    /// How calls are matched to sessions.
    pub sessions: Sessions,
    /// Runs after a built-in tool changed a flag.
    pub on_flag_change: OnFlagChange,
}

/// The parts that depend on the runtime.
struct Components {
    runtime: Arc<Runtime>,
    natives: Vec<Native>,
    providers: Providers,
}

/// The tools of a crib and its built-in ones, with flags applied.
pub struct Tools<'a> {
    /// The tools that can be listed.
    pub catalog: Catalog,
    /// The tools that a switch turns off, with that switch.
    pub switched_off: Vec<(Arc<Tool>, &'a Switch)>,
}

/// The result of reloading a crib.
pub struct Reloaded {
    /// One line for a person.
    pub summary: String,
    /// Whether the list of prompts changed.
    pub prompts_changed: bool,
}

impl Assembly {
    /// Assembles a crib.
    pub fn new(crib: Crib, environment: &Environment, options: Options) -> Self {
        Self {
            flags: flags::open(
                &crib,
                environment,
                options.persistence,
                options.on_flag_change.clone(),
            ),
            loader: Mutex::new(Loader::with_groups(options.groups.clone())),
            environment: environment.clone(),
            crib,
            options,
            loaded: OnceLock::new(),
            held: OnceLock::new(),
            components: OnceLock::new(),
        }
    }

    /// The crib, with its configuration as it was last read.
    pub fn crib(&self) -> &Crib {
        &self.crib
    }

    /// The flags that are visible from the crib.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// The crib's own tools, prompts and content, and every diagnostic.
    pub fn loaded(&self) -> &Loaded {
        // Commands that only need the configuration never read a definition.
        self.loaded.get_or_init(|| self.loader.lock().load(&self.crib))
    }

    /// Tools that are not served because they are new or differ from the lock file, until a person
    /// accepts them. Without a lock file there are none.
    pub fn held(&self) -> &[Drift] {
        self.held.get_or_init(|| definitions_log::find_held(&self.crib, self.loaded()))
    }

    /// Where definitions belong, if none were found but files outside those folders look like some.
    pub fn misplaced_definitions(&self) -> Option<String> {
        definitions_log::misplaced_definitions(&self.crib, self.loaded())
    }

    /// The settings of the runtime.
    pub fn settings(&self) -> Settings {
        let mut settings = self.crib.settings();
        if let Some(wait) = self.options.async_wait {
            settings.answer_within = wait;
        }
        settings
    }

    /// Makes a runtime without native tools and without reading definitions: enough for operations,
    /// approvals and looking for programs.
    pub fn bare_runtime(&self) -> Result<Runtime, AssemblyError> {
        persistence::open_runtime(&self.crib, self.settings(), self.options.persistence)
    }

    /// Whether tools could read a file that gets the token of HTTP clients, although they cannot read the
    /// token's own file.
    pub fn exposes(&self, path: &Path) -> bool {
        let (settings, tools) = (self.settings(), &self.loaded().catalog);
        let is_readable = |path: &Path| runtime::can_tools_read(&settings, tools.tools(), path);
        is_readable(&resolve_links(path)) && !is_readable(&self.crib.token_file())
    }

    /// The runtime that can call every tool of [`Assembly::tools`].
    pub fn runtime(&self) -> Result<&Arc<Runtime>, AssemblyError> {
        Ok(&self.components()?.runtime)
    }

    /// The crib's tools and the built-in ones, whatever the flags are.
    pub fn all_tools(&self) -> Result<Catalog, AssemblyError> {
        let natives = &self.components()?.natives;
        let all = &self.loaded().catalog;
        Ok(built_ins::add_to(all, all, &self.crib, natives))
    }

    /// The crib's tools that these flags do not switch off, and the built-in ones.
    pub fn tools(&self, values: &FlagValues) -> Result<Tools<'_>, AssemblyError> {
        let natives = &self.components()?.natives;
        let held: HashSet<_> = self.held().iter().filter_map(Drift::held_tool).collect();
        let all = &self.loaded().catalog;
        let accepted = if held.is_empty() {
            all.clone()
        } else {
            all.filter(|tool| !held.contains(tool.name.as_str()))
        };
        let (on, switched_off) = catalog::apply_switches(&accepted, &self.crib.switches, values);
        let catalog = built_ins::add_to(&on, all, &self.crib, natives);
        Ok(Tools { catalog, switched_off })
    }

    /// Renders tools as they are served.
    pub fn snapshot(&self, tools: &Tools<'_>) -> Snapshot {
        self.snapshot_of(tools, self.options.profile.as_deref())
    }

    /// Renders the tools of a profile, or all of them.
    pub(crate) fn snapshot_of(&self, tools: &Tools<'_>, profile: Option<&str>) -> Snapshot {
        let Tools { catalog, switched_off } = tools;
        snapshot::render(&self.crib, catalog, switched_off, self.options.sessions, profile)
    }

    /// The profiles to be served beside the other tools.
    pub(crate) fn profiles_apart(&self) -> Vec<String> {
        let profiles = self.crib.profiles.iter().filter(|_| self.options.profiles_apart);
        profiles.map(|profile| profile.name.clone()).collect()
    }

    /// Reads the flags that the crib's switches depend on.
    pub async fn flag_values(&self) -> Result<FlagValues, Failure> {
        flags::read_for(&self.crib.switches, &self.flags).await
    }

    /// As [`Assembly::flag_values`]; if the user's flags cannot be read, logs that and returns
    /// those of `toolcrib.toml`.
    pub async fn flag_values_or_defaults(&self) -> FlagValues {
        self.flag_values().await.unwrap_or_else(|failure| {
            tracing::error!("cannot read flags; using those in toolcrib.toml: {}", failure.message);
            self.crib.flags.clone()
        })
    }

    /// Reads configuration and definitions again, logs the diagnostics and forgets them. A
    /// configuration that cannot be used leaves the old one in place, a broken file the last good
    /// version of its tools.
    pub fn reload(&mut self) -> Reloaded {
        let mut notes = String::new();
        match self.crib.reopen() {
            Ok(crib) => self.crib = crib,
            // A half-edited file must not change roots, sandbox or policy of a running server.
            Err(error) => notes = format!("; kept the configuration: {error}"),
        }
        let mut loaded = self.loader.get_mut().load(&self.crib);
        definitions_log::log(&self.crib, &loaded);
        let mut prompts_changed = false;
        if let Some(components) = self.components.get_mut() {
            protect_code(&self.crib, &loaded, components.runtime.settings());
            prompts_changed = components.providers.replace(&self.crib, &loaded);
            // The description of `get_content` lists the categories, which may have changed.
            components.providers.guide.describe(&mut components.natives);
        }
        let kept: Vec<_> = loaded.stale.iter().map(ToString::to_string).collect();
        if !kept.is_empty() {
            notes.push_str(&format!("; kept the last good version of {}", kept.join(", ")));
            tracing::warn!("kept the last good version of {}", kept.join(", "));
        }
        let tools = count(loaded.tools, "tool");
        let errors = count(loaded.count(Severity::Error), "error");
        loaded.diagnostics = Vec::new();
        // Replaced last, so that a panic above leaves the old definitions in place.
        self.loaded = OnceLock::from(loaded);
        self.held = OnceLock::new();
        definitions_log::log_held(self.held());
        if !self.held().is_empty() {
            let held: Vec<_> = self.held().iter().filter_map(Drift::held_tool).collect();
            notes.push_str(&format!("; held: {}", held.join(", ")));
        }
        Reloaded { summary: format!("reloaded: {tools}, {errors}{notes}"), prompts_changed }
    }

    /// Uses less memory for definitions that are read from now on, for a server.
    pub(crate) fn forget_parameter_locations(&mut self) {
        self.loader.get_mut().forget_parameter_locations();
    }

    /// Logs the diagnostics of the definitions and forgets them: a server has no other use for
    /// them, and there may be thousands.
    pub(crate) fn log_diagnostics(&mut self) {
        definitions_log::log(&self.crib, self.loaded());
        if let Some(loaded) = self.loaded.get_mut() {
            loaded.diagnostics = Vec::new();
        }
        definitions_log::log_held(self.held());
    }

    /// Documents, prompts and flags, for a server.
    pub(crate) fn providers(&self) -> Result<&Providers, AssemblyError> {
        Ok(&self.components()?.providers)
    }

    fn components(&self) -> Result<&Components, AssemblyError> {
        if let Some(components) = self.components.get() {
            return Ok(components);
        }
        // Not `get_or_try_init`, which is unstable: two threads may both build them, and the first
        // result is kept.
        let components = self.make_components()?;
        Ok(self.components.get_or_init(|| components))
    }

    fn make_components(&self) -> Result<Components, AssemblyError> {
        // Opening the store waits for the disk and reading definitions for the processor, so both
        // run at the same time.
        let (runtime, loaded) = thread::scope(|scope| {
            let opening = scope.spawn(|| self.bare_runtime());
            let loaded = self.loaded();
            // A panic of the thread is a bug and must not become a missing store.
            (opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), loaded)
        });
        let runtime = runtime?;
        protect_code(&self.crib, loaded, runtime.settings());
        let providers = Providers::new(&self.crib, loaded, &self.flags);
        let natives = built_ins::build(
            &self.crib,
            &self.environment,
            &runtime,
            &providers,
            self.options.prefix.as_deref(),
        )?;
        let runtime = Arc::new(runtime.with_natives(natives.iter().cloned()));
        Ok(Components { runtime, natives, providers })
    }
}

/// Protects the configuration of a crib, and the definitions, scripts, modules and sources of its
/// tools.
fn protect_code(crib: &Crib, loaded: &Loaded, settings: &Settings) {
    settings.protected.set(protected_paths(crib, loaded, settings));
}

/// The paths that tools must not change: the configuration of a crib, and the definitions, scripts,
/// modules and sources of its tools.
pub(crate) fn protected_paths(crib: &Crib, loaded: &Loaded, settings: &Settings) -> Vec<PathBuf> {
    let tools = loaded.catalog.tools();
    let mut words = HashSet::new();
    // Words are looked up as files, and thousands of tools share few of them.
    let with_code = tools.iter().map(AsRef::as_ref).filter(|tool| has_new_word(tool, &mut words));
    let code = code_paths(settings, with_code);
    let mut paths = crib.protected_paths();
    // Specifications may be in any folder.
    let files = crib.files();
    let sources: HashSet<_> = tools.iter().map(|tool| &tool.origin.source).collect();
    let definitions = sources.into_iter().map(|source| files.path(source));
    // Every call compares its paths with this list. What is in a protected folder is protected with
    // it, except for the target of a link.
    let is_covered = |path: &PathBuf| {
        path.parent().is_some_and(|folder| paths.iter().any(|known| known == folder))
            && !path.is_symlink()
    };
    let definitions: Vec<_> = definitions.filter(|path| !is_covered(path)).collect();
    paths.extend(code.into_iter().chain(definitions));
    paths
}

/// Whether the command line of a tool has a word that is not in `known`, and adds its words. Tools
/// without a command line count as having one.
fn has_new_word<'t>(tool: &'t Tool, known: &mut HashSet<&'t str>) -> bool {
    let Implementation::Process(process) = &tool.implementation else {
        return true;
    };
    let words = process.pieces.iter().filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.as_str()),
        _ => None,
    });
    // A program without a slash is not a file of the crib, but a word of the same name may be one.
    let program = Some(process.program.as_str()).filter(|program| program.contains('/'));
    // All words are added, whether or not an earlier one is new.
    words.chain(program).fold(false, |is_new, word| known.insert(word) | is_new)
}

/// The path without links; its last parts need not exist.
fn resolve_links(path: &Path) -> PathBuf {
    let resolve = |folder: &Path| {
        let rest = path.strip_prefix(folder).expect("a folder above the path");
        folder.canonicalize().ok().map(|real| real.join(rest))
    };
    path.ancestors().find_map(resolve).unwrap_or_else(|| path.to_owned())
}
