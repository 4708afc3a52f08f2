//! roxygen2 comments in; YAML and diagnostics out.

use catalog::{Diagnostic, SourceId};
use formats::Guidance;
use proptest::prelude::*;
use roxygen::{Compiled, Definition, Measured, Writer, compile, compile_with, writer_of};
use serde_json::{Value, json};

pub(crate) fn files(files: &[(&str, &str)]) -> Vec<(SourceId, String)> {
    files.iter().map(|(name, text)| (SourceId::new(name), (*text).to_owned())).collect()
}

pub(crate) fn build(text: &str) -> Compiled {
    compile("pkg", &files(&[("R/a.R", text)]))
}

/// The file of a definition, as a reader of YAML has it.
pub(crate) fn document(definition: &Definition) -> Value {
    let text = definition.to_yaml(&Measured::default());
    let reading = formats::read(
        &SourceId::new(definition.file_name()),
        text.as_bytes(),
        &Guidance::default(),
    );
    assert!(
        !reading.diagnostics.iter().any(Diagnostic::is_error),
        "{:#?}\n{text}",
        reading.diagnostics
    );
    check_draft_7(&text);
    formats::yaml_value(&text).unwrap_or_else(|| panic!("{text}"))
}

/// What the format's document says under "JSON Schema Compliance".
fn check_draft_7(text: &str) {
    let value = formats::yaml_value(text).expect("YAML");
    assert!(
        jsonschema::validator_for(&formats::rave_schema()).expect("a schema").is_valid(&value),
        "{text}"
    );
    for schema in
        [&value["parameters"], &value["returns"]].into_iter().filter(|schema| !schema.is_null())
    {
        jsonschema::draft7::meta::validate(schema)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        check_types(schema);
    }
    assert!(value["parameters"]["required"].is_array());
    let properties = value["parameters"]["properties"].as_object().expect("properties");
    assert!(properties.values().all(|property| property["description"].is_string()), "{text}");
}

/// Every property has a type, every array has items, and a default is a value that could be given.
fn check_types(schema: &Value) {
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
    };
    assert!(!schema["type"].is_null(), "{schema}");
    assert!(!is("array") || schema["items"].is_object(), "{schema}");
    assert!(schema.get("enum").is_none_or(Value::is_array), "{schema}");
    let validator = jsonschema::draft7::new(schema).expect("a schema");
    let examples = schema["examples"].as_array().into_iter().flatten();
    for value in schema.get("default").into_iter().chain(examples) {
        assert!(validator.is_valid(value), "{value} in {schema}");
    }
    schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .for_each(|(_, property)| check_types(property));
    schema.get("items").into_iter().for_each(check_types);
}

pub(crate) fn found<'a>(diagnostics: &'a [Diagnostic], code: &str) -> Vec<&'a Diagnostic> {
    diagnostics.iter().filter(|found| found.code == code).collect()
}

/// The line, counted from 1, of each diagnostic of a code.
pub(crate) fn lines(compiled: &Compiled, code: &str, text: &str) -> Vec<usize> {
    let line = |found: &Diagnostic| {
        text[..formats::locate(text, &found.origin.place).start].matches('\n').count() + 1
    };
    found(&compiled.diagnostics, code).into_iter().map(line).collect()
}

/// A property of a type and a description.
pub(crate) fn of(kind: &str, description: &str) -> Value {
    json!({"type": kind, "description": description})
}

/// The same with more said.
pub(crate) fn and(mut property: Value, more: Value) -> Value {
    let more = more.as_object().expect("an object").clone();
    property.as_object_mut().expect("an object").extend(more);
    property
}

#[test]
fn a_long_signature_and_odd_names_are_read() {
    let formals: String = (0..60).map(|n| format!("  p{n} = {n}L, # remark ) {n}\n")).collect();
    let text = format!(
        "#' T\n#' @keywords mcp-tool\n`odd name` <- f <- (function(\n{formals}  `a b` = NULL\n) 1)\n"
    );
    let compiled = build(&text);
    assert_eq!(
        found(&compiled.diagnostics, "TC024").len(),
        1,
        "a name that clients refuse is said"
    );
    let good = build(&text.replace("`odd name`", "\"ok\""));
    let properties = document(&good.definitions[0])["parameters"]["properties"].clone();
    assert_eq!(good.definitions[0].tool, "pkg-ok");
    assert_eq!(
        (properties.as_object().map(serde_json::Map::len), &properties["p59"]["default"]),
        (Some(61), &json!(59))
    );
}

