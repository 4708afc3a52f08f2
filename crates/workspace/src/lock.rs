//! `toolcrib.lock`: the whole set of tools, pinned by digests, so that what changed is noticed before an agent sees it.
//!
//! A digest covers what an agent sees of a tool and how it is run; for each part there is one of its own, so that a
//! difference can be told in words. Where a definition stands does not count.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::PathBuf,
};

use catalog::{Catalog, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Crib;

/// The name of the file.
pub const LOCK: &str = "toolcrib.lock";

/// The form of the file.
const VERSION: u32 = 1;
/// As much of a part's digest as tells two apart.
const SHORT: usize = 16;

/// A pinned set of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    version: u32,
    /// Over all tools and their names.
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

/// A lock that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is not there.
    #[error("there is no `{LOCK}` in `{}`", .0.display())]
    Missing(PathBuf),
    /// It is no lock.
    #[error("`{}` is no lock: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It cannot be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A tool that is not as it was pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// It is not in the lock.
    Added(String),
    /// It is in the lock alone.
    Removed(String),
    /// It is another.
    Changed {
        /// Its name.
        name: String,
        /// What of it changed, in words.
        parts: Vec<&'static str>,
    },
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(name) => write!(f, "`{name}` is new"),
            Self::Removed(name) => write!(f, "`{name}` is gone"),
            Self::Changed { name, parts } => write!(f, "`{name}` changed: {}", parts.join(", ")),
        }
    }
}

/// The parts of a tool, by their name in the file, and in words.
const PARTS: [(&str, &str); 6] = [
    ("text", "its description"),
    ("examples", "its examples"),
    ("input", "what it takes"),
    ("output", "what it returns"),
    ("marks", "what it may do"),
    ("launch", "how it is run"),
];

impl Lock {
    /// Pins the tools of a catalog.
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let tools: BTreeMap<String, Pin> =
            catalog.tools().iter().map(|tool| (tool.name.clone(), Pin::of(tool))).collect();
        let all: Vec<Value> = tools.iter().map(|(name, pin)| json!([name, pin.digest])).collect();
        Self { version: VERSION, digest: digest(&Value::from(all)), tools }
    }

    /// The lock of a crib.
    pub fn read(crib: &Crib) -> Result<Self, LockError> {
        let path = crib.folder.join(LOCK);
        let text = fs::read_to_string(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => LockError::Missing(crib.folder.clone()),
            _ => LockError::File { path: path.clone(), source },
        })?;
        let broken = |why: String| LockError::Broken { path: path.clone(), why };
        let lock: Self = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        match lock.version {
            VERSION => Ok(lock),
            other => Err(broken(format!("it has version {other}, and {VERSION} is known"))),
        }
    }

    /// Writes it to a crib. Whether it was another before.
    pub fn write(&self, crib: &Crib) -> Result<bool, LockError> {
        let path = crib.folder.join(LOCK);
        let text = self.to_text();
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(false);
        }
        // A lock that is half written would pin nothing.
        let beside = crib.folder.join(format!(".{LOCK}.{}", std::process::id()));
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &path));
        written.map_err(|source| LockError::File { path, source })?;
        Ok(true)
    }

    /// The bytes of the file: the same for the same tools.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a lock is JSON");
        text.push('\n');
        text
    }

    /// How many tools it pins.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether it pins none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Which tools of `now` are not as they are pinned here, by name.
    pub fn find_drift(&self, now: &Self) -> Vec<Drift> {
        let names: BTreeSet<&String> = self.tools.keys().chain(now.tools.keys()).collect();
        let told = |name: &String| match (self.tools.get(name), now.tools.get(name)) {
            (None, Some(_)) => Some(Drift::Added(name.clone())),
            (Some(_), None) => Some(Drift::Removed(name.clone())),
            (Some(old), Some(new)) if old.digest != new.digest => {
                let other = |part: &&(&str, &str)| old.parts.get(part.0) != new.parts.get(part.0);
                Some(Drift::Changed {
                    name: name.clone(),
                    parts: PARTS.iter().filter(other).map(|part| part.1).collect(),
                })
            }
            _ => None,
        };
        names.into_iter().filter_map(told).collect()
    }
}

impl Pin {
    fn of(tool: &Tool) -> Self {
        let digests = PARTS.map(|(part, _)| (part, digest(&part_of(tool, part))));
        let parts = digests
            .iter()
            .map(|(part, digest)| ((*part).to_owned(), digest[..SHORT].to_owned()))
            .collect();
        Self {
            digest: digest(&json!([tool.name, digests])),
            version: tool.annotations.version.clone(),
            parts,
        }
    }
}

fn digest(value: &Value) -> String {
    runtime::value_digest(value)
}

fn part_of(tool: &Tool, part: &str) -> Value {
    let said = &tool.description;
    let annotations = &tool.annotations;
    match part {
        "text" => json!([tool.title, said.text, said.guidance, said.hint, said.usage]),
        "examples" => said
            .examples
            .iter()
            .map(|example| json!([example.arguments, example.explanation]))
            .collect(),
        "input" => Value::Object((**tool.input.object()).clone()),
        "output" => tool
            .output
            .as_ref()
            .map_or(Value::Null, |output| Value::Object((**output.object()).clone())),
        "marks" => json!([
            annotations.mutates,
            annotations.dangerous,
            annotations.idempotent,
            annotations.requires_approval,
            annotations.network
        ]),
        // The implementation is plain data of our own, whose debug form is exact.
        _ => json!([
            format!("{:?} {:?}", tool.implementation, tool.mode),
            tool.timeout.map(|limit| limit.as_millis() as u64)
        ]),
    }
}
