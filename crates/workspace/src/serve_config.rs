//! `[serve]`: what `tools/list` contains.

use schemars::JsonSchema;
use serde::Deserialize;

/// What `tools/list` contains.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// Which output schemas clients get. Default: `auto`.
    pub output_schemas: ServedOutputSchemas,
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
