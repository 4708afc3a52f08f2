//! A crib: a folder with definitions and, if wanted, a `toolcrib.toml`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use catalog::{CustomRule, Diagnostic, Policy, SourceId, Switch, flag::FlagValues, name};
use runtime::Settings;

use crate::{
    Config, Documents, Environment, Files, FlagsConfig, RuleClause,
    allow::{self, Allow},
    bind::{self, Binding},
    config, custom_rules, discover, documents, flags, policy,
};

/// The name of the configuration file.
pub(crate) const CONFIG: &str = "toolcrib.toml";

/// A crib, with its configuration as it is now.
#[derive(Clone, Debug)]
pub struct Crib {
    /// The folder, canonical.
    pub folder: PathBuf,
    /// Its configuration.
    pub config: Config,
    /// What to do with calls.
    pub policy: Policy,
    /// What flags are where nobody has set them.
    pub flags: FlagValues,
    /// Its R Markdown documents, if it serves them.
    pub documents: Option<Documents>,
    /// Which tools are there only while a flag has a certain value.
    pub switches: Vec<Switch>,
    /// What runs tools whose definition does not say it.
    pub(crate) bind: Vec<Binding>,
    /// Which problems of definitions are allowed.
    pub(crate) allow: Vec<Allow>,
    /// The rules of the crib's own.
    pub(crate) rules: Vec<Arc<CustomRule>>,
    environment: Environment,
}

/// A crib that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder is not there or cannot be read.
    #[error("cannot open the crib `{}`: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder to check is not there or cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The configuration cannot be used.
    #[error("{CONFIG}: {}", diagnostics.first().map_or("it cannot be used", |first| &first.message))]
    Config {
        /// Everything that is wrong.
        diagnostics: Vec<Diagnostic>,
    },
}

impl Crib {
    /// Opens the crib in `folder`; without one, the nearest folder upward with a `toolcrib.toml`, else this one.
    pub fn open(folder: Option<&Path>, environment: &Environment) -> Result<Self, OpenError> {
        let (crib, diagnostics) = Self::open_lenient(folder, environment)?;
        if diagnostics.is_empty() { Ok(crib) } else { Err(OpenError::Config { diagnostics }) }
    }

