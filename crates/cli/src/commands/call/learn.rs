//! `call --learn`: what a tool touched when it was watched, and the smallest profile that allows it.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

use catalog::{
    Implementation, Tool,
    implementation::{Access, Binding, PassBy, Process, ValueKind},
};
use runtime::{Plan, Runtime, Settings};
use serde_json::Value;
use toolkit::Arguments;

use super::trace::{self, Touched};
use crate::error::CommandError;

/// How the private temporary folders of calls begin, and the trace, which lies among them.
const PRIVATE: &str = "toolcrib-";

/// A call that is to be watched.
pub(super) struct Lesson {
    trace: TraceFile,
    plan: Plan,
    /// The crib and the roots.
    own: Vec<PathBuf>,
    /// Where private temporary folders are.
    temp: PathBuf,
    /// The path parameters that have a value, and the paths they name.
    values: Vec<(String, Vec<PathBuf>)>,
}

/// A file for its owner only, removed when dropped.
struct TraceFile(PathBuf);

impl Drop for TraceFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Lesson {
    /// Gets ready to watch a call. Fails as the call would if its arguments are wrong.
    pub(super) fn begin(
        runtime: &Runtime,
        settings: &Settings,
        tool: &Tool,
        given: &Arguments,
    ) -> Result<Self, CommandError> {
        let Implementation::Process(process) = &tool.implementation else {
            let error = CommandError::machine(format!(
                "`{}` is not one program, so that it cannot be watched",
                tool.name
            ));
            return Err(error.hint("watch the tools that a sequence calls, one by one"));
        };
        let admitted = runtime.admit(tool, given.clone())?;
        let plan = runtime.plan(tool, &admitted)?;
        Ok(Self {
            trace: make_trace(&settings.temp)?,
            own: settings.roots.iter().chain([&settings.crib]).cloned().collect(),
            temp: settings.temp.canonicalize().unwrap_or_else(|_| settings.temp.clone()),
            values: values(process, &admitted, plan.folder()),
            plan,
        })
    }

    /// Where the call writes down what it touches.
    pub(super) fn trace(&self) -> PathBuf {
        self.trace.0.clone()
    }

    /// What was learnt, in words; nothing if the program never ran.
    pub(super) fn end(self) -> Result<Option<String>, CommandError> {
        let bytes = fs::read(&self.trace.0)
            .map_err(|error| CommandError::io("read", &self.trace.0, &error))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let touched = trace::parse(&String::from_utf8_lossy(&bytes), self.plan.folder());
        Ok(Some(self.profile(&touched).describe(&self.own)))
    }

    fn profile(&self, touched: &Touched) -> Profile {
        let real = |paths: &BTreeSet<PathBuf>| {
            paths.iter().map(|path| real(path)).filter(|path| !self.is_private(path)).collect()
        };
        let (read, written): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
            (real(&touched.read), real(&touched.written));
        let values = self.values.iter().map(|(name, paths)| {
            (name, paths.iter().map(|path| self::real(path)).collect::<Vec<_>>())
        });
        let values: Vec<_> = values.collect();
        let is_own = |path: &&PathBuf| self.own.iter().any(|root| path.starts_with(root));
        let is_named = |path: &Path| values.iter().any(|(_, paths)| is_below(path, paths));
        let only = |paths: &BTreeSet<PathBuf>, wanted: &dyn Fn(&&PathBuf) -> bool| {
            paths.iter().filter(wanted).cloned().collect()
        };
        let access = values.iter().filter_map(|(name, paths)| {
            let touches =
                |touched: &BTreeSet<PathBuf>| touched.iter().any(|path| is_below(path, paths));
            Some(((*name).clone(), access(touches(&read), touches(&written))?))
        });
        Profile {
            network: touched.network,
            mutates: written.iter().any(|path| !is_device(path)),
            access: access.collect(),
            inside_read: only(&read, &|path| is_own(path) && !written.contains(*path)),
            inside_written: only(&written, &is_own),
            unnamed: read
                .iter()
                .chain(&written)
                .filter(|path| is_own(path) && !is_named(path))
                .cloned()
                .collect(),
            outside_read: only(&read, &|path| {
                !is_own(path) && !self.plan.may_read(path) && !is_device(path)
            }),
            outside_written: only(&written, &|path| {
                !is_own(path) && !self.plan.may_write(path) && !is_device(path)
            }),
        }
    }

    fn is_private(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.temp).ok().and_then(|path| path.components().next());
        inside.is_some_and(|first| first.as_os_str().to_string_lossy().starts_with(PRIVATE))
    }
}

/// The smallest profile under which a call like the one that was watched would work.
#[derive(Debug, Default)]
struct Profile {
    network: bool,
    mutates: bool,
    access: Vec<(String, Access)>,
    inside_read: Vec<PathBuf>,
    inside_written: Vec<PathBuf>,
    /// What is inside the roots and no parameter names.
    unnamed: BTreeSet<PathBuf>,
    outside_read: Vec<PathBuf>,
    outside_written: Vec<PathBuf>,
}

