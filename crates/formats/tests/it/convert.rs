//! Conversion of tools to another format and back.

use std::{fs, path::Path};

use catalog::{Diagnostic, Implementation, SourceId, Tool};
use formats::{Converted, Guidance, Writer, convert};
use proptest::prelude::*;
use serde_json::{Value, json};
use testing::shared_corpus;

use crate::reading::{read, read_text, writer};

/// The tools of every file of a folder of the corpus, file by file.
fn corpus(part: &str) -> Vec<(String, Vec<Tool>)> {
    let Some(folder) = shared_corpus(part) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut pending = vec![folder];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { pending.push(path) } else { found.push(load(&path)) }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found.retain(|(_, tools)| !tools.is_empty());
    assert!(found.len() > 10, "{part} has {} files with tools", found.len());
    found
}

fn load(path: &Path) -> (String, Vec<Tool>) {
    let bytes = fs::read(path).expect("a file");
    let name = path.to_string_lossy().into_owned();
    let mut tools = formats::read(&SourceId::new(&name), &bytes, &Guidance::default()).tools;
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools.dedup_by(|one, other| one.name == other.name);
    (name, tools)
}

fn read_back(converted: &Converted) -> (Vec<Tool>, Vec<Diagnostic>) {
    let (mut tools, mut found) = (Vec::new(), Vec::new());
    for file in &converted.files {
        let reading =
            formats::read(&SourceId::new(&file.name), file.text.as_bytes(), &Guidance::default());
        tools.extend(reading.tools);
        found.extend(reading.diagnostics);
    }
    tools.sort_by(|one: &Tool, other| one.name.cmp(&other.name));
    (tools, found)
}

fn inputs(tools: &[Tool]) -> Vec<(&str, Value)> {
    tools.iter().map(|tool| (tool.name.as_str(), json!(**tool.input.object()))).collect()
}

/// Converts tools to one format and the result to another, and returns the tools read from that.
fn round_trip(tools: &[Tool], first: &Writer, second: &Writer) -> Vec<Tool> {
    let (middle, _) = read_back(&convert(tools, first, "crib"));
    read_back(&convert(&middle, second, "crib")).0
}

#[test]
fn mtdf_schemas_survive_a_round_trip_through_specifications() {
    for (name, tools) in corpus("corpus/mtdf") {
        let (middle, _) = read_back(&convert(&tools, writer("spec"), "crib"));
        let converted = convert(&middle, writer("mtdf"), "crib");
        assert_eq!(inputs(&read_back(&converted).0), inputs(&tools), "{name}");
        assert_eq!(converted.files.len(), 1, "{name}");
    }
}

#[test]
fn specification_schemas_survive_a_round_trip_through_mcp() {
    for (name, tools) in corpus("corpus/specs") {
        let back = round_trip(&tools, writer("mcp"), writer("spec"));
        assert_eq!(inputs(&back), inputs(&tools), "{name}");
        let outputs =
            |tools: &[Tool]| tools.iter().map(|tool| tool.output.clone()).collect::<Vec<_>>();
        assert_eq!(outputs(&back), outputs(&tools), "{name}");
    }
}

#[test]
fn rave_schemas_survive_a_round_trip_through_specifications() {
    for (name, tools) in corpus("corpus/rave") {
        let back = round_trip(&tools, writer("spec"), writer("rave"));
        assert_eq!(inputs(&back), inputs(&tools), "{name}");
    }
}

#[test]
fn programs_are_converted_unchanged_or_omitted() {
    let (mut converted, mut all) = (0, 0);
    for (name, tools) in corpus("corpus/mtdf") {
        let (back, _) = read_back(&convert(&tools, writer("mtdf"), "crib"));
        assert_eq!(inputs(&back), inputs(&tools), "{name}");
        all += tools
            .iter()
            .filter(|tool| matches!(tool.implementation, Implementation::Process(_)))
            .count();
        for (before, after) in tools.iter().zip(&back).filter(|(_, after)| after.is_callable()) {
            let (Implementation::Process(one), Implementation::Process(other)) =
                (&before.implementation, &after.implementation)
            else {
                continue;
            };
            assert_eq!(one, other, "{name}: {}", before.name);
            converted += 1;
        }
    }
    assert!(converted * 100 >= all * 95, "{converted} of {all}");
}

fn list_losses(converted: &Converted) -> Vec<String> {
    converted.losses.iter().map(|loss| format!("{} {}", loss.tool, loss.field)).collect()
}

