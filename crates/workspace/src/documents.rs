//! `[documents]`: R Markdown and Quarto documents, and how they are rendered.

mod rules;

use std::path::{Path, PathBuf};

use catalog::{Diagnostic, Origin, Rule, SourceId};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{BROKEN_DOCUMENTS, FORBIDDEN_BACKEND};

/// The default maximum size of a document, in bytes.
const DEFAULT_MAX_BYTES: u64 = 10_000_000;

/// R Markdown and Quarto documents as resources, with tools to create and render them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Whether documents are served.
    pub enabled: bool,
    /// Folder of the documents, relative to the crib. Default: `rmd`. Rendered files go to `output`
    /// in this folder.
    #[schemars(with = "PathBuf")]
    pub dir: Spanned<PathBuf>,
    /// Backend that renders documents. Default: `auto`.
    #[schemars(with = "RenderBackend")]
    pub backend: Spanned<RenderBackend>,
    /// Whether documents may be rendered by the local R, which runs their code with your
    /// permissions.
    pub allow_local: bool,
    /// Maximum size of a document, in bytes. Default: 10 MB.
    #[schemars(with = "Option<u64>")]
    pub max_bytes: Option<Spanned<u64>>,
    /// Folders with data that documents read, in containers too. Each appears in the folder of documents
    /// under its own name, read-only.
    pub data: Vec<PathBuf>,
    /// R packages that documents use. They are installed in the image that is built.
    pub packages: Vec<String>,
    /// Maximum size of the documents and their data together, which are copied for each render, in MiB.
    /// Default: 256.
    #[schemars(with = "Option<u64>")]
    pub max_folder_mib: Option<Spanned<u64>>,
    /// Maximum size of the files that a render writes, in MiB. Default: 1024.
    #[schemars(with = "Option<u64>")]
    pub disk_mib: Option<Spanned<u64>>,
    /// Maximum size of a rendered document, in MiB. Default: 128.
    #[schemars(with = "Option<u64>")]
    pub output_mib: Option<Spanned<u64>>,
    /// Maximum size of the cache of rendered documents, in MiB. Default: 256.
    #[schemars(with = "Option<u64>")]
    pub cache_mib: Option<Spanned<u64>>,
    /// Existing container image for rendering. Default: an image that is built for this purpose.
    pub image: Option<String>,
    /// Base of the image that is built. Default: `rocker/r-ver:4.4.3`.
    pub base: Option<String>,
    /// Maximum memory of a render, in MiB. Default: 2048.
    #[schemars(with = "Option<u64>")]
    pub memory_mib: Option<Spanned<u64>>,
    /// Maximum number of CPUs of a container. Default: 2.
    #[schemars(with = "Option<f64>")]
    pub cpus: Option<Spanned<f64>>,
    /// Maximum number of processes of a render. Default: 128.
    #[schemars(with = "Option<usize>")]
    pub processes: Option<Spanned<usize>>,
    /// Timeout of a render, in seconds. Default: 600.
    #[schemars(with = "Option<u64>")]
    pub timeout_seconds: Option<Spanned<u64>>,
}

/// Backend that renders documents.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RenderBackend {
    /// The first that is available and allowed: Docker, Compose, the local R.
    #[default]
    Auto,
    /// A container, through the API of Docker or Podman.
    Docker,
    /// A container, through the Compose command line.
    Compose,
    /// The local R. Requires `allow_local`.
    Local,
}

/// The documents of a crib that serves them. `None` stands for the renderer's default.
#[derive(Clone, Debug, PartialEq)]
pub struct Documents {
    /// The folder, resolved.
    pub folder: PathBuf,
    /// The maximum size of a document, in bytes.
    pub max_bytes: u64,
    /// The backend that renders them.
    pub backend: RenderBackend,
    /// Whether the local R may render them.
    pub allow_local: bool,
    /// Folders with data, resolved.
    pub data: Vec<PathBuf>,
    /// R packages that documents use.
    pub packages: Vec<String>,
    /// The maximum size of the documents and their data, in MiB.
    pub max_folder_mib: Option<u64>,
    /// The maximum size of the files that a render writes, in MiB.
    pub disk_mib: Option<u64>,
    /// The maximum size of a rendered document, in MiB.
    pub output_mib: Option<u64>,
    /// The maximum size of the cache, in MiB.
    pub cache_mib: Option<u64>,
    /// An existing container image.
    pub image: Option<String>,
    /// The base of the image that is built.
    pub base: Option<String>,
    /// The maximum memory of a render, in MiB.
    pub memory_mib: Option<u64>,
    /// The maximum number of CPUs of a container.
    pub cpus: Option<f64>,
    /// The maximum number of processes of a render.
    pub processes: Option<usize>,
    /// The timeout of a render, in seconds.
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
            data: Vec::new(),
            packages: Vec::new(),
            max_folder_mib: None,
            disk_mib: None,
            output_mib: None,
            cache_mib: None,
            image: None,
            base: None,
            memory_mib: None,
            cpus: None,
            processes: None,
            timeout_seconds: None,
        }
    }
}

