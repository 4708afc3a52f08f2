//! Front matter: found, taken off, and wrong.

use formats::FrontMatter;
use serde_json::json;

#[test]
fn it_is_taken_off_and_keys_are_in_lower_case() {
    let read = FrontMatter::of("---\nTitle: A page\nrequires-x: [a, b]\n---\n# Body\n")
        .expect("front matter");
    assert_eq!(read.text("title"), Some("A page"));
    assert_eq!(read.values["requires-x"], json!(["a", "b"]));
    assert_eq!((read.body, read.lines), ("# Body\n", 4));
}

#[test]
fn a_byte_order_mark_does_not_break_front_matter() {
    let read = FrontMatter::of("\u{feff}---\r\ntitle: x\r\n---\r\nbody").expect("front matter");
    assert_eq!((read.text("title"), read.body), (Some("x"), "body"));
}

#[test]
fn a_text_without_it_is_left_as_it_is() {
    for text in ["", "---", "---\nnever closed\n", "text\n---\na: b\n---\n"] {
        assert_eq!(FrontMatter::of(text).map(|read| read.body), Ok(text));
    }
    assert_eq!(FrontMatter::of("---\n---\nbody").map(|read| read.body), Ok("body"));
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    let error = FrontMatter::of("---\ntitle: ok\nbad: [1, 2\n---\nbody").expect_err("broken");
    assert!((3..=4).contains(&error.line), "{error:?}");
    let error = FrontMatter::of("---\na: 1\nb: x: y\n---\n").expect_err("broken");
    assert_eq!(error.line, 3, "{error:?}");
    assert_eq!(FrontMatter::of("---\njust words\n---\n").expect_err("no mapping").line, 2);
}
