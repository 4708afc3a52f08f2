//! Values of R that are hard to convert: names, factors, data frames in data frames.

use catalog::Outcome;
use serde_json::{Value, json};

use super::r_fixture::{RFixture, returning};
use testing::{field, skip_without};

const ANY: [&str; 6] = ["object", "array", "string", "number", "boolean", "null"];

/// The result of each function of a package, without a declared type.
async fn assert_values(values: &[(&str, Value)]) {
    let code: String = values
        .iter()
        .enumerate()
        .map(|(at, (code, _))| format!("v{at} <- function() {code}\n"))
        .collect();
    let fixture = RFixture::new(&code);
    for (at, (code, expected)) in values.iter().enumerate() {
        let outcome: Outcome =
            fixture.call(returning(&format!("v{at}"), json!({"type": ANY})), json!({})).await;
        assert_eq!(outcome.structured.as_ref(), Some(expected), "{code}: {outcome:?}");
    }
}

#[tokio::test]
async fn every_member_has_a_unique_name() {
    skip_without!("R");
    assert_values(&[
        ("list(a = 1, a = 2)", json!({"a": 1, "a.1": 2})),
        ("c(a = 1, a = 2)", json!({"a": 1, "a.1": 2})),
        ("list(1, 2, a = 3)", json!({"1": 1, "2": 2, "a": 3})),
        ("setNames(1:2, c('a', NA))", json!({"a": 1, "2": 2})),
        ("setNames(list(1, 2), c('', ''))", json!([1, 2])),
        ("structure(list(), names = character())", json!({})),
        ("data.frame(a = 1, a = 2, check.names = FALSE)", json!([{"a": 1, "a.1": 2}])),
    ])
    .await;
}

#[tokio::test]
async fn groups_keep_their_names_and_arrays_their_shape() {
    skip_without!("R");
    assert_values(&[
        ("table(c('x', 'y', 'x'))", json!({"x": 2, "y": 1})),
        ("tapply(c(1, 3, 5), c('x', 'x', 'y'), mean)", json!({"x": 2, "y": 5})),
        ("array(1:2, 2)", json!([1, 2])),
        ("array(1:8, c(2, 2, 2))", json!([[[1, 5], [3, 7]], [[2, 6], [4, 8]]])),
        (
            "array(1:4, c(2, 2, 1), list(c('x', 'y'), NULL, NULL))",
            json!({"x": [[1], [3]], "y": [[2], [4]]}),
        ),
    ])
    .await;
}

#[tokio::test]
async fn nested_table_columns_are_split_by_row() {
    skip_without!("R");
    assert_values(&[
        (
            "aggregate(v ~ g, data.frame(v = 1:4, g = c('x', 'x', 'y', 'y')), range)",
            json!([{"g": "x", "v": [1, 2]}, {"g": "y", "v": [3, 4]}]),
        ),
        (
            "aggregate(v ~ g, data.frame(v = 1:4, g = c('x', 'x', 'y', 'y')), function(v) c(low = min(v), high = max(v)))",
            json!([{"g": "x", "v": {"low": 1, "high": 2}}, {"g": "y", "v": {"low": 3, "high": 4}}]),
        ),
        ("data.frame(m = I(matrix(1:4, 2)))", json!([{"m": [1, 3]}, {"m": [2, 4]}])),
        (
            "{ d <- data.frame(a = 1:2); d$inner <- data.frame(p = 3:4, q = c('x', NA)); d }",
            json!([{"a": 1, "inner": {"p": 3, "q": "x"}}, {"a": 2, "inner": {"p": 4, "q": null}}]),
        ),
        ("matrix(numeric(), 2e9, 0)", json!([])),
    ])
    .await;
}

#[tokio::test]
async fn versions_and_complex_numbers_are_text() {
    skip_without!("R");
    assert_values(&[
        ("numeric_version(c('1.2', '3'))", json!(["1.2", "3"])),
        ("complex(real = c(1, 22.5), imaginary = c(a = 2, b = NA))", json!(["1+2i", null])),
        ("list(of = package_version('1.10.0'), plain = 1)", json!({"of": "1.10.0", "plain": 1})),
    ])
    .await;
}

/// As in the package `bit64`: the bits of an integer stored in a double.
#[tokio::test]
async fn long_integers_are_numbers_if_they_stay_exact() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) {
           registerS3method('as.double', 'integer64', function(x, ...) unclass(x) / 2^-1074)
           registerS3method('as.character', 'integer64', function(x, ...) ifelse(is.na(unclass(x)), NA, 'text'))
         }
         long <- function(n) structure(n * 2^-1074, class = 'integer64')
         small <- function() long(5)\nrows <- function() data.frame(id = 1:2, n = I(long(c(7, NA))))\nhuge <- function() long(c(2^53, NA))",
    );
    let of = |name: &str, schema: Value| fixture.call(returning(name, schema), json!({}));
    assert_eq!(of("small", json!({"type": "integer"})).await.structured, Some(json!(5)));
    assert_eq!(of("huge", json!({"type": "array"})).await.structured, Some(json!(["text", null])));
    assert_eq!(
        of("rows", json!({"type": "array"})).await.structured,
        Some(json!([{"id": 1, "n": 7}, {"id": 2, "n": null}]))
    );
}

#[tokio::test]
async fn values_nested_too_deeply_for_clients_are_text() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() { x <- 1; for (i in 1:1000) x <- list(x); x }");
    let outcome = fixture.call(returning("f", json!({"type": "array"})), json!({})).await;
    assert!(!outcome.failed, "{}", field(&outcome, "error_message"));
    let mut value = outcome.structured.as_ref().expect("a value");
    let mut depth = 0;
    while let Some(inner) = value.get(0) {
        (value, depth) = (inner, depth + 1);
    }
    assert!(value.is_string() && depth == 100, "{depth}");
}
