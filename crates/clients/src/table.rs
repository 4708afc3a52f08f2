//! The clients that `connect` supports. Entries were tested with the real program where it runs
//! without an account (Claude Code, Codex, Copilot CLI, Gemini CLI, opencode, Cline; November
//! 2026), and otherwise taken from its documentation or source.

use crate::{
    client::Client,
    edit::{JsonDialect, Syntax},
    entry::{HttpShape, StdioShape},
    location::{Base, Location},
};

/// The variables that Codex passes to servers.
const CODEX_VARIABLES: &[&str] =
    &["HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"];

const NEW_SESSION: &str = "start a new session";

const fn at(base: Base, files: &'static [&'static str]) -> Option<Location> {
    Some(Location { base, files, variable: None })
}

const fn movable(
    base: Base,
    files: &'static [&'static str],
    variable: (&'static str, &'static str),
) -> Option<Location> {
    Some(Location { base, files, variable: Some(variable) })
}

const fn http(kind: Option<&'static str>, url: &'static str) -> Option<HttpShape> {
    Some(HttpShape { kind, url })
}

/// Defaults that most clients share.
const USUAL: Client = Client {
    name: "",
    title: "",
    info: "",
    programs: &[],
    user: None,
    project: None,
    servers: "mcpServers",
    syntax: Syntax::Json(JsonDialect::Strict),
    stdio: StdioShape::Plain,
    http: http(None, "url"),
    token: None,
    passes: &[],
    references: &[],
    next_step: NEW_SESSION,
};

