//! Makes text safe to show to a person who decides about it.
//!
//! A value of a model may contain control sequences that erase the lines before it, characters that
//! reverse the direction of text, or invisible characters. They are shown as escapes.

use std::borrow::Cow;

/// The text with every character that is not visible as itself replaced by an escape such as
/// `\u{1b}`. Line breaks stay.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let escape = |escaped: &mut String, c: char| match c {
        '\n' => escaped.push('\n'),
        c if is_hidden(c) => escaped.extend(c.escape_default()),
        c => escaped.push(c),
    };
    Cow::Owned(text.chars().fold(String::new(), |mut escaped, c| {
        escape(&mut escaped, c);
        escaped
    }))
}

/// A word as one would type it in a shell. A word with hidden characters is written as `$'…'`, which
/// bash and zsh read back to the same word.
pub(super) fn quote_word(word: &str) -> Cow<'_, str> {
    // `shlex` also quotes some characters that are literal inside of a word, such as `=`; command lines
    // are easier to read without.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    if word.chars().any(is_hidden) {
        return Cow::Owned(quote_hidden(word));
    }
    // Only a NUL byte cannot be quoted, and it is a hidden character.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

fn quote_hidden(word: &str) -> String {
    let mut quoted = String::from("$'");
    for c in word.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if !is_hidden(c) => quoted.push(c),
            c if c.is_ascii() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if u32::from(c) <= 0xffff => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('\'');
    quoted
}

/// Whether a character is invisible, or changes how others are shown.
fn is_hidden(c: char) -> bool {
    match c {
        c if c.is_ascii() => c.is_ascii_control(),
        // Letters and marks without a shape, which the standard library takes for printable.
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => {
            true
        }
        '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' => true,
        '\u{e0100}'..='\u{e01ef}' => true,
        // The debug form escapes what has no glyph. After another letter it keeps combining marks,
        // which many languages need.
        c => ['a', c].iter().collect::<String>().escape_debug().count() > 2,
    }
}

#[cfg(test)]
mod tests {
    use super::{escape_controls, quote_word};

    #[test]
    fn shows_control_sequences_and_invisible_characters_as_escapes() {
        assert_eq!(escape_controls("a\x1b[2K\rb\nc\td"), "a\\u{1b}[2K\\rb\nc\\td");
        assert_eq!(
            escape_controls("x\u{202e}y\u{200b}z\u{3164}"),
            "x\\u{202e}y\\u{200b}z\\u{3164}"
        );
        assert_eq!(escape_controls("\u{e0041}\u{9b}\u{2028}"), "\\u{e0041}\\u{9b}\\u{2028}");
    }

    #[test]
    fn keeps_ordinary_text_of_any_language() {
        for text in ["", "naïve \"x\" 'y' \\n", "日本語 हिन्दी עברית", "naïve 🧑"]
        {
            assert_eq!(escape_controls(text), text);
        }
    }

    #[test]
    fn quotes_words_so_that_a_shell_reads_them_back() {
        assert_eq!(quote_word("plain=1"), "plain=1");
        assert_eq!(quote_word("a b"), "'a b'");
        assert_eq!(quote_word("new\nline's \x1b\u{202e}"), "$'new\\nline\\'s \\x1b\\u202e'");
    }
}
