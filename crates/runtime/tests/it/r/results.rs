//! The value, output, messages and plots of a function, as a caller gets them.

use catalog::Outcome;
use serde_json::{Value, json};

use super::r_fixture::{RFixture, function, returning};
use testing::{field, skip_without, text};

pub(super) fn value(outcome: &Outcome) -> &Value {
    assert!(!outcome.failed, "{outcome:?}");
    outcome.structured.as_ref().expect("a value")
}

#[tokio::test]
async fn the_text_is_the_printed_value() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() { cat('before\\n'); list(n = 1L, t = 'Zoë') }
         quiet <- function() invisible(7)
         nothing <- function() invisible(NULL)",
    );
    assert_eq!(text(&fixture.run("f").await, 0), "before\n$n\n[1] 1\n\n$t\n[1] \"Zoë\"\n\n");
    assert_eq!(
        text(&fixture.run("quiet").await, 0),
        "[1] 7\n",
        "an invisible value is printed if there is no other output"
    );
    assert_eq!(text(&fixture.run("nothing").await, 0), "NULL\n");
}

#[tokio::test]
async fn the_return_schema_determines_the_conversion() {
    skip_without!("R");
    let fixture = RFixture::new(
        "one <- function() 5L
         half <- function() 2.5
         named <- function() list(count = 1L, names = 'a', tags = c('x', 'y'), none = NULL, when = as.Date('2024-12-31'))
         table <- function() data.frame(n = 1:2, t = factor(c('x', NA)), stringsAsFactors = FALSE)
         bare <- function() 1:3",
    );
    for (name, schema, expected) in [
        ("one", json!({"type": "integer"}), json!(5)),
        ("one", json!({"type": "array", "items": {"type": "integer"}}), json!([5])),
        ("one", json!({"type": "string"}), json!("5")),
        ("half", json!({"type": "number"}), json!(2.5)),
        (
            "named",
            json!({"type": "object", "properties": {"count": {"type": "integer"}, "names": {"type": "array"}}}),
            json!({"count": 1, "names": ["a"], "tags": ["x", "y"], "none": null, "when": "2024-12-31"}),
        ),
        (
            "table",
            json!({"type": "array", "items": {"type": "object"}}),
            json!([{"n": 1, "t": "x"}, {"n": 2, "t": null}]),
        ),
        ("table", json!({"type": "object"}), json!({"n": [1, 2], "t": ["x", null]})),
        ("bare", json!({"type": "array", "items": {"type": "number"}}), json!([1, 2, 3])),
        ("bare", json!({"type": "object"}), json!({"value": [1, 2, 3]})),
        ("bare", json!({"type": "string"}), json!("[1] 1 2 3")),
    ] {
        let outcome = fixture.call(returning(name, schema.clone()), json!({})).await;
        assert_eq!(value(&outcome), &expected, "{name} as {schema}");
    }
}

#[tokio::test]
async fn parts_declared_as_text_never_fail_a_call() {
    skip_without!("R");
    let fixture = RFixture::new(
        "fit <- function() list(coef = c(1.5, NA), call = quote(f(x)), n = 3L, more = list(a = 1))",
    );
    let parts =
        ["coef", "call", "n", "more"].map(|part| (part.to_owned(), json!({"type": "string"})));
    let schema =
        json!({"type": "object", "properties": Value::Object(parts.into_iter().collect())});
    let outcome = fixture.call(returning("fit", schema), json!({})).await;
    assert_eq!(
        value(&outcome),
        &json!({"coef": "[1.5,null]", "call": "f(x)", "n": "3", "more": "{\"a\":1}"})
    );
}

