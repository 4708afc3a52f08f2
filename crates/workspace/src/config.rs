//! `toolcrib.toml`: every key has a default, and an unknown one is a mistake.

use std::{path::PathBuf, time::Duration};

use catalog::{Diagnostic, ErrorForm, Origin, Rule, Severity, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{
    AllowClause, Bind, Clause, ContentConfig, DocumentsConfig, FlagsConfig, PolicyClause,
    RuleClause, SwitchClause, flags,
};

/// A `toolcrib.toml` that cannot be used.
pub(crate) static BROKEN_CONFIG: Rule = Rule {
    code: "TC601",
    name: "broken-config",
    severity: Severity::Error,
    why: "The configuration decides which folders tools may touch and how they are confined, so a file that is not \
          understood is not guessed at: `serve` does not start with it, and a running server keeps the one it has. \
          `toolcrib schema config` prints what may stand in it.",
    bad: "[crib]\nnames = \"my-crib\"\n",
    good: "[crib]\nname = \"my-crib\"\n",
};

/// The configuration of a crib.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The crib itself.
    #[serde(rename = "crib")]
    pub crib: CribConfig,
    /// What the programs of tools may reach.
    pub confine: Confine,
    /// How much the programs of tools may use.
    pub limits: Limits,
    /// R processes, and how long they are kept.
    pub r: RConfig,
    /// Whom the server answers over HTTP.
    pub http: Http,
    /// What runs tools whose definition does not say it. The first that matches a tool counts.
    #[schemars(with = "Vec<Bind>")]
    pub bind: Vec<Spanned<Bind>>,
    /// Documents, and what they are found by. With this section, even an empty one, the guide's tools are served.
    pub content: Option<ContentConfig>,
    /// R Markdown and Quarto documents.
    pub documents: DocumentsConfig,
    /// Where prompts are.
    pub prompts: PromptsConfig,
    /// What to do with calls, beyond what annotations say.
    #[schemars(with = "Vec<PolicyClause>")]
    pub policy: Vec<Spanned<PolicyClause>>,
    /// What flags of this project are where nobody has set them. With this section, even an empty one, the tools for
    /// flags are served.
    #[schemars(schema_with = "flags::schema")]
    pub flags: Option<FlagsConfig>,
    /// Tools that are served only while a flag has a certain value.
    #[schemars(with = "Vec<SwitchClause>")]
    pub switch: Vec<Spanned<SwitchClause>>,
    /// Problems that the crib allows, with reasons.
    #[schemars(with = "Vec<AllowClause>")]
    pub allow: Vec<Spanned<Clause<AllowClause>>>,
    /// Rules of the crib's own, beside ours.
    #[schemars(with = "Vec<RuleClause>")]
    pub rule: Vec<Spanned<Clause<RuleClause>>>,
}

impl Config {
    /// Whether the guide's tools are served.
    pub fn has_guide(&self) -> bool {
        self.flags.is_some() || self.content.is_some()
    }
}

/// The crib itself.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CribConfig {
    /// The server's name; the folder's name if it is not given.
    pub name: Option<String>,
    /// Whether `mcp_{name}_` stands in front of every served name.
    pub full_names: bool,
    /// The folders that path parameters may touch, relative to the crib.
    pub roots: Vec<PathBuf>,
    /// How much descriptions say. If it is not given, native tools are described in full and others concisely.
    pub descriptions: Option<Descriptions>,
    /// How failures of native tools are written down for programs. If it is not given, each tool has its own way.
    pub errors: Option<Errors>,
    /// Whether the tool `check_definition` is served. If it is not given, it is where there are Markdown specifications.
    pub check_definition: Option<bool>,
}

/// How much the description of a tool says.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Descriptions {
    /// What it is for, its schema, how it is used, and examples.
    Full,
    /// What it is for.
    Concise,
    /// What it is for, how it is used, and examples.
    SchemaLess,
}

/// How the failure of a native tool is written down for programs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Errors {
    /// `success`, `error`, `error_type` and what else is known.
    Envelope,
    /// `status`, `error_type`, `error_message`, `error_details`.
    Standard,
}

impl From<Errors> for ErrorForm {
    fn from(errors: Errors) -> Self {
        match errors {
            Errors::Envelope => Self::Envelope,
            Errors::Standard => Self::Standard,
        }
    }
}

impl Default for CribConfig {
    fn default() -> Self {
        Self {
            name: None,
            full_names: false,
            roots: vec![PathBuf::from(".")],
            descriptions: None,
            errors: None,
            check_definition: None,
        }
    }
}

