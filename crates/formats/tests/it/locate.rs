//! Resolving symbolic locations to bytes.

use catalog::Location;
use formats::{Locator, locate};

const TEXT: &str = r#"{"name": "t", "a/b": [10, {"~": true}], "e": "é"}"#;

#[test]
fn finds_values_and_keys() {
    let found = |location: Location| &TEXT[locate(TEXT, &location)];
    let value = |pointer: &str| found(Location::Value(pointer.to_owned()));
    assert_eq!(value("/name"), r#""t""#);
    assert_eq!(value("/a~1b/0"), "10");
    assert_eq!(value("/a~1b/1/~0"), "true");
    assert_eq!(value(""), TEXT);
    assert_eq!(found(Location::Key("/a~1b".to_owned())), r#""a/b""#);
    assert_eq!(found(Location::Key("/a~1b/1/~0".to_owned())), r#""~""#);
    assert_eq!(found(Location::Whole), TEXT);
}

#[test]
fn falls_back_to_the_nearest_ancestor() {
    let locator = Locator::new(TEXT);
    let value = |pointer: &str| &TEXT[locator.range(&Location::Value(pointer.to_owned()))];
    assert_eq!(value("/a~1b/7/x"), r#"[10, {"~": true}]"#);
    assert_eq!(value("/name/x"), r#""t""#);
    assert_eq!(value("/missing"), TEXT);
    assert_eq!(&TEXT[locator.range(&Location::Key("/a~1b/1/none".to_owned()))], r#"{"~": true}"#);
}

#[test]
fn offsets_give_a_character_and_never_leave_the_text() {
    let accent = TEXT.find('é').expect("an accent");
    assert_eq!(&TEXT[locate(TEXT, &Location::Offset(accent))], "é");
    assert_eq!(&TEXT[locate(TEXT, &Location::Offset(accent + 1))], "é");
    assert_eq!(locate(TEXT, &Location::Offset(9_999)), TEXT.len()..TEXT.len());
    assert_eq!(locate("{", &Location::Value("/a".to_owned())), 0..0);
    assert_eq!(locate("", &Location::Offset(0)), 0..0);
}