/// Compiles `[documents]`, or reports all problems. `Ok(None)` if documents are not served. `resolve`
/// resolves a configured folder.
pub(crate) fn compile(
    source: &SourceId,
    config: &DocumentsConfig,
    resolve: impl Fn(&PathBuf) -> PathBuf,
) -> Result<Option<Documents>, Vec<Diagnostic>> {
    let folder = resolve(config.dir.get_ref());
    let data: Vec<_> = config.data.iter().map(&resolve).collect();
    let found = check(source, config, &folder, &data);
    if !found.is_empty() {
        return Err(found);
    }
    let documents = Documents {
        folder,
        max_bytes: value(&config.max_bytes).unwrap_or(DEFAULT_MAX_BYTES),
        backend: *config.backend.get_ref(),
        allow_local: config.allow_local,
        data,
        packages: config.packages.clone(),
        max_folder_mib: value(&config.max_folder_mib),
        disk_mib: value(&config.disk_mib),
        output_mib: value(&config.output_mib),
        cache_mib: value(&config.cache_mib),
        image: config.image.clone(),
        base: config.base.clone(),
        memory_mib: value(&config.memory_mib),
        cpus: value(&config.cpus),
        processes: value(&config.processes),
        timeout_seconds: value(&config.timeout_seconds),
    };
    // Checked also if documents are off, so that a mistake shows before they are enabled.
    Ok(config.enabled.then_some(documents))
}

fn check(
    source: &SourceId,
    config: &DocumentsConfig,
    folder: &Path,
    data: &[PathBuf],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut report = |rule: &Rule, start: usize, message: String, hint: &str| {
        found.push(Diagnostic::new(rule, Origin::offset(source, start), message).hint(hint));
    };
    let dir = config.dir.get_ref();
    if dir.as_os_str().is_empty() {
        let hint = "name a folder, such as `rmd`";
        report(&BROKEN_DOCUMENTS, config.dir.span().start, "`dir` is empty".to_owned(), hint);
    // A missing folder is fine: it is created with the first document.
    } else if folder.exists() && !folder.is_dir() {
        let message = format!("`{}` is not a folder", dir.display());
        let hint = "name a folder; a missing one is created";
        report(&BROKEN_DOCUMENTS, config.dir.span().start, message, hint);
    }
    // Entries of the two lists have no location of their own.
    for (path, _) in config.data.iter().zip(data).filter(|(_, resolved)| !resolved.is_dir()) {
        let message = format!("the data folder `{}` does not exist", path.display());
        report(
            &BROKEN_DOCUMENTS,
            config.dir.span().start,
            message,
            "create it, or correct the path",
        );
    }
    for name in config.packages.iter().filter(|name| !is_package(name)) {
        let message = format!("`{name}` is not the name of an R package");
        report(&BROKEN_DOCUMENTS, config.dir.span().start, message, "use letters, digits and dots");
    }
    let limits = [
        ("max_folder_mib", non_positive(&config.max_folder_mib)),
        ("disk_mib", non_positive(&config.disk_mib)),
        ("output_mib", non_positive(&config.output_mib)),
        ("cache_mib", non_positive(&config.cache_mib)),
        ("max_bytes", non_positive(&config.max_bytes)),
        ("memory_mib", non_positive(&config.memory_mib)),
        ("cpus", non_positive(&config.cpus)),
        ("processes", non_positive(&config.processes)),
        ("timeout_seconds", non_positive(&config.timeout_seconds)),
    ];
    for (name, start) in limits.into_iter().filter_map(|(name, start)| Some((name, start?))) {
        let message = format!("`{name}` must be greater than 0");
        report(&BROKEN_DOCUMENTS, start, message, "remove it to use the default");
    }
    if *config.backend.get_ref() == RenderBackend::Local && !config.allow_local {
        let message = "`backend` is `local`, which `allow_local` does not allow".to_owned();
        let hint = "set `allow_local = true` if documents may run R with your permissions, or choose `docker`";
        report(&FORBIDDEN_BACKEND, config.backend.span().start, message, hint);
    }
    found
}

/// Whether a text is a valid package name. Checked because it becomes part of a command that builds an
/// image.
fn is_package(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
}

fn value<T: Copy>(spanned: &Option<Spanned<T>>) -> Option<T> {
    spanned.as_ref().map(|value| *value.get_ref())
}

/// The offset of a limit that is not positive, which includes TOML's `nan`.
fn non_positive<T: PartialOrd + Default>(limit: &Option<Spanned<T>>) -> Option<usize> {
    let is_positive =
        |limit: &T| limit.partial_cmp(&T::default()) == Some(std::cmp::Ordering::Greater);
    limit.as_ref().filter(|limit| !is_positive(limit.get_ref())).map(|limit| limit.span().start)
}
