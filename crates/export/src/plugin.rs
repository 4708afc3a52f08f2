//! A plugin: one folder that Claude Code, Codex, Copilot CLI and Gemini CLI install (Agent Plugins 1.0).
//!
//! Each client reads other files of it. Claude Code ignores `mcp.json` and Codex ignores `.mcp.json`, so
//! the server is in both, with the variable that each client expands to the folder of the plugin.

use serde_json::{Value, json};

use crate::{File, Package};

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SERVERS_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// The files of a plugin: manifests, a skill, a page for people, and the crib itself.
pub fn make_plugin(package: &Package<'_>) -> Vec<File> {
    let name = package.short_name();
    let (version, description) = (&package.version, package.short_description());
    let identity = json!({"name": name, "version": version, "description": description});
    let mut files = vec![
        File::json("plugin.json", &with("$schema", PLUGIN_SCHEMA, &identity)),
        File::json(
            "mcp.json",
            &json!({
                "$schema": SERVERS_SCHEMA,
                "mcpServers": {(name.as_str()): server("${PLUGIN_ROOT}", Kind::Declared)},
            }),
        ),
        File::json(".claude-plugin/plugin.json", &with("author", json!({"name": name}), &identity)),
        File::json(
            ".mcp.json",
            &json!({"mcpServers": {(name.as_str()): server("${CLAUDE_PLUGIN_ROOT}", Kind::Implied)}}),
        ),
        File::json(
            "gemini-extension.json",
            &with(
                "mcpServers",
                json!({(name.as_str()): server("${extensionPath}", Kind::Implied)}),
                &identity,
            ),
        ),
        File::text("README.md", docs::render_package_page(package.catalog, &name, &description)),
    ];
    files.extend(
        make_skill(package)
            .into_iter()
            .map(|file| File { path: format!("skills/{}", file.path), ..file }),
    );
    let taken: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    let own = package.files.iter().filter(|file| !taken.contains(&file.path));
    files.extend(own.cloned());
    files
}

/// The files of a skill (agentskills.io): a folder of its name with `SKILL.md`.
pub fn make_skill(package: &Package<'_>) -> Vec<File> {
    let name = package.short_name();
    let text = docs::render_skill(package.catalog, &name, package.description.as_deref());
    vec![File::text(format!("{name}/SKILL.md"), text)]
}

/// Whether an entry names its transport. Clients with a format of their own take a command for stdio.
#[derive(Clone, Copy)]
enum Kind {
    Declared,
    Implied,
}

/// The server of a plugin whose client puts its folder in place of `root`.
fn server(root: &str, kind: Kind) -> Value {
    let entry = json!({"command": "toolcrib", "args": ["-C", root, "serve"]});
    match kind {
        Kind::Declared => with("type", "stdio", &entry),
        Kind::Implied => entry,
    }
}

/// The object with one more member, at its start.
fn with(key: &str, value: impl Into<Value>, object: &Value) -> Value {
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| (key.clone(), value.clone()));
    std::iter::once((key.to_owned(), value.into())).chain(members).collect()
}
