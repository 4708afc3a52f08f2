//! A crib: a folder with tool definitions and an optional `toolcrib.toml`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use catalog::{CustomRule, Diagnostic, Origin, Policy, SourceId, Switch, flag::FlagValues, name};
use runtime::{Notification, Settings, follow_links_outside, r_libraries, search_path};

use crate::{
    Config, Documents, Environment, Files, FlagsConfig, RuleClause, ToolProfile,
    allow::{self, Allow},
    bind::{self, Binding},
    clause::BROKEN_CONFIG,
    config, configured_paths, custom_rules,
    discover::{self, CONFIG, LOCK},
    documents, flags, policy, program_names,
    program_profiles::resolve_grants,
    tool_profiles,
};

/// An open crib with its compiled configuration.
#[derive(Clone, Debug)]
pub struct Crib {
    /// The folder, as a canonical path.
    pub folder: PathBuf,
    /// The configuration as it is written.
    pub config: Config,
    /// The compiled `[[policy]]` clauses.
    pub policy: Policy,
    /// The default values of flags.
    pub flags: FlagValues,
    /// The R Markdown documents, if the crib serves them.
    pub documents: Option<Documents>,
    /// The compiled `[[switch]]` clauses.
    pub switches: Vec<Switch>,
    /// The compiled `[[profile]]` clauses.
    pub profiles: Vec<ToolProfile>,
    /// The compiled `[[bind]]` clauses.
    pub(crate) bind: Vec<Binding>,
    /// The compiled `[[allow]]` clauses.
    pub(crate) allow: Vec<Allow>,
    /// The compiled `[[rule]]` clauses.
    pub(crate) rules: Vec<Arc<CustomRule>>,
    environment: Environment,
}

