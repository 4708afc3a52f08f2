//! `toolcrib.toml`. Every key has a default, and an unknown key is an error.
//!
//! The doc comments of the keys are the text of `docs/reference/config.md` and of the JSON Schema
//! that editors use.

use std::{collections::BTreeMap, ops::Range, path::PathBuf, time::Duration};

use catalog::{Diagnostic, ErrorForm, Origin, SourceId, closest};
use runtime::SandboxLevel;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::{
    AllowClause, Bind, Clause, ContentConfig, DocumentsConfig, ExportConfig, FlagsConfig,
    PolicyClause, ProfileClause, ProgramConfig, RuleClause, ServeConfig, SiteConfig, SwitchClause,
    clause::{BROKEN_CONFIG, report_broken_config},
    config_errors, flags,
};

/// The configuration of a crib.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Name, roots and texts of the crib.
    #[serde(rename = "crib")]
    pub crib: CribConfig,
    /// Sandbox of the programs that tools run.
    pub confine: Confine,
    /// What programs get of your files and variables, by program.
    pub program: BTreeMap<String, ProgramConfig>,
    /// Resource limits of the programs that tools run.
    pub limits: Limits,
    /// The log of calls.
    pub log: LogConfig,
    /// Requests for approval.
    pub approval: ApprovalConfig,
    /// R worker processes.
    pub r: RConfig,
    /// What `tools/list` contains.
    pub serve: ServeConfig,
    /// Where the book of Toolcrib is published.
    pub site: SiteConfig,
    /// Names for packages of the crib.
    pub export: ExportConfig,
    /// HTTP access and limits.
    pub http: Http,
    /// Implementations for tools whose definition has none. The first matching clause applies.
    #[schemars(with = "Vec<Bind>")]
    pub bind: Vec<Spanned<Bind>>,
    /// Documents for agents, by category and collection. This section, even if empty, enables the
    /// tool `get_content`.
    pub content: Option<ContentConfig>,
    /// R Markdown and Quarto documents.
    pub documents: DocumentsConfig,
    /// Folders with prompts.
    pub prompts: PromptsConfig,
    /// Which calls to allow, ask about or deny, beyond the defaults from annotations.
    #[schemars(with = "Vec<PolicyClause>")]
    pub policy: Vec<Spanned<PolicyClause>>,
    /// Default values of this project's flags. This section, even if empty, enables the tools for
    /// flags.
    #[schemars(schema_with = "flags::schema")]
    pub flags: Option<FlagsConfig>,
    /// Tools that are served only while a flag has a certain value.
    #[schemars(with = "Vec<SwitchClause>")]
    pub switch: Vec<Spanned<SwitchClause>>,
    /// Named selections of the tools, for `serve --profile NAME` and the address `/mcp/NAME`.
    #[schemars(with = "Vec<ProfileClause>")]
    pub profile: Vec<Spanned<ProfileClause>>,
    /// Diagnostics to ignore, with reasons.
    #[schemars(with = "Vec<AllowClause>")]
    pub allow: Vec<Spanned<Clause<AllowClause>>>,
    /// Custom rules for definitions, in addition to the built-in ones.
    #[schemars(with = "Vec<RuleClause>")]
    pub rule: Vec<Spanned<Clause<RuleClause>>>,
}

/// Name, roots and texts of the crib.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CribConfig {
    /// Server name. Default: the name of the folder.
    pub name: Option<String>,
    /// Whether served names start with `mcp_{name}_`.
    pub full_names: bool,
    /// Folders that path parameters may refer to, relative to the crib.
    pub roots: Vec<PathBuf>,
    /// Length of tool descriptions. Default: `schema-less` for native tools with examples, `concise`
    /// for others.
    pub descriptions: Option<Descriptions>,
    /// Form of structured errors of native tools. Default: each tool's own form.
    pub errors: Option<Errors>,
    /// Whether to serve the tool `check_definition`. Default: only if the crib has Markdown
    /// specifications.
    pub check_definition: Option<bool>,
}

/// Length of tool descriptions.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Descriptions {
    /// Purpose, schema, usage and examples.
    Full,
    /// Purpose.
    Concise,
    /// Purpose, usage and examples.
    SchemaLess,
}

/// Form of the structured errors of native tools.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Errors {
    /// `success`, `error`, `error_type` and optional details.
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

/// Sandbox of the programs that tools run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Confine {
    /// Whether programs are sandboxed.
    pub enabled: bool,
    /// Readable folders and files, in addition to the system, the toolchains and the roots.
    pub read: Vec<PathBuf>,
    /// Writable folders and files, in addition to the roots and a private temporary folder.
    pub write: Vec<PathBuf>,
    /// Environment variables to pass, in addition to the default list.
    pub environment: Vec<String>,
    /// Weakest sandbox level at which programs are run: `none`, `landlock` or `namespaces`. Where the
    /// machine offers less, calls are refused. Default: `none`.
    #[schemars(with = "String")]
    pub require: SandboxLevel,
}

impl Default for Confine {
    fn default() -> Self {
        Self {
            enabled: true,
            read: Vec::new(),
            write: Vec::new(),
            environment: Vec::new(),
            require: SandboxLevel::None,
        }
    }
}

