//! `[site]`: where the documentation of Toolcrib is published for the users of a crib.

use schemars::JsonSchema;
use serde::Deserialize;

/// Where the book of Toolcrib is published.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SiteConfig {
    /// Address of the book, such as `https://docs.example.org/toolcrib/`. Findings of `check`, failed
    /// calls and `explain` then link to its pages.
    #[schemars(with = "Option<String>")]
    pub url: Option<SiteUrl>,
}

/// An address of a web site, without a slash at its end.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct SiteUrl(String);

impl SiteUrl {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SiteUrl {
    type Error = String;

    fn try_from(url: String) -> Result<Self, String> {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        // The address is printed, so it must not control a terminal.
        if !is_web || url.contains(|c: char| c.is_control() || c.is_whitespace()) {
            return Err("write an address that starts with `https://`".to_owned());
        }
        Ok(Self(url.trim_end_matches('/').to_owned()))
    }
}