/// Why a crib or a path cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder does not exist or cannot be read.
    #[error("cannot open the crib `{}`: {source}", folder.display())]
    Folder {
        /// The folder as it was given.
        folder: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file or folder does not exist or cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Path {
        /// The path as it was given.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The configuration is invalid.
    #[error("{CONFIG}: {}", diagnostics.first().map_or("invalid configuration", |first| &first.message))]
    Config {
        /// All problems.
        diagnostics: Vec<Diagnostic>,
    },
}

impl Crib {
    /// Opens the crib in `folder`. Without a folder, opens the nearest ancestor of the current
    /// folder that has a `toolcrib.toml` or a folder of definitions, or the current folder. An
    /// invalid configuration is an error.
    pub fn open(folder: Option<&Path>, environment: &Environment) -> Result<Self, OpenError> {
        let (crib, diagnostics) = Self::open_lenient(folder, environment)?;
        // A crib is never opened in part, because a policy that could not be compiled might have
        // denied something.
        if diagnostics.is_empty() { Ok(crib) } else { Err(OpenError::Config { diagnostics }) }
    }

    /// Opens a crib with the valid parts of its configuration, and returns the problems of the
    /// others. For inspection only: to run tools with a policy left out would be unsafe.
    pub fn open_lenient(
        folder: Option<&Path>,
        environment: &Environment,
    ) -> Result<(Self, Vec<Diagnostic>), OpenError> {
        let start = folder.unwrap_or(Path::new("."));
        let canonical = fs::canonicalize(start).and_then(|path| {
            if path.is_dir() { Ok(path) } else { Err(io::ErrorKind::NotADirectory.into()) }
        });
        let here =
            canonical.map_err(|source| OpenError::Folder { folder: start.to_owned(), source })?;
        // A named folder is taken as it is; the search upward is for people who are somewhere
        // inside a crib.
        let folder = match folder {
            Some(_) => here,
            None => here
                .ancestors()
                .find(|folder| discover::is_crib(folder))
                .unwrap_or(&here)
                .to_owned(),
        };
        let mut crib = Self::with_defaults(folder, environment);
        let diagnostics = crib.configure();
        Ok((crib, diagnostics))
    }

    /// Whether the folder has the layout of a crib: a configuration or a folder of definitions.
    pub fn is_defined(&self) -> bool {
        discover::is_crib(&self.folder)
    }

    /// The installed R packages whose tools belong to the crib: those of the configuration, then
    /// those of the command line.
    pub(crate) fn r_packages(&self) -> impl Iterator<Item = &String> {
        self.config.r.packages.iter().chain(self.environment.r_packages())
    }

    /// The libraries of R packages that variables and the home folder name.
    pub(crate) fn r_libraries(&self) -> Vec<PathBuf> {
        r_libraries(&self.environment.child_variables(&[]))
    }

    /// The number of JSON and YAML files in the root folder, where definitions are not read.
    pub fn count_misplaced_definitions(&self) -> usize {
        discover::list_files(&self.folder, &discover::extensions_in(discover::TOOLS))
            .iter()
            // The guidance file in the root folder is not a definition.
            .filter(|path| !path.ends_with(formats::GUIDANCE_FILE))
            .count()
    }

    /// Opens the crib that contains a file or folder: the nearest ancestor with a `toolcrib.toml`,
    /// or its own folder.
    pub fn open_containing(path: &Path, environment: &Environment) -> Result<Self, OpenError> {
        let real = fs::canonicalize(path)
            .map_err(|source| OpenError::Path { path: path.to_owned(), source })?;
        let own = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        let configured = own.ancestors().find(|folder| folder.join(CONFIG).is_file());
        Self::open(Some(configured.unwrap_or(own)), environment)
    }

    /// The crib in `folder` with the default configuration.
    fn with_defaults(folder: PathBuf, environment: &Environment) -> Self {
        let (config, policy) = Default::default();
        Self {
            folder,
            config,
            policy,
            flags: FlagValues::new(),
            documents: None,
            switches: Vec::new(),
            profiles: Vec::new(),
            bind: Vec::new(),
            allow: Vec::new(),
            rules: Vec::new(),
            environment: environment.clone(),
        }
    }

    /// Reads and compiles the configuration. Applies its valid parts and returns the problems of
    /// the others.
    fn configure(&mut self) -> Vec<Diagnostic> {
        let source = SourceId::new(CONFIG);
        let mut found = self.read_config(&source);
        if let Some(folder) = self.find_exposed_state() {
            found.push(report_exposed_state(&source, &folder, &self.environment.state_folder()));
        }
        found.extend(self.find_links().map(|(path, link)| report_link(&source, path, &link)));
        found
    }

    /// Configured folders behind a link that a tool may have created, with that link.
    fn find_links(&self) -> impl Iterator<Item = (&Path, PathBuf)> {
        let Config { crib, confine, content, documents, prompts, .. } = &self.config;
        let categories = content.iter().flat_map(|content| content.categories.values());
        let categories = categories.map(|category| category.dir.get_ref());
        let documents = self
            .documents
            .as_ref()
            .map(|_| std::iter::once(documents.dir.get_ref()).chain(&documents.data));
        let documents = documents.into_iter().flatten();
        let granted = crib.roots.iter().chain(&confine.read).chain(&confine.write);
        let all = granted.chain(&prompts.dirs).chain(categories).chain(documents);
        all.filter_map(|path| {
            let resolved = self.resolve(path);
            let link = resolved.ancestors().find(|part| part.is_symlink())?.to_owned();
            Some((path.as_path(), link))
        })
    }

    fn read_config(&mut self, source: &SourceId) -> Vec<Diagnostic> {
        let path = self.folder.join(CONFIG);
        if !path.exists() {
            return Vec::new();
        }
        let bytes = match self.files().read(&path) {
            Ok(bytes) => bytes,
            Err(problem) => return vec![*problem],
        };
        let text = String::from_utf8_lossy(&bytes);
        match config::parse(source, &text) {
            Ok(config) => self.config = config,
            Err(problems) => return problems,
        }
        let no_flags = FlagsConfig::new();
        let resolve = |path: &Path| self.resolve(path);
        let mut found = configured_paths::find_missing(source, &text, &self.config, resolve);
        let home = self.environment.get("HOME");
        found.extend(configured_paths::find_hidden_home(
            source,
            &text,
            &self.config,
            home,
            resolve,
        ));
        found.extend(program_names::find_unknown_profiles(source, &text, &self.config));
        // Each section on its own, so that all problems are reported in one run.
        self.policy = unwrap_or_report(policy::compile(source, &self.config.policy), &mut found);
        (self.flags, self.switches) = unwrap_or_report(
            flags::compile(
                source,
                self.config.flags.as_ref().unwrap_or(&no_flags),
                &self.config.switch,
            ),
            &mut found,
        );
        self.profiles =
            unwrap_or_report(tool_profiles::compile(source, &self.config.profile), &mut found);
        self.allow = allow::compile(source, &self.config.allow, &mut found);
        self.rules = custom_rules::compile(source, &self.config.rule, &mut found);
        self.bind = unwrap_or_report(bind::compile(source, &self.config.bind), &mut found);
        self.documents = unwrap_or_report(
            documents::compile(source, &self.config.documents, |dir| self.resolve(dir)),
            &mut found,
        );
        found
    }

    /// The custom rule with this code.
    pub fn custom_rule(&self, code: &str) -> Option<&RuleClause> {
        let mut rules = self.config.rule.iter().filter_map(|clause| clause.get_ref().valid());
        rules.find(|rule| rule.code.eq_ignore_ascii_case(code))
    }

    /// Opens the crib again, with its current configuration.
    pub fn reopen(&self) -> Result<Self, OpenError> {
        Self::open(Some(&self.folder), &self.environment)
    }

    /// The configured name, or the name of the folder.
    pub fn name(&self) -> String {
        let folder = || {
            self.folder
                .file_name()
                .map_or_else(|| "toolcrib".to_owned(), |name| name.to_string_lossy().into_owned())
        };
        self.config.crib.name.clone().unwrap_or_else(folder)
    }

    /// Reads files of the crib and names them relative to its folder.
    pub fn files(&self) -> Files {
        Files::of_crib(&self.folder)
    }

    /// Whether the tool `check_definition` is served. By default, it is if there are Markdown
    /// specifications: agents help to write those.
    pub fn serves_check_definition(&self) -> bool {
        self.config
            .crib
            .check_definition
            .unwrap_or_else(|| !discover::find_named_files(&self.folder).is_empty())
    }

    /// The reason to ignore a change of a tool, if an `[[allow]]` covers it.
    pub fn reason_to_allow_change(&self, rule: &str, tool: &str) -> Option<String> {
        self.allow.iter().find_map(|allow| allow.reason_for(rule, tool)).map(str::to_owned)
    }

    /// The folder for R Markdown documents, whether or not they are served.
    pub fn documents_folder(&self) -> PathBuf {
        self.resolve(self.config.documents.dir.get_ref())
    }

    /// The folder for the persistent state of this crib, in the user's state folder.
    pub fn state_folder(&self) -> PathBuf {
        let path = self.folder.to_string_lossy();
        // The name makes the folder recognizable, the fingerprint makes it unique.
        let name: String = self
            .name()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .take(32)
            .collect();
        self.environment
            .state_folder()
            .join("cribs")
            .join(format!("{name}-{:016x}", fingerprint(path.as_bytes())))
    }

    /// The file with the hash of the passphrase for approvals, if the operator set one.
    pub fn passphrase_file(&self) -> PathBuf {
        self.state_folder().join("passphrase.json")
    }

    /// The file that lets scripts of the operator approve calls.
    pub fn credential_file(&self) -> PathBuf {
        self.state_folder().join("operator-credential")
    }

    /// The file with the token that HTTP clients send, unless the operator names another one.
    pub fn token_file(&self) -> PathBuf {
        self.state_folder().join("http-token")
    }

    /// Paths that tools may not be given for writing: configuration, definitions, prompts, the
    /// interpreter of the virtual environment, and the state folder.
    pub fn protected_paths(&self) -> Vec<PathBuf> {
        let own = [CONFIG, LOCK, formats::GUIDANCE_FILE, ".venv/bin", ".venv/pyvenv.cfg"];
        let own =
            own.into_iter().chain(discover::definition_folders()).chain(discover::PROMPT_FOLDERS);
        let mut paths: Vec<_> = own.map(|name| self.folder.join(name)).collect();
        paths.extend(self.config.prompts.dirs.iter().map(|dir| self.resolve(dir)));
        paths.extend(self.paths_of_other_cribs());
        paths.push(self.real_state_folder());
        paths
    }

    /// The configuration and definitions of other cribs that are roots or other writable folders.
    fn paths_of_other_cribs(&self) -> Vec<PathBuf> {
        let Config { crib, confine, .. } = &self.config;
        let writable = crib.roots.iter().chain(&confine.write).map(|root| self.resolve(root));
        let cribs = writable.filter(|root| root.join(CONFIG).is_file());
        let names: Vec<_> = [CONFIG, LOCK]
            .into_iter()
            .chain(discover::definition_names())
            .chain(discover::definition_folders())
            .collect();
        let paths = cribs.flat_map(|root| names.iter().map(move |name| root.join(name)));
        paths.collect()
    }

    /// A folder that tools can use and that contains the state folder, or is in it: the state of
    /// other cribs is as secret. A tool that can change approvals needs none.
    fn find_exposed_state(&self) -> Option<PathBuf> {
        let state = self.real_state_folder();
        self.usable_folders().chain(self.program_folders()).find(|folder| overlap(folder, &state))
    }

    /// The folders with programs and R packages that the environment names: programs can read them.
    fn program_folders(&self) -> impl Iterator<Item = PathBuf> {
        let variables = self.environment.child_variables(&self.config.confine.environment);
        let folders: Vec<_> = search_path(&variables).chain(r_libraries(&variables)).collect();
        folders.into_iter().map(|folder| follow_links_outside(&folder, &[]))
    }

    /// Links are resolved, because programs and paths are compared with it in that form.
    fn real_state_folder(&self) -> PathBuf {
        follow_links_outside(&self.environment.state_folder(), &[])
    }

    /// The folders that tools can use by configuration.
    fn usable_folders(&self) -> impl Iterator<Item = PathBuf> {
        let Config { crib, confine, .. } = &self.config;
        let configured = crib.roots.iter().chain(&confine.read).chain(&confine.write);
        configured.map(|path| self.resolve(path)).chain([self.folder.clone()])
    }

    /// The settings for running the tools of this crib.
    pub fn settings(&self) -> Settings {
        let Config { crib, confine, limits, r, .. } = &self.config;
        let mut settings = Settings::new(self.folder.clone());
        if crib.full_names {
            // Tools that call others need the names under which clients see them.
            settings.decoration = name::qualify(&self.name(), "");
        }
        settings.roots = crib.roots.iter().map(|root| self.resolve(root)).collect();
        // If tools could use this folder, each could read the private files of the others.
        let temp = self.environment.temp_folder();
        let real = fs::canonicalize(&temp).unwrap_or_else(|_| temp.clone());
        if !self.usable_folders().any(|folder| real.starts_with(folder)) {
            settings.temp = temp;
        }
        settings.environment = self.environment.child_variables(&confine.environment);
        settings.environment.extend(self.environment.toolchain_variables());
        // Variables such as RUSTUP_HOME must not grant what the configuration may not.
        let state = self.real_state_folder();
        settings.read = self.environment.toolchain_paths();
        settings.read.retain(|path| !overlap(&follow_links_outside(path, &[]), &state));
        settings.read.extend(confine.read.iter().map(|path| self.resolve(path)));
        settings.write = confine.write.iter().map(|path| self.resolve(path)).collect();
        settings.programs = resolve_grants(
            &self.config.program,
            &self.environment,
            |path| self.resolve(path),
            |path| overlap(path, &state),
        );
        settings.confine = confine.enabled;
        settings.require = confine.require;
        settings.output_folder = self.state_folder().join("output");
        settings.passphrase_file = Some(self.passphrase_file());
        settings.notification = (!self.config.approval.notify.is_empty()).then(|| Notification {
            command: self.config.approval.notify.clone(),
            environment: self.environment.variables(&[]),
        });
        settings.protected.set(self.protected_paths());
        settings.protected.set_names(discover::definition_names().map(str::to_owned));
        set(&mut settings.timeout, limits.timeout_seconds.map(Duration::from_secs));
        set(&mut settings.grace, limits.grace_seconds.map(Duration::from_secs));
        set(&mut settings.output_bytes, limits.output_bytes);
        set(&mut settings.memory_bytes, limits.memory_bytes);
        set(&mut settings.processes, limits.processes);
        set(&mut settings.temp_bytes, limits.temp_bytes);
        set(&mut settings.concurrency, limits.concurrency);
        set(&mut settings.workers, r.workers);
        set(&mut settings.worker_idle, r.idle_seconds.map(Duration::from_secs));
        set(&mut settings.session_lifetime, r.handle_seconds.map(Duration::from_secs));
        settings.r_timeout = r.timeout_seconds.map(Duration::from_secs);
        settings.r_memory_bytes = r.memory_bytes;
        (settings.keep, settings.keep_bytes) = limits.retention();
        settings
    }

    /// The environment that it was opened with.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Resolves a configured path: `~/` is the home folder, a relative path is below the crib, and
    /// links are followed, except in folders that tools can write: they may have put the link
    /// there. A path that does not exist yet is allowed; it may be created later.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        let Config { crib, confine, .. } = &self.config;
        let writable = crib.roots.iter().chain(&confine.write);
        let writable: Vec<_> = writable
            .map(|folder| self.expand(folder))
            .map(|folder| fs::canonicalize(&folder).unwrap_or(folder))
            .collect();
        follow_links_outside(&self.expand(path), &writable)
    }

    fn expand(&self, path: &Path) -> PathBuf {
        let home = path.strip_prefix("~").ok().zip(self.environment.get("HOME"));
        home.map_or_else(|| self.folder.join(path), |(rest, home)| Path::new(home).join(rest))
    }
}

