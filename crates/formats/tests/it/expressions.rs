//! Expressions: how they are read, what is wrong with them, and that they print as they read.

use formats::{Expression, Pattern, Sense, Term};
use proptest::prelude::*;

fn read(text: &str) -> String {
    let shown = |term: &Term| {
        let patterns: Vec<_> = term.patterns.iter().map(ToString::to_string).collect();
        format!("{}{}{patterns:?}", term.sense, term.name)
    };
    Expression::parse(text).expect(text).terms.iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn refused(text: &str) -> String {
    let error = Expression::parse(text).expect_err(text);
    format!("{:?}: {error}", &text[error.span.clone()])
}

#[test]
fn terms_and_patterns_are_told_apart() {
    assert_eq!(read("lang/python"), r#"lang["python"]"#);
    assert_eq!(read("lang/python+java+rust"), r#"lang["python", "java", "rust"]"#);
    assert_eq!(
        read("lang/python,docs/api,guidelines"),
        r#"lang["python"] docs["api"] guidelines[]"#
    );
    assert_eq!(read("t/a/b/**/c.md"), r#"t["a/b/**/c.md"]"#);
}

#[test]
fn an_exclamation_mark_leaves_out() {
    assert_eq!(read("lang/*+!draft*,!docs/old"), r#"lang["*", "!draft*"] !docs["old"]"#);
    assert_eq!(read("lang/! draft"), r#"lang["!draft"]"#);
}

#[test]
fn commas_in_braces_and_brackets_do_not_split() {
    assert_eq!(read("t/{a,b}.md+[,+]x"), r#"t["{a,b}.md", "[,+]x"]"#);
    assert_eq!(read("t/{a,{b,c}}"), r#"t["{a,{b,c}}"]"#);
    assert_eq!(read("t/[]!],u"), r#"t["[]!]"] u[]"#);
}

#[test]
fn backslashes_and_quotes_take_the_meaning_away() {
    assert_eq!(read(r"t/a\,b\+c"), r#"t["a\\,b\\+c"]"#);
    assert_eq!(read(r#"t/"a,b* c"+d"#), r#"t["a\\,b\\*\\ c", "d"]"#);
    assert_eq!(read(r#"t/"\"""#), r#"t["\\\""]"#);
    assert_eq!(read(r"t/\!important"), r#"t["\\!important"]"#);
}

#[test]
fn blanks_and_empty_parts_do_no_harm() {
    assert_eq!(read(" t /a + b , u,, "), r#"t["a", "b"] u[]"#);
    assert_eq!(read("t/"), "t[]");
    assert_eq!(read("t/+"), "t[]");
    assert_eq!(read("t/my notes.md"), r#"t["my notes.md"]"#);
}

#[test]
fn mistakes_are_told_with_their_place_and_advice() {
    for (text, place, words) in [
        ("", "", "names nothing"),
        (",,", ",,", "names nothing"),
        ("/x", "", "a category is missing here"),
        ("!t", "!t", "only says what to leave out"),
        ("a,u+t", "u+t", "put `,` between categories"),
        ("*.md", "*.md", "patterns follow a category: `lang/*`"),
        ("a b/c", "a b", "' ' is not allowed"),
        (".../c", "...", "does not begin with a letter"),
        ("t/{a,b", "{", "not closed"),
        ("t/a}", "}", "closes nothing"),
        ("t/[a", "[", "not closed"),
        ("t/\"a", "\"", "not closed"),
        ("t/a\\", "\\", "nothing follows"),
        ("t/../x", "../x", "leads out of the category"),
        ("t//etc/passwd", "/etc/passwd", "begins with `/`"),
    ] {
        let told = refused(text);
        assert!(told.starts_with(&format!("{place:?}")) && told.contains(words), "{text}: {told}");
    }
}

#[test]
fn the_two_argument_form_is_the_slash_form() {
    let given = |expression: &str, pattern| {
        Expression::parse(expression).expect("an expression").with_patterns(pattern)
    };
    assert_eq!(given("lang", "python+rust"), Expression::parse("lang/python+rust"));
    assert_eq!(given("lang,docs", "python"), Expression::parse("lang/python,docs/python"));
    let error = given("lang/python", "rust").expect_err("two patterns").to_string();
    assert!(error.contains("`lang/python` has a pattern of its own"), "{error}");
    assert!(
        given("lang", "a,b")
            .expect_err("a comma")
            .to_string()
            .contains("`,` cannot stand in a pattern")
    );
}

#[test]
fn a_pattern_of_nothing_is_an_error() {
    for text in ["a/\"\"", "a/\"\" ", "a/!", "a/b+\"\""] {
        let error = Expression::parse(text).expect_err(text);
        assert!(error.message.contains("a pattern is missing here"), "{text}: {error}");
        assert!(text.get(error.span).is_some(), "{text}");
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let sense = prop_oneof![Just(Sense::Wanted), Just(Sense::Unwanted)];
    let globs = prop_oneof![
        "[a-z*?]{1,6}",
        "\\{[a-z],[a-z*]\\}",
        "\\[[a-z,+]{1,4}\\]",
        "[a-z]{1,3}/\\*\\*/[a-z]{1,3}"
    ];
    let literals = "[^/.]{1,8}".prop_map(|text| Pattern::literal(&text).glob);
    (sense, prop_oneof![globs, literals]).prop_map(|(sense, glob)| Pattern { sense, glob })
}

fn expression() -> impl Strategy<Value = Expression> {
    let term = ("[a-z][a-z0-9._-]{0,6}", proptest::collection::vec(pattern(), 0..4));
    let term = term.prop_map(|(name, patterns)| Term { sense: Sense::Wanted, name, patterns });
    proptest::collection::vec(term, 1..4).prop_map(|terms| Expression { terms })
}

proptest! {
    #[test]
    fn what_is_printed_reads_as_itself(expression in expression()) {
        prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
    }

    #[test]
    fn any_text_is_an_expression_or_has_a_place_that_is_wrong(text in "[a-z/+,!{}\\[\\]\\\\\" *é.]{0,24}") {
        match Expression::parse(&text) {
            Ok(expression) => prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression)),
            Err(error) => prop_assert!(text.get(error.span).is_some()),
        }
    }
}
