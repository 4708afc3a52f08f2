//! The result envelope: its JSON form and its schema.

use serde_json::{Value, json};
use toolkit::{Content, ErrorForm, Reply, Return, Schema};

fn accepts(schema: &Schema, value: &Value) -> bool {
    schema.validator().unwrap().is_valid(value)
}

#[test]
fn success_result_creation() {
    let reply = Reply::ok(json!({"n": 1})).message("done").instruction("stop here");
    assert!(reply.is_ok());
    assert_eq!(reply.value(), Some(&json!({"n": 1})));
    assert_eq!(
        reply.to_json_str(),
        r#"{"success":true,"value":{"n":1},"message":"done","instruction":"stop here"}"#
    );
}

#[test]
fn failure_result_creation() {
    let cause = "x".parse::<u8>().unwrap_err();
    let reply: Reply<u8> = Reply::failure("not a number", "bad_number")
        .exception(&cause)
        .message("give a number")
        .instruction("do not guess");
    assert!(!reply.is_ok());
    assert_eq!(reply.error(), Some(("not a number", "bad_number")));
    assert_eq!(
        reply.to_json_str(),
        r#"{"success":false,"error":"not a number","error_type":"bad_number","exception_type":"ParseIntError","exception_message":"invalid digit found in string","message":"give a number","instruction":"do not guess"}"#
    );
}

#[test]
fn json_serialization_omits_only_absent_fields() {
    assert_eq!(Reply::ok(()).to_json_str(), r#"{"success":true}"#);
    for empty in [json!(""), json!(0), json!(false), json!([]), json!({})] {
        assert_eq!(
            Reply::ok(empty.clone()).to_json_str(),
            format!(r#"{{"success":true,"value":{empty}}}"#)
        );
    }
    assert_eq!(
        Reply::<()>::failure("e", "t").to_json_str(),
        r#"{"success":false,"error":"e","error_type":"t"}"#
    );
}

#[test]
fn non_ascii_text_is_not_escaped() {
    assert!(Reply::ok("Größe 漢字").to_json_str().contains("Größe 漢字"));
}

#[test]
fn instruction_field_for_agent_guidance_is_separate_from_the_message() {
    let json: Value =
        serde_json::from_str(&Reply::ok(1).instruction("for the agent").to_json_str()).unwrap();
    assert_eq!(json.get("message"), None);
    assert_eq!(json["instruction"], "for the agent");
}

#[test]
fn on_the_wire_the_envelope_is_the_structured_result_and_failures_are_marked() {
    let good = Reply::ok(1).into_outcome().unwrap();
    assert!(!good.failed);
    assert_eq!(good.structured, Some(json!({"success": true, "value": 1})));
    assert_eq!(good.content, [Content::Text(r#"{"success":true,"value":1}"#.to_owned())]);
    let bad = Reply::<u8>::failure("e", "t").into_outcome().unwrap();
    assert!(bad.failed);
}

#[test]
fn the_output_schema_covers_success_and_failure() {
    let schema = Reply::<u8>::output_schema().unwrap();
    assert!(accepts(&schema, &json!({"success": true, "value": 1, "message": "m"})));
    assert!(accepts(
        &schema,
        &json!({"success": false, "error": "e", "error_type": "t", "exception_type": "E"})
    ));
    for bad in [
        json!({"success": true, "value": "x"}),
        json!({"success": false, "error": "e"}),
        json!({"value": 1}),
    ] {
        assert!(!accepts(&schema, &bad), "{bad}");
    }
}

#[test]
fn failures_convert_between_the_envelope_and_the_standard_form() {
    let bad =
        Reply::<u8>::failure("e", "t").message("m").data(json!({"at": 3})).into_outcome().unwrap();
    let envelope = bad.structured.clone();
    let standard = bad.with_errors(ErrorForm::Standard);
    assert_eq!(
        standard.structured,
        Some(
            json!({"status": "failure", "error_type": "t", "error_message": "e", "error_details": {"message": "m", "at": 3}})
        )
    );
    let refused: toolkit::Outcome = toolkit::Failure::new(toolkit::ErrorType::NotFound, "e").into();
    assert_eq!(
        refused.with_errors(ErrorForm::Envelope).structured,
        Some(json!({"success": false, "error": "e", "error_type": "not_found"}))
    );
    let good = Reply::ok(1).into_outcome().unwrap();
    assert_eq!(good.clone().with_errors(ErrorForm::Standard), good, "success has one form");
    assert_eq!(envelope.unwrap()["error_data"], json!({"at": 3}));
}

#[test]
fn the_error_and_its_type_are_never_swapped() {
    let json: Value = serde_json::from_str(
        &Reply::<u8>::failure("not allowed to read `x`", "permission_denied").to_json_str(),
    )
    .unwrap();
    assert_eq!(
        (&json["error"], &json["error_type"]),
        (&json!("not allowed to read `x`"), &json!("permission_denied"))
    );
}
