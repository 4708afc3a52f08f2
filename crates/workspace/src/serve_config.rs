//! `[serve]`: what `tools/list` contains.

use clients::Client;
use schemars::JsonSchema;
use serde::Deserialize;

/// What `tools/list` contains.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// Which output schemas clients get. Default: `auto`.
    pub output_schemas: ServedOutputSchemas,
    /// Clients whose rules all tools are served and checked by, such as `claude-code`: see
    /// `docs/reference/clients.md`. Default: those of the connected client.
    #[schemars(with = "Vec<String>")]
    pub clients: Vec<ClientName>,
}

/// A client that `connect` knows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct ClientName(pub &'static Client);

impl TryFrom<String> for ClientName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = || clients::CLIENTS.iter().map(|client| client.name).collect::<Vec<_>>();
        clients::find(&name).map(Self).ok_or_else(|| {
            format!("there is no client `{name}`; the clients are {}", known().join(", "))
        })
    }
}

/// Which output schemas clients get. Most clients send none of them to the model.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ServedOutputSchemas {
    /// All but the one that every program has: exit code, output and duration.
    #[default]
    Auto,
    /// All of them.
    All,
    /// None.
    None,
}
