//! Values and output that exceed the maximum length of a reply.

use catalog::{Content, Outcome, Schema, Tool};
use serde_json::{Value, json};
use testing::{field, skip_without, text};

use super::{
    r_fixture::{NUMBER, RFixture, function, returning},
    results::value,
};

#[tokio::test]
async fn long_text_is_truncated_and_stored_in_full() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() cat(strrep('0123456789', 100000))");
    let outcome = fixture.run("f").await;
    assert!(
        text(&outcome, 0).len() < 20_000
            && text(&outcome, 0).contains("left out; to read it, call `read_output` with output")
    );
    assert_eq!(field(&outcome, "truncated"), true);
    let uri = field(&outcome, "output").as_str().unwrap().to_owned();
    assert!(matches!(&outcome.content[1], Content::Link { uri: link, .. } if *link == uri));
    let id = uri.rsplit('/').nth(1).unwrap().to_owned();
    assert_eq!(
        std::fs::metadata(fixture.crib.path(&format!("spill/{id}-stdout"))).unwrap().len(),
        1_000_000
    );
}

#[tokio::test]
async fn a_result_of_100_megabytes_does_not_fill_the_servers_memory() {
    skip_without!("R");
    let fixture = RFixture::with(
        "f <- function() as.numeric(seq_len(13e6))\npid <- function() Sys.getpid()",
        |settings| {
            settings.output_file_bytes = 1 << 30;
        },
    );
    fixture.pid().await;
    let before = peak_memory();
    let outcome = fixture
        .call(returning("f", json!({"type": "array", "items": {"type": "number"}})), json!({}))
        .await;
    let grown = peak_memory() - before;
    assert!(grown < 60_000, "the server grew by {grown} kB");
    let first: Vec<_> = value(&outcome).as_array().unwrap().iter().take(3).cloned().collect();
    assert_eq!(first, [1, 2, 3]);
    let whole = whole(&fixture, &outcome);
    assert!(
        whole.starts_with("[1,2,3,") && whole.ends_with(",12999999,13000000]"),
        "{}",
        whole.len()
    );
}

#[tokio::test]
async fn a_large_nested_result_is_complete_in_its_resource() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() list(label = 'big', rows = data.frame(n = seq_len(60000), t = rep('text', 60000)), m = matrix(1, 2, 2))",
    );
    let schema = json!({"type": "object", "properties": {"label": {"type": "string"}, "rows": {"type": "array"}}});
    let outcome = fixture.call(returning("f", schema), json!({})).await;
    let cut = value(&outcome);
    assert_eq!(cut["label"], "big");
    assert_eq!(cut["rows"][1], json!({"n": 2, "t": "text"}));
    assert!(cut["rows"].as_array().unwrap().len() < 60_000);
    let whole: Value = serde_json::from_str(&whole(&fixture, &outcome)).unwrap();
    assert_eq!(whole["rows"].as_array().unwrap().len(), 60_000);
    assert_eq!(whole["rows"][59_999], json!({"n": 60_000, "t": "text"}));
    assert_eq!(whole["m"], json!([[1, 1], [1, 1]]));
}