#[test]
fn vectors_that_are_defaults_are_choices_or_arrays() {
    let text = "#' T\n#' @param xlim Axis limits\n#' @param ylim Numeric, axis limits\n#' @param status Which to take\n#' @param axis Character, the axis\n\
                #' @param metrics What to compute\n#' @param tags Character[] the tags\n#' @param flags Logical, the flags\n#' @param ids Integer vector, ids\n\
                #' @param one Character string, one\n#' @param p Probability, a number between 0 and 1\n#' @param n Integer between 1 and 10\n#' @keywords mcp-tool\n\
                f <- function(xlim = c(0, 1.5), ylim = c(-1L, 1), status = c(\"open\", \"shut\"), axis = c(\"x\", \"y\"), metrics = c(\"mean\", \"sd\"),\n\
                  tags = c(\"a\", \"b\"), flags = c(TRUE, FALSE), ids = 7L, one = c(\"only\"), p = 0.5, n = 20L) 1\n";
    let properties = document(&build(text).definitions[0])["parameters"]["properties"].clone();
    let expected = json!({
        "xlim": {"type": "array", "description": "Axis limits", "items": {"type": "number"}, "default": [0, 1.5]},
        "ylim": {"type": "array", "description": "axis limits", "items": {"type": "number"}, "default": [-1, 1]},
        "status": {"type": "string", "description": "Which to take", "enum": ["open", "shut"], "default": "open"},
        "axis": {"type": "string", "description": "the axis", "enum": ["x", "y"], "default": "x"},
        "metrics": {"type": "string", "description": "What to compute", "enum": ["mean", "sd"]},
        "tags": {"type": "array", "description": "the tags", "items": {"type": "string", "enum": ["a", "b"]}},
        "flags": {"type": "array", "description": "the flags", "items": {"type": "boolean"}, "default": [true, false]},
        "ids": {"type": "array", "description": "ids", "items": {"type": "integer"}, "default": [7]},
        "one": {"type": "string", "description": "one", "default": "only"},
        "p": {"type": "number", "description": "Probability, a number between 0 and 1", "minimum": 0, "maximum": 1, "default": 0.5},
        "n": {"type": "integer", "description": "Integer between 1 and 10", "default": 20},
    });
    for (name, property) in expected.as_object().expect("an object") {
        assert_eq!(&properties[name], property, "{name}");
    }
}

#[test]
fn numbers_are_exact() {
    let text = "#' T\n#' @keywords mcp-tool\nf <- function(a = 0.1, b = 1e-20, c = 12345678901234567, d = 0x10, e = 1e3L, g = -.5, h = 1e5, i = 2147483648) 1\n";
    let yaml = build(text).definitions[0].to_yaml(&Measured::default());
    let defaults: Vec<_> =
        yaml.lines().filter_map(|line| line.trim().strip_prefix("default: ")).collect();
    assert_eq!(
        defaults,
        ["0.1", "1.0e-20", "12345678901234567", "16", "1000", "-0.5", "100000", "2147483648"]
    );
}

#[test]
fn hidden_parameters_never_appear() {
    let compiled = build(
        "#' Search\n#' @param query Character. Search query\n#' @param .state_env Environment. Session state\n#' @keywords mcp-tool\nf <- function(query, .state_env = NULL) query\n",
    );
    let tool = document(&compiled.definitions[0]);
    assert_eq!(
        tool["parameters"],
        json!({"type": "object", "properties": {"query": of("string", "Search query")}, "required": ["query"]})
    );
    assert!(!compiled.definitions[0].to_yaml(&Measured::default()).contains(".state_env"));
}