#[tokio::test]
async fn single_values_are_unchanged_and_keep_their_warnings() {
    skip_without!("R");
    let values = [
        ("1.5", json!(1.5)),
        ("-0.1", json!(-0.1)),
        ("7L", json!(7)),
        ("TRUE", json!(true)),
        ("NA", json!(null)),
        ("NA_integer_", json!(null)),
        ("NA_real_", json!(null)),
        ("NULL", json!(null)),
        ("numeric(0)", json!([])),
        ("logical(0)", json!([])),
        ("c(1, 2)", json!([1, 2])),
        ("'Zoë'", json!("Zoë")),
        ("as.raw(1)", json!("AQ==")),
    ];
    let code: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(at, (code, _))| format!("v{at} <- function() {code}\n"))
        .collect();
    let code = code.concat() + "warned <- function() { warning('well'); invisible(2) }";
    let fixture = RFixture::new(&code);
    for (at, (code, expected)) in values.iter().enumerate() {
        let outcome = fixture.call(returning(&format!("v{at}"), json!({})), json!({})).await;
        assert_eq!(value(&outcome), expected, "{code}");
    }
    let outcome = fixture.run("warned").await;
    assert_eq!(
        (text(&outcome, 0), field(&outcome, "warnings")),
        ("[1] 2\n", &json!(["well (in warned())"])),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn values_without_a_json_equivalent_are_text_or_null() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() list(f = function(x) x, z = complex(real = 1, imaginary = 2), e = new.env(), n = c(NA, NaN, Inf, 1.5),
                              b = as.raw(1:3), t = as.POSIXct(0.5, origin = '1970-01-01'))",
    );
    let outcome = fixture.call(returning("f", json!({"type": "object"})), json!({})).await;
    let found = value(&outcome);
    assert!(found["f"].as_str().is_some_and(|text| text.starts_with("function")), "{found}");
    assert!(found["e"].as_str().is_some_and(|text| text.starts_with("<environment")), "{found}");
    assert_eq!((&found["z"], &found["n"]), (&json!("1+2i"), &json!([null, null, null, 1.5])));
    assert_eq!((&found["b"], &found["t"]), (&json!("AQID"), &json!("1970-01-01T00:00:00.500Z")));
}

#[tokio::test]
async fn missing_values_become_null() {
    skip_without!("R");
    let fixture = RFixture::new(
        "number <- function() mean(numeric())\nname <- function() NA_character_\nnone <- function() NULL
         all <- function() c(1L, NA)\nparts <- function() list(n = NULL, all = c('a', NA))",
    );
    let parts = json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "all": {"type": "array", "items": {"type": "string"}}}});
    for (name, schema, expected) in [
        ("number", json!({"type": "number"}), json!(null)),
        ("name", json!({"type": "string"}), json!(null)),
        ("none", json!({"type": "integer"}), json!(null)),
        ("all", json!({"type": "array", "items": {"type": "integer"}}), json!([1, null])),
        ("parts", parts, json!({"n": null, "all": ["a", null]})),
    ] {
        assert_eq!(
            value(&fixture.call(returning(name, schema), json!({})).await),
            &expected,
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_value_that_violates_its_schema_fails_and_is_shown() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() 'text'");
    let outcome = fixture.call(returning("f", json!({"type": "integer"})), json!({})).await;
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "error_type"), "invalid_result");
    assert_eq!(text(&outcome, 1), "[1] \"text\"\n");
}

#[tokio::test]
async fn a_value_that_violates_its_schema_names_the_parts() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() list(list(n = 'one', t = NA), list(n = 2L))");
    let item = json!({"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "string"}}});
    let schema = json!({"type": "array", "items": item});
    let outcome = fixture.call(returning("f", schema), json!({})).await;
    let found = &field(&outcome, "error_details")["mismatches"];
    assert_eq!(found, &json!(["`/0/n`: it is not of types \"null\", \"integer\""]));
    assert!(text(&outcome, 0).contains("definition: `/0/n`: it is not"), "{outcome:?}");
}

#[tokio::test]
async fn a_value_that_reports_a_failure_is_one() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() list(success = FALSE, error = 'code is required', line = 3L)
         g <- function() list(success = TRUE, error = NULL, n = 1L)
         h <- function() list(success = FALSE)",
    );
    let schema = || json!({"type": "object"});
    let outcome = fixture.call(returning("f", schema()), json!({})).await;
    assert!(outcome.failed);
    assert_eq!(text(&outcome, 0), "`bench-f` failed: code is required");
    assert_eq!(field(&outcome, "error_type"), "r_error");
    let value = json!({"success": false, "error": "code is required", "line": 3});
    assert_eq!(field(&outcome, "error_details")["value"], value);
    assert!(fixture.run("f").await.failed, "without a schema too");
    assert!(!fixture.call(returning("g", schema()), json!({})).await.failed);
    let without_message = fixture.call(returning("h", schema()), json!({})).await;
    assert!(!without_message.failed, "a tool may return this about something else");
}

