//! A project as callers name it: a path, or the address of a folder as clients of MCP write it.

use std::path::PathBuf;

use crate::{flags::Scope, percent::decode};

/// The longest path that any system takes.
const LONGEST: usize = 4096;

/// The project that is named, or the crib's own.
pub(crate) fn scope(project: Option<&str>) -> Result<Scope, String> {
    let Some(text) = project else {
        return Ok(Scope::Crib);
    };
    let path = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            if !path.starts_with('/') {
                return Err("`project` is an address on another machine".to_owned());
            }
            decode(path)
        }
        Some((scheme, _)) => {
            return Err(format!(
                "`project` must be a path, not an address of the kind `{scheme}:`"
            ));
        }
        None => Some(text.to_owned()),
    };
    match path {
        Some(path) if path.trim().is_empty() => {
            Err("`project` is empty; leave it out for the crib's own".to_owned())
        }
        Some(path) if path.len() > LONGEST || path.contains('\0') => {
            Err("`project` is not a path".to_owned())
        }
        Some(path) => Ok(Scope::Project(PathBuf::from(path))),
        None => Err("`project` is not a well-formed address".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::scope;
    use crate::flags::Scope;

    #[test]
    fn addresses_of_folders_are_paths() {
        let path = |text: &str| Ok(Scope::Project(text.into()));
        assert_eq!(scope(None), Ok(Scope::Crib));
        assert_eq!(scope(Some("file:///home/a/my%20app")), path("/home/a/my app"));
        assert_eq!(scope(Some("/home/a/my app")), path("/home/a/my app"));
        assert_eq!(scope(Some("../other.app")), path("../other.app"));
        assert_eq!(scope(Some("FILE://localhost/home/a")), path("/home/a"));
        for bad in [
            "",
            "  ",
            "https://example.com/x",
            "file://elsewhere/home/a",
            "file:///a%2",
            "file:///a%ff",
            "a\0b",
        ] {
            assert!(scope(Some(bad)).is_err(), "{bad:?}");
        }
    }
}
