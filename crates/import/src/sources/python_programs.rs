//! The programs of a Python package, or the package itself if it can be run as a program. The package
//! need not be installed.

use serde_json::json;
use toml::{Table, Value};

use super::{NamedCommand, is_risky, select};
use crate::draft::{Draft, Project};

/// Drafts a tool for each program in `[project.scripts]`, else one for the `__main__.py` of the package.
pub(super) fn draft_all(project: &dyn Project) -> Vec<Draft> {
    let Some(settings) = read_settings(project) else { return Vec::new() };
    let scripts = settings.get("scripts").and_then(Value::as_table).cloned().unwrap_or_default();
    if scripts.is_empty() {
        return draft_package(project, &settings).into_iter().collect();
    }
    let named = scripts.iter().filter_map(|(name, entry)| {
        Some(NamedCommand { name: name.clone(), description: entry.as_str()?.to_owned() })
    });
    let programs = select(named).into_iter();
    programs.filter_map(|program| draft(project, &program.name, &program.description)).collect()
}

fn read_settings(project: &dyn Project) -> Option<Table> {
    let settings: Table = project.read("pyproject.toml")?.parse().ok()?;
    settings.get("project").and_then(Value::as_table).cloned()
}

/// Drafts a tool for a package that `python -m` runs.
fn draft_package(project: &dyn Project, settings: &Table) -> Option<Draft> {
    let name = settings.get("name")?.as_str()?;
    // Packages are imported by a name without dashes and dots, usually in lower case.
    let module = name.to_lowercase().replace(['-', '.'], "_");
    let folders = [format!("{module}/__main__.py"), format!("src/{module}/__main__.py")];
    let path = folders.into_iter().find(|path| project.exists(path))?;
    let named = NamedCommand { name: module.clone(), description: module };
    let program = select([named]).pop()?;
    let draft = draft(project, &program.name, &program.description)?;
    Some(Draft { summary: path, ..draft })
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