#[test]
fn reports_every_loss() {
    let definition = json!({
        "name": "count", "title": "Counting", "description": "Count things", "command": "wc", "timeout_seconds": 5, "mutates": false,
        "install_instructions": "apt-get install coreutils", "hints": {"default": "wait"}, "category": "text", "version": "1.2.0",
        "subcommand": [{"name": "lines", "description": "Count lines", "options": [
            {"name": "limit", "type": "integer", "description": "How many", "alias": "n", "minimum": 1}]}],
    });
    let tools = read(&definition).tools;
    for target in ["spec", "mcp", "rave"] {
        let mut bound = definition.clone();
        bound["subcommand"][0]["options"][0]["flag"] = json!("-l");
        bound["subcommand"][0]["positional_args"] =
            json!([{"name": "word", "type": "string", "description": "What"}]);
        let converted = convert(&read(&bound).tools, writer(target), "count");
        let argv = converted.losses.iter().find(|loss| loss.field == "argv").expect(target);
        assert_eq!(
            argv.message,
            "the format cannot declare how these are passed to a program: `limit` (`-l`), `word` (positional)"
        );
    }
    let specification = convert(&tools, writer("spec"), "count");
    assert_eq!(
        list_losses(&specification),
        ["command", "alias", "synchronous", "timeout_seconds", "hints", "install_instructions"]
            .map(|field| format!("count_lines {field}"))
    );
    assert_eq!(
        list_losses(&convert(&tools, writer("mcp"), "count")),
        ["command", "alias", "synchronous", "timeout_seconds", "hints", "install_instructions"]
            .map(|field| format!("count_lines {field}"))
    );
    assert!(convert(&tools, writer("mtdf"), "count").losses.is_empty());
    let back = read_back(&specification).0.remove(0);
    assert_eq!(
        (
            back.annotations.mutates,
            back.annotations.category.as_deref(),
            back.annotations.version.as_deref()
        ),
        (Some(false), Some("text"), Some("1.2.0"))
    );
}

#[test]
fn specifications_use_tables_for_simple_schemas() {
    let tools = read_text(
        r#"{"name": "greet", "description": "Greet a guest.\n\n- politely\n- or not", "inputSchema": {"type": "object", "properties": {
            "name": {"type": "string", "description": "Who | what", "examples": ["Ada"]},
            "file": {"type": ["string", "null"], "description": "Where"},
            "times": {"type": "integer", "default": 1, "description": "How often"}},
            "required": ["name"], "additionalProperties": false}}"#,
    )
    .tools;
    let written = convert(&tools, writer("spec"), "greetings");
    insta::assert_snapshot!(written.files[0].text, @r#"
    # greetings - MCP Tool Specification

    ---

    ## Tool: `greet`

    ### 1. Tool Purpose and Description

    Greet a guest.

    - politely
    - or not

    ### 2. Invocation Name

    `greet`

    ### 3. Input Schema (Parameters)

    | Parameter Name | Type | Required | Default | Description | Example Value |
    | :--- | :--- | :--- | :--- | :--- | :--- |
    | `name` | `string` | Yes |  | Who \| what | `"Ada"` |
    | `file` | `string \| null` | No |  | Where |  |
    | `times` | `integer` | No | `1` | How often |  |

    ### 4. Output Schema (Return Value)

    Not specified.

    ### 5. Error Handling

    Not specified.

    ### 6. Idempotency

    - **Idempotent**: Unknown

    ### 7. Usage Examples (for MCP context)

    Not specified.

    ### 8. Security Considerations

    Not specified.
    "#);
    assert_eq!(list_losses(&written), ["greet synchronous"]);
    let details = read_back(&written).0.remove(0).details.expect("details");
    let said: Vec<usize> = details.sections.iter().map(|(section, _)| section.number()).collect();
    assert_eq!(said, [1, 2, 3, 6], "what is not specified is missing");
    assert!(details.errors.is_none() && details.security.is_empty());
}

#[test]
fn specifications_contain_complex_schemas_as_json() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    let tools = read(&json!({"name": "t", "description": "T", "inputSchema": schema})).tools;
    let text = &convert(&tools, writer("spec"), "t").files[0].text;
    assert!(text.contains("```json\n{\n  \"type\": \"object\""), "{text}");
}

#[test]
fn escapes_text_that_looks_like_markdown() {
    for text in [
        "# Not a heading",
        "1. not a list",
        "> not a quotation",
        "**Parameters**: none of them",
        "| not | a table |",
        "---",
    ] {
        let tools =
            read(&json!({"name": "t", "description": text, "inputSchema": {"type": "object"}}))
                .tools;
        let converted = convert(&tools, writer("spec"), "t");
        assert_eq!(
            read_back(&converted).0[0].description.text,
            text,
            "{}",
            converted.files[0].text
        );
    }
}

