//! Schemas that are written out, linked, or held against a table.

use serde_json::json;

use crate::specs::{codes, findings, input, page, read, read_linked, tool};

#[test]
fn a_json_schema_is_taken_as_it_is() {
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
        assert_eq!(input(&body), schema, "{body}");
    }
}

#[test]
fn parameters_by_name_say_themselves_whether_they_are_required() {
    let schema = input(
        "**Parameters**:\n```json\n{\"who\": {\"type\": \"string\", \"required\": true}, \"n\": {\"type\": \"integer\", \"required\": false, \"default\": 0}}\n```\n",
    );
    assert_eq!(schema["required"], json!(["who"]));
    assert_eq!(schema["properties"]["n"], json!({"type": "integer", "default": 0}));
}

#[test]
fn a_parameter_of_a_schema_knows_its_key() {
    let text = page(
        "**Parameters**:\n```json\n{\"type\": \"object\", \"properties\": {\"who\": {\"type\": \"string\"}}}\n```\n",
    );
    let catalog::Location::Span(span) = tool(&text).parameter_origin("who").location else {
        panic!("a span")
    };
    assert_eq!(&text[span], "\"who\"");
}

#[test]
fn a_table_and_a_schema_that_disagree_are_told() {
    let text = page(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One |\n| `b` | string | No | Two |\n| `c` | string | No | Three |\n\n\
         ```json\n{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": \"string\"}, \"d\": {}}, \"required\": [\"a\", \"b\"]}\n```\n",
    );
    assert_eq!(
        findings(&text, &read(&text)),
        [
            r#"warning TC807: "`a`" `a` is string in the table and integer in the JSON Schema"#,
            r#"warning TC807: "`b`" the table and the JSON Schema disagree on whether `b` is required"#,
            r#"warning TC807: "`c`" `c` is in the table but not in the JSON Schema"#,
            r#"warning TC807: "\"d\"" `d` is in the JSON Schema but not in the table"#,
        ]
    );
}

#[test]
fn a_schema_may_be_in_a_file_beside_the_page() {
    let text = page("### Input Schema\n\nSee [the schema](schemas/greet.json#/$defs/arguments).\n");
    let file = r#"{"$defs": {"arguments": {"type": "object", "properties": {"who": {"type": "string"}}}}}"#;
    let reading = read_linked(&text, &[("schemas/greet.json", file)]);
    assert_eq!(codes(&reading), Vec::<&str>::new());
    assert_eq!(reading.tools[0].input.property("who"), Some(&json!({"type": "string"})));
    let missing = read_linked(&text, &[]);
    assert_eq!(codes(&missing), ["TC810", "TC806"]);
    assert!(
        missing.diagnostics[0].message.contains("it is not there"),
        "{:?}",
        missing.diagnostics[0]
    );
}

#[test]
fn a_fence_that_is_no_schema_is_told() {
    for fence in [
        "{\"type\": \"object\", \"properties\": {...}}",
        "{\"a\": 1}",
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": 5}}}",
    ] {
        let text = page(&format!("### Parameters\n\nNone.\n\n```json\n{fence}\n```\n"));
        assert_eq!(codes(&read(&text)), ["TC810"], "{fence}");
    }
    assert_eq!(
        codes(&read(&page("### Parameters\n\n```toml\nwho = \"string\"\n```\n"))),
        ["TC810", "TC806"]
    );
}