#[test]
fn a_hidden_parameter_that_nobody_can_give_is_said() {
    let text = "#' T\n#' @param n Integer, n\n#' @examples f()\n#' @keywords mcp-tool\n\
                f <- function(\n  .data,\n  n = 1L,\n  .state_env,\n  .by = NULL,\n  ...\n) n\n";
    let compiled = build(text);
    assert_eq!(lines(&compiled, "TC722", text), [6], "not what has a default or is provided");
    assert_eq!(compiled.diagnostics.len(), 1);
    assert_eq!(compiled.definitions.len(), 1, "it may work where R does not use it");
}

#[test]
fn names_of_parameters_may_be_in_backticks() {
    let text = "#' T\n#' @param `my arg` Numeric, x\n#' @param `a,b`, c,`d` Integer, three\n#' @examples f()\n#' @keywords mcp-tool\n\
                f <- function(`my arg`, `a,b`, c, d) 1\n";
    let compiled = build(text);
    let three = || of("integer", "three");
    let expected = json!({"my arg": of("number", "x"), "a,b": three(), "c": three(), "d": three()});
    assert_eq!(document(&compiled.definitions[0])["parameters"]["properties"], expected);
    assert_eq!(compiled.diagnostics, []);
}

#[test]
fn documentation_is_inherited_within_the_package() {
    let own = "#' Tool\n#' @inheritParams base_fun\n#' @inheritParams utils::head\n#' @param own Character, mine\n#' @keywords mcp-tool\n\
               tool <- function(own, x, y, z, top) NULL\n\n#' Second\n#' @rdname page\n#' @keywords mcp-tool\nsecond <- function(p, q = 1L) NULL\n";
    let other = "#' Base\n#' @param x,y Integer, both\n#' @inheritParams deeper\nbase_fun <- function(x, y, z) NULL\n\n\
                 #' @param z Logical, deep\n#' @inheritParams base_fun\ndeeper <- function(z) NULL\n";
    let page = "#' The page\n#' @param p Numeric, of the page\n#' @param q Integer, of the page\n#' @return Integer, a count\n#' @examples\n#' page(1)\n#' @name page\nNULL\n";
    let compiled = compile(
        "pkg",
        &files(&[("R/a.R", own), ("R/b.R", other), ("R/c.R", page), ("R/d.R", "broken <- (\n")]),
    );
    let tool = document(&compiled.definitions[0])["parameters"]["properties"].clone();
    assert_eq!(
        (&tool["x"], &tool["y"], &tool["z"]),
        (&of("integer", "both"), &of("integer", "both"), &of("boolean", "deep"))
    );
    let second = document(&compiled.definitions[1]);
    assert_eq!(second["parameters"]["properties"]["p"], of("number", "of the page"));
    assert_eq!(
        (&second["description"], &second["returns"]),
        (&json!("Second"), &of("integer", "a count"))
    );
    assert_eq!(second["implementation_example"], "page(1)\n");
    assert_eq!(lines(&compiled, "TC168", own), [3], "what is not in the package is said");
    assert_eq!(lines(&compiled, "TC155", own), [6], "and what stays undocumented, too");
    assert!(
        found(&compiled.diagnostics, "TC150").is_empty(),
        "files that have nothing to do with tools are not read"
    );
}

#[test]
fn templates_and_files_with_examples_are_read() {
    let own = "#' One\n#' @template shared\n#' @templateVar what weight\n#' @template gone\n#' @template code\n#' @examples\n#' one(1)\n\
               #' @example tests/more.R\n#' @example ../secret.R\n#' @examples\n#' one(3)\n#' @keywords mcp-tool\none <- function(x, y) x\n";
    let others = |path: &str| {
        match path {
        "man-roxygen/shared.R" => {
            Some("#' @param x Integer, the <%= what %>\n#'   of it\n#' @foo bar\n#' @param y Logical, y too\n".to_owned())
        }
        "man/roxygen/templates/code.R" => Some("#' @param y <%= toupper('x') %>\n".to_owned()),
        "tests/more.R" => Some("# more\r\none(2)\r\n".to_owned()),
        _ => None,
    }
    };
    let compiled = compile_with("pkg", &files(&[("R/a.R", own)]), &others);
    let tool = document(&compiled.definitions[0]);
    let properties = &tool["parameters"]["properties"];
    assert_eq!(properties["x"], of("integer", "the weight of it"));
    assert_eq!(properties["y"], of("boolean", "y too"));
    assert_eq!(tool["implementation_example"], "one(1)\n# more\none(2)\none(3)\n");
    assert_eq!(
        lines(&compiled, "TC720", own),
        [4, 5, 9],
        "no such template, R code in one, and no such file"
    );
    assert!(found(&compiled.diagnostics, "TC169").is_empty());
}

