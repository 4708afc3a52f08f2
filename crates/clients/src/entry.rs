//! The entry for a server in a client's file.

use serde_json::{Map, Value, json};

/// The environment variable from which clients read the token of an HTTP server.
pub const TOKEN_VARIABLE: &str = "TOOLCRIB_TOKEN";

/// Timeout of a goose extension, in seconds. This is goose's own default, which its file must
/// state.
const GOOSE_TIMEOUT: u32 = 300;

/// A server to connect a client to.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its name in the client, see [`server_name`].
    pub name: String,
    /// How the client reaches it.
    pub transport: Transport,
    /// Environment variables that a started server needs. They are written only for clients that do
    /// not pass all variables.
    pub variables: Vec<(String, String)>,
}

/// How a client reaches a server.
#[derive(Clone, Debug)]
pub enum Transport {
    /// It starts this program and exchanges messages over its standard input and output.
    Stdio {
        /// The absolute path of the program.
        program: String,
        /// The arguments of the program, without its name.
        arguments: Vec<String>,
    },
    /// It connects to this address.
    Http {
        /// The address of the MCP endpoint.
        url: String,
        /// The token that the server requires.
        token: Option<Authorization>,
    },
}

/// A bearer token.
#[derive(Clone)]
pub struct Authorization(pub String);

impl std::fmt::Debug for Authorization {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Authorization(…)")
    }
}

/// Converts the name of a crib to a server name that every client accepts: letters, digits, `-` and
/// `_`. Codex rejects spaces, and most clients replace other characters, which changes the names of
/// all tools.
pub fn server_name(crib: &str) -> String {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let name: String = crib.chars().map(|c| if is_safe(c) { c } else { '-' }).collect();
    match name.trim_matches('-') {
        "" => "crib".to_owned(),
        name => name.to_owned(),
    }
}

/// The keys of an entry for a server that the client starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StdioShape {
    /// `command` and `args`.
    Plain,
    /// `command`, `args` and this `type`.
    Typed(&'static str),
    /// `command` is an array with the program and its arguments.
    Words,
    /// An extension of goose.
    Extension,
}

/// The keys of an entry for a server over HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HttpShape {
    /// The value of `type`, if there is one.
    pub(crate) kind: Option<&'static str>,
    /// The key of the address.
    pub(crate) url: &'static str,
}

pub(crate) fn stdio_entry(
    shape: StdioShape,
    name: &str,
    program: &str,
    arguments: &[String],
) -> Value {
    match shape {
        StdioShape::Plain => json!({"command": program, "args": arguments}),
        StdioShape::Typed(kind) => json!({"type": kind, "command": program, "args": arguments}),
        StdioShape::Words => {
            let words: Vec<_> =
                std::iter::once(program).chain(arguments.iter().map(String::as_str)).collect();
            json!({"type": "local", "command": words, "enabled": true})
        }
        StdioShape::Extension => json!({
            "name": name, "type": "stdio", "cmd": program, "args": arguments,
            "enabled": true, "timeout": GOOSE_TIMEOUT,
        }),
    }
}

/// Builds the entry. `token` is the client's reference to the token variable, if it supports one,
/// and the token itself.
pub(crate) fn http_entry(
    shape: HttpShape,
    stdio: StdioShape,
    name: &str,
    url: &str,
    token: Option<(Option<&str>, &Authorization)>,
) -> Value {
    let mut entry = Map::new();
    if matches!(stdio, StdioShape::Extension) {
        entry.insert("name".to_owned(), name.into());
    }
    entry.extend(shape.kind.map(|kind| ("type".to_owned(), kind.into())));
    entry.insert(shape.url.to_owned(), url.into());
    if let Some((reference, Authorization(secret))) = token {
        match reference {
            // Codex takes the name of the variable instead of a header.
            Some(TOKEN_VARIABLE) => {
                entry.insert("bearer_token_env_var".to_owned(), TOKEN_VARIABLE.into());
            }
            reference => {
                let value = format!("Bearer {}", reference.unwrap_or(secret));
                entry.insert("headers".to_owned(), json!({"Authorization": value}));
            }
        }
    }
    match stdio {
        StdioShape::Words => _ = entry.insert("enabled".to_owned(), true.into()),
        StdioShape::Extension => {
            entry.insert("enabled".to_owned(), true.into());
            entry.insert("timeout".to_owned(), GOOSE_TIMEOUT.into());
        }
        StdioShape::Plain | StdioShape::Typed(_) => {}
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::server_name;

    #[test]
    fn names_have_only_characters_that_all_clients_keep() {
        let names = ["shop", "my shop", "büro.tools", "…"].map(server_name);
        assert_eq!(names, ["shop", "my-shop", "b-ro-tools", "crib"]);
    }
}
