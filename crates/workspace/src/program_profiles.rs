//! `[program.NAME]` and the profiles of ordinary programs: which of the user's files and variables
//! they get although their home folder is an empty one.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use runtime::{Grant, GrantsByProgram, ProgramGrants, TrustedTools};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Environment;

/// The start of the part of a value that the program expands.
const PATTERN: &str = "/%";

const PROFILES: &str = include_str!("program_profiles.toml");

/// What a program gets of your files and variables. A built-in profile, if there is one for it, applies
/// unless `enabled` is false.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProgramConfig {
    /// Whether its built-in profile applies.
    pub enabled: bool,
    /// Other programs whose profiles apply to it as well, for scripts that run them.
    pub profiles: Vec<String>,
    /// Whether its tools get the credentials of its profiles: true, or the names of the tools.
    pub credentials: Credentials,
    /// Whether tools that are not declared read-only may write to the caches of its profiles.
    pub caches: bool,
    /// Files and folders that it may read.
    pub read: Vec<PathBuf>,
    /// Files and folders that tools that are not declared read-only may write.
    pub write: Vec<PathBuf>,
    /// Environment variables to pass.
    pub environment: Vec<String>,
}

impl Default for ProgramConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            profiles: Vec::new(),
            credentials: Credentials::All(false),
            caches: false,
            read: Vec::new(),
            write: Vec::new(),
            environment: Vec::new(),
        }
    }
}

/// Which tools get credentials.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Credentials {
    /// All tools of the program, or none.
    All(bool),
    /// The tools of these names.
    Tools(Vec<String>),
}

/// An entry of `program_profiles.toml`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Profile {
    programs: Vec<String>,
    set: BTreeMap<String, Vec<String>>,
    read: Vec<String>,
    pass: Vec<String>,
    caches: Part,
    credentials: Part,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Part {
    set: BTreeMap<String, Vec<String>>,
    read: Vec<String>,
    pass: Vec<String>,
    home: bool,
}

fn profiles() -> BTreeMap<String, Profile> {
    toml::from_str(PROFILES).expect("the built-in profiles are valid")
}

/// The names of the built-in profiles and of all programs that they apply to.
pub(crate) fn profile_names() -> Vec<String> {
    let families = profiles().into_iter();
    families.flat_map(|(name, profile)| std::iter::once(name).chain(profile.programs)).collect()
}

/// The grants of all programs that have a profile or an entry in `configured`. `resolve` makes a
/// configured path absolute, `is_refused` names paths that no tool may have.
pub(crate) fn resolve_grants(
    configured: &BTreeMap<String, ProgramConfig>,
    environment: &Environment,
    resolve: impl Fn(&Path) -> PathBuf,
    is_refused: impl Fn(&Path) -> bool,
) -> GrantsByProgram {
    let profiles = profiles();
    let family = |name: &str| {
        let is_member = |(family, profile): &(&String, &Profile)| {
            *family == name || profile.programs.iter().any(|program| program == name)
        };
        profiles.iter().find(is_member).map(|(_, profile)| profile)
    };
    let names =
        profiles.iter().flat_map(|(name, profile)| [name].into_iter().chain(&profile.programs));
    let default = ProgramConfig::default();
    let mut all = BTreeMap::new();
    for name in names.chain(configured.keys()) {
        let config = configured.get(name).unwrap_or(&default);
        let own = config.enabled.then(|| family(name)).flatten();
        let others = config.profiles.iter().filter_map(|other| family(other));
        let mut grants =
            ProgramGrants { trusted: config.trusted_tools(), ..ProgramGrants::default() };
        for profile in own.into_iter().chain(others) {
            grants.always.extend(profile.grant(environment));
            grants.credentials.extend(profile.credentials.grant(environment));
            let cache = profile.caches.grant(environment);
            grants.caches.extend(profile.caches.folders(environment));
            if config.caches {
                grants.caches.retain(|folder| !cache.read.contains(folder));
                // Programs write to their caches, too.
                grants.always.extend(Grant { write: cache.read, read: Vec::new(), ..cache });
            }
        }
        grants.always.read.extend(config.read.iter().map(|path| resolve(path)));
        grants.always.write.extend(config.write.iter().map(|path| resolve(path)));
        grants.always.variables.extend(pass(&config.environment, environment));
        // This includes configured paths: no entry may grant access to the state folder, where
        // approvals are stored.
        for grant in [&mut grants.always, &mut grants.credentials] {
            grant.read.retain(|path| !is_refused(path));
            grant.write.retain(|path| !is_refused(path));
        }
        all.insert(name.clone(), grants);
    }
    GrantsByProgram(all)
}

