//! The JSON parser.

use formats::json::{MAX_DEPTH, Parsed, parse};
use proptest::prelude::*;
use serde_json::Value;

fn problems(text: &str) -> Vec<String> {
    parse(text)
        .problems
        .iter()
        .map(|found| format!("{} {}: {}", found.rule.code, found.offset, found.message))
        .collect()
}

fn value(text: &str) -> Value {
    parse(text).root.expect("a tree").to_value()
}

#[test]
fn numbers_match_serde_json() {
    for text in [
        "0",
        "-0",
        "1",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "0.1",
        "1e2",
        "1E+2",
        "1e-400",
        "123456789012345678901234567890",
        "2.5e307",
        "-0.0",
    ] {
        assert_eq!(value(text), serde_json::from_str::<Value>(text).expect("a number"), "{text}");
    }
    for text in ["01", "+1", ".5", "1.", "1e", "--1", "1e400", "0x10", "1_000", "-"] {
        assert!(serde_json::from_str::<Value>(text).is_err());
        assert_eq!(parse(text).problems.len(), 1, "{text}");
    }
}

#[test]
fn repairs_obvious_mistakes_and_reports_their_offset() {
    assert_eq!(problems(r#"[1 2]"#), ["TC004 3: a comma is missing before this"]);
    assert_eq!(problems(r#"{"a": 1 "b": 2}"#), ["TC004 8: a comma is missing before this"]);
    assert_eq!(problems("[1,]"), ["TC009 2: there is no value after this comma"]);
    assert_eq!(
        problems("[,1,,2]"),
        [
            "TC004 1: there is no value before this comma",
            "TC004 4: there is no value before this comma"
        ]
    );
    assert_eq!(
        problems("[True, None]"),
        ["TC004 1: `True` is not JSON", "TC004 7: `None` is not JSON"]
    );
    assert_eq!(problems(r#"["\x"]"#), [r"TC004 2: `\x` is not a valid escape"]);
    assert_eq!(problems("[] []"), ["TC004 3: unexpected text after the end of the document"]);
    assert_eq!(value(r#"{"a": 1 "b": [2, 3,],}"#), serde_json::json!({"a": 1, "b": [2, 3]}));
}

#[test]
fn comments_are_skipped_with_one_note() {
    let text = "// first\n{\"a\": /* x */ 1, // second\n \"b\": \"// text\"} /* end */";
    assert_eq!(problems(text), ["TC007 0: the file has comments"]);
    assert_eq!(value(text), serde_json::json!({"a": 1, "b": "// text"}));
}

#[test]
fn keeps_raw_line_breaks_with_one_warning_per_string() {
    assert_eq!(
        problems("[\"a\nb\nc\", \"d\te\"]"),
        [
            "TC008 3: there is a raw line break in a string",
            "TC008 12: there is a raw tab in a string"
        ]
    );
    assert_eq!(value("[\"a\nb\"]"), serde_json::json!(["a\nb"]));
}

#[test]
fn a_missing_quote_is_reported_at_its_string() {
    let found = parse("{\"a\": \"one,\n\"b\": 2}").problems;
    let hint = found.last().and_then(|found| found.hint.clone()).unwrap_or_default();
    assert!(hint.contains("line 1"), "{found:?}");
}

#[test]
fn a_truncated_file_names_the_open_bracket() {
    assert_eq!(
        problems("{\n\"a\": ["),
        ["TC004 8: the file ends before the `[` of line 2 is closed"]
    );
    assert_eq!(problems("{\"a"), ["TC004 1: this string is never closed"]);
    assert_eq!(problems("{'a': 1}"), ["TC004 1: expected a key in double quotes, found `'`"]);
}

#[test]
fn finds_duplicate_keys_in_small_and_large_objects() {
    assert_eq!(problems(r#"{"a": 1, "a": 2}"#), ["TC010 9: the key `a` is repeated"]);
    let many = (0..100).map(|n| format!(r#""k{n}": 0"#)).collect::<Vec<_>>().join(",");
    let text = format!(r#"{{{many}, "k50": 1}}"#);
    let offset = text.rfind("\"k50\"").expect("the second");
    assert_eq!(problems(&text), [format!("TC010 {offset}: the key `k50` is repeated")]);
}

#[test]
fn limits_depth_and_reads_the_rest() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(problems(&nested(MAX_DEPTH)), [""; 0]);
    assert_eq!(problems(&nested(MAX_DEPTH + 1)).len(), 1);
    let text = format!("[{}, 1 2]", nested(100_000));
    let Parsed { problems, is_lossy, root } = parse(&text);
    let codes: Vec<_> = problems.iter().map(|found| found.rule.code).collect();
    assert_eq!((codes, is_lossy, root.is_some()), (vec!["TC011", "TC004"], true, true));
    assert_eq!(parse(&"{\"a\":".repeat(100_000)).problems.len(), 2);
}

#[test]
fn limits_the_number_of_problems() {
    assert!(parse(&format!("[{}]", "1 ".repeat(10_000))).problems.len() <= 100);
    let text = format!("[{}\"\"]", "\"\n\",".repeat(10_000));
    let parsed = parse(&text);
    assert!(parsed.problems.len() <= 20 && parsed.root.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_that_serde_json_reads_is_read_alike(value in any_json()) {
        for text in [serde_json::to_string(&value).expect("JSON"), serde_json::to_string_pretty(&value).expect("JSON")] {
            let parsed = parse(&text);
            prop_assert!(parsed.problems.is_empty() && !parsed.is_lossy);
            let expected: Value = serde_json::from_str(&text).expect("JSON");
            prop_assert_eq!(parsed.root.expect("a tree").to_value(), expected);
        }
    }

    #[test]
    fn reports_a_problem_exactly_if_serde_json_fails(text in "[\\[\\]{},:\"\\\\a01e.+\\-/* \n\0\u{feff}tfn]{0,24}") {
        let parsed = parse(&text);
        prop_assert_eq!(parsed.problems.is_empty(), serde_json::from_str::<Value>(&text).is_ok());
        prop_assert!(parsed.problems.iter().all(|found| found.offset <= text.len() && text.is_char_boundary(found.offset)));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(".*", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
