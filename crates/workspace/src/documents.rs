//! `[documents]`: whether R Markdown documents are served, where they are, and what may render them.

mod rendering;
mod rules;

use std::path::PathBuf;

use catalog::{Diagnostic, Origin, Rule, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{BROKEN_DOCUMENTS, FORBIDDEN_BACKEND};

/// The most bytes that a document may have, unless the configuration says otherwise.
const USUAL_BYTES: u64 = 10_000_000;

/// R Markdown and Quarto documents as resources, and the tools that make and render them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Whether documents are served; they are not if this is not given.
    pub enabled: bool,
    /// The folder of documents, relative to the crib; `rmd` if not given. What is rendered goes into `output` in it.
    #[schemars(with = "PathBuf")]
    pub dir: Spanned<PathBuf>,
    /// What renders documents; `auto` if not given.
    #[schemars(with = "RenderBackend")]
    pub backend: Spanned<RenderBackend>,
    /// Whether documents may be rendered by the R of this machine, which runs their code with your rights.
    pub allow_local: bool,
    /// How many bytes a document may have; 10 MB if not given.
    #[schemars(with = "Option<u64>")]
    pub max_bytes: Option<Spanned<u64>>,
    /// The image that documents are rendered in, which must be there. If it is not given, one is built.
    pub image: Option<String>,
    /// The image that ours is built on; `rocker/r-ver:4.4.3` if not given.
    pub base: Option<String>,
    /// How much memory a render may take, in MiB; 2048 if not given.
    #[schemars(with = "Option<u64>")]
    pub memory_mib: Option<Spanned<u64>>,
    /// How many processors a container may use; 2 if not given.
    #[schemars(with = "Option<f64>")]
    pub cpus: Option<Spanned<f64>>,
    /// How many processes a render may have; 128 if not given.
    #[schemars(with = "Option<usize>")]
    pub processes: Option<Spanned<usize>>,
    /// How long a render may take, in seconds; 600 if not given.
    #[schemars(with = "Option<u64>")]
    pub timeout_seconds: Option<Spanned<u64>>,
}

/// What renders documents.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RenderBackend {
    /// Whatever there is of what is allowed: Docker, Compose, this machine.
    #[default]
    Auto,
    /// A container, by the interface of Docker or Podman.
    Docker,
    /// A container, by the command line of Compose.
    Compose,
    /// The R of this machine. Needs `allow_local`.
    Local,
}

/// The documents of a crib that serves them.
#[derive(Clone, Debug, PartialEq)]
pub struct Documents {
    /// Their folder.
    pub folder: PathBuf,
    /// How many bytes a document may have.
    pub max_bytes: u64,
    /// What renders them.
    pub backend: RenderBackend,
    /// Whether they may be rendered by the R of this machine.
    pub allow_local: bool,
    /// The image that they are rendered in, if it is not ours.
    pub image: Option<String>,
    /// The image that ours is built on, if that is not the usual one.
    pub base: Option<String>,
    /// How much memory a render may take, in MiB.
    pub memory_mib: Option<u64>,
    /// How many processors a container may use.
    pub cpus: Option<f64>,
    /// How many processes a render may have.
    pub processes: Option<usize>,
    /// How long a render may take, in seconds.
    pub timeout_seconds: Option<u64>,
}

impl Default for DocumentsConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            dir: Spanned::new(0..0, PathBuf::from("rmd")),
            backend: Spanned::new(0..0, RenderBackend::default()),
            allow_local: false,
            max_bytes: None,
            image: None,
            base: None,
            memory_mib: None,
            cpus: None,
            processes: None,
            timeout_seconds: None,
        }
    }
}

/// Reads `[documents]`: what is served, if anything is, or all that is wrong. `resolve` finds a configured folder.
pub(crate) fn compile(
    source: &SourceId,
    config: &DocumentsConfig,
    resolve: impl Fn(&PathBuf) -> PathBuf,
) -> Result<Option<Documents>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut report = |rule: &Rule, at: usize, message: String, hint: &str| {
        found.push(Diagnostic::new(rule, Origin::offset(source, at), message).hint(hint));
    };
    let dir = config.dir.get_ref();
    let folder = resolve(dir);
    if dir.as_os_str().is_empty() {
        report(
            &BROKEN_DOCUMENTS,
            config.dir.span().start,
            "`dir` is empty".to_owned(),
            "name a folder, such as `rmd`",
        );
    } else if folder.exists() && !folder.is_dir() {
        let message = format!("`{}` is not a folder", dir.display());
        report(
            &BROKEN_DOCUMENTS,
            config.dir.span().start,
            message,
            "name a folder; it is made if it is not there",
        );
    }
    if let Some(bytes) = config.max_bytes.as_ref().filter(|bytes| *bytes.get_ref() == 0) {
        report(
            &BROKEN_DOCUMENTS,
            bytes.span().start,
            "`max_bytes` leaves no room for a document".to_owned(),
            "leave it out",
        );
    }
    for (name, at) in rendering::impossible(config) {
        report(
            &BROKEN_DOCUMENTS,
            at,
            format!("`{name}` leaves nothing to render with"),
            "leave it out, or name more than 0",
        );
    }
    let backend = *config.backend.get_ref();
    if backend == RenderBackend::Local && !config.allow_local {
        let message = "`backend` is `local`, which `allow_local` does not allow".to_owned();
        let hint =
            "set `allow_local = true` if documents may run R with your rights, or choose `docker`";
        report(&FORBIDDEN_BACKEND, config.backend.span().start, message, hint);
    }
    let max_bytes = config.max_bytes.as_ref().map_or(USUAL_BYTES, |bytes| *bytes.get_ref());
    let documents = Documents {
        folder,
        max_bytes,
        backend,
        allow_local: config.allow_local,
        image: config.image.clone(),
        base: config.base.clone(),
        memory_mib: config.memory_mib.as_ref().map(|mib| *mib.get_ref()),
        cpus: config.cpus.as_ref().map(|cpus| *cpus.get_ref()),
        processes: config.processes.as_ref().map(|processes| *processes.get_ref()),
        timeout_seconds: config.timeout_seconds.as_ref().map(|seconds| *seconds.get_ref()),
    };
    if found.is_empty() { Ok(config.enabled.then_some(documents)) } else { Err(found) }
}
