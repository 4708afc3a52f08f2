//! Programs that read their arguments as JSON and print JSON.

use catalog::{Implementation, OnMismatch, Schema, Tool, implementation::Piece};
use serde_json::json;
use testing::{RuntimeFixture, field, object, process_tool, text};

use crate::pieces::word;

/// A shell script that reads JSON.
fn script(script: &str) -> Tool {
    let mut tool = process_tool("sh", vec![word("-c"), word(script), Piece::Json]);
    tool.on_mismatch = Some(OnMismatch::Warn);
    tool
}

#[tokio::test]
async fn passes_arguments_on_stdin_and_returns_stdout_as_the_result() {
    let crib = RuntimeFixture::new();
    let outcome =
        crib.call(script("cat; echo hint >&2"), json!({"a": "é $(x) '", "b": [1, null]})).await;
    assert_eq!(outcome.structured, Some(json!({"a": "é $(x) '", "b": [1, null]})), "{outcome:?}");
    assert_eq!(text(&outcome, 1), "messages:\nhint");
    let plan = crib.plan(&script("cat"), json!({"a": "; rm -rf /"})).unwrap();
    assert_eq!(plan["argv"], json!(["sh", "-c", "cat"]), "nothing of the arguments is on the line");
    assert_eq!(plan["stdin"], r#"{"a":"; rm -rf /"}"#);
}

#[tokio::test]
async fn reports_the_json_error_of_a_program_or_its_failure() {
    let crib = RuntimeFixture::new();
    let error = r#"{"status": "failure", "error_type": "NoDisk", "error_message": "full", "error_details": {"free": 0}}"#;
    for code in [0, 4] {
        let outcome = crib.call(script(&format!("echo '{error}'; exit {code}")), json!({})).await;
        assert!(outcome.failed);
        assert_eq!(
            (field(&outcome, "error_type"), &field(&outcome, "error_details")["free"]),
            (&json!("NoDisk"), &json!(0))
        );
    }
    let outcome = crib.call(script("echo '{}'; echo broken >&2; exit 4"), json!({})).await;
    assert_eq!(
        (field(&outcome, "error_type"), field(&outcome, "exit_code")),
        (&json!("nonzero_exit"), &json!(4))
    );
    let outcome = crib.call(script("echo all is well"), json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "not_json");
    assert!(text(&outcome, 0).contains("print only the result"), "{outcome:?}");
}

#[tokio::test]
async fn validates_results_against_the_output_schema() {
    let crib = RuntimeFixture::new();
    let mut tool = script("echo '{\"lines\": \"three\"}'");
    tool.output = Some(Schema::new(object(
        json!({"type": "object", "properties": {"lines": {"type": "integer"}}}),
    )));
    let told = crib.call(tool.clone(), json!({})).await;
    assert!(
        !told.failed && text(&told, 1).starts_with("note: the result of `tool` does not match"),
        "{told:?}"
    );
    tool.on_mismatch = Some(OnMismatch::Fail);
    assert_eq!(field(&crib.call(tool, json!({})).await, "error_type"), "output_mismatch");
}

#[tokio::test]
async fn a_long_result_is_parsed_whole_and_returned_truncated() {
    let crib = RuntimeFixture::new();
    let outcome = crib
        .call(
            script("printf '{\"a\": \"'; head -c 300000 /dev/zero | tr '\\0' x; printf '\"}'"),
            json!({}),
        )
        .await;
    let length = field(&outcome, "a").as_str().unwrap().len();
    assert!(!outcome.failed && length > 16_000 && length < 17_000, "{length}");
    assert!(
        text(&outcome, 1)
            .starts_with("[the value is truncated; to read it, call `read_output` with"),
        "{}",
        text(&outcome, 1)
    );
}

#[tokio::test]
async fn plans_contain_no_secret_input() {
    let crib = RuntimeFixture::new();
    let mut tool = script("cat");
    let schema =
        json!({"type": "object", "properties": {"api_key": {"type": "string", "writeOnly": true}}});
    tool.input = Schema::new(object(schema));
    let arguments = object(json!({"api_key": "a\"b\\c"}));
    let plan = crib.runtime.plan(&Default::default(), &tool, &arguments).unwrap().to_json();
    assert!(!plan.to_string().contains("b\\\\c"), "{plan}");
    assert!(matches!(tool.implementation, Implementation::Process(_)));
}
