//! The paths that the arguments of a call name, as policies and approvals see them.

use std::path::{Component, Path, PathBuf};

use catalog::{
    Failure, Implementation, Tool,
    implementation::{Binding, PassBy, Process, ValueKind},
};
use serde_json::Value;
use toolkit::Arguments;

use super::paths::{
    PathResolver, find_link, is_path_parameter, real_path, reject_too_many_paths, texts,
};
use crate::{Settings, failures};

/// Maximum number of parameters whose links are decided about in every combination.
const MAX_LINKED: usize = 6;

/// The arguments as policies see them: paths without links and `..`, relative to the crib if they are
/// inside of it. A condition about the text of a path would otherwise be met, or avoided, by another
/// spelling of it.
///
/// A path that is itself a link counts as the link, which a program may remove, and as its target, which
/// a program may read. So there are several forms if the arguments name links.
pub(crate) fn normalize_paths(
    settings: &Settings,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<Vec<Arguments>, Failure> {
    reject_too_many_paths(tool, arguments)?;
    let resolver = NamedPaths::new(settings, tool, arguments);
    let mut forms = vec![arguments.clone()];
    let mut linked = 0;
    for (name, value) in arguments.iter().filter(|(name, _)| is_path_parameter(tool, name)) {
        let link = map_texts(value, |text| resolver.normalize(name, text, LastLink::Kept));
        let target = map_texts(value, |text| resolver.normalize(name, text, LastLink::Followed));
        let with = |value: &Value| {
            let mut forms = forms.clone();
            forms.iter_mut().for_each(|form| drop(form.insert(name.clone(), value.clone())));
            forms
        };
        let mut next = with(&link);
        if link != target {
            next.extend(with(&target));
            linked += 1;
        }
        if linked > MAX_LINKED {
            let message = format!("more than {MAX_LINKED} arguments name symbolic links");
            return Err(failures::argument_failure(name, message, "a path that is no link", ""));
        }
        forms = next;
    }
    Ok(forms)
}

/// The paths that the arguments of a call name, as they are given, with all links followed: what a
/// person approves, and what must be the same when the call starts.
pub(crate) fn find_targets(
    settings: &Settings,
    tool: &Tool,
    arguments: &Arguments,
) -> Vec<NamedTarget> {
    let resolver = NamedPaths::new(settings, tool, arguments);
    let named = arguments.iter().filter(|(name, _)| is_path_parameter(tool, name));
    let targets = named.flat_map(|(name, value)| {
        texts(value).filter_map(|text| {
            let path = resolver.base(name).folder.join(text);
            let target = real_path(&path).ok()?;
            let is_link = target != without_dots(&path);
            let is_secret = tool.is_secret(name);
            Some(NamedTarget { given: text.to_owned(), target, is_link, is_secret })
        })
    });
    targets.collect()
}

/// A path in the arguments of a call, and where it leads.
#[derive(Clone, Debug)]
pub(crate) struct NamedTarget {
    pub(crate) given: String,
    pub(crate) target: PathBuf,
    /// Whether there is a link on the way.
    pub(crate) is_link: bool,
    pub(crate) is_secret: bool,
}

/// What happens to a path that is itself a link.
#[derive(Clone, Copy, PartialEq)]
enum LastLink {
    Kept,
    Followed,
}

/// Resolves the paths in the arguments of a call, each from its base.
struct NamedPaths<'a> {
    crib: PathResolver<'a>,
    process: Option<&'a Process>,
    /// The working directory of the call.
    cwd: Option<PathBuf>,
}

impl<'a> NamedPaths<'a> {
    fn new(settings: &'a Settings, tool: &'a Tool, arguments: &Arguments) -> Self {
        let process = match &tool.implementation {
            Implementation::Process(process) => Some(process),
            _ => None,
        };
        // Protected paths are rejected elsewhere, whatever the policy says.
        let crib = PathResolver::new(settings, &settings.crib, true);
        let folder = process.and_then(folder_binding);
        let cwd = folder.and_then(|binding| {
            let value = arguments.get(&binding.parameter);
            crib.resolve_folder(&binding.parameter, value).ok()
        });
        Self { crib, process, cwd }
    }

    /// The resolver for a parameter: the working directory itself is named from the crib.
    fn base(&self, name: &str) -> PathResolver<'_> {
        let folder = self.process.and_then(folder_binding);
        let is_folder = folder.is_some_and(|binding| binding.parameter == name);
        let cwd = self.cwd.as_deref().filter(|_| !is_folder);
        self.crib.with_folder(cwd.unwrap_or(self.crib.folder))
    }

    fn normalize(&self, name: &str, text: &str, last: LastLink) -> String {
        let base = self.base(name);
        let mut bindings = self.process.into_iter().flat_map(|process| process.bindings());
        let kind = bindings.find(|binding| binding.parameter == name).map(|binding| binding.kind);
        let kept = match kind {
            Some(ValueKind::PathOrValue) => base.resolve_if_exists(name, text),
            _ => base.resolve(name, text),
        };
        let resolved = match kept {
            // A path that cannot be resolved is rejected later, whatever the policy says.
            Err(_) => text.to_owned(),
            Ok(path) if last == LastLink::Kept => path,
            Ok(path) => {
                let link = find_link(&base.folder.join(text));
                let target = link
                    .and_then(|link| real_path(&link).ok()?.into_os_string().into_string().ok());
                target.unwrap_or(path)
            }
        };
        match Path::new(&resolved).strip_prefix(self.crib.folder) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => resolved,
        }
    }
}

fn folder_binding(process: &Process) -> Option<&Binding> {
    process.bindings().find(|binding| binding.pass_by == PassBy::Folder)
}

/// A value with its texts, or those in an array, replaced.
fn map_texts(value: &Value, change: impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        Value::Array(items) => {
            let change =
                |item: &Value| item.as_str().map_or(item.clone(), |text| change(text).into());
            items.iter().map(change).collect()
        }
        other => other.clone(),
    }
}

/// The path without `.` and `..`, as if there were no links.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}
