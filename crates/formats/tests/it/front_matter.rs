//! Front matter of Markdown files.

use formats::FrontMatter;
use serde_json::json;

#[test]
fn splits_the_text_and_lowercases_keys() {
    let front_matter = FrontMatter::parse("---\nTitle: A page\nrequires-x: [a, b]\n---\n# Body\n")
        .expect("front matter");
    assert_eq!(front_matter.text("title"), Some("A page"));
    assert_eq!(front_matter.values["requires-x"], json!(["a", "b"]));
    assert_eq!((front_matter.body, front_matter.lines), ("# Body\n", 4));
}

#[test]
fn skips_a_byte_order_mark() {
    let front_matter =
        FrontMatter::parse("\u{feff}---\r\ntitle: x\r\n---\r\nbody").expect("front matter");
    assert_eq!((front_matter.text("title"), front_matter.body), (Some("x"), "body"));
}

#[test]
fn text_without_front_matter_is_unchanged() {
    for text in ["", "---", "---\nnever closed\n", "text\n---\na: b\n---\n"] {
        assert_eq!(FrontMatter::parse(text).map(|front_matter| front_matter.body), Ok(text));
    }
    assert_eq!(
        FrontMatter::parse("---\n---\nbody").map(|front_matter| front_matter.body),
        Ok("body")
    );
}

#[test]
fn errors_have_a_line() {
    let error = FrontMatter::parse("---\ntitle: ok\nbad: [1, 2\n---\nbody").expect_err("broken");
    assert!((3..=4).contains(&error.line), "{error:?}");
    let error = FrontMatter::parse("---\na: 1\nb: x: y\n---\n").expect_err("broken");
    assert_eq!(error.line, 3, "{error:?}");
    assert_eq!(FrontMatter::parse("---\njust words\n---\n").expect_err("no mapping").line, 2);
}
