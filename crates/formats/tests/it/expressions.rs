//! Content expressions: parsing, errors, and display that round-trips.

use formats::{Expression, Pattern, Selection, Term};
use proptest::prelude::*;

fn parse(text: &str) -> String {
    let describe = |term: &Term| {
        let patterns: Vec<_> = term.patterns.iter().map(ToString::to_string).collect();
        format!("{}{}{patterns:?}", term.selection, term.name)
    };
    Expression::parse(text).expect(text).terms.iter().map(describe).collect::<Vec<_>>().join(" ")
}

fn parse_error(text: &str) -> String {
    let error = Expression::parse(text).expect_err(text);
    format!("{:?}: {error}", &text[error.span.clone()])
}

#[test]
fn splits_terms_and_patterns() {
    assert_eq!(parse("lang/python"), r#"lang["python"]"#);
    assert_eq!(parse("lang/python+java+rust"), r#"lang["python", "java", "rust"]"#);
    assert_eq!(
        parse("lang/python,docs/api,guidelines"),
        r#"lang["python"] docs["api"] guidelines[]"#
    );
    assert_eq!(parse("t/a/b/**/c.md"), r#"t["a/b/**/c.md"]"#);
}

#[test]
fn an_exclamation_mark_excludes() {
    assert_eq!(parse("lang/*+!draft*,!docs/old"), r#"lang["*", "!draft*"] !docs["old"]"#);
    assert_eq!(parse("lang/! draft"), r#"lang["!draft"]"#);
}

#[test]
fn commas_in_braces_and_brackets_do_not_split() {
    assert_eq!(parse("t/{a,b}.md+[,+]x"), r#"t["{a,b}.md", "[,+]x"]"#);
    assert_eq!(parse("t/{a,{b,c}}"), r#"t["{a,{b,c}}"]"#);
    assert_eq!(parse("t/[]!],u"), r#"t["[]!]"] u[]"#);
}

#[test]
fn backslashes_and_quotes_escape_special_characters() {
    assert_eq!(parse(r"t/a\,b\+c"), r#"t["a\\,b\\+c"]"#);
    assert_eq!(parse(r#"t/"a,b* c"+d"#), r#"t["a\\,b\\*\\ c", "d"]"#);
    assert_eq!(parse(r#"t/"\"""#), r#"t["\\\""]"#);
    assert_eq!(parse(r"t/\!important"), r#"t["\\!important"]"#);
}

#[test]
fn ignores_blanks_and_empty_parts() {
    assert_eq!(parse(" t /a + b , u,, "), r#"t["a", "b"] u[]"#);
    assert_eq!(parse("t/"), "t[]");
    assert_eq!(parse("t/+"), "t[]");
    assert_eq!(parse("t/my notes.md"), r#"t["my notes.md"]"#);
}

#[test]
fn errors_have_a_location_and_a_hint() {
    for (text, part, words) in [
        ("", "", "is empty"),
        (",,", ",,", "is empty"),
        ("/x", "", "expected the name of a category"),
        ("!t", "!t", "only excludes documents"),
        ("a,u+t", "u+t", "separate categories by `,`"),
        ("*.md", "*.md", "write the category first: `lang/*`"),
        ("a b/c", "a b", "' ' is not allowed"),
        (".../c", "...", "does not begin with a letter"),
        ("t/{a,b", "{", "unclosed `{`"),
        ("t/a}", "}", "unmatched `}`"),
        ("t/[a", "[", "unclosed `[`"),
        ("t/\"a", "\"", "unclosed quotation mark"),
        ("t/a\\", "\\", "expected a character after"),
        ("t/../x", "../x", "leaves the category's folder"),
        ("t//etc/passwd", "/etc/passwd", "is an absolute path"),
    ] {
        let error = parse_error(text);
        assert!(
            error.starts_with(&format!("{part:?}")) && error.contains(words),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_separate_pattern_equals_the_slash_form() {
    let combine = |expression: &str, pattern| {
        Expression::parse(expression).expect("an expression").with_patterns(pattern)
    };
    assert_eq!(combine("lang", "python+rust"), Expression::parse("lang/python+rust"));
    assert_eq!(combine("lang,docs", "python"), Expression::parse("lang/python,docs/python"));
    let error = combine("lang/python", "rust").expect_err("two patterns").to_string();
    assert!(error.contains("`lang/python` already has a pattern"), "{error}");
    assert!(
        combine("lang", "a,b")
            .expect_err("a comma")
            .to_string()
            .contains("unexpected `,` in a pattern")
    );
}

#[test]
fn rejects_empty_patterns() {
    for text in ["a/\"\"", "a/\"\" ", "a/!", "a/b+\"\""] {
        let error = Expression::parse(text).expect_err(text);
        assert!(error.message.contains("expected a pattern"), "{text}: {error}");
        assert!(text.get(error.span).is_some(), "{text}");
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let selection = prop_oneof![Just(Selection::Include), Just(Selection::Exclude)];
    let globs = prop_oneof![
        "[a-z*?]{1,6}",
        "\\{[a-z],[a-z*]\\}",
        "\\[[a-z,+]{1,4}\\]",
        "[a-z]{1,3}/\\*\\*/[a-z]{1,3}"
    ];
    let literals = "[^/.]{1,8}".prop_map(|text| Pattern::literal(&text).glob);
    (selection, prop_oneof![globs, literals])
        .prop_map(|(selection, glob)| Pattern { selection, glob })
}

fn expression() -> impl Strategy<Value = Expression> {
    let term = ("[a-z][a-z0-9._-]{0,6}", proptest::collection::vec(pattern(), 0..4));
    let term =
        term.prop_map(|(name, patterns)| Term { selection: Selection::Include, name, patterns });
    proptest::collection::vec(term, 1..4).prop_map(|terms| Expression { terms })
}

proptest! {
    #[test]
    fn display_parses_to_an_equal_expression(expression in expression()) {
        prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
    }

    #[test]
    fn every_text_parses_or_has_a_valid_error_span(text in "[a-z/+,!{}\\[\\]\\\\\" *é.]{0,24}") {
        match Expression::parse(&text) {
            Ok(expression) => prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression)),
            Err(error) => prop_assert!(text.get(error.span).is_some()),
        }
    }
}
