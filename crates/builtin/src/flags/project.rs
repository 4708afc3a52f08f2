//! Parses the `project` argument: a path, or a `file://` URI, as MCP clients send roots.

use std::path::PathBuf;

use crate::{flags::Scope, percent::decode};

/// `PATH_MAX` on Linux.
const MAX_PATH_BYTES: usize = 4096;

/// Parses the argument. `None` means the crib's own project.
pub(crate) fn parse_scope(project: Option<&str>) -> Result<Scope, String> {
    let Some(text) = project else {
        return Ok(Scope::Crib);
    };
    let path = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            // `file://localhost/path` is the long form of `file:///path` (RFC 8089).
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            if !path.starts_with('/') {
                return Err(
                    "`project` is a URI on another machine; use a path on this one".to_owned()
                );
            }
            decode(path)
        }
        Some((scheme, _)) => {
            return Err(format!(
                "`project` must be a path or a `file:` URI, not a `{scheme}:` URI"
            ));
        }
        None => Some(text.to_owned()),
    };
    match path {
        Some(path) if path.trim().is_empty() => {
            Err("`project` is empty; leave it out for the crib's own project".to_owned())
        }
        Some(path) if path.len() > MAX_PATH_BYTES || path.contains('\0') => {
            Err("`project` is not a path".to_owned())
        }
        Some(path) => Ok(Scope::Project(PathBuf::from(path))),
        None => Err("`project` is not a well-formed URI".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_scope;
    use crate::flags::Scope;

    #[test]
    fn parses_paths_and_file_uris() {
        let path = |text: &str| Ok(Scope::Project(text.into()));
        assert_eq!(parse_scope(None), Ok(Scope::Crib));
        assert_eq!(parse_scope(Some("file:///home/a/my%20app")), path("/home/a/my app"));
        assert_eq!(parse_scope(Some("/home/a/my app")), path("/home/a/my app"));
        assert_eq!(parse_scope(Some("../other.app")), path("../other.app"));
        assert_eq!(parse_scope(Some("FILE://localhost/home/a")), path("/home/a"));
        for bad in [
            "",
            "  ",
            "https://example.com/x",
            "file://elsewhere/home/a",
            "file:///a%2",
            "file:///a%ff",
            "a\0b",
        ] {
            assert!(parse_scope(Some(bad)).is_err(), "{bad:?}");
        }
    }
}
