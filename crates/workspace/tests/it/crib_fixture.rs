//! A crib in a temporary folder, opened and loaded as the program does it.

use std::path::PathBuf;

use catalog::{Diagnostic, Location};
use testing::TempCrib;
use workspace::{Crib, Environment, Loaded, Loader, OpenError, RULES};

/// A definition with three tools: `git_push` (dangerous), `git_log` (read-only) and `git_tag`.
const GIT: &str = r#"{
  "name": "git", "description": "Version control", "command": "git", "synchronous": true,
  "subcommand": [
    {"name": "push", "description": "Publish", "mutates": true, "dangerous": true, "network": true,
     "options": [{"name": "force", "type": "boolean", "description": "Overwrite"},
                 {"name": "remote", "type": "string", "description": "Where", "default": "origin"}],
     "positional_args": [{"name": "branch", "type": "string", "description": "What", "required": true}]},
    {"name": "log", "description": "Show commits", "mutates": false},
    {"name": "tag", "description": "Make a tag", "mutates": true}
  ]
}"#;

/// A crib in a temporary folder, opened and loaded as the program does it.
pub(crate) struct CribFixture(TempCrib);

impl CribFixture {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let crib = TempCrib::new();
        Self(files.iter().fold(crib, |crib, (name, text)| crib.file(name, text)))
    }

    /// The tools of [`GIT`] with this `toolcrib.toml`.
    pub(crate) fn with_config(config: &str) -> Self {
        Self::new(&[("tools/git.json", GIT), ("toolcrib.toml", config)])
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.root()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        self.0.read(name)
    }

    pub(crate) fn open(&self) -> Result<Crib, OpenError> {
        Crib::open(Some(&self.root()), &Environment::default())
    }

    /// Opens the crib, whose configuration must be valid.
    pub(crate) fn open_valid(&self) -> Crib {
        self.open().expect("a valid configuration")
    }

    /// Opens and loads the crib, whose configuration must be valid.
    pub(crate) fn load(&self) -> Loaded {
        Loader::default().load(&self.open_valid())
    }

    /// The diagnostics for `toolcrib.toml`.
    fn config_diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics = match self.open() {
            Ok(crib) => Loader::default().load(&crib).diagnostics,
            Err(OpenError::Config { diagnostics }) => diagnostics,
            Err(error) => panic!("{error}"),
        };
        diagnostics.retain(|found| found.origin.source.as_str() == "toolcrib.toml");
        diagnostics
    }

    /// The codes of the diagnostics for `toolcrib.toml`.
    pub(crate) fn config_codes(&self) -> Vec<&'static str> {
        self.config_diagnostics().iter().map(|found| found.code).collect()
    }

    /// The diagnostics for `toolcrib.toml`, one per line: `TC604 line 3: message (hint)`.
    pub(crate) fn check_config(&self) -> String {
        let lines = self.config_diagnostics();
        lines.iter().map(|found| self.render(found)).collect::<Vec<_>>().join("\n")
    }

    fn render(&self, found: &Diagnostic) -> String {
        let line = self.line(found).expect("the configuration is text");
        let hint = found.hint.as_deref().map_or_else(String::new, |hint| format!(" ({hint})"));
        format!("{} line {line}: {}{hint}", found.code, found.message)
    }

    /// The line of a diagnostic that has an offset.
    pub(crate) fn line(&self, found: &Diagnostic) -> Option<usize> {
        let text = self.read(found.origin.source.as_str());
        let offset = match &found.origin.location {
            Location::Offset(offset) => *offset,
            Location::Span(span) => span.start,
            _ => return None,
        };
        Some(text[..offset].matches('\n').count() + 1)
    }
}

/// Checks the examples of the rules whose code starts with `prefix`: the bad one violates only its
/// rule, the good one violates none.
pub(crate) fn check_rule_examples(
    prefix: &str,
    expected: usize,
    crib: impl Fn(&str) -> CribFixture,
) {
    let rules: Vec<_> = RULES.iter().filter(|rule| rule.code.starts_with(prefix)).collect();
    assert_eq!(rules.len(), expected);
    for rule in rules {
        let codes = crib(rule.bad).config_codes();
        assert!(!codes.is_empty() && codes.iter().all(|code| *code == rule.code), "{codes:?}");
        assert_eq!(crib(rule.good).config_codes(), [""; 0], "{}", rule.code);
    }
}

/// A specification of one tool with one parameter of this type.
pub(crate) fn specification(tool: &str, parameter_type: &str) -> String {
    format!(
        "# M - MCP Tool Specification\n\n## Tool: `{tool}`\n\nDo something well.\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `a` | {parameter_type} | Yes | One thing |\n"
    )
}

pub(crate) fn tool_names(loaded: &Loaded) -> Vec<&str> {
    loaded.catalog.tools().iter().map(|tool| tool.name.as_str()).collect()
}

/// The diagnostics with these codes: `TC405 docs/MCP_TOOL_SPECIFICATION.md message`.
pub(crate) fn render_found(loaded: &Loaded, codes: &[&str]) -> Vec<String> {
    let found = loaded.diagnostics.iter().filter(|found| codes.contains(&found.code));
    found.map(|found| format!("{} {} {}", found.code, found.origin.source, found.message)).collect()
}
