//! Paths and variables in `toolcrib.toml` that would have no effect.

use std::path::{Path, PathBuf};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};

use crate::{Config, clause::BROKEN_CONFIG};

/// A configured file or folder that does not exist.
pub(crate) static MISSING_PATH: Rule = Rule {
    code: "TC609",
    name: "missing-path",
    severity: Severity::Error,
    why: "Files and folders in `roots`, `read`, `write` and `dirs` are opened when the crib is loaded. One that does not exist \
          grants nothing, and is usually misspelled.",
    bad: "[crib]\nroots = [\"../no-such-folder\"]\n",
    good: "[crib]\nroots = [\"..\"]\n",
};

/// Reports configured paths that do not exist. `text` is the configuration, which is searched for
/// their locations.
pub(crate) fn find_missing(
    source: &SourceId,
    text: &str,
    config: &Config,
    resolve: impl Fn(&Path) -> PathBuf,
) -> Vec<Diagnostic> {
    let Config { crib, confine, program, prompts, .. } = config;
    let programs = program.values().flat_map(|program| program.read.iter().chain(&program.write));
    let all = crib.roots.iter().chain(&confine.read).chain(&confine.write);
    let all = all.chain(programs).chain(&prompts.dirs);
    all.filter(|path| !resolve(path).exists())
        .map(|path| {
            let shown = path.display();
            let message =
                format!("`{shown}` does not exist: {} was not found", resolve(path).display());
            Diagnostic::new(&MISSING_PATH, locate(source, text, &shown.to_string()), message)
                .hint("create it, or correct the path; a relative path counts from the crib")
        })
        .collect()
}

/// Reports `HOME` in `[confine] environment` if programs cannot read the home folder: they would
/// see an empty one.
pub(crate) fn find_hidden_home(
    source: &SourceId,
    text: &str,
    config: &Config,
    home: Option<&str>,
    resolve: impl Fn(&Path) -> PathBuf,
) -> Option<Diagnostic> {
    let Config { crib, confine, .. } = config;
    let is_named = confine.enabled && confine.environment.iter().any(|name| name == "HOME");
    let home = Path::new(home.filter(|_| is_named)?);
    let mut readable = crib.roots.iter().chain(&confine.read).chain(&confine.write);
    if readable.any(|path| home.starts_with(resolve(path))) {
        return None;
    }
    let message =
        "programs cannot read your home folder, so `HOME` is an empty folder of their own";
    let hint = "remove it, and grant what a program needs with `[program.NAME] read` or `credentials`; \
                `[confine] read = [\"~\"]` would make all of your files readable";
    Some(Diagnostic::new(&BROKEN_CONFIG, locate(source, text, "HOME"), message).hint(hint))
}

/// Locates a string in the configuration.
pub(crate) fn locate(source: &SourceId, text: &str, value: &str) -> Origin {
    let quoted =
        ['"', '\''].into_iter().find_map(|quote| text.find(&format!("{quote}{value}{quote}")));
    // Finds the dot, which is in front of the name like the quote.
    let header = || Some(text.find(&format!("[program.{value}]"))? + "[program".len());
    quoted.or_else(header).map_or_else(
        || Origin::whole_file(source),
        |start| Origin::span(source, start + 1..start + 1 + value.len()),
    )
}
