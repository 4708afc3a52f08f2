//! URIs of documents: `guide://category/path`, percent-encoded.

use crate::percent::{decode, encode_path};

const SCHEME: &str = "guide://";

pub(super) fn for_document(category: &str, path: &str) -> String {
    format!("{SCHEME}{category}/{}", encode_path(path))
}

/// The URI of everything in a category or collection.
pub(super) fn for_category(category: &str) -> String {
    format!("{SCHEME}{category}")
}

/// Parses a URI into a category or collection and an optional path.
pub(super) fn parse(uri: &str) -> Option<(String, Option<String>)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = decode(path)?;
    Some((decode(name)?, Some(path).filter(|path| !path.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::{for_document, parse};

    #[test]
    fn every_path_survives_a_round_trip() {
        for path in ["a.md", "deep/er/b.md", "my notes?#%.md", "größe/日本.md", "a+b,c!.md"] {
            let uri = for_document("lang", path);
            assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
            assert_eq!(parse(&uri), Some(("lang".to_owned(), Some(path.to_owned()))));
        }
        assert_eq!(for_document("lang", "my notes.md"), "guide://lang/my%20notes.md");
    }

    #[test]
    fn parses_whole_categories_and_rejects_other_uris() {
        assert_eq!(parse("guide://lang"), Some(("lang".to_owned(), None)));
        assert_eq!(parse("guide://lang/"), Some(("lang".to_owned(), None)));
        assert_eq!(parse("file:///etc/passwd"), None);
        assert_eq!(parse("guide://lang/%zz"), None);
        assert_eq!(parse("guide://lang/%ff"), None);
    }
}
