//! Parameters in tables and bullets.

use serde_json::{Value, json};

use crate::specs::{codes, document_with, read, read_input, read_tool, render_diagnostics};

#[test]
fn reads_a_row_as_a_property() {
    let schema = read_input(
        "### 3. Input Schema (Parameters)\n\n| Parameter Name | Type | Required | Description | Example Value |\n|:---|:---|:---|:---|:---|\n\
         | `who` | `string` | Yes | Whom to greet | `\"Ada\"` |\n| `times` | `integer` | No | How often. Default: 2 | `3` |\n",
    );
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "who": {"type": "string", "description": "Whom to greet", "examples": ["Ada"]},
                "times": {"type": "integer", "default": 2, "description": "How often. Default: 2", "examples": [3]},
            },
            "required": ["who"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn locates_parameters_at_their_cells() {
    let text = document_with(
        "| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `who` | string | yes | Whom |\n",
    );
    let location = read_tool(&text).parameter_origin("who").location;
    let catalog::Location::Span(span) = location else { panic!("a span") };
    assert_eq!(&text[span], "`who`");
}

#[test]
fn reads_every_layout_of_table() {
    let row = |header: &str, row: &str| {
        let rule = "|---".repeat(header.matches('|').count() - 1);
        let schema = read_input(&format!("{header}\n{rule}|\n{row}\n"));
        (schema["properties"]["who"].clone(), schema.get("required").is_some())
    };
    let text = |extra: Value| {
        let mut schema = json!({"type": "string"});
        schema
            .as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        schema
    };
    let described = |default: Value| text(json!({"default": default, "description": "Whom"}));
    assert_eq!(
        row(
            "| Parameter | Type | Required | Default | Description |",
            "| `who` | `str` | No | `\"Ada\"` | Whom |"
        ),
        (described(json!("Ada")), false)
    );
    assert_eq!(
        row("| Parameter | Type | Default | Description |", "| `who` | str | `Ada` | Whom |"),
        (described(json!("Ada")), false)
    );
    assert_eq!(
        row("| Parameter | Type | Default | Description |", "| `who` | str | *required* | Whom |"),
        (text(json!({"description": "Whom"})), true)
    );
    assert_eq!(
        row("| Parameter | Type | Default | Description |", "| `who` | str | — | Whom |"),
        (text(json!({"description": "Whom"})), true)
    );
    assert_eq!(
        row(
            "| Field | Type | Required | Default | Contract |",
            "| `who` | string | **Yes** | -- | Whom |"
        ),
        (text(json!({"description": "Whom"})), true)
    );
    assert_eq!(
        row("| Input | Type | Default | Behavior |", "| `who` | string | `None` | Whom |"),
        (text(json!({"description": "Whom"})), false)
    );
    assert_eq!(
        row("| Name | Type | Required |", "| **who** | string | yes |"),
        (text(json!({})), true)
    );
}

#[test]
fn a_table_of_properties_is_not_a_table_of_parameters() {
    assert_eq!(
        codes(&read(&document_with("| Property | Value |\n|---|---|\n| Namespace | `x` |\n"))),
        ["TC806"]
    );
}

#[test]
fn repairs_and_reports_broken_rows() {
    let text = document_with(
        "| Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n| `branch` | `str \\ | null` | No | `null` Branch to walk |\n",
    );
    let reading = read(&text);
    assert_eq!(
        reading.tools[0].input.property("branch"),
        Some(&json!({"type": ["string", "null"], "description": "Branch to walk"}))
    );
    assert_eq!(
        render_diagnostics(&text, &reading),
        [
            r#"warning TC804: "| `branch` | `str \\ | null` | No | `null` Branch to walk |" the row of `branch` is split at an unescaped pipe"#
        ]
    );
}

#[test]
fn reads_and_reports_rows_separated_from_their_table() {
    let text = document_with(
        "| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One |\n\n| `b` | integer | No | Two |\n",
    );
    let reading = read(&text);
    assert_eq!(
        reading.tools[0].input.properties().map(|(name, _)| name).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(codes(&reading), ["TC804"]);
}

#[test]
fn nests_a_table_about_one_parameter() {
    let schema = read_input(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `tasks` | `array[object]` | Yes | Tasks |\n\n\
         Each task object:\n\n| Field | Type | Required | Description |\n|---|---|---|---|\n| `id` | string | Yes | Its id |\n",
    );
    assert_eq!(schema["properties"].as_object().expect("an object").len(), 1);
    assert_eq!(schema["properties"]["tasks"]["items"]["properties"]["id"]["type"], "string");
}

#[test]
fn reports_types_defaults_and_conditions_that_cannot_be_read() {
    let table = |row: &str| {
        let text = document_with(&format!(
            "| Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n{row}\n"
        ));
        let reading = read(&text);
        (codes(&reading).iter().map(|code| (*code).to_owned()).collect::<Vec<_>>(), reading)
    };
    assert_eq!(table("| `a` | `strng` | No | — | One |").0, ["TC805"]);
    assert_eq!(table("| `a` | `integer` | No | `once` | One |").0, ["TC812"]);
    assert_eq!(
        table("| `a` | string | No | — | One |\n| `a` | string | No | — | One |").0,
        ["TC813"]
    );
    let (codes, reading) = table("| `a` | string | Yes (if `b` is not given) | — | One |");
    assert_eq!(codes, ["TC809"]);
    assert!(reading.tools[0].input.required().next().is_none());
    let description = reading.tools[0].input.property("a").expect("a parameter")["description"]
        .as_str()
        .expect("a text");
    assert!(description.contains("if `b` is not given"), "{description}");
    assert!(reading.diagnostics[0].hint.is_some());
}

#[test]
fn recognizes_statements_that_there_are_no_parameters() {
    for none in [
        "| Parameter | Type | Required | Default | Description |\n|---|---|---|---|---|\n| none | - | - | - | No input parameters |\n",
        "| Parameter | Type |\n|---|---|\n| — | — |\n",
        "### 3. Input Schema (Parameters)\n\nThis tool takes no parameters.\n",
        "### 3. Input Schema (Parameters)\n\nNone — this tool takes no parameters.\n",
        "**Parameters**: None\n",
        "**Parameters:** No parameters required.\n",
        "No parameters. **Returns:** `status`.\n",
        "- **Category**: x\n- **Parameters**: None\n",
    ] {
        assert_eq!(
            read_input(none),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            "{none}"
        );
    }
}

#[test]
fn reads_bullets_as_parameters() {
    let schema = read_input(
        "**Parameters:**\n- `who` (string, required): Whom to greet\n- `times` (integer, optional, default 2): How often\n- `x`, `y` (float): Where\n\
         - `how` (object, optional): The way, with:\n  - `loud` (boolean): Aloud\n\n**Returns:**\n- `text` (string): The greeting\n",
    );
    assert_eq!(schema["required"], json!(["who"]));
    assert_eq!(
        schema["properties"]["times"],
        json!({"type": "integer", "default": 2, "description": "How often"})
    );
    assert_eq!(schema["properties"]["y"], json!({"type": "number", "description": "Where"}));
    assert_eq!(schema["properties"]["how"]["properties"]["loud"]["type"], "boolean");
    assert_eq!(schema["properties"].as_object().expect("an object").len(), 5);
    let names = read_input("Parameters:\n\n- `name`\n- `version`\n");
    assert_eq!(names["properties"], json!({"name": {}, "version": {}}));
}

#[test]
fn reads_declarations_in_code_after_a_label() {
    let schema = read_input("**Parameters**: `who: str`, `times: int = 3`\n");
    assert_eq!(schema["required"], json!(["who"]));
    assert_eq!(schema["properties"]["times"], json!({"type": "integer", "default": 3}));
}

#[test]
fn joins_lists_and_tables_of_required_and_optional_parameters() {
    let both = json!({"a": {"type": "string", "description": "One"}, "b": {"type": "integer", "description": "Two"}});
    for body in [
        "### Parameters\n\n**Required:**\n\n- `a` (string): One\n\n**Optional:**\n\n- `b` (integer): Two\n",
        "### Parameters\n\nRequired parameters:\n\n- `a` (string): One\n\nOptional parameters:\n\n- `b` (integer): Two\n",
        "### Parameters\n\nRequired:\n\n| Name | Type | Description |\n|---|---|---|\n| `a` | string | One |\n\nOptional:\n\n\
         | Name | Type | Description |\n|---|---|---|\n| `b` | integer | Two |\n",
    ] {
        let schema = read_input(body);
        assert_eq!(schema["properties"], both, "{body}");
        assert_eq!(schema["required"], json!(["a"]), "{body}");
    }
}

#[test]
fn reports_a_table_that_belongs_to_no_parameter() {
    let table = "| Name | Type | Description |\n|---|---|---|\n";
    let text = document_with(&format!(
        "### Parameters\n\n{table}| `a` | string | One |\n\nEach entry looks so:\n\n{table}| `b` | string | Two |\n"
    ));
    let found = render_diagnostics(&text, &read(&text));
    assert!(
        found.iter().any(|found| found.contains("TC806") && found.contains("belong to")),
        "{found:#?}"
    );
}

#[test]
fn reads_cells_with_a_remark_or_several_names() {
    let table = "| Name | Type | Default | Description |\n|---|---|---|---|\n";
    let schema = read_input(&format!(
        "### Parameters\n\n{table}| `a` (new) | string | (required) | One |\n| `b`, `c` | string | `*` | Two |\n| **`d`** | path | . | Three |\n"
    ));
    let names: Vec<_> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(schema["required"], json!(["a"]));
    assert_eq!(
        (&schema["properties"]["c"]["default"], &schema["properties"]["d"]["default"]),
        (&json!("*"), &json!("."))
    );
}

#[test]
fn reads_a_number_or_type_column_before_the_name() {
    for table in [
        "| # | Parameter | Type | Required | Description |\n|---|---|---|---|---|\n| 1 | `a` | str | ✔ | One |\n",
        "| Type | Name | Required | Description |\n|---|---|---|---|\n| str | `a` | Yes. | One |\n",
    ] {
        let schema = read_input(&format!("### Parameters\n\n{table}"));
        assert_eq!(schema["properties"]["a"]["type"], "string", "{table}");
        assert_eq!(schema["required"], json!(["a"]), "{table}");
    }
}

#[test]
fn reports_a_type_split_at_a_bare_pipe() {
    let text = document_with(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | null | No | One |\n",
    );
    let reading = read(&text);
    assert!(codes(&reading).contains(&"TC804"), "{:#?}", reading.diagnostics);
    let property = reading.tools[0].input.property("a").cloned();
    assert_eq!(property, Some(json!({"type": ["string", "null"], "description": "One"})));
}

#[test]
fn reads_the_type_of_a_bullet_after_the_name_or_before_a_dash() {
    let schema = read_input(
        "### Parameters\n\n- **`a`** `string` *(required)* — One\n- `b` – *integer* – Two\n- `c`: `list[str]` = `[]` — Three\n\
         - `d` (int) four\n",
    );
    let property = |name: &str| schema["properties"][name].clone();
    assert_eq!(property("a"), json!({"type": "string", "description": "One"}));
    assert_eq!(property("b"), json!({"type": "integer", "description": "Two"}));
    assert_eq!(
        property("c"),
        json!({"type": "array", "items": {"type": "string"}, "default": [], "description": "Three"})
    );
    assert_eq!(property("d"), json!({"type": "integer", "description": "four"}));
    assert_eq!(schema["required"], json!(["a"]));
}

#[test]
fn reports_an_item_that_is_not_a_parameter_among_parameters() {
    let text = document_with("### Parameters\n\n- `a` (string): One\n- and b, which is a number\n");
    let found = render_diagnostics(&text, &read(&text));
    assert!(
        found.iter().any(|found| found.contains("TC806") && found.contains("and b")),
        "{found:#?}"
    );
}

#[test]
fn reads_values_and_defaults_in_a_remark_after_a_type() {
    let table = "### Parameters\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n\
                 | `mode` | string (enum: \"fast\", \"slow\") | Yes | How |\n\
                 | `level` | `string (one of: low, high)` | Yes | How much |\n\
                 | `count` | integer (default: 3) | No | How many |\n";
    let schema = read_input(table);
    assert_eq!(schema["properties"]["mode"]["enum"], json!(["fast", "slow"]));
    assert_eq!(schema["properties"]["level"]["enum"], json!(["low", "high"]));
    assert_eq!(schema["properties"]["count"]["default"], 3);
}