#[tokio::test]
async fn a_failure_that_the_sandbox_caused_names_the_keyword() {
    skip_without!("R");
    let fixture = RFixture::new(
        "fetch <- function() readLines('http://127.0.0.1:9/x')
         save <- function() writeLines('x', 'out.txt')",
    );
    let outcome = fixture.run("fetch").await;
    assert!(
        text(&outcome, 0).contains("its sandbox has no network; add the keyword `mcp-network`"),
        "{outcome:?}"
    );
    let mut tool = function("save", &[]);
    tool.annotations.mutates = Some(false);
    let outcome = fixture.call(tool, json!({})).await;
    assert!(
        text(&outcome, 0).contains("may not write")
            && text(&outcome, 0).contains("`mcp-read-only`"),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_data_frame_is_printed_and_returned_as_rows() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() data.frame(n = 1:2, t = c('x', 'ü'))");
    let outcome = fixture.run("f").await;
    assert_eq!(text(&outcome, 0), "  n t\n1 1 x\n2 2 ü\n");
    assert_eq!(field(&outcome, "rows"), &json!([{"n": 1, "t": "x"}, {"n": 2, "t": "ü"}]));
}

#[tokio::test]
async fn warnings_and_messages_are_separate_from_the_value() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() { warning('careful'); message('working'); 1 }");
    let outcome = fixture.call(returning("f", json!({"type": "number"})), json!({})).await;
    assert_eq!(value(&outcome), &json!(1));
    let texts: Vec<_> = (0..outcome.content.len()).map(|index| text(&outcome, index)).collect();
    assert_eq!(texts, ["1", "warnings:\ncareful (in f())", "messages:\nworking"]);
    let outcome = fixture.run("f").await;
    assert_eq!(text(&outcome, 0), "[1] 1\n");
    assert_eq!(field(&outcome, "warnings"), &json!(["careful (in f())"]));
    assert_eq!(field(&outcome, "messages"), &json!(["working"]));
}

#[tokio::test]
async fn printing_does_not_corrupt_the_result() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() {
           cat('\\x01\\x02 B\\n'); system('printf from-a-program; printf to-stderr >&2')
           write('said', stderr()); sink(tempfile()); cat('swallowed'); 42L
         }",
    );
    let outcome = fixture.call(returning("f", json!({"type": "integer"})), json!({})).await;
    assert_eq!(value(&outcome), &json!(42));
    assert_eq!(text(&outcome, 1), "printed:\n\u{1}\u{2} B\nfrom-a-program");
    assert!(
        text(&outcome, 2).contains("to-stderr") && text(&outcome, 2).contains("said"),
        "{outcome:?}"
    );
    let again = fixture.run("f").await;
    assert!(
        text(&again, 0).ends_with("from-a-program[1] 42\n"),
        "a sink is ended with its function: {again:?}"
    );
}