/// All clients, in the order in which they are listed.
pub static CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        info: "claude-code",
        programs: &["claude"],
        user: movable(Base::Home, &[".claude.json"], ("CLAUDE_CONFIG_DIR", ".claude.json")),
        project: at(Base::Project, &[".mcp.json"]),
        // Without a type, the client ignores an entry with an address.
        http: http(Some("http"), "url"),
        token: Some("${TOOLCRIB_TOKEN}"),
        references: &["${"],
        ..USUAL
    },
    Client {
        // HTTP servers are added in the program's settings, not in the file.
        name: "claude-desktop",
        title: "Claude Desktop",
        info: "claude-ai",
        user: at(Base::Application, &["Claude/claude_desktop_config.json"]),
        http: None,
        next_step: "quit Claude Desktop and start it again",
        ..USUAL
    },
    Client {
        name: "vscode",
        title: "VS Code",
        info: "visual studio code",
        programs: &["code"],
        user: at(Base::Application, &["Code/User/mcp.json"]),
        project: at(Base::Project, &[".vscode/mcp.json"]),
        servers: "servers",
        syntax: Syntax::Json(JsonDialect::Relaxed),
        stdio: StdioShape::Typed("stdio"),
        http: http(Some("http"), "url"),
        token: Some("${env:TOOLCRIB_TOKEN}"),
        next_step: "confirm the server when VS Code asks",
        references: &["${"],
        ..USUAL
    },
    Client {
        name: "copilot-cli",
        title: "GitHub Copilot CLI",
        info: "copilot-cli",
        programs: &["copilot"],
        user: movable(
            Base::Home,
            &[".copilot/mcp-config.json"],
            ("COPILOT_HOME", "mcp-config.json"),
        ),
        project: at(Base::Project, &[".mcp.json"]),
        syntax: Syntax::Json(JsonDialect::Relaxed),
        // The type is required because the project file is shared with Claude Code.
        http: http(Some("http"), "url"),
        token: Some("${TOOLCRIB_TOKEN}"),
        references: &["$"],
        ..USUAL
    },
    Client {
        name: "cursor",
        title: "Cursor",
        info: "cursor",
        programs: &["cursor", "cursor-agent"],
        user: at(Base::Home, &[".cursor/mcp.json"]),
        project: at(Base::Project, &[".cursor/mcp.json"]),
        token: Some("${env:TOOLCRIB_TOKEN}"),
        next_step: "reload the server in Cursor's settings",
        references: &["${"],
        ..USUAL
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        info: "windsurf",
        programs: &["windsurf"],
        user: at(Base::Home, &[".codeium/windsurf/mcp_config.json"]),
        // The client does not connect if the key is `url`.
        http: http(None, "serverUrl"),
        token: Some("${env:TOOLCRIB_TOKEN}"),
        next_step: "press the refresh button in Windsurf's MCP settings",
        references: &["${env:"],
        ..USUAL
    },
    Client {
        name: "codex",
        title: "Codex",
        info: "codex",
        programs: &["codex"],
        user: movable(Base::Home, &[".codex/config.toml"], ("CODEX_HOME", "config.toml")),
        project: at(Base::Project, &[".codex/config.toml"]),
        servers: "mcp_servers",
        syntax: Syntax::Toml,
        // Just the name of the variable, see `http_entry`.
        token: Some("TOOLCRIB_TOKEN"),
        // Codex passes no other variables, so the entry sets those that the server needs.
        passes: CODEX_VARIABLES,
        ..USUAL
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        info: "gemini-cli",
        programs: &["gemini"],
        user: movable(
            Base::Home,
            &[".gemini/settings.json"],
            ("GEMINI_CLI_HOME", ".gemini/settings.json"),
        ),
        project: at(Base::Project, &[".gemini/settings.json"]),
        syntax: Syntax::Json(JsonDialect::Comments),
        http: http(Some("http"), "url"),
        token: Some("$TOOLCRIB_TOKEN"),
        // Elsewhere it starts no servers, not even those of the user's own file.
        next_step: "start a new session in a folder that Gemini CLI trusts",
        references: &["$"],
        ..USUAL
    },
    Client {
        name: "zed",
        title: "Zed",
        info: "zed",
        programs: &["zed", "zeditor"],
        // `~/.config` on macOS too, unlike other desktop programs.
        user: at(Base::Config, &["zed/settings.json"]),
        project: at(Base::Project, &[".zed/settings.json"]),
        servers: "context_servers",
        syntax: Syntax::Json(JsonDialect::Relaxed),
        next_step: "nothing: Zed reads the file when it changes",
        ..USUAL
    },
    Client {
        name: "goose",
        title: "goose",
        info: "goose",
        programs: &["goose"],
        user: at(Base::Config, &["goose/config.yaml"]),
        servers: "extensions",
        syntax: Syntax::Yaml,
        stdio: StdioShape::Extension,
        http: http(Some("streamable_http"), "uri"),
        ..USUAL
    },
    Client {
        name: "kiro",
        title: "Kiro",
        info: "kiro",
        programs: &["kiro", "kiro-cli"],
        user: at(Base::Home, &[".kiro/settings/mcp.json"]),
        project: at(Base::Project, &[".kiro/settings/mcp.json"]),
        token: Some("${TOOLCRIB_TOKEN}"),
        ..USUAL
    },
    Client {
        name: "opencode",
        title: "opencode",
        info: "opencode",
        programs: &["opencode"],
        user: movable(
            Base::Config,
            &["opencode/opencode.json", "opencode/opencode.jsonc"],
            ("OPENCODE_CONFIG", ""),
        ),
        project: at(Base::Project, &["opencode.json", "opencode.jsonc", ".opencode/opencode.json"]),
        servers: "mcp",
        syntax: Syntax::Json(JsonDialect::Relaxed),
        stdio: StdioShape::Words,
        // Without a type, opencode refuses the whole file.
        http: http(Some("remote"), "url"),
        token: Some("{env:TOOLCRIB_TOKEN}"),
        references: &["{env:", "{file:"],
        ..USUAL
    },
    Client {
        name: "cline",
        title: "Cline",
        info: "cline",
        programs: &["cline"],
        user: movable(
            Base::Home,
            &[".cline/data/settings/cline_mcp_settings.json"],
            ("CLINE_DIR", "data/settings/cline_mcp_settings.json"),
        ),
        // Without a type, Cline does not use the entry.
        http: http(Some("streamableHttp"), "url"),
        ..USUAL
    },
    Client {
        name: "jetbrains",
        title: "JetBrains Junie",
        info: "junie",
        user: at(Base::Home, &[".junie/mcp/mcp.json"]),
        project: at(Base::Project, &[".junie/mcp/mcp.json"]),
        http: None,
        next_step: "confirm the server when Junie asks",
        ..USUAL
    },
];

/// The client with this name on the command line.
pub fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}

/// The client that sends this name in `clientInfo`.
pub fn find_by_info(info: &str) -> Option<&'static Client> {
    let info = info.to_lowercase();
    CLIENTS.iter().find(|client| info.starts_with(client.info))
}
