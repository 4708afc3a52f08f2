//! Addresses of documents: `guide://category/path`, with what an address cannot hold encoded.

use crate::percent::{decode, encode_path};

const SCHEME: &str = "guide://";

/// The address of a document.
pub(super) fn for_document(category: &str, path: &str) -> String {
    format!("{SCHEME}{category}/{}", encode_path(path))
}

/// The address of all that a category gives.
pub(super) fn for_category(category: &str) -> String {
    format!("{SCHEME}{category}")
}

/// What an address names: a category or collection, and perhaps a path in it.
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
    fn any_path_has_an_address_that_leads_back_to_it() {
        for path in ["a.md", "deep/er/b.md", "my notes?#%.md", "größe/日本.md", "a+b,c!.md"] {
            let uri = for_document("lang", path);
            assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
            assert_eq!(parse(&uri), Some(("lang".to_owned(), Some(path.to_owned()))));
        }
        assert_eq!(for_document("lang", "my notes.md"), "guide://lang/my%20notes.md");
    }

    #[test]
    fn one_segment_is_a_whole_category_and_nonsense_is_nothing() {
        assert_eq!(parse("guide://lang"), Some(("lang".to_owned(), None)));
        assert_eq!(parse("guide://lang/"), Some(("lang".to_owned(), None)));
        assert_eq!(parse("file:///etc/passwd"), None);
        assert_eq!(parse("guide://lang/%zz"), None);
        assert_eq!(parse("guide://lang/%ff"), None);
    }
}
