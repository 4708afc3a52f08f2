//! Resolves paths in arguments, follows links, and rejects paths outside of the roots.
//!
//! The program gets the resolved path, so that it uses exactly what was checked; only a link that is
//! named itself stays a link. Tools that may change things do not get paths of definitions and
//! configuration. A program that opens those by itself is stopped only if its sandbox is narrowed to
//! its paths (`path_access`), because Landlock can only add access below a root, not remove it.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use catalog::{
    ErrorType, Failure, Implementation, Tool,
    budget::spend,
    implementation::{Access, PassBy, ValueKind},
};
use process::ProtectedPaths;
use serde_json::Value;
use toolkit::Arguments;

use crate::{Settings, failures};

/// Maximum number of paths in the arguments of a call: far more than fit on a command line.
const MAX_PATHS: usize = 100_000;

/// The budget that following the links of a path takes.
const RESOLVE_STEPS: u64 = 500;

/// Resolves the paths of one call.
#[derive(Clone, Copy)]
pub(crate) struct PathResolver<'a> {
    /// The base of relative paths.
    pub(crate) folder: &'a Path,
    /// The folders in which paths must be.
    roots: &'a [PathBuf],
    /// Paths that only people may change; `None` for a read-only tool.
    protected: Option<&'a ProtectedPaths>,
}

impl<'a> PathResolver<'a> {
    /// Resolves paths relative to `folder`.
    pub(crate) fn new(settings: &'a Settings, folder: &'a Path, is_read_only: bool) -> Self {
        Self {
            folder,
            roots: &settings.roots,
            protected: (!is_read_only).then_some(&settings.protected),
        }
    }

    /// The resolver for paths relative to another folder.
    pub(super) fn with_folder<'b>(&self, folder: &'b Path) -> PathResolver<'b>
    where
        'a: 'b,
    {
        PathResolver { folder, ..*self }
    }

    /// The resolver for a parameter with this access. Protected paths are allowed if they are only read.
    pub(crate) fn for_access(&self, access: Option<Access>) -> Self {
        let protected = self.protected.filter(|_| access != Some(Access::Read));
        Self { protected, ..*self }
    }

    /// The absolute path of `text`, which need not exist yet.
    pub(crate) fn resolve(&self, parameter: &str, text: &str) -> Result<String, Failure> {
        let target = self.resolve_target(parameter, text)?;
        let path = match find_link(&self.folder.join(text)) {
            Some(link) if self.is_inside(&link) => self.reject_protected(parameter, text, link)?,
            Some(_) => return Err(self.outside_failure(parameter, text)),
            None => target,
        };
        path.into_os_string().into_string().map_err(|_| {
            failures::argument_failure(
                parameter,
                format!("'{parameter}' leads to a path that is not UTF-8"),
                "a UTF-8 path",
                text,
            )
        })
    }

    /// The form of a resolved path that the program gets: relative to the working directory if the caller
    /// passed a relative path, so that the program's output contains paths that the caller recognizes.
    pub(crate) fn like_given(&self, given: &str, path: String) -> String {
        if path == given || Path::new(given).is_absolute() {
            return path;
        }
        relative_path(self.folder, Path::new(&path)).unwrap_or(path)
    }

    /// Resolves a value that may be a path or something else with slashes, such as a branch or a
    /// package. An existing path is resolved; everything else stays as it is.
    pub(crate) fn resolve_if_exists(&self, parameter: &str, text: &str) -> Result<String, Failure> {
        // `..` has no slash but leaves the folder; addresses have slashes but are no paths.
        let looks_like_a_path = text.contains('/') && !text.contains("://") || text == "..";
        if !looks_like_a_path {
            // A word without slashes may be the name of a protected file.
            return match real_path(&self.folder.join(text)) {
                Ok(path) if path.exists() => {
                    self.reject_protected(parameter, text, path).map(|_| text.to_owned())
                }
                _ => Ok(text.to_owned()),
            };
        }
        let path = self.resolve(parameter, text)?;
        // `feature/login` resolves to a path that does not exist, so it is a branch.
        Ok(if Path::new(&path).exists() { path } else { text.to_owned() })
    }

    /// The working directory that an argument names: an existing folder inside the roots; the base folder
    /// if there is no argument.
    pub(crate) fn resolve_folder(
        &self,
        parameter: &str,
        value: Option<&Value>,
    ) -> Result<PathBuf, Failure> {
        let text = match value {
            None | Some(Value::Null) => return Ok(self.folder.to_owned()),
            Some(Value::String(text)) => text,
            Some(other) => {
                return Err(failures::argument_failure(
                    parameter,
                    "Expected string",
                    "string",
                    other.clone(),
                ));
            }
        };
        let folder = self.resolve_target(parameter, text)?;
        if !folder.is_dir() {
            let message = format!("'{parameter}' is not an existing folder: `{text}`");
            return Err(failures::argument_failure(
                parameter,
                message,
                "an existing folder",
                text.as_str(),
            ));
        }
        Ok(folder)
    }

    /// The path of `text` with all links followed, inside the roots.
    pub(crate) fn resolve_target(&self, parameter: &str, text: &str) -> Result<PathBuf, Failure> {
        if text.contains('\0') {
            return Err(failures::argument_failure(
                parameter,
                format!("'{parameter}' has a NUL byte"),
                "a path",
                text,
            ));
        }
        let path = real_path(&self.folder.join(text)).map_err(|error| {
            failures::argument_failure(
                parameter,
                format!("'{parameter}' is not a usable path: `{text}`: {error}"),
                "a path",
                text,
            )
        })?;
        if self.is_inside(&path) {
            self.reject_protected(parameter, text, path)
        } else {
            Err(self.outside_failure(parameter, text))
        }
    }

    /// Returns the path unless it is protected.
    fn reject_protected(
        &self,
        parameter: &str,
        text: &str,
        path: PathBuf,
    ) -> Result<PathBuf, Failure> {
        if !self.protected.is_some_and(|protected| protected.contains(&path)) {
            return Ok(path);
        }
        let message = format!(
            "'{parameter}' leads to `{text}`: only people may change definitions, configuration and the code of \
             tools; name another path, or declare `\"mutates\": false` if the tool only reads"
        );
        Err(failures::failure_at_argument(
            parameter,
            ErrorType::PathProtected,
            message,
            "a path that is not the crib's own",
            text,
        ))
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    fn outside_failure(&self, parameter: &str, text: &str) -> Failure {
        let roots = self
            .roots
            .iter()
            .map(|root| format!("`{}`", root.display()))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "'{parameter}' leads outside the folders that tools may access: `{text}`; stay inside {roots}, or \
             add the folder to `roots` in toolcrib.toml"
        );
        failures::failure_at_argument(
            parameter,
            ErrorType::PathOutsideRoots,
            message,
            "a path inside the roots",
            text,
        )
    }
}

