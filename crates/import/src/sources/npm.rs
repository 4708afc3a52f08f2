//! The scripts of a `package.json`.

use serde_json::{Map, Value};

use super::{NamedCommand, define, list_names, select};
use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    let package: Value = serde_json::from_str(&project.read("package.json")?).ok()?;
    let all = package.get("scripts")?.as_object()?;
    let scripts = all.iter().filter(|(name, _)| !is_hook(name, all)).map(|(name, script)| {
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
        name: "npm".to_owned(),
        summary: format!("package.json: {}", list_names(&scripts)),
        definition: define("npm", program, "Scripts of this project's package.json", &scripts),
    })
}

/// npm operations that have `pre` and `post` hooks although they are not scripts.
const OPERATIONS: [&str; 5] = ["install", "pack", "publish", "publishOnly", "version"];

/// Whether npm runs a script automatically, before or after another script or an operation.
fn is_hook(name: &str, scripts: &Map<String, Value>) -> bool {
    let hooked = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
    // The prefix alone is not enough: `preview` and `prettier` are ordinary scripts.
    let is_around = |name| scripts.contains_key(name) || OPERATIONS.contains(&name);
    name == "prepare" || hooked.is_some_and(is_around)
}
