//! JSON pointers (RFC 6901): how diagnostics and argument errors name a value.

use std::borrow::Cow;

/// Escapes one reference token: `~` becomes `~0` and `/` becomes `~1`.
pub fn escape(token: &str) -> Cow<'_, str> {
    if !token.contains(['~', '/']) {
        return Cow::Borrowed(token);
    }
    // `~` first: otherwise the `~` of a `~1` written for a slash would be escaped again.
    Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
}

/// Reverses [`escape`].
pub fn unescape(token: &str) -> Cow<'_, str> {
    if !token.contains('~') {
        return Cow::Borrowed(token);
    }
    // `~0` last: otherwise `~01`, an escaped `~1`, would become a slash.
    Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
}

/// The pointer to the member or item `token` of the value at `pointer`.
pub fn child(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape(token))
}

/// The unescaped reference tokens of `pointer`, outermost first; the root has none.
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

#[cfg(test)]
mod tests {
    use super::{child, escape, tokens, unescape};

    #[test]
    fn escapes_in_the_order_of_the_rfc() {
        assert_eq!(escape("a/b~1"), "a~1b~01");
        assert_eq!(unescape("a~1b~01"), "a/b~1");
    }

    #[test]
    fn splits_joined_pointers() {
        let pointer = child(&child("", "a/b"), "~c");
        assert_eq!(pointer, "/a~1b/~0c");
        assert_eq!(tokens(&pointer).collect::<Vec<_>>(), ["a/b", "~c"]);
        assert_eq!(tokens("").count(), 0);
    }
}
