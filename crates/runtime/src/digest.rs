//! Digests of tools and arguments, by which approvals and lock files identify them.

use std::{
    collections::HashMap,
    fs::{File, Metadata},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use catalog::{Implementation, Tool, budget::spend};
use rustix::fs::OFlags;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolkit::Arguments;

/// The digest of a tool: name, implementation, input schema, annotations and timeout. Texts for people
/// are not included.
pub fn tool_digest(tool: &Tool) -> String {
    let mut hasher = Hasher::default();
    hasher.object(tool.input.object());
    // The implementation is plain data of our own, whose debug form is exact.
    let implementation = match &tool.implementation {
        // The function behind a native tool is part of this program, so there is nothing more to
        // identify.
        Implementation::Native => String::new(),
        implementation => format!("{implementation:?}"),
    };
    let annotations = &tool.annotations;
    hasher.value(&json!([
        tool.name,
        implementation,
        // Annotations are included because policy decides by them: an approval must not survive a
        // change of `dangerous`.
        annotations.mutates,
        annotations.dangerous,
        annotations.idempotent,
        annotations.requires_approval,
        annotations.network,
        tool.timeout.map(|limit| limit.as_millis() as u64),
    ]));
    hasher.finish()
}

/// Larger files are identified by inode, size and change time, because reading them would delay an
/// approval by seconds.
const MAX_HASHED_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum size of all files of a plan that are read.
const MAX_TOTAL_BYTES: u64 = 2 * MAX_HASHED_BYTES;

/// The budget that opening a file takes, and that reading 64 KiB takes.
pub(crate) const FILE_STEPS: u64 = 500;
const BLOCK_STEPS: u64 = 16 * 1024;

/// The digest of arguments, independent of their order. Only holders of the key can compute it: without
/// one, a short secret could be found by trying all values.
pub(crate) fn keyed_arguments_digest(key: &[u8], arguments: &Arguments) -> String {
    digest_with_key(key, |hasher| hasher.object(arguments))
}

/// The digest of a text that only holders of the key can compute.
pub(crate) fn keyed_text_digest(key: &[u8], text: &str) -> String {
    digest_with_key(key, |hasher| hasher.text(text))
}

/// Hashes with the key twice, so that a digest cannot be extended to that of a longer text.
fn digest_with_key(key: &[u8], add: impl FnOnce(&mut Hasher)) -> String {
    let mut inner = Hasher::default();
    inner.0.update(key);
    add(&mut inner);
    let mut outer = Hasher::default();
    outer.0.update(key);
    outer.0.update(inner.finish());
    outer.finish()
}

/// The digest of a value, independent of the order of object members.
pub fn value_digest(value: &Value) -> String {
    let mut hasher = Hasher::default();
    hasher.value(value);
    hasher.finish()
}

/// The digest of the content of a file, or of its identity if it is large.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut file = open_regular(path)?;
    let metadata = file.metadata()?;
    if metadata.len() > MAX_HASHED_BYTES {
        return Ok(identity_digest(&metadata));
    }
    hash_content(&mut file)
}

/// The digest of the identity of a file: inode, size and change time.
pub(crate) fn identity_digest(metadata: &Metadata) -> String {
    let identity =
        [metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()].map(Value::from);
    value_digest(&json!([metadata.len(), identity]))
}

/// The content of a regular file that [`file_digest`] reads completely.
pub(crate) fn read_content(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(MAX_HASHED_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_HASHED_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// Opens a regular file. Whatever was there when the path was checked, a tool may since have replaced
/// it: opening a FIFO, or reading a device, would never end.
fn open_regular(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

fn hash_content(file: &mut File) -> io::Result<String> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut total = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            read => hasher.0.update(&buffer[..read]),
        }
        spend(BLOCK_STEPS);
        total += buffer.len() as u64;
        // Only a file that grows while it is read gets here.
        if total > 2 * MAX_HASHED_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
    }
}

/// The digests of files. A file with several names is read once, and of more than [`MAX_TOTAL_BYTES`]
/// in all only the identity is compared: the arguments of an interpreter can name any number of files.
pub(crate) fn file_digests(paths: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let (mut known, mut total) = (HashMap::new(), 0);
    let mut digest = |path: &Path| -> io::Result<String> {
        spend(FILE_STEPS);
        let mut file = open_regular(path)?;
        let metadata = file.metadata()?;
        let key = (metadata.dev(), metadata.ino());
        if let Some(known) = known.get(&key) {
            return Ok(String::clone(known));
        }
        total += metadata.len();
        let digest = if metadata.len() > MAX_HASHED_BYTES || total > MAX_TOTAL_BYTES {
            identity_digest(&metadata)
        } else {
            hash_content(&mut file)?
        };
        known.insert(key, digest.clone());
        Ok(digest)
    };
    // A file that cannot be read now and can be read later is a change as well.
    let mut digest = |path: &Path| digest(path).unwrap_or_else(|error| error.kind().to_string());
    paths.iter().map(|path| (path.clone(), digest(path))).collect()
}

/// The digest of the content of a file of any size.
pub(crate) fn content_digest(content: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.0.update(content);
    hasher.finish()
}

/// The digest of several digests, in order.
pub(crate) fn combine_digests<'a>(digests: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Hasher::default();
    digests.into_iter().for_each(|digest| hasher.0.update(digest));
    hasher.finish()
}

/// Hashes JSON in a canonical form: sorted names, no spaces.
#[derive(Default)]
struct Hasher(Sha256);

impl Hasher {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(object) => self.object(object),
            Value::Array(items) => {
                self.0.update("[");
                for item in items {
                    self.value(item);
                    self.0.update(",");
                }
                self.0.update("]");
            }
            Value::String(text) => self.text(text),
            plain => self.0.update(plain.to_string()),
        }
    }

    fn object(&mut self, object: &Map<String, Value>) {
        let mut members: Vec<_> = object.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        self.0.update("{");
        for (name, value) in members {
            self.text(name);
            self.value(value);
            self.0.update(",");
        }
        self.0.update("}");
    }

    /// Prefixed by its length, so that no escaping is needed.
    fn text(&mut self, text: &str) {
        self.0.update(b"\"");
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn finish(self) -> String {
        let nibbles = self.0.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::keyed_arguments_digest;

    fn digest(value: Value) -> String {
        match value {
            Value::Object(object) => keyed_arguments_digest(b"key", &object),
            other => panic!("not an object: {other}"),
        }
    }

    #[test]
    fn ignores_the_order_of_members() {
        assert_eq!(
            digest(json!({"a": {"x": 1, "y": [2]}, "b": null})),
            digest(json!({"b": null, "a": {"y": [2], "x": 1}}))
        );
    }

    #[test]
    fn distinguishes_everything_else() {
        let all = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": [1, 1]}),
            json!({"a": [[1], 1]}),
            json!({"a": null}),
            json!({"a": "b", "c": "d"}),
            json!({"a": "b\"c", "d": ""}),
            json!({"a": true}),
        ];
        let digests: std::collections::HashSet<_> = all.map(digest).into_iter().collect();
        assert_eq!(digests.len(), 10);
    }
}