#[tokio::test]
async fn a_value_that_cannot_be_printed_is_a_failure() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) registerS3method('print', 'shy', function(x, ...) stop('not me'))
         f <- function() structure(list(), class = 'shy')\nhidden <- function() invisible(f())",
    );
    for tool in
        [function("f", &[]), function("hidden", &[]), returning("f", json!({"type": "string"}))]
    {
        let outcome = fixture.call(tool, json!({})).await;
        assert_eq!(field(&outcome, "error_type"), "r_error", "{outcome:?}");
        assert!(text(&outcome, 0).ends_with("not me"), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_open_sink_does_not_swallow_the_value() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() { sink(tempfile()); cat('into the file\\n'); 42 }
         quiet <- function() { sink(file(tempfile(), 'w'), type = 'message'); 1 }\nsays <- function() { message('heard'); 1 }
         .onLoad <- function(...) registerS3method('print', 'loud', function(x, ...) message('printed'))
         loud <- function() { sink(file(tempfile(), 'w'), type = 'message'); structure(function() 1, class = 'loud') }",
    );
    assert_eq!(text(&fixture.run("f").await, 0), "[1] 42\n");
    fixture.run("quiet").await;
    assert_eq!(
        field(&fixture.run("says").await, "messages"),
        &json!(["heard"]),
        "the next call has its messages"
    );
    let loud = fixture.call(returning("loud", json!({"type": "string"})), json!({})).await;
    assert_eq!(text(&loud, 1), "messages:\nprinted", "{loud:?}");
}

#[tokio::test]
async fn warnings_of_printing_belong_to_their_call() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) registerS3method('print', 'wary', function(x, ...) {
           for (i in seq_len(x[[1]])) warning('careful')
           cat('shown\\n')
         })
         f <- function(times = 1) invisible(structure(list(times), class = 'wary'))\ng <- function() 1\nh <- function() f(60)",
    );
    let outcome = fixture.run("f").await;
    assert_eq!(
        (text(&outcome, 0), field(&outcome, "warnings").as_array().map(Vec::len)),
        ("shown\n", Some(1)),
        "{outcome:?}"
    );
    assert!(fixture.run("g").await.structured.is_none(), "the next call has none of them");
    let many = fixture.run("h").await;
    assert_eq!(
        field(&many, "notes"),
        &json!(["there were 60 warnings, and only the first 50 are returned"]),
        "{many:?}"
    );
}

#[tokio::test]
async fn methods_of_a_class_do_not_affect_the_worker() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) {
           for (name in c('length', 'names', 'is.numeric', 'dim')) registerS3method(name, 'odd', function(x, ...) stop('no ', name))
         }
         f <- function() structure(list(a = 1), class = 'odd')",
    );
    let tool = || returning("f", json!({"type": "object"}));
    for _ in 0..2 {
        assert_eq!(value(&fixture.call(tool(), json!({})).await), &json!({"a": 1}));
    }
}

#[tokio::test]
async fn warnings_beyond_the_first_fifty_are_counted() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() { for (i in 1:60) warning('number ', i); 1 }");
    let outcome = fixture.run("f").await;
    let said = outcome.content.iter().map(|content| format!("{content:?}")).collect::<String>();
    assert!(said.contains("number 50") && !said.contains("number 51"), "{said}");
    assert!(said.contains("there were 60 warnings, and only the first 50 are returned"), "{said}");
}

#[tokio::test]
async fn rows_keep_their_names_unless_the_schema_forbids_it() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() data.frame(n = 1:2, row.names = c('first', 'second'))\ng <- function() data.frame(n = 1:2)[2, , drop = FALSE]",
    );
    let rows = json!({"type": "array", "items": {"type": "object"}});
    let outcome = fixture.call(returning("f", rows.clone()), json!({})).await;
    assert_eq!(value(&outcome), &json!([{"_row": "first", "n": 1}, {"_row": "second", "n": 2}]));
    let closed = json!({"type": "array", "items": {"type": "object", "properties": {"n": {}}, "additionalProperties": false}});
    assert_eq!(
        value(&fixture.call(returning("f", closed), json!({})).await),
        &json!([{"n": 1}, {"n": 2}])
    );
    assert_eq!(
        value(&fixture.call(returning("g", rows), json!({})).await),
        &json!([{"n": 2}]),
        "a number is no name"
    );
}