#[test]
fn reads_every_form_of_a_saved_listing() {
    let tool = json!({"name": "greet", "title": "Greeting", "description": "Greet", "inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}},
        "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": false}, "_meta": {"toolcrib/version": "1.0.0"}});
    for form in [
        json!({"tools": [tool]}),
        json!([tool]),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}),
        tool.clone(),
    ] {
        let reading = read(&form);
        assert!(reading.diagnostics.is_empty(), "{form}: {:#?}", reading.diagnostics);
        let [greet] = reading.tools.as_slice() else {
            panic!("{form}: {} tools", reading.tools.len())
        };
        assert_eq!((greet.name.as_str(), greet.title.as_deref()), ("greet", Some("Greeting")));
        assert_eq!(
            (
                greet.annotations.mutates,
                greet.annotations.uses_network(),
                greet.annotations.idempotent
            ),
            (Some(false), Some(false), None)
        );
        assert_eq!(greet.annotations.version.as_deref(), Some("1.0.0"));
        assert!(greet.output.is_some() && !greet.is_callable());
    }
}

#[test]
fn an_invalid_tool_does_not_affect_others_in_a_listing() {
    let good = json!({"name": "good", "description": "G", "inputSchema": {"type": "object"}});
    let bad = json!({"name": "bad", "description": "B", "inputSchema": {"type": "string"}});
    let reading = read(&json!({"tools": [bad, good]}));
    assert_eq!(reading.tools.len(), 1);
    assert_eq!(
        crate::reading::errors(&reading.diagnostics),
        ["error TC060 /tools/0/inputSchema/type"]
    );
}

/// Schemas of values, as odd as people write them.
fn value_schema() -> impl Strategy<Value = Value> {
    let text = || "(?s)[a-z|`*# \n\\\\<>\"éß-]{0,24}";
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!({"type": "string"})),
        Just(json!({"type": ["integer", "null"], "minimum": 1})),
        Just(json!({"type": "string", "format": "path"})),
        Just(json!({"type": "string", "format": "email", "pattern": "^a|b$"})),
        Just(
            json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]})
        ),
        text().prop_map(|text| json!({"type": "string", "description": text, "default": text})),
        (text(), text()).prop_map(
            |(one, other)| json!({"type": "string", "enum": [one, other], "examples": [one]})
        ),
        text().prop_map(|text| json!({"const": text, "description": "Default: 3"})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            ("[a-z]{1,4}", inner.clone())
                .prop_map(|(name, inner)| json!({"type": "object", "properties": {(name): inner}})),
            inner.prop_map(|values| json!({"type": "object", "additionalProperties": values})),
        ]
    })
}

fn listed_tool() -> impl Strategy<Value = Value> {
    let properties = prop::collection::vec(("[a-z_.-]{1,8}", value_schema(), any::<bool>()), 0..5);
    let text = "(?s)[A-Za-z|`*#>.: \n_\\[\\]<-]{0,60}";
    (properties, text, any::<bool>(), prop::option::of(value_schema())).prop_map(
        |(properties, text, is_closed, output)| {
            let mut input = json!({"type": "object", "properties": {}});
            let mut required: Vec<String> = Vec::new();
            for (name, schema, is_required) in properties {
                if is_required && !required.contains(&name) {
                    required.push(name.clone());
                }
                input["properties"][name] = schema;
            }
            if !required.is_empty() {
                input["required"] = json!(required);
            }
            if is_closed {
                input["additionalProperties"] = json!(false);
            }
            let mut tool =
                json!({"name": "t", "description": text, "inputSchema": input, "annotations": {}});
            if let Some(output) = output {
                tool["outputSchema"] = output;
            }
            tool
        },
    )
}

proptest! {
    #[test]
    fn listed_schemas_survive_conversion_to_a_specification(listed in listed_tool()) {
        let tools = read(&listed).tools;
        prop_assert_eq!(tools.len(), 1, "{}", listed);
        let converted = convert(&tools, writer("spec"), "t");
        let back = read_back(&converted).0;
        prop_assert_eq!(inputs(&back), inputs(&tools), "{}", &converted.files[0].text);
        let is_reported = |field: &str| converted.losses.iter().any(|loss| loss.field == field);
        prop_assert!(back[0].output == tools[0].output || is_reported("outputSchema"), "{}", &converted.files[0].text);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_same = words(&back[0].description.text) == words(&tools[0].description.text);
        prop_assert!(is_same || tools[0].description.text.trim().is_empty() || is_reported("description"));
    }

    #[test]
    fn listed_arguments_survive_conversion_to_mtdf(listed in listed_tool()) {
        let tools = read(&listed).tools;
        let converted = convert(&tools, writer("mtdf"), "t");
        // Names that differ only in leading dashes would be one option, so such a tool is omitted
        // and reported.
        prop_assume!(converted.losses.iter().all(|loss| loss.field != "name"));
        let back = read_back(&converted).0;
        prop_assert_eq!(inputs(&back), inputs(&tools), "{}", &converted.files[0].text);
    }
}
