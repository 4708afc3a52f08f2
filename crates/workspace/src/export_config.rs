//! `[export]`: names for packages of the crib.

use schemars::JsonSchema;
use serde::Deserialize;

/// Names for packages of the crib, which `toolcrib export` writes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportConfig {
    /// Name in the MCP registry, such as `io.github.example/shop`. Default: the name of the crib.
    pub name: Option<String>,
    /// Version of the package. Default: `0.1.0`.
    pub version: String,
    /// What the tools are for, in at most 100 characters. Default: composed from the name.
    pub description: Option<String>,
    /// Address from which clients download the bundle, for `server.json`.
    pub download: Option<String>,
}

impl Default for ExportConfig {
    fn default() -> Self {
        Self { name: None, version: "0.1.0".to_owned(), description: None, download: None }
    }
}
