//! Schemas in a document, in a linked file, and compared with a table.

use serde_json::json;

use crate::specs::{
    codes, document_with, read, read_input, read_tool, read_with_files, render_diagnostics,
};

#[test]
fn reads_a_json_schema_unchanged() {
    let schema = json!({"type": "object", "properties": {"who": {"type": "string", "minLength": 1}}, "required": ["who"]});
    for body in [
        format!("### 3. Input Schema (Parameters)\n\n```json\n{schema}\n```\n"),
        format!("**Input Schema**: `{schema}`\n"),
        format!(
            "#### Schema\n\n```json\n{}\n```\n",
            json!({"name": "greet", "description": "d", "inputSchema": schema})
        ),
        format!("```json\n{}\n```\n", json!({"name": "greet", "inputSchema": schema})),
    ] {
        assert_eq!(read_input(&body), schema, "{body}");
    }
}

#[test]
fn reads_a_map_of_parameters_with_required_flags() {
    let schema = read_input(
        "**Parameters**:\n```json\n{\"who\": {\"type\": \"string\", \"required\": true}, \"n\": {\"type\": \"integer\", \"required\": false, \"default\": 0}}\n```\n",
    );
    assert_eq!(schema["required"], json!(["who"]));
    assert_eq!(schema["properties"]["n"], json!({"type": "integer", "default": 0}));
}

#[test]
fn locates_a_parameter_at_its_key() {
    let text = document_with(
        "**Parameters**:\n```json\n{\"type\": \"object\", \"properties\": {\"who\": {\"type\": \"string\"}}}\n```\n",
    );
    let catalog::Location::Span(span) = read_tool(&text).parameter_origin("who").location else {
        panic!("a span")
    };
    assert_eq!(&text[span], "\"who\"");
}

#[test]
fn reports_a_table_and_a_schema_that_disagree() {
    let text = document_with(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One |\n| `b` | string | No | Two |\n| `c` | string | No | Three |\n\n\
         ```json\n{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": \"string\"}, \"d\": {}}, \"required\": [\"a\", \"b\"]}\n```\n",
    );
    assert_eq!(
        render_diagnostics(&text, &read(&text)),
        [
            r#"warning TC807: "`a`" `a` is string in the table and integer in the JSON Schema"#,
            r#"warning TC807: "`b`" the table and the JSON Schema disagree on whether `b` is required"#,
            r#"warning TC807: "`c`" `c` is in the table but not in the JSON Schema"#,
            r#"warning TC807: "\"d\"" `d` is in the JSON Schema but not in the table"#,
        ]
    );
}

#[test]
fn reads_a_schema_from_a_linked_file() {
    let text = document_with(
        "### Input Schema\n\nSee [the schema](schemas/greet.json#/$defs/arguments).\n",
    );
    let file = r#"{"$defs": {"arguments": {"type": "object", "properties": {"who": {"type": "string"}}}}}"#;
    let reading = read_with_files(&text, &[("schemas/greet.json", file)]);
    assert_eq!(codes(&reading), Vec::<&str>::new());
    assert_eq!(reading.tools[0].input.property("who"), Some(&json!({"type": "string"})));
    let missing = read_with_files(&text, &[]);
    assert_eq!(codes(&missing), ["TC810", "TC806"]);
    assert!(
        missing.diagnostics[0].message.contains("it is not there"),
        "{:?}",
        missing.diagnostics[0]
    );
}

#[test]
fn reports_a_fence_that_is_not_a_schema() {
    for fence in [
        "{\"type\": \"object\", \"properties\": {...}}",
        "{\"a\": 1}",
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": 5}}}",
    ] {
        let text = document_with(&format!("### Parameters\n\nNone.\n\n```json\n{fence}\n```\n"));
        assert_eq!(codes(&read(&text)), ["TC810"], "{fence}");
    }
    assert_eq!(
        codes(&read(&document_with("### Parameters\n\n```toml\nwho = \"string\"\n```\n"))),
        ["TC810", "TC806"]
    );
}