fn report_link(source: &SourceId, path: &Path, link: &Path) -> Diagnostic {
    let message = format!(
        "`{}` leads through the symbolic link {}, which a tool may have created",
        path.display(),
        link.display()
    );
    Diagnostic::new(&BROKEN_CONFIG, Origin::whole_file(source), message)
        .hint("write the path of its target instead, or remove the link if you did not create it")
}

fn report_exposed_state(source: &SourceId, folder: &Path, state: &Path) -> Diagnostic {
    let message = format!(
        "tools can use {}, which overlaps with {}, where approvals are stored",
        folder.display(),
        state.display()
    );
    Diagnostic::new(&BROKEN_CONFIG, Origin::whole_file(source), message)
        .hint("list other folders in `roots`, `read`, `write` and `PATH`, or set XDG_STATE_HOME to a folder outside")
}

/// The compiled value, or the default after adding the problems to `found`.
fn unwrap_or_report<T: Default>(
    compiled: Result<T, Vec<Diagnostic>>,
    found: &mut Vec<Diagnostic>,
) -> T {
    compiled.unwrap_or_else(|problems| {
        found.extend(problems);
        T::default()
    })
}

/// Whether one of two folders contains the other.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// FNV-1a. Unlike the hasher of the standard library it never changes, which would lose the state
/// of every crib; 64 bits are enough to distinguish one user's folders.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
