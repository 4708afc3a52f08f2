//! A plugin: one folder that Claude Code, Codex, Copilot CLI and Gemini CLI install (Agent Plugins
//! 1.0).
//!
//! Each client reads different files. Claude Code ignores `mcp.json` and Codex ignores `.mcp.json`,
//! so both define the server, with the variable that the client expands to the plugin folder.

use serde_json::{Value, json};

use crate::{File, Package};

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SERVERS_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// The files of a plugin: manifests, a skill, a README, and the crib itself.
pub fn make_plugin(package: &Package<'_>) -> Vec<File> {
    let name = package.short_name();
    let (version, description) = (&package.version, package.short_description());
    let identity = json!({"name": name, "version": version, "description": description});
    let mut files = vec![
        File::json("plugin.json", &prepend("$schema", PLUGIN_SCHEMA, &identity)),
        File::json(
            "mcp.json",
            &json!({
                "$schema": SERVERS_SCHEMA,
                "mcpServers": {(name.as_str()): server_entry("${PLUGIN_ROOT}", TransportNaming::Declared)},
            }),
        ),
        File::json(
            ".claude-plugin/plugin.json",
            &prepend("author", json!({"name": name}), &identity),
        ),
        File::json(
            ".mcp.json",
            &json!({"mcpServers": {(name.as_str()): server_entry("${CLAUDE_PLUGIN_ROOT}", TransportNaming::Implied)}}),
        ),
        File::json(
            "gemini-extension.json",
            &prepend(
                "mcpServers",
                json!({(name.as_str()): server_entry("${extensionPath}", TransportNaming::Implied)}),
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

/// The files of a skill (agentskills.io): a folder with the skill's name that contains `SKILL.md`.
pub fn make_skill(package: &Package<'_>) -> Vec<File> {
    let name = package.short_name();
    let text = docs::render_skill(package.catalog, &name, package.description.as_deref());
    vec![File::text(format!("{name}/SKILL.md"), text)]
}

/// Whether an entry names its transport. Clients with a format of their own take a command for
/// stdio.
#[derive(Clone, Copy)]
enum TransportNaming {
    Declared,
    Implied,
}

/// The server entry of a plugin. The client expands `root` to the plugin folder.
fn server_entry(root: &str, kind: TransportNaming) -> Value {
    let entry = json!({"command": "toolcrib", "args": ["-C", root, "serve"]});
    match kind {
        TransportNaming::Declared => prepend("type", "stdio", &entry),
        TransportNaming::Implied => entry,
    }
}

/// Returns the object with another member in front.
fn prepend(key: &str, value: impl Into<Value>, object: &Value) -> Value {
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| (key.clone(), value.clone()));
    std::iter::once((key.to_owned(), value.into())).chain(members).collect()
}
