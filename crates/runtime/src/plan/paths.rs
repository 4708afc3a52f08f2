//! Paths in arguments: resolved, links followed, and held inside the roots.
//!
//! The program is given the resolved path, so that what was checked is what is used; only a link named
//! itself stays one. Tools that may change things are not given what defines and permits them. A
//! program that goes there by itself is stopped only as far as its confinement is cut to its paths
//! (`reach`): the kernel's rules can add to a root, not take away from it.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use catalog::{ErrorType, Failure, Tool};
use serde_json::Value;
use toolkit::Arguments;

use crate::{Settings, failures};

/// What people change and tools do not, in the folder of the crib: configuration and definitions.
const PROTECTED: [&str; 3] = ["toolcrib.toml", "tool_guidance.json", "tools"];

/// Where paths of one call start, and where they must stay.
pub(crate) struct Places<'a> {
    /// The folder that relative paths are relative to.
    pub(crate) folder: &'a Path,
    /// The folders that they must stay in.
    roots: &'a [PathBuf],
    /// The crib whose definitions are out of reach; none for a tool that changes nothing.
    protected: Option<&'a Path>,
}

impl<'a> Places<'a> {
    /// From `folder` on, inside the roots.
    pub(crate) fn new(settings: &'a Settings, folder: &'a Path, is_read_only: bool) -> Self {
        Self {
            folder,
            roots: &settings.roots,
            protected: (!is_read_only).then_some(settings.crib.as_path()),
        }
    }

    /// The absolute path that `text` means, which need not exist yet.
    pub(crate) fn resolve(&self, parameter: &str, text: &str) -> Result<String, Failure> {
        let target = self.inside(parameter, text)?;
        let path = match link(&self.folder.join(text)) {
            Some(link) if self.is_inside(&link) => self.unprotected(parameter, text, link)?,
            Some(_) => return Err(self.outside(parameter, text)),
            None => target,
        };
        path.into_os_string().into_string().map_err(|_| {
            failures::invalid_argument(
                parameter,
                format!("'{parameter}' leads to a path that is not UTF-8"),
                "a UTF-8 path",
                text,
            )
        })
    }

    /// What `text` leads to, all links followed.
    pub(crate) fn target(&self, parameter: &str, text: &str) -> Result<PathBuf, Failure> {
        self.inside(parameter, text)
    }

    /// Checks something that may be a path or something else with slashes: a branch, a package.
    /// Only what exists is passed as a path; the rest is passed as it is.
    pub(crate) fn resolve_if_exists(&self, parameter: &str, text: &str) -> Result<String, Failure> {
        let looks_like_a_path = text.contains('/') && !text.contains("://") || text == "..";
        if !looks_like_a_path {
            // A word may be the name of a file all the same.
            return match real_path(&self.folder.join(text)) {
                Ok(path) if path.exists() => {
                    self.unprotected(parameter, text, path).map(|_| text.to_owned())
                }
                _ => Ok(text.to_owned()),
            };
        }
        let path = self.resolve(parameter, text)?;
        Ok(if Path::new(&path).exists() { path } else { text.to_owned() })
    }

    /// The folder a program runs in: an existing one inside the roots, or the starting folder.
    pub(crate) fn folder(
        &self,
        parameter: &str,
        value: Option<&Value>,
    ) -> Result<PathBuf, Failure> {
        let text = match value {
            None | Some(Value::Null) => return Ok(self.folder.to_owned()),
            Some(Value::String(text)) => text,
            Some(other) => {
                return Err(failures::invalid_argument(
                    parameter,
                    "Expected string",
                    "string",
                    other.clone(),
                ));
            }
        };
        let folder = self.inside(parameter, text)?;
        if !folder.is_dir() {
            let message = format!("'{parameter}' is not an existing folder: `{text}`");
            return Err(failures::invalid_argument(
                parameter,
                message,
                "an existing folder",
                text.as_str(),
            ));
        }
        Ok(folder)
    }

    fn inside(&self, parameter: &str, text: &str) -> Result<PathBuf, Failure> {
        if text.contains('\0') {
            return Err(failures::invalid_argument(
                parameter,
                format!("'{parameter}' has a NUL byte"),
                "a path",
                text,
            ));
        }
        let path = real_path(&self.folder.join(text)).map_err(|error| {
            failures::invalid_argument(
                parameter,
                format!("'{parameter}' is not a usable path: `{text}`: {error}"),
                "a path",
                text,
            )
        })?;
        if self.is_inside(&path) {
            self.unprotected(parameter, text, path)
        } else {
            Err(self.outside(parameter, text))
        }
    }

    /// The path, unless it is what people alone change.
    fn unprotected(&self, parameter: &str, text: &str, path: PathBuf) -> Result<PathBuf, Failure> {
        let is_in = |place: &Path| {
            path.starts_with(place) || place.canonicalize().is_ok_and(|real| path.starts_with(real))
        };
        if !self.protected.is_some_and(|crib| PROTECTED.iter().any(|name| is_in(&crib.join(name))))
        {
            return Ok(path);
        }
        let message = format!(
            "'{parameter}' leads to `{text}`: definitions and configuration are changed by people, not by tools; \
             name another path"
        );
        Err(failures::about_argument(
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

    fn outside(&self, parameter: &str, text: &str) -> Failure {
        let roots = self
            .roots
            .iter()
            .map(|root| format!("`{}`", root.display()))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "'{parameter}' leads outside the folders that tools may touch: `{text}`; stay inside {roots}"
        );
        failures::about_argument(
            parameter,
            ErrorType::PathOutsideRoots,
            message,
            "a path inside the roots",
            text,
        )
    }
}

/// The path of a link, if that is what is named: a program told to remove it must not be handed its target.
fn link(path: &Path) -> Option<PathBuf> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_symlink)?;
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// The path with all links followed. What does not exist yet is taken as it is written, below the
/// nearest folder that does.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        match at.canonicalize() {
            Ok(real) => {
                return Ok(missing.into_iter().rev().fold(real, |path, name| path.join(name)));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // A link to nothing would let the program create whatever it points at.
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

/// Refuses paths outside of the roots, for tools that are given their arguments as they are: where the schema says of a
/// text that it is a path.
pub(crate) fn refuse_outside(
    settings: &Settings,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let places = Places::new(settings, &settings.crib, tool.annotations.is_read_only());
    let marked = tool.input.properties().filter(|(_, schema)| is_path(schema));
    let refusals = marked.filter_map(|(name, _)| {
        let value = arguments.get(name)?;
        let texts = value
            .as_str()
            .into_iter()
            .chain(value.as_array().into_iter().flatten().filter_map(Value::as_str));
        failures::combine(texts.filter_map(|text| places.target(name, text).err()).collect())
    });
    failures::combine(refusals.collect()).map_or(Ok(()), Err)
}

fn is_path(schema: &Value) -> bool {
    schema.get("format").is_some_and(|format| format == "path")
        || schema.get("items").is_some_and(is_path)
}
