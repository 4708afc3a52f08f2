//! Rules about what documents say, and which of them hold for other formats too.

use catalog::{Catalog, Diagnostic, Example, Implementation, SourceId};
use formats::Guidance;
use lint::Context;
use serde_json::{Map, json};

use crate::harness::{codes, saying, taking, tool};

const WHOLE: &str = include_str!("../../../formats/tests/it/specs/whole.md");

/// What the rules find in a page.
fn judged(text: &str) -> Vec<Diagnostic> {
    let reading = formats::read(
        &SourceId::new("MCP_TOOL_SPECIFICATION.md"),
        text.as_bytes(),
        &Guidance::default(),
    );
    assert_eq!(reading.diagnostics, [], "the page can be read");
    lint::check(
        &Catalog::merge(reading.tools).0,
        &Context { crib: "c".into(), ..Context::default() },
    )
}

/// `TC405 message` for what the rules find in the whole page with one text in the place of another.
fn found(from: &str, to: &str) -> Vec<String> {
    assert!(WHOLE.contains(from), "{from}");
    judged(&WHOLE.replace(from, to))
        .iter()
        .map(|found| format!("{} {}", found.code, found.message))
        .collect()
}

#[test]
fn a_specification_as_it_should_be_has_no_findings() {
    assert_eq!(judged(WHOLE), []);
}

#[test]
fn every_missing_section_is_named() {
    for title in ["Purpose", "Invocation", "Output", "Error", "Idempotency", "Usage", "Security"] {
        let start = WHOLE
            .find(&format!(". {title}"))
            .or_else(|| WHOLE.find(&format!(". Tool {title}")))
            .expect("the section")
            - 1;
        let start = WHOLE[..start].rfind("### ").expect("a heading");
        let end = WHOLE[start + 4..].find("### ").map_or(WHOLE.len(), |end| start + 4 + end);
        let missing = judged(&format!("{}{}", &WHOLE[..start], &WHOLE[end..]));
        let told = missing
            .iter()
            .filter(|found| found.code == "TC405")
            .map(|found| found.message.as_str())
            .collect::<Vec<_>>();
        assert!(told.len() == 1 && told[0].contains(title), "{title}: {missing:?}");
    }
}

#[test]
fn security_answers_for_what_parameters_reach() {
    let answer = "- **File Paths**: The path must lie below the project folder; links that lead out of it are refused.\n";
    let asked = |parameter: &str| found(answer, "").iter().any(|line| line.contains(parameter));
    assert!(asked("`path` is a path"));
    for (name, what) in [("command", "a command"), ("base_url", "an address"), ("sql", "a query")] {
        let row = "| `skip_blank` | `boolean` | No | Whether blank lines are left out. Default: `false` | `true` |";
        let told = found(row, &format!("| `{name}` | `string` | No | Something | `\"x\"` |"));
        assert_eq!(
            told,
            [format!("TC508 `{name}` is {what}, and nothing here says what it may reach")]
        );
    }
    assert_eq!(
        found(answer, "- `path` is resolved below the project.\n"),
        Vec::<String>::new(),
        "naming the parameter answers too"
    );
}

#[test]
fn examples_are_calls_that_the_tool_accepts() {
    let call = "\"arguments\": {\"path\": \"src/main.py\"}";
    assert_eq!(
        found(call, "\"arguments\": {\"path\": 5}"),
        [
            "TC408 the arguments of an example do not fit the schema at `/path`: 5 is not of type \"string\""
        ]
    );
    assert!(found(call, "\"arguments\": {}")[0].starts_with("TC408"));
    assert!(
        found("\"tool_name\": \"count_lines\"", "\"tool_name\": \"count_words\"")[0]
            .starts_with("TC407 the example calls `count_words`")
    );
    assert!(found("\"tool_name\"", "\"name\"")[0].starts_with("TC407"));
    assert!(
        found(call, "\"arguments\": {\"path\": ...}").iter().any(|line| line.starts_with("TC406"))
    );
}

#[test]
fn examples_of_native_tools_are_held_to_their_schema_too() {
    let mut native = taking("who", json!({"type": "string", "description": "Whom to greet"}));
    native.implementation = Implementation::Native;
    let arguments: Map<_, _> = json!({"who": 5}).as_object().expect("an object").clone();
    native.description.examples = vec![Example { arguments, explanation: "A wrong one".into() }];
    assert_eq!(codes(native), ["TC408"]);
}

#[test]
fn errors_are_in_the_standard_form_or_there_are_none() {
    let start = WHOLE.find("A file that is not there").expect("the section");
    let end = WHOLE.find("### 6.").expect("the next one");
    let with = |text: &str| {
        judged(&format!("{}{text}\n\n{}", &WHOLE[..start], &WHOLE[end..]))
            .iter()
            .map(|found| found.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(with("- Returns `{\"error\": \"...\"}`."), ["TC409"]);
    assert_eq!(
        with("- The fields `error_type` and `error_message` say what went wrong."),
        Vec::<&str>::new(),
        "`status` is a field of the result"
    );
    assert_eq!(with("N/A: it cannot fail."), Vec::<&str>::new());
}

#[test]
fn versions_are_semantic_in_every_format() {
    let mut old = tool("old");
    old.annotations.version = Some("2".into());
    assert_eq!(codes(old), ["TC412"]);
    assert_eq!(
        found("**Version**: 1.2.0\n\n", ""),
        ["TC411 neither the tool nor its document has a version"]
    );
    assert!(found("1.2.0", "1.2")[0].starts_with("TC412"));
}

#[test]
fn names_and_texts_are_judged_in_every_format() {
    assert_eq!(codes(tool("do_anything")), ["TC209"]);
    assert_eq!(codes(saying("Execute any shell command that you like")), ["TC209"]);
    assert_eq!(codes(saying("[Brief description of the tool]")), ["TC413"]);
    assert_eq!(codes(saying("Count the lines of any file")), Vec::<&str>::new());
    assert_eq!(codes(taking("who", json!({"description": "Whom to greet"}))), ["TC306"]);
    assert!(
        found("The file, relative to the project folder", "[Description of parameter1]")[0]
            .starts_with("TC413")
    );
}

#[test]
fn parameters_and_fields_are_described_typed_and_shown() {
    assert_eq!(
        found("| `\"src/main.py\"` |", "| See below |"),
        ["TC307 the parameter `path` has no example that is a value of its type"]
    );
    assert_eq!(
        found(
            "| `lines` | `integer` | How many lines there are | `120` |",
            "| `lines` |  |  | `120` |"
        ),
        ["TC308 the field `lines` has no description and no type"]
    );
    assert_eq!(
        found("| `path` | `string` |", "| `path` | `any` |"),
        Vec::<String>::new(),
        "any is a type that is said"
    );
}

#[test]
fn what_is_wrong_with_a_description_is_told_where_it_stands() {
    let text = WHOLE.replacen(
        "### 1. Tool Purpose and Description\n\n",
        "### 1. Tool Purpose and Description\n\n[Describe the tool here.] ",
        1,
    );
    let found = judged(&text)
        .into_iter()
        .find(|found| found.code == "TC413")
        .expect("a place to be filled in");
    let catalog::Location::Span(span) = &found.origin.place else { panic!("{:?}", found.origin) };
    assert!(text[span.clone()].contains("Purpose"), "{}", &text[span.clone()]);
}
