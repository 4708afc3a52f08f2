//! Addresses of documents: `guide://category/path`, with what an address cannot hold encoded.

const SCHEME: &str = "guide://";

/// The address of a document.
pub(super) fn of(category: &str, path: &str) -> String {
    let mut uri = format!("{SCHEME}{category}/");
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// What an address names: a category or collection, and perhaps a path in it.
pub(super) fn read(uri: &str) -> Option<(String, Option<String>)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = decoded(path)?;
    Some((decoded(name)?, Some(path).filter(|path| !path.is_empty())))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        (rest, _) = match (first, others) {
            (b'%', [high, low, others @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                (others, bytes.push(digit(high)? * 16 + digit(low)?))
            }
            (b'%', _) => return None,
            (byte, others) => (others, bytes.push(*byte)),
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{of, read};

    #[test]
    fn any_path_has_an_address_that_leads_back_to_it() {
        for path in ["a.md", "deep/er/b.md", "my notes?#%.md", "größe/日本.md", "a+b,c!.md"] {
            let uri = of("lang", path);
            assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
            assert_eq!(read(&uri), Some(("lang".to_owned(), Some(path.to_owned()))));
        }
        assert_eq!(of("lang", "my notes.md"), "guide://lang/my%20notes.md");
    }

    #[test]
    fn one_segment_is_a_whole_category_and_nonsense_is_nothing() {
        assert_eq!(read("guide://lang"), Some(("lang".to_owned(), None)));
        assert_eq!(read("guide://lang/"), Some(("lang".to_owned(), None)));
        assert_eq!(read("file:///etc/passwd"), None);
        assert_eq!(read("guide://lang/%zz"), None);
        assert_eq!(read("guide://lang/%ff"), None);
    }
}