/// Values that are long if `n` is large, and the expected notices.
const SHAPES: &[(&str, &str)] = &[
    ("as.list(seq_len(n / 4) + 0.5)", r#"{"type": "array"}"#),
    (
        "lapply(seq_len(n / 20), function(i) list(id = i, tags = c('x', NA)))",
        r#"{"type": "array"}"#,
    ),
    ("list(strrep('x', n * 50), seq_len(n), NULL, list(1, 'x'), 'last')", r#"{"type": "array"}"#),
    ("setNames(as.list(seq_len(n / 10)), paste0('k', seq_len(n / 10)))", r#"{"type": "object"}"#),
    ("setNames(as.list(seq_len(n / 10)), paste0('k', seq_len(n / 10)))", r#"{"type": "array"}"#),
    (
        "list(a = list(b = setNames(as.list(seq_len(n / 10)), paste0('k', seq_len(n / 10)))), c = 1)",
        r#"{"type": "object"}"#,
    ),
    ("setNames(seq_len(n / 10) + 0.5, paste0('k', seq_len(n / 10)))", r#"{}"#),
    (
        "setNames(seq_len(n / 10) + 0.5, paste0('k', seq_len(n / 10)))",
        r#"{"additionalProperties": {"type": "string"}}"#,
    ),
    ("setNames(seq_len(n / 10) + 0.5, paste0('k', seq_len(n / 10)))", r#"{"type": "array"}"#),
    ("as.raw(rep(1:6, length.out = n * 6))", r#"{"type": "string"}"#),
    ("strrep('a\"\u{e9}\u{4e2d}\n', n)", r#"{"type": "string"}"#),
    ("strrep('a\"\u{e9}\u{4e2d}\n', n)", r#"{"type": "array"}"#),
    ("matrix(as.numeric(seq_len(n)), nrow = 1L)", r#"{"type": "array"}"#),
    ("data.frame(a = 1L, b = strrep('x', n * 10))", r#"{"type": "array"}"#),
    ("factor(rep(c('low', 'high'), length.out = n))", r#"{"type": "array"}"#),
    ("as.Date('2024-01-01') + seq_len(n) %% 1000", r#"{"type": "array"}"#),
    ("rep(c('a', NA, '\u{e9}'), length.out = n)", r#"{"type": "array"}"#),
    ("matrix(seq_len(n), ncol = 2L, byrow = TRUE)", r#"{"type": "array"}"#),
    ("data.frame(a = seq_len(n), b = 'x')", r#"{"type": "array"}"#),
    ("data.frame(a = seq_len(n), b = 'x')", r#"{"type": "object"}"#),
    ("structure(list(a = seq_len(n), b = list(1, 'x')), class = 'fit')", r#"{"type": "object"}"#),
];

#[tokio::test]
async fn a_value_sent_in_pieces_has_the_shape_of_a_short_one() {
    skip_without!("R");
    let functions: Vec<_> = SHAPES
        .iter()
        .enumerate()
        .map(|(at, (value, _))| format!("f{at} <- function(n) {value}"))
        .collect();
    let fixture =
        RFixture::with(&functions.join("\n"), |settings| settings.output_file_bytes = 1 << 30);
    for (at, (value, schema)) in SHAPES.iter().enumerate() {
        let tool = Tool {
            output: Some(Schema::new(serde_json::from_str(schema).unwrap())),
            ..function(&format!("f{at}"), &[("n", NUMBER)])
        };
        let short = fixture.call(tool.clone(), json!({"n": 100})).await;
        let long = fixture.call(tool, json!({"n": 400_000})).await;
        assert!(
            long.content.iter().any(|content| matches!(content, Content::Link { .. })),
            "{value}: {:?}",
            text(&long, 0).get(..300)
        );
        assert!(
            serde_json::to_string(&long.structured).unwrap().len() < 200_000,
            "{value} as {schema}"
        );
        let whole: Value = serde_json::from_str(&whole(&fixture, &long)).unwrap();
        assert!(begins(&whole, self::value(&short)), "{value} as {schema}: {short:?}");
    }
}

/// Whether a long value starts with a shorter one.
fn begins(long: &Value, short: &Value) -> bool {
    match (long, short) {
        (Value::Array(long), Value::Array(short)) => {
            long.len() >= short.len()
                && long.iter().zip(short).all(|(long, short)| begins(long, short))
        }
        (Value::Object(long), Value::Object(short)) => {
            short.iter().all(|(name, short)| long.get(name).is_some_and(|long| begins(long, short)))
        }
        (Value::String(long), Value::String(short)) => long.starts_with(short.as_str()),
        (long, short) => long == short,
    }
}

/// The content of the file that holds the full value.
fn whole(fixture: &RFixture, outcome: &Outcome) -> String {
    let link = outcome.content.iter().find_map(|content| match content {
        Content::Link { uri, .. } => Some(uri),
        _ => None,
    });
    let id = link.expect("a link to the whole").rsplit('/').nth(1).unwrap();
    std::fs::read_to_string(fixture.crib.path(&format!("spill/{id}-value"))).unwrap()
}

#[tokio::test]
async fn an_element_of_100_megabytes_is_complete_in_its_resource() {
    skip_without!("R");
    let fixture = RFixture::with(
        "f <- function() list(text = strrep('x', 1e8), n = 1)\npid <- function() Sys.getpid()",
        |settings| {
            settings.output_file_bytes = 1 << 30;
        },
    );
    let pid = fixture.pid().await;
    let outcome = fixture.call(returning("f", json!({"type": "object"})), json!({})).await;
    assert_eq!(value(&outcome)["n"], 1);
    assert!(value(&outcome)["text"].as_str().unwrap().len() < 70_000);
    assert_eq!(whole(&fixture, &outcome).len(), 100_000_000 + r#"{"text":"","n":1}"#.len());
    assert_eq!(fixture.pid().await, pid, "it is still the same R");
}

#[tokio::test]
async fn long_printed_output_is_complete_in_its_resource() {
    skip_without!("R");
    let fixture = RFixture::with("f <- function() seq_len(200000)", |settings| {
        settings.output_file_bytes = 1 << 30
    });
    let outcome = fixture.run("f").await;
    let uri = field(&outcome, "output").as_str().unwrap().to_owned();
    let id = uri.rsplit('/').nth(1).unwrap();
    let printed =
        std::fs::read_to_string(fixture.crib.path(&format!("spill/{id}-stdout"))).unwrap();
    assert!(printed.trim_end().ends_with(" 200000"), "{}", &printed[printed.len() - 200..]);
}

#[tokio::test]
async fn a_long_data_frame_without_a_schema_is_truncated() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() data.frame(n = seq_len(50000))");
    let outcome = fixture.call(function("f", &[]), json!({})).await;
    assert_eq!(field(&outcome, "truncated"), true);
    assert_eq!(field(&outcome, "rows")[2], json!({"n": 3}));
}

/// The peak memory of this process, in kB.
fn peak_memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
