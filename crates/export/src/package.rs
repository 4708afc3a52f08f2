//! The input of all package formats.

use catalog::Catalog;

/// Maximum length of a description, in characters. The MCP registry rejects longer ones.
pub(crate) const MAX_DESCRIPTION: usize = 100;

/// A crib to pack.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The name in the registry, such as `io.github.example/shop`; a plain name if it has none.
    pub name: String,
    /// The version, such as `0.1.0`.
    pub version: String,
    /// The description; if absent, each format composes one.
    pub description: Option<String>,
    /// The tools, under their served names.
    pub catalog: &'a Catalog,
    /// The files of the crib: configuration, definitions, prompts, code and content.
    pub files: Vec<File>,
}

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path in the package, with `/` separators.
    pub path: String,
    /// The content.
    pub content: Vec<u8>,
    /// Whether it is a program.
    pub is_executable: bool,
}

impl File {
    /// A text file that ends with a line break.
    pub(crate) fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), content: text.into().into_bytes(), is_executable: false }
    }

    /// A JSON file.
    pub(crate) fn json(path: impl Into<String>, value: &serde_json::Value) -> Self {
        Self::text(path, format!("{value:#}\n"))
    }
}

impl Package<'_> {
    /// The name without a namespace, for folders, plugins and skills.
    pub fn short_name(&self) -> String {
        package_name(self.name.rsplit('/').next().unwrap_or_default())
    }

    /// The description in at most [`MAX_DESCRIPTION`] characters.
    pub(crate) fn short_description(&self) -> String {
        let name = self.short_name();
        let text = self.description.clone().unwrap_or_else(|| format!("Tools of {name}"));
        docs::shorten(&text, MAX_DESCRIPTION)
    }
}

/// Converts a name to one that all package formats accept: lower-case letters, digits and single
/// hyphens, at most 64 characters.
pub fn package_name(name: &str) -> String {
    let is_safe = |c: &char| c.is_ascii_alphanumeric();
    let spaced: String = name.chars().map(|c| if is_safe(&c) { c } else { ' ' }).collect();
    let words: Vec<_> = spaced.split_whitespace().map(str::to_ascii_lowercase).collect();
    let joined: String = words.join("-").chars().take(64).collect();
    match joined.trim_end_matches('-') {
        "" => "crib".to_owned(),
        name => name.to_owned(),
    }
}
