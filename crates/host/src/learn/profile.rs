//! The smallest sandbox profile under which an observed call works.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use catalog::{Implementation, NetworkAccess, Tool, implementation::Access};
use formats::Declaration;
use serde_json::Value;

use super::{Observation, definition::Place, strace::Accesses};

/// The smallest profile under which a call like the observed one would work.
#[derive(Debug, Default)]
pub struct Profile {
    /// The folders that paths are shown relative to.
    roots: Vec<PathBuf>,
    place: Place,
    network: bool,
    mutates: bool,
    access: Vec<(String, Access)>,
    inside_read: Vec<PathBuf>,
    inside_written: Vec<PathBuf>,
    /// Paths inside the roots that no parameter names.
    unnamed: BTreeSet<PathBuf>,
    outside_read: Vec<PathBuf>,
    outside_written: Vec<PathBuf>,
}

impl Profile {
    pub(super) fn derive(accesses: &Accesses, observation: &Observation) -> Self {
        let Observation { plan, own, values, .. } = observation;
        let resolve_all = |paths: &BTreeSet<PathBuf>| -> BTreeSet<PathBuf> {
            let resolved = paths.iter().map(|path| resolve(path));
            resolved.filter(|path| !observation.is_private(path)).collect()
        };
        let (read, written) = (resolve_all(&accesses.read), resolve_all(&accesses.written));
        let values: Vec<(&String, Vec<PathBuf>)> = values
            .iter()
            .map(|(name, paths)| (name, paths.iter().map(|path| resolve(path)).collect()))
            .collect();
        let is_own = |path: &Path| own.iter().any(|root| path.starts_with(root));
        let is_named = |path: &Path| values.iter().any(|(_, paths)| is_below(path, paths));
        let access = values.iter().filter_map(|(name, paths)| {
            // A parameter may name a folder, whose files the program opens.
            let touches = |set: &BTreeSet<PathBuf>| set.iter().any(|path| is_below(path, paths));
            Some(((*name).clone(), access(touches(&read), touches(&written))?))
        });
        Self {
            roots: own.clone(),
            place: observation.place,
            network: accesses.network,
            // Writing to `/dev/null` changes nothing.
            mutates: written.iter().any(|path| !is_device(path)),
            access: access.collect(),
            // A file that is read and written needs one line, not two.
            inside_read: select(&read, |path| is_own(path) && !written.contains(path)),
            inside_written: select(&written, is_own),
            unnamed: read
                .iter()
                .chain(&written)
                .filter(|path| is_own(path) && !is_named(path))
                .cloned()
                .collect(),
            outside_read: select(&read, |path| {
                !is_own(path) && !plan.may_read(path) && !is_device(path)
            }),
            outside_written: select(&written, |path| {
                !is_own(path) && !plan.may_write(path) && !is_device(path)
            }),
        }
    }

    /// Where the tool declares its effects.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The effects that the definition does not declare yet. One run covers only one path through a
    /// program, so existing declarations are never made stricter.
    pub(super) fn declaration(&self, tool: &Tool) -> Declaration {
        let declared = &tool.annotations;
        let has_network = !matches!(declared.network, None | Some(NetworkAccess::None));
        Declaration {
            // Never `false`: that no file was written in one run does not make the tool safe.
            mutates: (self.mutates && declared.mutates != Some(true)).then_some(true),
            network: (self.network && !has_network).then_some(true),
            // With `access`, a call could no longer use files that no parameter names.
            access: match self.place {
                Place::Definition if self.unnamed.is_empty() => self.wider_access(tool),
                _ => Vec::new(),
            },
        }
    }

    /// The parameters whose declared access is missing or narrower than the observed one.
    fn wider_access(&self, tool: &Tool) -> Vec<(String, Access)> {
        let Implementation::Process(process) = &tool.implementation else { return Vec::new() };
        let declared = |name: &str| {
            process.bindings().find(|binding| binding.parameter == name).and_then(|one| one.access)
        };
        let widen = |(name, seen): &(String, Access)| {
            let wanted = match declared(name) {
                None => *seen,
                Some(declared) if declared == *seen || declared == Access::ReadWrite => {
                    return None;
                }
                Some(_) => Access::ReadWrite,
            };
            Some((name.clone(), wanted))
        };
        self.access.iter().filter_map(widen).collect()
    }

    /// Lists what the call accessed, and the annotations and configuration that allow it.
    pub fn describe(&self) -> String {
        let mut lines = vec!["accessed".to_owned()];
        let mut list = |what: &str, paths: &[PathBuf]| {
            lines.extend(paths.iter().map(|path| format!("  {what:<15} {}", self.shorten(path))))
        };
        list("read", &self.inside_read);
        list("written", &self.inside_written);
        list("read outside", &self.outside_read);
        list("written outside", &self.outside_written);
        let network = if self.network { "used" } else { "not used" };
        lines.push(format!("  {:<15} {network}", "network"));
        lines.extend(self.annotations());
        lines.extend(self.configuration());
        lines.join("\n")
    }

