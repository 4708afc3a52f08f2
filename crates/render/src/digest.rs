//! SHA-256 digests, in hexadecimal.

use sha2::{Digest as _, Sha256};

/// The digest of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    of_parts([bytes])
}

/// The digest of several parts, in order. Parts are not delimited: use it where their boundaries
/// cannot be confused.
pub(crate) fn of_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    let nibbles = hasher.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).collect()
}
