//! Rules about specification documents, and those of them that apply to other formats too.

use catalog::{Catalog, Diagnostic, Example, Implementation, SourceId};
use formats::Guidance;
use lint::Context;
use serde_json::{Map, json};
use testing::echo_tool;

use crate::tools::{NONE, codes, tool_with_description, tool_with_parameter};

/// A specification without problems.
const COMPLETE: &str = include_str!("../../../formats/tests/it/specs/whole.md");

/// The diagnostics for a specification.
fn check_page(text: &str) -> Vec<Diagnostic> {
    let reading = formats::read(
        &SourceId::new("MCP_TOOL_SPECIFICATION.md"),
        text.as_bytes(),
        &Guidance::default(),
    );
    assert_eq!(reading.diagnostics, [], "the page has no syntax problems");
    lint::check(
        &Catalog::merge(reading.tools).0,
        &Context { crib: "c".into(), ..Context::default() },
    )
}

/// Codes and messages for the complete specification with `from` replaced by `to`.
fn check_replaced(from: &str, to: &str) -> Vec<String> {
    assert!(COMPLETE.contains(from), "{from}");
    check_page(&COMPLETE.replace(from, to))
        .iter()
        .map(|found| format!("{} {}", found.code, found.message))
        .collect()
}

#[test]
fn a_complete_specification_has_no_findings() {
    assert_eq!(check_page(COMPLETE), []);
}

#[test]
fn reports_every_missing_section() {
    for title in ["Purpose", "Invocation", "Output", "Error", "Idempotency", "Usage", "Security"] {
        let start = COMPLETE
            .find(&format!(". {title}"))
            .or_else(|| COMPLETE.find(&format!(". Tool {title}")))
            .expect("the section")
            - 1;
        let start = COMPLETE[..start].rfind("### ").expect("a heading");
        let end = COMPLETE[start + 4..].find("### ").map_or(COMPLETE.len(), |end| start + 4 + end);
        let missing = check_page(&format!("{}{}", &COMPLETE[..start], &COMPLETE[end..]));
        let messages = missing
            .iter()
            .filter(|found| found.code == "TC405")
            .map(|found| found.message.as_str())
            .collect::<Vec<_>>();
        assert!(messages.len() == 1 && messages[0].contains(title), "{title}: {missing:?}");
    }
}

#[test]
fn security_must_cover_risky_parameters() {
    let answer = "- **File Paths**: The path must lie below the project folder; links that lead out of it are refused.\n";
    let asked =
        |parameter: &str| check_replaced(answer, "").iter().any(|line| line.contains(parameter));
    assert!(asked("`path` is a path"));
    for (name, what) in [("command", "a command"), ("base_url", "an address"), ("sql", "a query")] {
        let row = "| `skip_blank` | `boolean` | No | Whether blank lines are left out. Default: `false` | `true` |";
        let messages =
            check_replaced(row, &format!("| `{name}` | `string` | No | Something | `\"x\"` |"));
        assert_eq!(
            messages,
            [format!(
                "TC508 `{name}` is {what}, but this section does not state what it may reach"
            )]
        );
    }
    assert_eq!(
        check_replaced(answer, "- `path` is resolved below the project.\n"),
        NONE,
        "naming the parameter is enough"
    );
}

#[test]
fn examples_must_be_valid_calls() {
    let call = "\"arguments\": {\"path\": \"src/main.py\"}";
    assert_eq!(
        check_replaced(call, "\"arguments\": {\"path\": 5}"),
        [
            "TC408 the arguments of an example do not match the schema at `/path`: 5 is not of type \"string\""
        ]
    );
    assert!(check_replaced(call, "\"arguments\": {}")[0].starts_with("TC408"));
    assert!(
        check_replaced("\"tool_name\": \"count_lines\"", "\"tool_name\": \"count_words\"")[0]
            .starts_with("TC407 the example calls `count_words` instead of this tool")
    );
    assert!(check_replaced("\"tool_name\"", "\"name\"")[0].starts_with("TC407"));
    assert!(
        check_replaced(call, "\"arguments\": {\"path\": ...}")
            .iter()
            .any(|line| line.starts_with("TC406"))
    );
}

#[test]
fn examples_of_native_tools_must_match_their_schema() {
    let mut native =
        tool_with_parameter("who", json!({"type": "string", "description": "Whom to greet"}));
    native.implementation = Implementation::Native;
    let arguments: Map<_, _> = json!({"who": 5}).as_object().expect("an object").clone();
    native.description.examples = vec![Example { arguments, explanation: "A wrong one".into() }];
    assert_eq!(codes(native), ["TC408"]);
}

#[test]
fn errors_must_use_the_standard_object() {
    let start = COMPLETE.find("A file that is not there").expect("the section");
    let end = COMPLETE.find("### 6.").expect("the next one");
    let with = |text: &str| {
        check_page(&format!("{}{text}\n\n{}", &COMPLETE[..start], &COMPLETE[end..]))
            .iter()
            .map(|found| found.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(with("- Returns `{\"error\": \"...\"}`."), ["TC409"]);
    assert_eq!(
        with("- The fields `error_type` and `error_message` say what went wrong."),
        NONE,
        "`status` is a field of the result"
    );
    assert_eq!(with("N/A: it cannot fail."), NONE);
}

#[test]
fn versions_must_be_semantic_in_every_format() {
    let mut old = echo_tool("old");
    old.annotations.version = Some("2".into());
    assert_eq!(codes(old), ["TC412"]);
    assert_eq!(
        check_replaced("**Version**: 1.2.0\n\n", ""),
        ["TC411 neither the tool nor its document has a version"]
    );
    assert!(check_replaced("1.2.0", "1.2")[0].starts_with("TC412"));
}

#[test]
fn checks_names_and_texts_in_every_format() {
    assert_eq!(codes(echo_tool("do_anything")), ["TC209"]);
    assert_eq!(codes(tool_with_description("Execute any shell command that you like")), ["TC209"]);
    assert_eq!(codes(tool_with_description("[Brief description of the tool]")), ["TC413"]);
    assert_eq!(codes(tool_with_description("Count the lines of any file")), NONE);
    assert_eq!(
        codes(tool_with_parameter("who", json!({"description": "Whom to greet"}))),
        ["TC306"]
    );
    assert!(
        check_replaced("The file, relative to the project folder", "[Description of parameter1]")
            [0]
        .starts_with("TC413")
    );
}

#[test]
fn parameters_and_fields_need_a_description_a_type_and_an_example() {
    assert_eq!(
        check_replaced("| `\"src/main.py\"` |", "| See below |"),
        ["TC307 the parameter `path` has no example of its type"]
    );
    assert_eq!(
        check_replaced(
            "| `lines` | `integer` | How many lines there are | `120` |",
            "| `lines` |  |  | `120` |"
        ),
        ["TC308 the field `lines` has no description and no type"]
    );
    assert_eq!(
        check_replaced("| `path` | `string` |", "| `path` | `any` |"),
        NONE,
        "`any` is a declared type"
    );
}

#[test]
fn reports_problems_of_a_description_at_its_section() {
    let text = COMPLETE.replacen(
        "### 1. Tool Purpose and Description\n\n",
        "### 1. Tool Purpose and Description\n\n[Describe the tool here.] ",
        1,
    );
    let found =
        check_page(&text).into_iter().find(|found| found.code == "TC413").expect("a placeholder");
    let catalog::Location::Span(span) = &found.origin.location else {
        panic!("{:?}", found.origin)
    };
    assert!(text[span.clone()].contains("Purpose"), "{}", &text[span.clone()]);
}
