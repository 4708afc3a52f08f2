//! A bundle (`.mcpb`, manifest version 0.3): a zip archive with the program and the crib, which
//! Claude Desktop and others install with a click.

use std::io::{Cursor, Write};

use serde_json::json;
use zip::{CompressionMethod, DateTime, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::{File, Package};

/// An error while packing a bundle.
#[derive(Debug)]
pub enum BundleError {
    /// The file is not a program for Linux or macOS.
    NotAProgram,
    /// The archive could not be written.
    Archive(ZipError),
}

impl From<ZipError> for BundleError {
    fn from(error: ZipError) -> Self {
        Self::Archive(error)
    }
}

/// The operating system of a bundle.
#[derive(Clone, Copy)]
enum Platform {
    Linux,
    MacOs,
}

impl Platform {
    /// Detects the operating system of a program by its magic number.
    fn of_program(program: &[u8]) -> Option<Self> {
        match program.first_chunk()? {
            [0x7f, b'E', b'L', b'F'] => Some(Self::Linux),
            // Mach-O: 64-bit, and universal binaries.
            [0xcf, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe] => Some(Self::MacOs),
            _ => None,
        }
    }

    /// The name in a manifest, which follows Node's `process.platform`.
    fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::MacOs => "darwin",
        }
    }
}

/// Packs a crib with `program`, a `toolcrib` for Linux or macOS. The same input gives the same
/// bytes, so that a registry entry with their digest can be made later.
pub fn pack_bundle(package: &Package<'_>, program: Vec<u8>) -> Result<Vec<u8>, BundleError> {
    let platform = Platform::of_program(&program).ok_or(BundleError::NotAProgram)?;
    let mut files = vec![
        File::json("manifest.json", &build_manifest(package, platform)),
        File { path: "server/toolcrib".to_owned(), content: program, is_executable: true },
    ];
    let own = package.files.iter().cloned();
    files.extend(own.map(|file| File { path: format!("crib/{}", file.path), ..file }));
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        archive.start_file(file.path, options)?;
        archive.write_all(&file.content).map_err(ZipError::from)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The manifest. Its schema is closed: clients reject a bundle with an unknown key.
fn build_manifest(package: &Package<'_>, platform: Platform) -> serde_json::Value {
    let name = package.short_name();
    let tools = package.catalog.tools().iter().filter(|tool| tool.is_callable());
    let tools: Vec<_> = tools
        .map(|tool| json!({"name": tool.name, "description": docs::summarize(tool)}))
        .collect();
    json!({
        "manifest_version": "0.3",
        "name": name,
        "version": package.version,
        "description": package.short_description(),
        "author": {"name": name},
        "server": {
            "type": "binary",
            "entry_point": "server/toolcrib",
            "mcp_config": {
                "command": "${__dirname}/server/toolcrib",
                "args": ["-C", "${__dirname}/crib", "serve"],
            },
        },
        "tools": tools,
        // The server also lists built-in tools, for example for operations and flags.
        "tools_generated": true,
        "compatibility": {"platforms": [platform.as_str()]},
    })
}