    /// Opens a crib to look at it, not to run anything: with what of its configuration can be used, and what is wrong with
    /// the rest.
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
        let folder = match folder {
            Some(_) => here,
            None => here
                .ancestors()
                .find(|folder| folder.join(CONFIG).is_file())
                .unwrap_or(&here)
                .to_owned(),
        };
        let mut crib = Self::unconfigured(folder, environment);
        let diagnostics = crib.configure();
        Ok((crib, diagnostics))
    }

    /// How many files that may be definitions lie where none are read: in the folder itself.
    pub fn count_misplaced_definitions(&self) -> usize {
        discover::files(&self.folder, &discover::extensions_in(discover::TOOLS))
            .iter()
            .filter(|path| !path.ends_with(formats::GUIDANCE_FILE))
            .count()
    }

    /// Opens the crib that a file or folder lies in: the nearest folder upward with a `toolcrib.toml`, else its own.
    pub fn open_containing(path: &Path, environment: &Environment) -> Result<Self, OpenError> {
        let real = fs::canonicalize(path)
            .map_err(|source| OpenError::Path { path: path.to_owned(), source })?;
        let own = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        let configured = own.ancestors().find(|folder| folder.join(CONFIG).is_file());
        Self::open(Some(configured.unwrap_or(own)), environment)
    }

    /// The crib in `folder` as if it had no configuration.
    fn unconfigured(folder: PathBuf, environment: &Environment) -> Self {
        let (config, policy) = Default::default();
        Self {
            folder,
            config,
            policy,
            flags: FlagValues::new(),
            documents: None,
            switches: Vec::new(),
            bind: Vec::new(),
            allow: Vec::new(),
            rules: Vec::new(),
            environment: environment.clone(),
        }
    }

    /// Takes what its configuration says, each part of it that can be used; everything that is wrong with the others.
    fn configure(&mut self) -> Vec<Diagnostic> {
        let path = self.folder.join(CONFIG);
        if !path.exists() {
            return Vec::new();
        }
        let source = SourceId::new(CONFIG);
        let read = self
            .files()
            .read(&path)
            .and_then(|bytes| config::read(&source, &String::from_utf8_lossy(&bytes)));
        match read {
            Ok(config) => self.config = config,
            Err(problem) => return vec![*problem],
        }
        let none = FlagsConfig::new();
        let mut found = Vec::new();
        self.policy = kept(policy::compile(&source, &self.config.policy), &mut found);
        (self.flags, self.switches) = kept(
            flags::compile(
                &source,
                self.config.flags.as_ref().unwrap_or(&none),
                &self.config.switch,
            ),
            &mut found,
        );
        self.allow = allow::compile(&source, &self.config.allow, &mut found);
        self.rules = custom_rules::compile(&source, &self.config.rule, &mut found);
        self.bind = kept(bind::compile(&source, &self.config.bind), &mut found);
        self.documents = kept(
            documents::compile(&source, &self.config.documents, |dir| self.resolve(dir)),
            &mut found,
        );
        found
    }

    /// The rule of the crib's own that has this code, as it is written.
    pub fn custom_rule(&self, code: &str) -> Option<&RuleClause> {
        let mut rules = self.config.rule.iter().filter_map(|clause| clause.get_ref().read());
        rules.find(|rule| rule.code.eq_ignore_ascii_case(code))
    }

    /// Reads the configuration again.
    pub fn reopen(&self) -> Result<Self, OpenError> {
        Self::open(Some(&self.folder), &self.environment)
    }

    /// The crib's name: the configured one, else its folder's.
    pub fn name(&self) -> String {
        let folder = || {
            self.folder
                .file_name()
                .map_or_else(|| "toolcrib".to_owned(), |name| name.to_string_lossy().into_owned())
        };
        self.config.crib.name.clone().unwrap_or_else(folder)
    }

    /// The files of the crib, named relative to its folder.
    pub fn files(&self) -> Files {
        Files::new(&self.folder)
    }

    /// Whether definitions are written here with the help of an agent: so configured, else if there are specifications.
    pub fn serves_check_definition(&self) -> bool {
        self.config
            .crib
            .check_definition
            .unwrap_or_else(|| !discover::named_files(&self.folder).is_empty())
    }

    /// Why a change of a tool does not count, if the crib says so.
    pub fn reason_to_allow_change(&self, rule: &str, tool: &str) -> Option<String> {
        self.allow.iter().find_map(|allow| allow.reason_for(rule, tool)).map(str::to_owned)
    }

    /// Where R Markdown documents are, or would be if they were served.
    pub fn documents_folder(&self) -> PathBuf {
        self.resolve(self.config.documents.dir.get_ref())
    }

    /// The folder for what this crib keeps, below the user's state folder.
    pub fn state_folder(&self) -> PathBuf {
        let path = self.folder.to_string_lossy();
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

    /// How tools run in this crib.
    pub fn settings(&self) -> Settings {
        let Config { crib, confine, limits, r, .. } = &self.config;
        let mut settings = Settings::new(self.folder.clone());
        if crib.full_names {
            settings.decoration = name::qualify(&self.name(), "");
        }
        settings.roots = crib.roots.iter().map(|root| self.resolve(root)).collect();
        settings.environment = self.environment.child_variables(&confine.environment);
        settings.read = self.environment.toolchain_paths();
        settings.read.extend(confine.read.iter().map(|path| self.resolve(path)));
        settings.write = confine.write.iter().map(|path| self.resolve(path)).collect();
        settings.confine = confine.enabled;
        settings.spill = self.state_folder().join("output");
        set(&mut settings.timeout, limits.timeout_seconds.map(Duration::from_secs));
        set(&mut settings.grace, limits.grace_seconds.map(Duration::from_secs));
        set(&mut settings.output_bytes, limits.output_bytes);
        set(&mut settings.memory_bytes, limits.memory_bytes);
        set(&mut settings.concurrency, limits.concurrency);
        set(&mut settings.workers, r.workers);
        set(&mut settings.worker_idle, r.idle_seconds.map(Duration::from_secs));
        set(&mut settings.handle_life, r.handle_seconds.map(Duration::from_secs));
        settings.r_timeout = r.timeout_seconds.map(Duration::from_secs);
        settings.r_memory_bytes = r.memory_bytes;
        settings.keep = limits.retention().0;
        settings
    }

    /// The variables that it was opened with.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// A configured path: `~/` is the home folder, a relative one is below the crib, links are followed.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        let home = path.strip_prefix("~").ok().zip(self.environment.get("HOME"));
        let path =
            home.map_or_else(|| self.folder.join(path), |(rest, home)| Path::new(home).join(rest));
        fs::canonicalize(&path).unwrap_or(path)
    }
}

/// What could be compiled, else what there is without it; its problems are added to the others.
fn kept<T: Default>(compiled: Result<T, Vec<Diagnostic>>, found: &mut Vec<Diagnostic>) -> T {
    compiled.unwrap_or_else(|problems| {
        found.extend(problems);
        T::default()
    })
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// FNV-1a: short, stable for ever, and enough to tell one user's folders apart.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