#[test]
fn reads_results_from_tables_lists_schemas_and_examples() {
    let output = |body: &str| {
        let tool = read_tool(&document_with(&format!("**Parameters**: None\n\n{body}")));
        let schema =
            tool.output.map(|schema| serde_json::Value::Object((**schema.object()).clone()));
        let fields: Vec<_> =
            tool.details.expect("details").outputs.into_iter().map(|field| field.name).collect();
        (schema, fields)
    };
    let (schema, fields) = output(
        "### 4. Output Schema (Return Value)\n\n| Field Name | Type | Description | Example Value |\n|---|---|---|---|\n\
        | `status` | string | How it went | `\"ok\"` |\n| `items[].id` | integer | Which | `1` |\n",
    );
    let schema = schema.expect("a schema");
    assert_eq!(schema["properties"]["items"]["items"]["properties"]["id"]["type"], "integer");
    assert_eq!(
        (schema.get("required"), schema.get("additionalProperties"), fields),
        (None, None, vec!["status".to_owned(), "items[].id".to_owned()])
    );
    assert_eq!(
        output("**Returns:**\n- `content` (string): The text\n").0.expect("a schema")["properties"]
            ["content"]["type"],
        "string"
    );
    assert_eq!(
        output("**Returns**: `status`, `content` and `error`.\n").1,
        ["status", "content", "error"]
    );
    let (schema, fields) =
        output("#### Response\n\n```json\n{\"count\": 3, \"none\": null}\n```\n");
    assert_eq!(
        schema,
        Some(json!({"type": "object", "properties": {"count": {"type": "number"}, "none": {}}}))
    );
    assert_eq!(fields, ["count", "none"]);
    assert_eq!(output("**Returns**: a text.\n").0, None);
}

#[test]
fn reads_a_schema_in_yaml() {
    let schema = "### Parameters\n\n```yaml\ntype: object\nproperties:\n  who: {type: string}\nrequired: [who]\n```";
    assert_eq!(
        read_input(schema),
        json!({"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]})
    );
    let by_name = "### Parameters\n\n```yaml\nparameters:\n  who:\n    type: string\n    required: true\n  count: {type: integer}\n```";
    let schema = read_input(by_name);
    assert_eq!(schema["properties"]["count"], json!({"type": "integer"}));
    assert_eq!(schema["required"], json!(["who"]));
}

#[test]
fn reads_lines_that_are_not_valid_yaml() {
    let text = document_with(
        "### Parameters\n\n```yaml\nwho: string, required  # whom to greet\ncount: integer (default: 3)\n```",
    );
    let reading = read(&text);
    let schema = reading.tools[0].input.object();
    assert_eq!(schema["properties"]["count"], json!({"type": "integer", "default": 3}));
    assert_eq!(schema["properties"]["who"]["type"], "string");
    assert_eq!(schema["required"], json!(["who"]));
    let found = render_diagnostics(&text, &reading);
    assert!(
        found.iter().any(|line| line.contains("TC810") && line.contains("has a colon")),
        "{found:#?}"
    );
}

#[test]
fn reports_yaml_without_parameters() {
    let text = document_with("### Parameters\n\n```yaml\n- one\n- two\n```");
    let found = render_diagnostics(&text, &read(&text));
    assert!(
        found
            .iter()
            .any(|line| line.contains("TC810") && line.contains("no parameters can be read")),
        "{found:#?}"
    );
}

#[test]
fn reports_once_that_tables_beyond_a_thousand_fields_are_not_read() {
    let rows: String =
        (0..1_001).map(|number| format!("| `a{number}` | `string` | Yes | It |\n")).collect();
    let table = |rows: &str| {
        format!("| Parameter | Type | Required | Description |\n|---|---|---|---|\n{rows}\n")
    };
    let late = table("| `late` | `string` | Yes | It |\n");
    let text = document_with(&format!("### Parameters\n\n{}{late}{late}", table(&rows)));
    let found = render_diagnostics(&text, &read(&text));
    assert_eq!(
        found.iter().filter(|line| line.contains("beyond the first 1000 fields")).count(),
        1,
        "{found:#?}"
    );
}

#[test]
fn reads_and_reports_a_schema_with_comments_or_ellipses() {
    for (schema, property) in [
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}, ...}, "required": ["a"]}"#,
            json!({"type": "string"}),
        ),
        (
            r#"{"type": "object", /* see below */ "properties": {..., "a": {"type": "string"},}, "required": ["a", ...]}"#,
            json!({"type": "string"}),
        ),
        (r#"{"type": "object", "properties": {"a": ...}, "required": ["a"]}"#, json!({})),
        (
            "{\"type\": \"object\", // what\n\"properties\": {\"a\": {}}, \"required\": [\"a\"]}",
            json!({}),
        ),
    ] {
        let text = document_with(&format!("### Parameters\n\n```json\n{schema}\n```\n"));
        let reading = read(&text);
        assert!(codes(&reading).contains(&"TC810"), "{schema}: {:#?}", reading.diagnostics);
        assert_eq!(reading.tools[0].input.property("a"), Some(&property), "{schema}");
        assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["a"], "{schema}");
    }
}