#[test]
fn of_two_functions_of_a_name_the_last_counts() {
    let text = "#' One\n#' @examples f()\n#' @keywords mcp-tool\nf <- function(a) 1\n#' Two\n#' @examples f()\n#' @keywords mcp-tool\nf <- function(b) 2\n";
    let compiled = build(text);
    let names: Vec<_> = compiled
        .definitions
        .iter()
        .map(|definition| document(definition)["description"].clone())
        .collect();
    assert_eq!(names, ["Two"]);
    assert_eq!(lines(&compiled, "TC721", text), [1]);
}

#[test]
fn what_cannot_be_a_tool_is_said() {
    for (text, code, line) in [
        ("#' T\n#' @keywords mcp-tool\nf <- memoise(function(x) x)\n", "TC151", 1),
        ("x <- 1\n#' T\n#' @keywords mcp-tool\nNULL\n", "TC151", 2),
        ("#' T\n#' @keywords mcp-tool\n", "TC151", 1),
        ("#' T\n#' @keywords mcp-tool mcp-dangerouss\nf <- function() 1\n", "TC153", 2),
        ("#' T\n#' @keywords mcp-tool\nf <- function(a b) 1\n", "TC150", 3),
    ] {
        let compiled = build(text);
        assert!(compiled.definitions.is_empty(), "{text}");
        assert_eq!(lines(&compiled, code, text)[0], line, "{text}");
        assert!(compiled.diagnostics.iter().any(Diagnostic::is_error), "{text}");
    }
}

#[test]
fn a_gap_in_a_block_loses_nothing() {
    let text = "#' Title\n#' @description First\n\n# a remark\n#' @param x Integer, x\n#' @keywords mcp-tool\nf <- function(x) x\n";
    let compiled = build(text);
    let tool = document(&compiled.definitions[0]);
    assert_eq!(
        (&tool["description"], &tool["parameters"]["properties"]["x"]),
        (&json!("First"), &of("integer", "x"))
    );
    assert_eq!(lines(&compiled, "TC152", text), [5]);
}

#[test]
fn code_is_kept_as_it_is_written() {
    let text = "#' T\n#' @examples\n#' # a remark\n#' x <- list(\n#'   a = 1\n#' )\n#'\n#' \\dontrun{\n#' obj@slot\n#' }\n#' @keywords mcp-tool\nf <- function() 1\n";
    let compiled = build(text);
    assert_eq!(
        document(&compiled.definitions[0])["implementation_example"],
        "# a remark\nx <- list(\n  a = 1\n)\n\nobj@slot\n"
    );
    let example = compiled.definitions[0].example.clone().expect("an example");
    assert!(!example.run.contains("slot"));
}

#[test]
fn output_stands_behind_the_code() {
    let text = "#' T\n#' @examples\n#' f(1)\n#' @keywords mcp-tool\nf <- function(x) x\n";
    let definition = &build(text).definitions[0];
    let measured = Measured::of_run("[1] 1\n\n$a\n", 0.0234);
    let yaml = definition.to_yaml(&measured);
    assert!(
        yaml.ends_with("implementation_example: |\n  f(1)\n  #\n  #> [1] 1\n  #>\n  #> $a\nexecution_time: 0.023\n"),
        "{yaml}"
    );
    let kept = definition.measured_in(&yaml);
    assert_eq!((definition.to_yaml(&kept), kept.seconds), (yaml.clone(), Some(0.023)));
    let other = &build(&text.replace("f(1)", "f(2)")).definitions[0];
    assert_eq!(other.measured_in(&yaml), Measured::default(), "other code has no output yet");
    let cut = definition.to_yaml(&Measured::of_run(&"line\n".repeat(500), 1.0));
    assert!(cut.contains("#> [... 440 more lines]"), "{cut}");
    assert_eq!(definition.to_yaml(&definition.measured_in(&cut)), cut, "what was cut stays cut");
}

