//! `toolcrib.lock`: pins all tools by digests, so that a change is noticed before an agent sees it.
//!
//! A digest covers everything that an agent sees of a tool, and its implementation. Each part of a
//! tool also has a digest of its own, so that a difference can be named. The location of a
//! definition is not covered: moving a file is not a change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use atomic_file::Access;
use catalog::{Catalog, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Crib, files};

/// The name of the lock file.
pub use crate::discover::LOCK;

/// The version of the file format.
const VERSION: u32 = 1;
/// The number of hexadecimal digits of a part's digest in the file. Short digests keep the file
/// readable; they only name the changed part, while the full digest of the tool detects the change.
const PART_DIGITS: usize = 16;

/// The contents of the lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    version: u32,
    /// Covers the names and digests of all tools.
    digest: String,
    tools: BTreeMap<String, Pin>,
}

/// A pinned tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pin {
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    parts: BTreeMap<String, String>,
}

/// Why the lock file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It does not exist in this folder.
    #[error("there is no `{LOCK}` in `{}`", .0.display())]
    Missing(PathBuf),
    /// It is not a lock file of a known version.
    #[error("`{}` is not a valid lock file: {why}", path.display())]
    Broken {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// It cannot be read or written.
    #[error("cannot read or write `{}`: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// A tool that differs from the lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// It is not in the lock file.
    Added(String),
    /// It is only in the lock file.
    Removed(String),
    /// Its digest differs.
    Changed {
        /// The name of the tool.
        name: String,
        /// The changed parts.
        parts: Vec<&'static str>,
    },
}

impl Drift {
    /// The name of the tool, if it exists and must be accepted before it is served.
    pub fn held_tool(&self) -> Option<&str> {
        match self {
            Self::Added(name) | Self::Changed { name, .. } => Some(name),
            Self::Removed(_) => None,
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(name) => write!(f, "`{name}` is new"),
            Self::Removed(name) => write!(f, "`{name}` was removed"),
            Self::Changed { name, parts } => write!(f, "`{name}` changed: {}", parts.join(", ")),
        }
    }
}

/// The parts of a tool: the key in the file, and the name in messages.
const PARTS: [(&str, &str); 7] = [
    ("text", "description"),
    ("examples", "examples"),
    ("input", "input schema"),
    ("output", "output schema"),
    ("marks", "annotations"),
    ("launch", "implementation"),
    (CODE, "scripts or modules"),
];

/// The part for the content of files that the definition names as code. Tools without such files do
/// not have it.
const CODE: &str = "code";

impl Lock {
    /// Pins the tools of a catalog, with the code in the crib that they run.
    pub fn from_catalog(crib: &Crib, catalog: &Catalog) -> Self {
        let pin = |tool: &Arc<Tool>| (tool.name.clone(), Pin::from_tool(&crib.folder, tool));
        Self::from_pins(catalog.tools().iter().map(pin).collect())
    }

    /// A lock without tools: with it, every tool is new.
    pub fn empty() -> Self {
        Self::from_pins(BTreeMap::new())
    }

    fn from_pins(tools: BTreeMap<String, Pin>) -> Self {
        let all: Vec<Value> = tools.iter().map(|(name, pin)| json!([name, pin.digest])).collect();
        Self { version: VERSION, digest: runtime::value_digest(&Value::from(all)), tools }
    }

    /// This lock with one tool as it is in `now`; `None` if neither has it.
    pub fn accept(&self, now: &Self, name: &str) -> Option<Self> {
        let mut tools = self.tools.clone();
        match now.tools.get(name) {
            Some(pin) => drop(tools.insert(name.to_owned(), pin.clone())),
            None => drop(tools.remove(name)?),
        }
        Some(Self::from_pins(tools))
    }