/// The relative path from `folder` to `path`, both absolute and without links; `None` if it is not UTF-8.
///
/// Programs interpret some names: `-x` as an option, `name=value` as an assignment (`awk`), `host:file` as
/// a remote file (`rsync`), `@file` as a list of arguments. A leading `./` makes them plain paths.
fn relative_path(folder: &Path, path: &Path) -> Option<String> {
    let mut common = folder;
    let mut relative = PathBuf::new();
    while !path.starts_with(common) {
        relative.push("..");
        common = common.parent()?;
    }
    relative.push(path.strip_prefix(common).ok()?);
    let text = relative.into_os_string().into_string().ok()?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    Some(match text.chars().next() {
        None => ".".to_owned(),
        Some(first) if is_plain(first) && !text.contains([':', '=']) => text,
        Some(_) => format!("./{text}"),
    })
}

/// The path of a symbolic link, if `path` is one: a program that removes a link must not get
/// its target instead.
pub(super) fn find_link(path: &Path) -> Option<PathBuf> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_symlink)?;
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// The path with all links followed. Components that do not exist yet are appended to the nearest
/// existing folder as they are.
pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        spend(RESOLVE_STEPS);
        match at.canonicalize() {
            Ok(real) => {
                return Ok(missing.into_iter().rev().fold(real, |path, name| path.join(name)));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // A dangling link would let the program create its target.
            Err(_) if fs::symlink_metadata(at).is_ok() => {
                return Err(io::Error::other("it is a link to something that does not exist"));
            }
            Err(error) => {
                let (Some(Component::Normal(name)), Some(parent)) =
                    (at.components().next_back(), at.parent())
                else {
                    return Err(error);
                };
                missing.push(name);
                at = parent;
            }
        }
    }
}

/// Fails if a call names more paths than can be resolved in a short time.
pub(crate) fn reject_too_many_paths(tool: &Tool, arguments: &Arguments) -> Result<(), Failure> {
    let names = arguments.iter().filter(|(name, _)| is_path_parameter(tool, name));
    let count: usize = names.map(|(_, value)| texts(value).count()).sum();
    if count <= MAX_PATHS {
        return Ok(());
    }
    let message = format!(
        "the arguments name {count} paths, and at most {MAX_PATHS} are possible; send fewer"
    );
    Err(Failure::new(ErrorType::ArgumentsTooLong, message))
}

/// Rejects paths outside of the roots for tools that get their arguments unchanged. Paths are the texts
/// that the schema marks with `format: path`.
pub(crate) fn reject_outside_paths(
    settings: &Settings,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<(), Failure> {
    reject_too_many_paths(tool, arguments)?;
    let resolver = &PathResolver::new(settings, &settings.crib, tool.annotations.is_read_only());
    let marked = tool.input.properties().filter(|(_, schema)| is_path(schema));
    let failures_found = marked.flat_map(|(name, _)| {
        let texts = arguments.get(name).into_iter().flat_map(texts);
        texts.filter_map(move |text| resolver.resolve_target(name, text).err())
    });
    failures::combine(failures_found).map_or(Ok(()), Err)
}

/// The texts of a parameter that is a text or an array of texts.
pub(super) fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    value.as_str().into_iter().chain(items)
}

/// Whether the values of a parameter are, or may be, paths.
pub(super) fn is_path_parameter(tool: &Tool, name: &str) -> bool {
    let is_bound = match &tool.implementation {
        Implementation::Process(process) => process.bindings().any(|binding| {
            binding.parameter == name
                && (binding.kind != ValueKind::Plain || binding.pass_by == PassBy::Folder)
        }),
        _ => false,
    };
    is_bound || tool.input.property(name).is_some_and(is_path)
}

fn is_path(schema: &Value) -> bool {
    schema.get("format").is_some_and(|format| format == "path")
        || schema.get("items").is_some_and(is_path)
}
