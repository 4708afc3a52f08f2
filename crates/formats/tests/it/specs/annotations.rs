//! Safety annotations are never dropped, however they are written.

use crate::specs::{codes, document_with, read, read_tool};

/// The text of a specification whose tool has this line under its heading.
fn specify(line: &str) -> String {
    document_with(&format!("{line}\n\n**Parameters**: None\n\nIt works.\n"))
}

#[test]
fn a_misspelled_label_is_an_error_without_a_tool() {
    for (line, code) in [
        ("**Dangerus**: Yes", "TC023"),
        ("- **Dangerus**: Yes", "TC023"),
        ("Dangerus: Yes", "TC023"),
        ("**Requires Aproval**: Yes, always", "TC023"),
        ("**Read Only**: Yes", "TC023"),
        ("**Category**: a | **Netwrk**: No", "TC023"),
        ("**Consent**: Yes", "TC023"),
        ("**Dangerous**: Very", "TC036"),
        ("**Mutates**: only the cache", "TC036"),
    ] {
        let reading = read(&specify(line));
        assert_eq!(codes(&reading), [code], "{line}");
        assert!(reading.tools.is_empty(), "{line}");
    }
}

#[test]
fn labels_with_prose_are_documentation() {
    for line in ["**Side Effects**: Writes a log", "**Content**: Yes", "This is safe: yes"] {
        assert_eq!(codes(&read(&specify(line))), Vec::<&str>::new(), "{line}");
    }
}

#[test]
fn annotations_are_read_with_and_without_bold() {
    for line in ["**Dangerous**: Yes", "Dangerous: yes", "- Dangerous: Yes", "**Dangerous:** Yes."]
    {
        assert_eq!(read_tool(&specify(line)).annotations.dangerous, Some(true), "{line}");
    }
}