#[test]
fn reads_a_schema_without_a_type_in_an_indented_block() {
    let schema = read_input(
        "### Parameters\n\n    {\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n     \"properties\": {\"a\": {\"type\": \"string\"}}}\n",
    );
    assert_eq!(schema, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
}

#[test]
fn reads_plain_bullets_with_a_type() {
    let schema = read_input(
        "### Parameters\n\n* who: string - whom to greet\n* count (integer, required): how often\n* tone: one of: warm, cold (default: warm)\n\
         * loud: boolean\n* kind (string, one of: a, b, optional) - which\n- size: `integer` (optional) — how big, as in `of: str`\n",
    );
    assert_eq!(
        schema["properties"]["who"],
        json!({"type": "string", "description": "whom to greet"})
    );
    assert_eq!(
        schema["properties"]["count"],
        json!({"type": "integer", "description": "how often"})
    );
    assert_eq!(
        schema["properties"]["tone"],
        json!({"type": "string", "enum": ["warm", "cold"], "default": "warm"})
    );
    assert_eq!(schema["properties"]["loud"], json!({"type": "boolean"}));
    assert_eq!(
        schema["properties"]["kind"],
        json!({"type": "string", "enum": ["a", "b"], "description": "which"})
    );
    assert_eq!(
        schema["properties"]["size"],
        json!({"type": "integer", "description": "how big, as in `of: str`"})
    );
    assert_eq!(schema["required"], json!(["count"]));
}

#[test]
fn prose_in_bullets_is_not_a_parameter() {
    for prose in [
        "- paths: they count from the root\n- names (see below): any\n",
        "- Note: string - this is not one\n",
        "- the path (string) of a file\n- and its name\n",
        "- format: text, json, or yaml\n",
    ] {
        let text = document_with(&format!("### Parameters\n\n{prose}"));
        let reading = read(&text);
        assert_eq!(reading.tools[0].parameters.len(), 0, "{prose}");
        assert_eq!(codes(&reading), ["TC806"], "{prose}");
    }
}

#[test]
fn falls_back_to_a_signature() {
    let expected = json!({
        "type": "object",
        "properties": {"who": {"type": "string"}, "count": {"type": "integer", "default": 3}, "tones": {"type": ["array", "null"]}},
        "required": ["who"],
        "additionalProperties": false,
    });
    let fence = "def greet(\n    who: str,  # whom, (or what)\n    count: int = 3,\n    *,\n    tones: list | None = None,\n) -> dict:\n    ...";
    for body in [
        format!("```python\n{fence}\n```\n"),
        format!("### Signature\n\n```python\n@mcp_tool()\nasync {fence}\n```\n"),
        format!("### Parameters\n\n```\n{fence}\n```\n"),
        "**Signature**: `greet(who: str, count: int = 3, tones: list | None = None) -> dict`\n"
            .to_owned(),
    ] {
        assert_eq!(read_input(&body), expected, "{body}");
    }
    let headed = "# G - MCP Tool Specification\n\n## `greet(who: str, count: int = 3, tones: list | None = None)`\n\nPrint a greeting.\n";
    assert_eq!(serde_json::Value::Object((**read_tool(headed).input.object()).clone()), expected);
    let span = read_tool(headed).parameter_origin("count").location;
    assert_eq!(
        span,
        catalog::Location::Span(
            headed.find("count").expect("it is there")..headed.find(": int").expect("it is there")
        )
    );
    assert_eq!(
        read_input("```python\ndef greet() -> str: ...\n```\n")["additionalProperties"],
        false
    );
}

#[test]
fn ignores_partial_signatures_and_prefers_other_sources() {
    for (body, code) in [
        ("```python\ndef greet(who: str, *rest): ...\n```\n", "TC806"),
        ("```python\ndef other(who: str): ...\n```\n", "TC806"),
        ("```python\ndef greet(who: str\n```\n", "TC806"),
        ("### Usage Examples\n\n```python\ndef greet(who: str): ...\n```\n", "TC806"),
        ("```python\ndef greet(who: Person): ...\n```\n", "TC805"),
    ] {
        assert_eq!(codes(&read(&document_with(body))), [code], "{body}");
    }
    let both = read_input(
        "```python\ndef greet(who: str, more: int): ...\n```\n\n### Parameters\n\n- `who` (string): whom\n",
    );
    assert_eq!(both["properties"], json!({"who": {"type": "string", "description": "whom"}}));
    assert_eq!(codes(&read(&document_with("").replace("`greet`", "`greet()`"))), ["TC806"]);
}

#[test]
fn reads_constraints_with_their_messages() {
    let parameters = "**Parameters**:\n```json\n{\"type\": \"object\", \"properties\": {\"from\": {\"type\": \"integer\"}, \"to\": {\"type\": \"integer\"}}}\n```\n";
    let tool = read_tool(&document_with(&format!(
        "**Constraints**: `args.from <= args.to` (the range is empty), `args.from > 0`\n\n{parameters}"
    )));
    let found: Vec<_> =
        tool.constraints.iter().map(|one| (one.rule.as_str(), one.message.as_str())).collect();
    assert_eq!(
        found,
        [
            ("args.from <= args.to", "the range is empty"),
            ("args.from > 0", "`args.from > 0` must hold")
        ]
    );
    let wrong = document_with(&format!("**Constraints**: `args.form > 0`\n\n{parameters}"));
    assert!(codes(&read(&wrong)).contains(&"TC068"));
}

#[test]
fn reads_a_tool_definition_in_yaml_under_a_heading() {
    let tool = read_tool(&document_with(
        "Greets.\n\n```yaml\nname: greet\ndescription: Greets\nparameters:\n  type: object\n  properties:\n    who:\n      type: string\n  required: [who]\nreturns:\n  type: object\n  properties:\n    text:\n      type: string\n```\n",
    ));
    assert_eq!(tool.input.required().collect::<Vec<_>>(), ["who"]);
    let output = tool.output.expect("a result");
    assert_eq!(output.property("text"), Some(&json!({"type": "string"})));
    let map = read_input(
        "```yaml\nname: greet\nparameters:\n  who:\n    type: string\n    required: true\n  n:\n    type: integer\n    default: 3\n```\n",
    );
    assert_eq!(
        (&map["required"], &map["properties"]["n"]["default"]),
        (&json!(["who"]), &json!(3))
    );
}

#[test]
fn a_table_beside_a_schema_keeps_its_examples() {
    let schema = read_input(
        "### 3. Input Schema (Parameters)\n\n| Parameter Name | Type | Required | Description | Example Value |\n|---|---|---|---|---|\n| who | string | Yes | The person | `\"Ada\"` |\n| n | integer | No | How often | `2` |\n\n```json\n{\"type\": \"object\", \"properties\": {\"who\": {\"type\": \"string\"}, \"n\": {\"type\": \"integer\", \"description\": \"Count\", \"examples\": [3]}}, \"required\": [\"who\"]}\n```\n",
    );
    assert_eq!(
        schema["properties"],
        json!({
            "who": {"type": "string", "description": "The person", "examples": ["Ada"]},
            "n": {"type": "integer", "description": "Count", "examples": [3]},
        })
    );
}
