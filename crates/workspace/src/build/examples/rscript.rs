//! `Rscript` as a tool: the R installation, the sandbox for examples, and R literals.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use catalog::{
    Annotations, Implementation, Origin, Schema, SourceId, Tool,
    implementation::{Binding, PassBy, Piece, Process},
};
use runtime::Settings;
use serde_json::json;

use crate::{Environment, build::RPackage, program_profiles::resolve_grants};

/// The maximum output of an example, in bytes. Definitions keep much less.
const OUTPUT_BYTES: usize = 1 << 20;

/// The variables that tell R where packages are installed.
const LIBRARY_VARIABLES: [&str; 3] = ["R_LIBS", "R_LIBS_USER", "R_LIBS_SITE"];

/// The site libraries of Linux distributions.
const SITE_LIBRARIES: [&str; 2] = ["/usr/lib/R/site-library", "/usr/local/lib/R/site-library"];

/// One locale for everybody who builds; otherwise output would differ between machines. The
/// collation is that of `R CMD check`.
const LOCALE: [(&str, &str); 4] =
    [("LANG", "C.UTF-8"), ("LC_COLLATE", "C"), ("LANGUAGE", "en"), ("TZ", "UTC")];

/// The R that is installed, and its packages.
pub(super) struct Installation {
    /// The folder of R itself, if it is outside the system's folders.
    home: Option<PathBuf>,
    /// The libraries of the user.
    user_libraries: Vec<PathBuf>,
}

impl Installation {
    pub(super) fn find(environment: &Environment) -> Self {
        let variables = LIBRARY_VARIABLES.iter().filter_map(|name| environment.get(name));
        let named = variables.flat_map(std::env::split_paths);
        // R's default for packages that a user installs.
        let own = environment.get("HOME").map(|home| PathBuf::from(home).join("R"));
        let user_libraries = named.chain(own).filter(|path| path.exists()).collect();
        Self { home: find_home(environment), user_libraries }
    }

    /// The folders outside the system that R must be able to read.
    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.home.iter().chain(&self.user_libraries).cloned()
    }

    /// A text that changes if packages are installed, updated or removed: the last modification of
    /// any library or package folder.
    pub(super) fn fingerprint(&self) -> String {
        let own = self.home.as_ref().map(|home| home.join("library"));
        let sites = SITE_LIBRARIES.map(PathBuf::from).into_iter().chain(own);
        let libraries: Vec<_> = self.user_libraries.iter().cloned().chain(sites).collect();
        let packages = libraries.iter().flat_map(|library| {
            fs::read_dir(library).into_iter().flatten().flatten().map(|entry| entry.path())
        });
        let modified = libraries
            .iter()
            .cloned()
            .chain(packages)
            .filter_map(|folder| fs::metadata(folder).and_then(|found| found.modified()).ok());
        let millis = modified
            .filter_map(|time| time.duration_since(UNIX_EPOCH).ok())
            .map(|time| time.as_millis());
        millis.max().unwrap_or_default().to_string()
    }
}

/// The folder of R: two levels above the real `Rscript`.
fn find_home(environment: &Environment) -> Option<PathBuf> {
    let mut programs = std::env::split_paths(environment.get("PATH")?)
        .map(|folder| folder.join("Rscript"))
        .filter(|path| path.is_file());
    programs.next()?.canonicalize().ok()?.ancestors().nth(2).map(PathBuf::from)
}

/// The sandbox of examples: they can read the package and the R installation.
pub(super) fn sandbox_settings(
    package: &RPackage,
    environment: &Environment,
    installation: &Installation,
) -> Settings {
    let folder = package.folder.canonicalize().unwrap_or_else(|_| package.folder.clone());
    let mut settings = Settings::new(folder);
    settings.temp = environment.temp_folder();
    settings.environment = child_variables(environment);
    settings.read = environment.toolchain_paths();
    settings.read.extend(installation.folders());
    settings.programs = resolve_grants(&BTreeMap::new(), environment, Path::to_path_buf, |_| false);
    settings.output_bytes = OUTPUT_BYTES;
    // The default, twice the number of cores, suits programs that wait; examples compute.
    settings.concurrency = settings.concurrency.div_ceil(2);
    settings
}

/// The environment variables of an example: those of any program, with a fixed locale.
fn child_variables(environment: &Environment) -> Vec<(String, String)> {
    let passed = environment.child_variables(&LIBRARY_VARIABLES.map(str::to_owned));
    let is_locale =
        |name: &str| name.starts_with("LC_") || LOCALE.iter().any(|(own, _)| *own == name);
    let locale = LOCALE.map(|(name, value)| (name.to_owned(), value.to_owned()));
    passed.into_iter().filter(|(name, _)| !is_locale(name)).chain(locale).collect()
}

/// `Rscript` with a script in a private folder. It mutates nothing, so the sandbox gives it no
/// write access to the package.
pub(super) fn tool(name: String, timeout: Duration) -> Tool {
    let script = Binding { pass_by: PassBy::File, ..Binding::positional("script") };
    let pieces = vec![Piece::Word("--vanilla".to_owned()), Piece::Parameter(script)];
    let implementation = Implementation::Process(Process { program: "Rscript".to_owned(), pieces });
    let schema = json!({"type": "object", "properties": {"script": {"type": "string"}}});
    let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
    let origin = Origin::whole_file(&SourceId::new("DESCRIPTION"));
    let mut tool = Tool::new(name, "Runs an example", schema, implementation, origin);
    tool.annotations = Annotations { mutates: Some(false), ..Annotations::default() };
    tool.timeout = Some(timeout);
    tool
}

/// A string literal of R in ASCII, so that it does not depend on the locale.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            ' '..='~' => out.push(c),
            // Control characters too, so that no literal ends early.
            c => out.push_str(&format!("\\U{{{:x}}}", c as u32)),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn quotes_text_as_an_ascii_literal() {
        assert_eq!(quote("a\"\\\né"), r#""a\"\\\n\U{e9}""#);
    }
}