#[test]
fn results_are_read_from_tables_lists_schemas_and_examples() {
    let output = |body: &str| {
        let tool = tool(&page(&format!("**Parameters**: None\n\n{body}")));
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
    let written = "### Parameters\n\n```yaml\ntype: object\nproperties:\n  who: {type: string}\nrequired: [who]\n```";
    assert_eq!(
        input(written),
        json!({"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]})
    );
    let by_name = "### Parameters\n\n```yaml\nparameters:\n  who:\n    type: string\n    required: true\n  count: {type: integer}\n```";
    let schema = input(by_name);
    assert_eq!(schema["properties"]["count"], json!({"type": "integer"}));
    assert_eq!(schema["required"], json!(["who"]));
}

#[test]
fn reads_lines_of_yaml_that_yaml_does_not_take() {
    let text = page(
        "### Parameters\n\n```yaml\nwho: string, required  # whom to greet\ncount: integer (default: 3)\n```",
    );
    let reading = read(&text);
    let schema = reading.tools[0].input.object();
    assert_eq!(schema["properties"]["count"], json!({"type": "integer", "default": 3}));
    assert_eq!(schema["properties"]["who"]["type"], "string");
    assert_eq!(schema["required"], json!(["who"]));
    let told = findings(&text, &reading);
    assert!(
        told.iter().any(|line| line.contains("TC810") && line.contains("has a colon")),
        "{told:#?}"
    );
}

#[test]
fn says_that_yaml_which_is_no_list_of_parameters_is_not_read() {
    let text = page("### Parameters\n\n```yaml\n- one\n- two\n```");
    let told = findings(&text, &read(&text));
    assert!(
        told.iter()
            .any(|line| line.contains("TC810") && line.contains("no parameters can be read")),
        "{told:#?}"
    );
}

#[test]
fn says_that_tables_beyond_the_first_thousand_fields_are_not_read() {
    let rows: String =
        (0..1_001).map(|number| format!("| `a{number}` | `string` | Yes | It |\n")).collect();
    let table = |rows: &str| {
        format!("| Parameter | Type | Required | Description |\n|---|---|---|---|\n{rows}\n")
    };
    let late = table("| `late` | `string` | Yes | It |\n");
    let text = page(&format!("### Parameters\n\n{}{late}{late}", table(&rows)));
    let told = findings(&text, &read(&text));
    assert_eq!(
        told.iter().filter(|line| line.contains("beyond the first 1000 fields")).count(),
        1,
        "{told:#?}"
    );
}

#[test]
fn a_schema_with_comments_or_gaps_is_told_and_read_without_them() {
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
        let text = page(&format!("### Parameters\n\n```json\n{schema}\n```\n"));
        let reading = read(&text);
        assert!(codes(&reading).contains(&"TC810"), "{schema}: {:#?}", reading.diagnostics);
        assert_eq!(reading.tools[0].input.property("a"), Some(&property), "{schema}");
        assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["a"], "{schema}");
    }
}

#[test]
fn a_schema_may_stand_in_an_indented_block_and_need_not_say_that_arguments_are_an_object() {
    let schema = input(
        "### Parameters\n\n    {\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n     \"properties\": {\"a\": {\"type\": \"string\"}}}\n",
    );
    assert_eq!(schema, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
}

#[test]
fn bullets_need_neither_code_nor_bold_where_they_say_a_type() {
    let schema = input(
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
fn prose_in_bullets_is_no_parameter() {
    for prose in [
        "- paths: they count from the root\n- names (see below): any\n",
        "- Note: string - this is not one\n",
        "- the path (string) of a file\n- and its name\n",
        "- format: text, json, or yaml\n",
    ] {
        let text = page(&format!("### Parameters\n\n{prose}"));
        let reading = read(&text);
        assert_eq!(reading.tools[0].parameters.len(), 0, "{prose}");
        assert_eq!(codes(&reading), ["TC806"], "{prose}");
    }
}

#[test]
fn a_signature_gives_the_parameters_that_nothing_else_gives() {
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
        assert_eq!(input(&body), expected, "{body}");
    }
    let headed = "# G - MCP Tool Specification\n\n## `greet(who: str, count: int = 3, tones: list | None = None)`\n\nPrint a greeting.\n";
    assert_eq!(serde_json::Value::Object((**tool(headed).input.object()).clone()), expected);
    let span = tool(headed).parameter_origin("count").location;
    assert_eq!(
        span,
        catalog::Location::Span(
            headed.find("count").expect("it is there")..headed.find(": int").expect("it is there")
        )
    );
    assert_eq!(input("```python\ndef greet() -> str: ...\n```\n")["additionalProperties"], false);
}

#[test]
fn a_signature_counts_only_as_a_whole_and_behind_everything_else() {
    for (body, wanted) in [
        ("```python\ndef greet(who: str, *rest): ...\n```\n", "TC806"),
        ("```python\ndef other(who: str): ...\n```\n", "TC806"),
        ("```python\ndef greet(who: str\n```\n", "TC806"),
        ("### Usage Examples\n\n```python\ndef greet(who: str): ...\n```\n", "TC806"),
        ("```python\ndef greet(who: Person): ...\n```\n", "TC805"),
    ] {
        assert_eq!(codes(&read(&page(body))), [wanted], "{body}");
    }
    let both = input(
        "```python\ndef greet(who: str, more: int): ...\n```\n\n### Parameters\n\n- `who` (string): whom\n",
    );
    assert_eq!(both["properties"], json!({"who": {"type": "string", "description": "whom"}}));
    assert_eq!(codes(&read(&page("").replace("`greet`", "`greet()`"))), ["TC806"]);
}
