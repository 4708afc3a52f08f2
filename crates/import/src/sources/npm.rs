//! The scripts of a `package.json`.

use serde_json::Value;

use super::{NamedCommand, define, list_names, select};
use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    let package: Value = serde_json::from_str(&project.read("package.json")?).ok()?;
    let scripts = package.get("scripts")?.as_object()?.iter();
    let scripts = scripts.filter(|(name, _)| !is_hook(name)).map(|(name, script)| {
        let script = script.as_str().unwrap_or_default();
        NamedCommand { name: name.clone(), description: format!("Run the script `{script}`") }
    });
    let scripts = select(scripts);
    let program = match () {
        () if project.exists("pnpm-lock.yaml") => "pnpm run",
        () if project.exists("yarn.lock") => "yarn run",
        () => "npm run",
    };
    (!scripts.is_empty()).then(|| Draft {
        name: "npm",
        summary: format!("package.json: {}", list_names(&scripts)),
        definition: define("npm", program, "Scripts of this project's package.json", &scripts),
    })
}

/// Scripts that npm runs by itself around others.
fn is_hook(name: &str) -> bool {
    ["pre", "post"].iter().any(|prefix| name.starts_with(prefix)) || name == "prepare"
}
