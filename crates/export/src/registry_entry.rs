//! `server.json`, the entry of a server in the MCP registry (schema of 2025-12-11).

use std::fmt::Write;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::Package;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The reason why an entry cannot be made.
#[derive(Debug)]
pub enum EntryError<E> {
    /// The name has no namespace, by which the registry verifies the publisher.
    NoNamespace,
    /// The configuration has no download address for the bundle.
    NoDownload,
    /// The bundle could not be packed.
    Bundle(E),
}

/// Writes `server.json` for a crib whose bundle is published at `download`. The bundle is packed
/// only if an entry is possible.
pub fn make_registry_entry<E>(
    package: &Package<'_>,
    bundle: impl FnOnce() -> Result<Vec<u8>, E>,
    download: Option<&str>,
) -> Result<String, EntryError<E>> {
    if !package.name.contains('/') {
        return Err(EntryError::NoNamespace);
    }
    let download = download.ok_or(EntryError::NoDownload)?;
    let entry = json!({
        "$schema": SCHEMA,
        "name": package.name,
        "description": package.short_description(),
        "version": package.version,
        "packages": [{
            "registryType": "mcpb",
            "identifier": download,
            "version": package.version,
            "fileSha256": hexadecimal(&Sha256::digest(bundle().map_err(EntryError::Bundle)?)),
            "transport": {"type": "stdio"},
        }],
    });
    Ok(format!("{entry:#}\n"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string never fails");
        text
    })
}