#[test]
fn writers_are_told_apart() {
    let own = build("#' T\n#' @keywords mcp-tool\nf <- function(x) x\n").definitions[0]
        .to_yaml(&Measured::default());
    assert_eq!(writer_of(&own), Writer::Toolcrib);
    assert_eq!(
        writer_of("# This file is automatically generated by tricobbler::mcptool_build(). \n"),
        Writer::Generator
    );
    assert_eq!(writer_of("name: mine\n"), Writer::Person);
}

#[test]
fn every_bad_example_of_a_build_rule_has_its_problem() {
    for rule in roxygen::RULES {
        let bad = build(rule.bad);
        let found = found(&bad.diagnostics, rule.code);
        assert!(!found.is_empty(), "{}: {:#?}", rule.code, bad.diagnostics);
        assert!(found.iter().any(|found| found.severity == rule.severity), "{}", rule.code);
        assert!(
            bad.diagnostics.iter().all(|found| found.code == rule.code),
            "{}: {:#?}",
            rule.code,
            bad.diagnostics
        );
        let good = build(rule.good);
        assert!(good.diagnostics.is_empty(), "{}: {:#?}", rule.code, good.diagnostics);
    }
    let codes: Vec<_> = roxygen::RULES.iter().map(|rule| rule.code).collect();
    assert!(
        codes.is_sorted()
            && codes.iter().all(|code| formats::RULES.iter().all(|rule| rule.code != *code))
    );
}

#[test]
fn a_package_cut_or_changed_anywhere_never_panics() {
    let text = "#' T \\code{\"x}\n#' @param a,b [`f()`](x) \\item{a}{\\describe{\\item{\n#' @param é Character(1) or NULL\n#' @examplesIf x\n#' \\dontrun{\n\
                #' @return A list: \\describe{\\item{a}{Integer[]}}\n#' @keywords mcp-tool\nf <- function(a = c(x = \"\\u{e9}\", r\"(y)\"), b = -1e400, é = list(1, a = NULL)) { %}% }\n";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        build(&text[..end]);
        build(&text[end..]);
        for change in ["\"", "{", "}", "\\", "`", "\n", "#", "@", "[", "*", "é"] {
            build(&format!(
                "{}{change}{}",
                &text[..end],
                text[end..].chars().skip(1).collect::<String>()
            ));
        }
    }
}

/// Pieces of documentation and code, in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "#' ",
        "\n",
        "@param ",
        "@return ",
        "@examples\n",
        "@keywords mcp-tool\n",
        "x,y ",
        "Character",
        " vector",
        "[]",
        " or NULL",
        ", ",
        ". ",
        "\\code{",
        "\\item{a}{",
        "\\describe{",
        "}",
        "`",
        "**",
        "[f()]",
        "(",
        ")",
        "\"",
        "'",
        "e.g. ",
        "Default ",
        "between 0 and 1",
        "é",
        "\\",
        "%",
        "f <- function(",
        "x = c(\"a\", \"b\")",
        ") ",
        "{ 1 }",
        "\n\n",
        "# ",
        "\\dontrun{",
        "@rdname f\n",
        "@inheritParams f\n",
        "1e",
        "-",
        "NULL",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_documented_is_written_well(text in soup()) {
        let text = format!("{text}\n#' @keywords mcp-tool\nlast <- function(x = 1) x\n");
        let compiled = build(&text);
        for found in &compiled.diagnostics {
            prop_assert!(formats::locate(&text, &found.origin.place).end <= text.len());
        }
        for definition in &compiled.definitions {
            document(definition);
        }
    }
}
