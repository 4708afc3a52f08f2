//! Information about the crib that rules need beyond its tools.

/// Information about the crib beyond its tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The name of the crib, which hosts put in front of every tool name. Empty if not known.
    pub crib: String,
    /// Whether the crib itself serves tools as `mcp_{crib}_{tool}`.
    pub full_names: bool,
    /// The part of the crib that is checked.
    pub scope: Scope,
}

/// The part of a crib that is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of it: a tool that is not in the catalog does not exist.
    #[default]
    Crib,
    /// A single file: it may call tools that other files define.
    File,
}