/// What the programs of tools may reach.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Confine {
    /// Whether programs are confined at all.
    pub enabled: bool,
    /// Folders and files that they may read, beyond the system, the toolchains and the roots.
    pub read: Vec<PathBuf>,
    /// Folders and files that they may write, beyond the roots and their own temporary folder.
    pub write: Vec<PathBuf>,
    /// Names of environment variables that they get, beyond the usual ones.
    pub environment: Vec<String>,
}

impl Default for Confine {
    fn default() -> Self {
        Self { enabled: true, read: Vec::new(), write: Vec::new(), environment: Vec::new() }
    }
}

/// How much the programs of tools may use. What is not given has a default.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How long a tool may run that says nothing itself, in seconds.
    pub timeout_seconds: Option<u64>,
    /// How long a program has between being asked to end and being killed, in seconds.
    pub grace_seconds: Option<u64>,
    /// How many bytes of each output stream are kept in a result.
    pub output_bytes: Option<usize>,
    /// How many bytes of memory a program may use.
    pub memory_bytes: Option<u64>,
    /// How many programs run at once.
    pub concurrency: Option<usize>,
    /// How many days operations that are over are kept; 30 if not given.
    pub keep_days: Option<u64>,
    /// How many bytes of operations that are over are kept; 1 GiB if not given.
    pub keep_bytes: Option<u64>,
}

impl Limits {
    /// How long, and how much of, operations that are over are kept.
    pub fn retention(&self) -> (Duration, u64) {
        (
            Duration::from_secs(self.keep_days.unwrap_or(30).saturating_mul(86_400)),
            self.keep_bytes.unwrap_or(1 << 30),
        )
    }
}

/// R processes, and how long they are kept. What is not given has a default.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RConfig {
    /// The most R processes at once, one for each session; twice as many as there are cores, and at least 8, if not given.
    pub workers: Option<usize>,
    /// How long an R process waits for the next call of its session, in seconds; 1800 if not given.
    pub idle_seconds: Option<u64>,
    /// How long state that is known by a handle is kept without being used, in seconds; 3600 if not given.
    pub handle_seconds: Option<u64>,
    /// How long a function may run whose definition says nothing itself, in seconds; as under `limits` if not given.
    pub timeout_seconds: Option<u64>,
    /// How many bytes of memory an R process may use; as under `limits` if not given.
    pub memory_bytes: Option<u64>,
}

/// Whom the server answers over HTTP, and how many at once. What is not given has a default.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Values of `Host` that are accepted, beyond loopback and the address that is listened on.
    pub hosts: Vec<String>,
    /// Values of `Origin` that are accepted, beyond loopback, such as `https://app.example`.
    pub origins: Vec<String>,
    /// The most sessions of older clients at once.
    pub max_sessions: Option<usize>,
    /// The most calls at once.
    pub max_calls: Option<usize>,
    /// The longest request body, in bytes.
    pub max_body_bytes: Option<usize>,
}

/// Where prompts are, beyond `prompts/*.md` and the workflows in `inst/mcp/workflows/*.yaml`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptsConfig {
    /// Folders with more of them, relative to the crib.
    pub dirs: Vec<PathBuf>,
}

/// Reads a configuration.
pub(crate) fn read(source: &SourceId, text: &str) -> Result<Config, Box<Diagnostic>> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        Box::new(broken(source, start, error.message().trim().replace('\n', " ")))
    })
}

/// That something in a configuration cannot be read.
pub(crate) fn broken(source: &SourceId, start: usize, message: String) -> Diagnostic {
    Diagnostic::new(&BROKEN_CONFIG, Origin::offset(source, start), message)
        .hint("`toolcrib schema config` prints what may stand here")
}

/// The JSON Schema of `toolcrib.toml`, for editors.
pub fn config_schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

#[cfg(test)]
mod tests {
    use catalog::SourceId;

    use super::{BROKEN_CONFIG, read};

    #[test]
    fn an_empty_file_is_a_config_and_an_unknown_key_is_not() {
        let source = SourceId::new("toolcrib.toml");
        assert!(read(&source, "").expect("an empty config").confine.enabled);
        assert_eq!(
            read(&source, BROKEN_CONFIG.bad).expect_err("an unknown key").code,
            BROKEN_CONFIG.code
        );
        assert!(read(&source, BROKEN_CONFIG.good).is_ok());
    }
}