/// Resource limits of the programs that tools run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Timeout of tools that declare none, in seconds. Default: 300.
    pub timeout_seconds: Option<u64>,
    /// Seconds between asking a program to terminate and killing it. Default: 2.
    pub grace_seconds: Option<u64>,
    /// Maximum bytes of each output stream in a result, of tools that declare none. The rest can be
    /// read with the tool `read_output`. Default: 16 KiB.
    pub output_bytes: Option<usize>,
    /// Maximum memory of a program, in bytes: of each process, and of all its processes together.
    /// Default: 4 GiB.
    pub memory_bytes: Option<u64>,
    /// Maximum number of processes and threads of a program. Default: 512.
    pub processes: Option<u64>,
    /// Maximum bytes in the private folders of a program (`$TMPDIR`, `/tmp`, `/dev/shm`). Default: 4 GiB.
    pub temp_bytes: Option<u64>,
    /// Maximum number of programs that run at the same time. Default: twice the number of cores.
    pub concurrency: Option<usize>,
    /// Days to keep finished operations. Default: 30.
    pub keep_days: Option<u64>,
    /// Maximum bytes of finished operations to keep, with their output; also of the long outputs of other calls, and
    /// of one output file. Default: 1 GiB.
    pub keep_bytes: Option<u64>,
}

impl Limits {
    /// How long finished operations are kept, and at most how many bytes of them.
    pub fn retention(&self) -> (Duration, u64) {
        (
            Duration::from_secs(self.keep_days.unwrap_or(30).saturating_mul(86_400)),
            self.keep_bytes.unwrap_or(1 << 30),
        )
    }
}

/// The log of calls, which `toolcrib log` prints.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Days to keep the log. Default: 90.
    pub keep_days: Option<u64>,
    /// Maximum bytes of the log. Default: 256 MiB.
    pub keep_bytes: Option<u64>,
}

/// Requests for approval.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalConfig {
    /// Command that runs when a call starts to wait for approval, such as `["notify-send"]`. It gets
    /// a title and a text as two more arguments, and runs with your rights, outside of any sandbox.
    pub notify: Vec<String>,
}

/// R worker processes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RConfig {
    /// Installed R packages whose tools are served, in addition to definitions in the crib.
    pub packages: Vec<String>,
    /// Maximum number of R processes; each session has its own. If there are more sessions, the least
    /// recently used one loses its process and gets another, with its state, at its next call.
    /// Default: one for each 512 MiB of memory, at least 8 and at most 64.
    pub workers: Option<usize>,
    /// Seconds until an idle R process ends. Default: 1800.
    pub idle_seconds: Option<u64>,
    /// Seconds until unused state behind a handle is dropped. Default: 3600.
    pub handle_seconds: Option<u64>,
    /// Timeout of R functions that declare none, in seconds. Default: as in `limits`.
    pub timeout_seconds: Option<u64>,
    /// Maximum memory of an R process, in bytes. Default: as in `limits`.
    pub memory_bytes: Option<u64>,
}

/// HTTP access and limits.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Accepted `Host` values, in addition to loopback and the listening address.
    pub hosts: Vec<String>,
    /// Accepted `Origin` values, in addition to loopback, such as `https://app.example`.
    pub origins: Vec<String>,
    /// Maximum number of concurrent sessions of clients with older protocol revisions. The session
    /// that is unused for the longest time makes room for a new one. Default: 256.
    pub max_sessions: Option<usize>,
    /// Maximum number of concurrent calls; others wait, and clients take turns. `status`, `await`,
    /// `cancel` and reading flags do not count. Default: 256.
    pub max_calls: Option<usize>,
    /// Maximum number of concurrent connections. The connection that is idle for the longest time
    /// makes room for a new one. Default: 1024.
    pub max_connections: Option<usize>,
    /// Maximum size of a request body, in bytes. Default: 4 MiB.
    pub max_body_bytes: Option<usize>,
}

/// Folders with prompts, in addition to `prompts/*.md` and workflows in
/// `inst/mcp/workflows/*.yaml`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptsConfig {
    /// Additional folders, relative to the crib.
    pub dirs: Vec<PathBuf>,
}

/// Parses a configuration, or reports every error in it.
pub(crate) fn parse(source: &SourceId, text: &str) -> Result<Config, Vec<Diagnostic>> {
    toml::from_str(text).map_err(|first| {
        let mut errors = config_errors::find_errors::<Config>(text);
        if errors.is_empty() {
            errors.push(first);
        }
        let report = |error: &toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let message = error.message().trim().replace('\n', " ");
            report_unknown_key(source, text, error.span(), &message)
                .unwrap_or_else(|| report_broken_config(source, start, message))
        };
        errors.iter().map(report).collect()
    })
}

/// Reports a key that does not exist, with the one that was probably meant.
fn report_unknown_key(
    source: &SourceId,
    text: &str,
    span: Option<Range<usize>>,
    message: &str,
) -> Option<Diagnostic> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let (key, valid) = (quoted.next()?, quoted.collect::<Vec<_>>());
    let span = span.filter(|span| text.get(span.clone()) == Some(key));
    let origin = span.map_or_else(|| Origin::whole_file(source), |span| Origin::span(source, span));
    let known = valid.join("`, `");
    let hint = match closest(key, valid) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys here are `{known}`"),
    };
    Some(Diagnostic::new(&BROKEN_CONFIG, origin, format!("unknown field `{key}`")).hint(hint))
}

/// The JSON Schema of `toolcrib.toml`, for editors.
pub fn config_schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

#[cfg(test)]
mod tests {
    use catalog::SourceId;

    use super::parse;
    use crate::clause::BROKEN_CONFIG;

    #[test]
    fn accepts_an_empty_file_and_rejects_an_unknown_key() {
        let source = SourceId::new("toolcrib.toml");
        assert!(parse(&source, "").expect("an empty config").confine.enabled);
        assert_eq!(
            parse(&source, BROKEN_CONFIG.bad).expect_err("an unknown key")[0].code,
            BROKEN_CONFIG.code
        );
        assert!(parse(&source, BROKEN_CONFIG.good).is_ok());
    }
}
