//! The programs of a Python package. The package need not be installed.

use serde_json::json;
use toml::{Table, Value};

use super::{NamedCommand, is_risky, select};
use crate::draft::{Draft, Project};

/// Drafts a tool for each program in `[project.scripts]`.
pub(super) fn draft_all(project: &dyn Project) -> Vec<Draft> {
    let scripts = read_scripts(project).unwrap_or_default();
    let named = scripts.iter().filter_map(|(name, entry)| {
        Some(NamedCommand { name: name.clone(), description: entry.as_str()?.to_owned() })
    });
    let programs = select(named).into_iter();
    programs.filter_map(|program| draft(project, &program.name, &program.description)).collect()
}

fn read_scripts(project: &dyn Project) -> Option<Table> {
    let settings: Table = project.read("pyproject.toml")?.parse().ok()?;
    settings.get("project")?.get("scripts").and_then(Value::as_table).cloned()
}

/// `entry` is written as `module:function`, and may name extras in brackets.
fn draft(project: &dyn Project, name: &str, entry: &str) -> Option<Draft> {
    let module = entry.split(':').next()?.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    if module.is_empty() || !module.chars().all(is_plain) {
        return None;
    }
    let mut definition = json!({
        "name": name,
        "description": format!("The program `{name}` of this Python package"),
        "command": find_command(project, module).unwrap_or_else(|| name.to_owned()),
        "install_instructions": "pip install --editable .",
        "synchronous": true,
        "subcommand": [{
            "name": "default",
            "description": format!("Run the program `{name}` of this Python package"),
            "positional_args": [{
                "name": "args", "type": "array", "items": { "type": "string" }, "allow_dash": true,
                "description": "Options and arguments, one word each; `--help` lists them"
            }]
        }]
    });
    if is_risky(name) {
        definition["dangerous"] = true.into();
    }
    let summary = format!("pyproject.toml: the program {name}");
    Some(Draft { name: name.to_owned(), summary, definition })
}

/// A command that runs the sources, so that the package need not be installed. Only for modules that can
/// be run with `python -m`.
fn find_command(project: &dyn Project, module: &str) -> Option<String> {
    let path = module.replace('.', "/");
    let runs = |folder: &str| {
        let text = project.read(&format!("{folder}{path}.py"));
        text.is_some_and(|text| text.contains("__main__"))
            || project.exists(&format!("{folder}{path}/__main__.py"))
    };
    match () {
        () if runs("") => Some(format!("python3 -m {module}")),
        () if runs("src/") => Some(format!("env PYTHONPATH=src python3 -m {module}")),
        () => None,
    }
}