    /// Reads the lock file of a crib.
    pub fn read(crib: &Crib) -> Result<Self, LockError> {
        let path = crib.folder.join(LOCK);
        let text = files::read_text(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => LockError::Missing(crib.folder.clone()),
            _ => LockError::File { path: path.clone(), source },
        })?;
        let broken = |why: String| LockError::Broken { path: path.clone(), why };
        let lock: Self = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        match lock.version {
            VERSION => Ok(lock),
            other => Err(broken(format!("version {other} is not supported; expected {VERSION}"))),
        }
    }

    /// Writes the lock file of a crib. Returns whether its contents changed.
    pub fn write(&self, crib: &Crib) -> Result<bool, LockError> {
        let path = crib.folder.join(LOCK);
        let text = self.to_text();
        // An unchanged file is not written, so that version control and watchers see no change.
        if files::read_text(&path).is_ok_and(|old| old == text) {
            return Ok(false);
        }
        atomic_file::replace(&path, text.as_bytes(), Access::Usual)
            .map_err(|source| LockError::File { path, source })?;
        Ok(true)
    }

    /// The text of the file, identical for identical tools.
    pub fn to_text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("strings and numbers always serialize");
        text.push('\n');
        text
    }

    /// The number of pinned tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether no tool is pinned.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools that differ between this lock and `now`, sorted by name.
    pub fn find_drift(&self, now: &Self) -> Vec<Drift> {
        let names: BTreeSet<&String> = self.tools.keys().chain(now.tools.keys()).collect();
        let compare = |name: &String| match (self.tools.get(name), now.tools.get(name)) {
            (None, Some(_)) => Some(Drift::Added(name.clone())),
            (Some(_), None) => Some(Drift::Removed(name.clone())),
            (Some(old), Some(new)) if old.digest != new.digest => {
                let differs = |part: &&(&str, &str)| old.parts.get(part.0) != new.parts.get(part.0);
                Some(Drift::Changed {
                    name: name.clone(),
                    parts: PARTS.iter().filter(differs).map(|part| part.1).collect(),
                })
            }
            _ => None,
        };
        names.into_iter().filter_map(compare).collect()
    }
}

impl Pin {
    fn from_tool(crib: &Path, tool: &Tool) -> Self {
        let own = PARTS.iter().filter(|(part, _)| *part != CODE);
        let own = own.map(|(part, _)| (*part, runtime::value_digest(&part_value(tool, part))));
        let digests: Vec<_> = own.chain(digest_code(crib, tool).map(|code| (CODE, code))).collect();
        let parts = digests
            .iter()
            .map(|(part, digest)| ((*part).to_owned(), digest[..PART_DIGITS].to_owned()))
            .collect();
        Self {
            // Over the full digests of the parts; the shortened ones in the file are for people.
            digest: runtime::value_digest(&json!([tool.name, digests])),
            version: tool.annotations.version.clone(),
            parts,
        }
    }
}

/// The digest of the scripts, modules and sources of a tool in the crib, if it has any.
fn digest_code(crib: &Path, tool: &Tool) -> Option<String> {
    let files = runtime::code_files(crib, crib, tool);
    let content = |path: &PathBuf| {
        // Relative, so that a checkout in another folder has the same lock file.
        let name = path.strip_prefix(crib).ok()?;
        Some(json!([name, runtime::file_digest(path).ok()]))
    };
    let contents: Vec<_> = files.iter().filter_map(content).collect();
    (!contents.is_empty()).then(|| runtime::value_digest(&Value::from(contents)))
}

/// The contents of one part. A change here changes the digest of every tool, and after an update
/// `lock --check` reports all of them.
fn part_value(tool: &Tool, part: &str) -> Value {
    let description = &tool.description;
    let annotations = &tool.annotations;
    match part {
        "text" => json!([
            tool.title,
            description.text,
            description.guidance,
            description.hint,
            description.usage
        ]),
        "examples" => description
            .examples
            .iter()
            .map(|example| json!([example.arguments, example.explanation]))
            .collect(),
        "input" => Value::Object(Arc::unwrap_or_clone(tool.input.to_object())),
        "output" => tool
            .output
            .as_ref()
            .map_or(Value::Null, |output| Value::Object(Arc::unwrap_or_clone(output.to_object()))),
        "marks" => json!([
            annotations.mutates,
            annotations.dangerous,
            annotations.idempotent,
            annotations.requires_approval,
            annotations.network
        ]),
        // The debug form of plain data is complete: no field can be forgotten here. Renaming a type
        // or a field in `catalog` changes it.
        _ => {
            let mut launch = vec![
                json!(format!("{:?} {:?}", tool.implementation, tool.mode)),
                json!(tool.timeout.map(|limit| limit.as_millis() as u64)),
            ];
            // Omitted if empty, so that the digests of existing tools do not change.
            let constraints = &tool.constraints;
            let rules: Vec<_> =
                constraints.iter().map(|one| json!([one.rule, one.message])).collect();
            launch.extend((!rules.is_empty()).then_some(Value::Array(rules)));
            let codes = &tool.success_exit_codes;
            launch.extend(tool.credentials.then_some(json!("credentials")));
            launch.extend((!codes.is_empty()).then(|| json!({"success_exit_codes": codes})));
            Value::Array(launch)
        }
    }
}