impl Profile {
    fn describe(&self, own: &[PathBuf]) -> String {
        let shown = |path: &PathBuf| {
            let inside = own.iter().find_map(|root| path.strip_prefix(root).ok());
            let path = inside.filter(|path| !path.as_os_str().is_empty()).unwrap_or(path);
            path.display().to_string()
        };
        let mut lines = vec!["touched".to_owned()];
        let mut list = |what: &str, paths: &[PathBuf]| {
            lines.extend(paths.iter().map(|path| format!("  {what:<15} {}", shown(path))))
        };
        list("read", &self.inside_read);
        list("written", &self.inside_written);
        list("read outside", &self.outside_read);
        list("written outside", &self.outside_written);
        lines.push(format!(
            "  {:<15} {}",
            "network",
            if self.network { "used" } else { "not used" }
        ));
        lines
            .extend(["for the definition".to_owned(), format!("  \"mutates\": {},", self.mutates)]);
        lines.push(format!("  \"network\": {}", self.network));
        lines.extend(
            self.access
                .iter()
                .map(|(name, access)| format!("  in `{name}`: \"access\": \"{}\"", access.word())),
        );
        if !self.access.is_empty() && !self.unnamed.is_empty() {
            let unnamed = self
                .unnamed
                .iter()
                .map(|path| format!("`{}`", shown(path)))
                .collect::<Vec<_>>()
                .join(", ");
            lines.push(format!("  if every path has `access`, a call cannot reach what no parameter names: {unnamed}"));
        }
        lines.extend(self.configuration());
        lines.join("\n")
    }

    /// The lines for the crib's configuration, if it needs any.
    fn configuration(&self) -> Vec<String> {
        let read: BTreeSet<_> = self.outside_read.iter().cloned().collect();
        // A file can be made only in a folder that may be written.
        let written: BTreeSet<_> = self
            .outside_written
            .iter()
            .map(|path| path.parent().map_or_else(|| path.clone(), Path::to_owned))
            .collect();
        let list = |key: &str, paths: BTreeSet<PathBuf>| {
            let texts = smallest(&paths)
                .map(|path| Value::from(path.to_string_lossy()).to_string())
                .collect::<Vec<_>>();
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
}

/// The paths that lie below none of the others.
fn smallest(paths: &BTreeSet<PathBuf>) -> impl Iterator<Item = &PathBuf> {
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

fn is_below(path: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

/// What is written to there is not kept.
fn is_device(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|place| path.starts_with(place))
}

/// The path with links followed. What is gone by now is taken from its folder.
fn real(path: &Path) -> PathBuf {
    let of_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

/// The path parameters that have a value, and the paths they name.
fn values(process: &Process, arguments: &Arguments, folder: &Path) -> Vec<(String, Vec<PathBuf>)> {
    let is_wanted =
        |binding: &&Binding| binding.kind == ValueKind::Path && binding.pass_by != PassBy::Folder;
    let named = |binding: &Binding| {
        let texts = match arguments.get(&binding.parameter)? {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => vec![value.as_str()?],
        };
        Some((binding.parameter.clone(), texts.into_iter().map(|text| folder.join(text)).collect()))
    };
    process.bindings().filter(is_wanted).filter_map(named).collect()
}

fn make_trace(folder: &Path) -> Result<TraceFile, CommandError> {
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let path = folder.join(format!("{PRIVATE}trace-{}-{now}", process::id()));
    // Nobody else may have put something there.
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    made.map_err(|error| CommandError::io("make", &path, &error))?;
    Ok(TraceFile(path))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use catalog::implementation::Access;

    use super::Profile;

    #[test]
    fn proposes_the_smallest_profile() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let profile = Profile {
            network: true,
            mutates: true,
            access: vec![("from".to_owned(), Access::Read), ("to".to_owned(), Access::Write)],
            inside_read: paths(&["/crib/a", "/crib/settings"]),
            inside_written: paths(&["/crib/b"]),
            unnamed: paths(&["/crib/settings"]).into_iter().collect(),
            outside_read: paths(&["/data", "/data/x", "/more/y"]),
            outside_written: paths(&["/cache/z"]),
        };
        insta::assert_snapshot!(profile.describe(&paths(&["/crib"])), @r#"
        touched
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
          if every path has `access`, a call cannot reach what no parameter names: `settings`
        for `toolcrib.toml`
          [confine]
          read = ["/data", "/more/y"]
          write = ["/cache"]
        "#);
    }

    #[test]
    fn proposes_nothing_for_the_configuration_where_nothing_is_needed() {
        insta::assert_snapshot!(Profile::default().describe(&[]), @r#"
        touched
          network         not used
        for the definition
          "mutates": false,
          "network": false
        "#);
    }
}