    /// The lines for the place that declares effects.
    fn annotations(&self) -> Vec<String> {
        let (mutates, network) = (self.mutates, self.network);
        let mut lines = match self.place {
            Place::Definition => vec![
                "for the definition".to_owned(),
                format!("  \"mutates\": {mutates},"),
                format!("  \"network\": {network}"),
            ],
            Place::Bind => vec![
                "for its `[[bind]]`".to_owned(),
                format!("  mutates = {mutates}"),
                format!("  network = {network}"),
            ],
            Place::RComment => vec![
                "for the comment of its function".to_owned(),
                format!("  @keywords {}", keywords_for(mutates, network).join(" ")),
            ],
        };
        if !mutates {
            let what = match self.place {
                Place::RComment => "mcp-read-only",
                Place::Definition => "\"mutates\": false",
                Place::Bind => "mutates = false",
            };
            lines.push(format!(
                "  `{what}` is left to you: it holds only if no call changes anything, here or elsewhere"
            ));
        }
        if self.place != Place::Definition {
            return lines;
        }
        lines.extend(
            self.access
                .iter()
                .map(|(name, access)| format!("  in `{name}`: \"access\": \"{}\"", access.word())),
        );
        if !self.access.is_empty() && !self.unnamed.is_empty() {
            let unnamed: Vec<_> =
                self.unnamed.iter().map(|path| format!("`{}`", self.shorten(path))).collect();
            lines.push(format!(
                "  once every path has `access`, a call cannot use paths that no parameter names: {}",
                unnamed.join(", ")
            ));
        }
        lines
    }

    /// The lines for the crib's configuration, if it needs any.
    fn configuration(&self) -> Vec<String> {
        let read: BTreeSet<_> = self.outside_read.iter().cloned().collect();
        // Creating a file takes write access to its folder.
        let written: BTreeSet<_> = self
            .outside_written
            .iter()
            .map(|path| path.parent().map_or_else(|| path.clone(), Path::to_owned))
            .collect();
        let list = |key: &str, paths: BTreeSet<PathBuf>| {
            let texts: Vec<_> = without_descendants(&paths)
                .map(|path| Value::from(path.to_string_lossy()).to_string())
                .collect();
            (!texts.is_empty()).then(|| format!("  {key} = [{}]", texts.join(", ")))
        };
        let lines: Vec<_> =
            [list("read", read), list("write", written)].into_iter().flatten().collect();
        if lines.is_empty() {
            return lines;
        }
        ["for `toolcrib.toml`".to_owned(), "  [confine]".to_owned()]
            .into_iter()
            .chain(lines)
            .collect()
    }

    /// A path relative to the root it is in.
    fn shorten(&self, path: &Path) -> String {
        let inside = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        let path = inside.filter(|path| !path.as_os_str().is_empty()).unwrap_or(path);
        path.display().to_string()
    }
}

/// The roxygen2 keywords that declare these effects.
pub(super) fn keywords_for(mutates: bool, network: bool) -> Vec<&'static str> {
    let mutates = if mutates { "mcp-writes" } else { "mcp-read-only" };
    [mutates].into_iter().chain(network.then_some("mcp-network")).collect()
}

fn select(paths: &BTreeSet<PathBuf>, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    paths.iter().filter(|path| wanted(path)).cloned().collect()
}

/// The paths that have no ancestor in the set: an entry covers everything below it.
fn without_descendants(paths: &BTreeSet<PathBuf>) -> impl Iterator<Item = &PathBuf> {
    paths.iter().filter(|path| !path.ancestors().skip(1).any(|above| paths.contains(above)))
}

fn access(is_read: bool, is_written: bool) -> Option<Access> {
    match (is_read, is_written) {
        (true, false) => Some(Access::Read),
        (false, true) => Some(Access::Write),
        (true, true) => Some(Access::ReadWrite),
        (false, false) => None,
    }
}

fn is_below(path: &Path, ancestors: &[PathBuf]) -> bool {
    ancestors.iter().any(|ancestor| path.starts_with(ancestor))
}

/// Whether writing to a path changes no file: devices and process information.
fn is_device(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder))
}

/// Follows links. A file that the call removed is resolved through its folder.
fn resolve(path: &Path) -> PathBuf {
    let through_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(through_folder).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use catalog::implementation::Access;

    use super::{Place, Profile};

    #[test]
    fn proposes_the_smallest_profile() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let profile = Profile {
            roots: paths(&["/crib"]),
            place: Place::Definition,
            network: true,
            mutates: true,
            access: vec![("from".to_owned(), Access::Read), ("to".to_owned(), Access::Write)],
            inside_read: paths(&["/crib/a", "/crib/settings"]),
            inside_written: paths(&["/crib/b"]),
            unnamed: paths(&["/crib/settings"]).into_iter().collect(),
            outside_read: paths(&["/data", "/data/x", "/more/y"]),
            outside_written: paths(&["/cache/z"]),
        };
        insta::assert_snapshot!(profile.describe(), @r#"
        accessed
          read            a
          read            settings
          written         b
          read outside    /data
          read outside    /data/x
          read outside    /more/y
          written outside /cache/z
          network         used
        for the definition
          "mutates": true,
          "network": true
          in `from`: "access": "read"
          in `to`: "access": "write"
          once every path has `access`, a call cannot use paths that no parameter names: `settings`
        for `toolcrib.toml`
          [confine]
          read = ["/data", "/more/y"]
          write = ["/cache"]
        "#);
    }

    #[test]
    fn proposes_no_configuration_if_none_is_needed() {
        insta::assert_snapshot!(Profile::default().describe(), @r#"
        accessed
          network         not used
        for the definition
          "mutates": false,
          "network": false
          `"mutates": false` is left to you: it holds only if no call changes anything, here or elsewhere
        "#);
    }
}
