//! Packages a crib for distribution: as a plugin for agents, a skill, an entry for the MCP
//! registry, or a bundle.
//!
//! Everything here is bytes in, bytes out. Each package format has its own file, which names the
//! specification that it follows.

mod bundle;
mod package;
mod plugin;
mod registry_entry;

pub use bundle::{BundleError, pack_bundle};
pub use package::{File, Package, package_name};
pub use plugin::{make_plugin, make_skill};
pub use registry_entry::{EntryError, make_registry_entry};