impl ProgramConfig {
    fn trusted_tools(&self) -> TrustedTools {
        match &self.credentials {
            Credentials::All(true) => TrustedTools::All,
            Credentials::All(false) => TrustedTools::None,
            Credentials::Tools(names) => TrustedTools::Named(names.clone()),
        }
    }
}

impl Profile {
    fn grant(&self, environment: &Environment) -> Grant {
        grant(&self.set, &self.read, &self.pass, environment)
    }
}

impl Part {
    /// The paths to read, whether they exist or not.
    fn folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let expanded = self.read.iter().filter_map(|path| expand(path, environment));
        expanded.map(|path| path.canonicalize().unwrap_or(path)).collect()
    }

    fn grant(&self, environment: &Environment) -> Grant {
        let mut grant = grant(&self.set, &self.read, &self.pass, environment);
        let home = environment.get("HOME").filter(|_| self.home);
        grant.variables.extend(home.map(|home| ("HOME".to_owned(), home.to_owned())));
        grant
    }
}

fn grant(
    set: &BTreeMap<String, Vec<String>>,
    read: &[String],
    passed: &[String],
    environment: &Environment,
) -> Grant {
    let mut grant = Grant::default();
    for (variable, paths) in set {
        // The user may keep the file elsewhere.
        let own = environment.get(variable);
        let chosen = own.and_then(|path| fs::canonicalize(path).ok());
        // A value that is no path, such as a list of folders, is better than a pattern.
        let usual = paths.iter().filter(|path| own.is_none() || !path.contains(PATTERN));
        let mut usual = usual.filter_map(|path| find_set(path, environment));
        let chosen = chosen.map(|path| (path.to_string_lossy().into_owned(), path));
        if let Some((value, path)) = chosen.or_else(|| usual.next()) {
            grant.variables.push((variable.clone(), value));
            grant.read.push(path);
        }
    }
    grant.read.extend(read.iter().filter_map(|path| find_existing(path, environment)));
    grant.variables.extend(pass(passed, environment));
    grant.unix_sockets = grant.read.iter().any(|path| is_socket(path));
    grant
}

fn pass(names: &[String], environment: &Environment) -> Vec<(String, String)> {
    let variable = |name: &String| Some((name.clone(), environment.get(name)?.to_owned()));
    names.iter().filter_map(variable).collect()
}

/// The value of a variable and the path that it makes readable, if that exists. A part of the value from
/// [`PATTERN`] is for the program to expand.
fn find_set(path: &str, environment: &Environment) -> Option<(String, PathBuf)> {
    let (folder, pattern) = path.find(PATTERN).map_or((path, ""), |at| path.split_at(at));
    let folder = find_existing(folder, environment)?;
    Some((format!("{}{pattern}", folder.display()), folder))
}

/// The path that a profile means, if it exists.
fn find_existing(path: &str, environment: &Environment) -> Option<PathBuf> {
    // Links are resolved, because only the target is granted: many people link such files to a
    // repository.
    expand(path, environment)?.canonicalize().ok()
}

/// The path that a profile means.
fn expand(path: &str, environment: &Environment) -> Option<PathBuf> {
    Some(match path.strip_prefix('$') {
        Some(rest) => {
            let (variable, rest) = rest.split_once('/').unwrap_or((rest, ""));
            environment.toolchain_folder(variable)?.join(rest)
        }
        None => match path.strip_prefix("~/") {
            Some(rest) => Path::new(environment.get("HOME")?).join(rest),
            None => PathBuf::from(path),
        },
    })
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_socket())
}
