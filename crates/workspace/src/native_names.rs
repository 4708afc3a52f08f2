//! The names of tools that a server has without a definition.

use catalog::name;

/// Native tools that a crib can enable. [`name::BUILT_IN`] lists those that every server has.
pub const GUIDE_TOOLS: [&str; 8] = [
    "check_definition",
    "get_content",
    "get_feature_flag",
    "get_project_flag",
    "list_feature_flags",
    "list_project_flags",
    "set_feature_flag",
    "set_project_flag",
];

/// The bare names of all native tools.
pub(crate) fn native_names() -> impl Iterator<Item = &'static str> {
    name::BUILT_IN.into_iter().chain(GUIDE_TOOLS)
}
