//! Parameters in tables and bullets, as people write them.

use serde_json::{Value, json};

use crate::specs::{codes, findings, input, page, read, tool};

#[test]
fn a_row_becomes_a_property() {
    let schema = input(
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
fn parameters_know_the_cell_that_names_them() {
    let text = page(
        "| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `who` | string | yes | Whom |\n",
    );
    let place = tool(&text).parameter_origin("who").location;
    let catalog::Location::Span(span) = place else { panic!("a span") };
    assert_eq!(&text[span], "`who`");
}

#[test]
fn every_shape_of_table_is_read() {
    let row = |header: &str, row: &str| {
        let rule = "|---".repeat(header.matches('|').count() - 1);
        let schema = input(&format!("{header}\n{rule}|\n{row}\n"));
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
fn a_table_of_properties_is_no_table_of_parameters() {
    assert_eq!(
        codes(&read(&page("| Property | Value |\n|---|---|\n| Namespace | `x` |\n"))),
        ["TC806"]
    );
}

#[test]
fn torn_rows_are_mended_and_told() {
    let text = page(
        "| Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n| `branch` | `str \\ | null` | No | `null` Branch to walk |\n",
    );
    let reading = read(&text);
    assert_eq!(
        reading.tools[0].input.property("branch"),
        Some(&json!({"type": ["string", "null"], "description": "Branch to walk"}))
    );
    assert_eq!(
        findings(&text, &reading),
        [
            r#"warning TC804: "| `branch` | `str \\ | null` | No | `null` Branch to walk |" the row of `branch` is split at an unescaped pipe"#
        ]
    );
}

#[test]
fn rows_parted_from_their_table_are_read_and_told() {
    let text = page(
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
fn tables_about_one_parameter_go_inside_it() {
    let schema = input(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `tasks` | `array[object]` | Yes | Tasks |\n\n\
         Each task object:\n\n| Field | Type | Required | Description |\n|---|---|---|---|\n| `id` | string | Yes | Its id |\n",
    );
    assert_eq!(schema["properties"].as_object().expect("an object").len(), 1);
    assert_eq!(schema["properties"]["tasks"]["items"]["properties"]["id"]["type"], "string");
}

#[test]
fn what_cannot_be_taken_as_written_is_told() {
    let table = |row: &str| {
        let text = page(&format!(
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
    let told = reading.tools[0].input.property("a").expect("a parameter")["description"]
        .as_str()
        .expect("a text");
    assert!(told.contains("if `b` is not given"), "{told}");
    assert!(reading.diagnostics[0].hint.is_some());
}

#[test]
fn rows_and_sentences_can_say_that_there_are_no_parameters() {
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
            input(none),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            "{none}"
        );
    }
}

#[test]
fn bullets_are_parameters_too() {
    let schema = input(
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
    let names = input("Parameters:\n\n- `name`\n- `version`\n");
    assert_eq!(names["properties"], json!({"name": {}, "version": {}}));
}

#[test]
fn code_behind_a_label_is_a_signature() {
    let schema = input("**Parameters**: `who: str`, `times: int = 3`\n");
    assert_eq!(schema["required"], json!(["who"]));
    assert_eq!(schema["properties"]["times"], json!({"type": "integer", "default": 3}));
}

#[test]
fn lists_and_tables_of_required_and_optional_parameters_are_one() {
    let both = json!({"a": {"type": "string", "description": "One"}, "b": {"type": "integer", "description": "Two"}});
    for body in [
        "### Parameters\n\n**Required:**\n\n- `a` (string): One\n\n**Optional:**\n\n- `b` (integer): Two\n",
        "### Parameters\n\nRequired parameters:\n\n- `a` (string): One\n\nOptional parameters:\n\n- `b` (integer): Two\n",
        "### Parameters\n\nRequired:\n\n| Name | Type | Description |\n|---|---|---|\n| `a` | string | One |\n\nOptional:\n\n\
         | Name | Type | Description |\n|---|---|---|\n| `b` | integer | Two |\n",
    ] {
        let schema = input(body);
        assert_eq!(schema["properties"], both, "{body}");
        assert_eq!(schema["required"], json!(["a"]), "{body}");
    }
}

#[test]
fn a_table_that_belongs_to_nothing_is_told() {
    let table = "| Name | Type | Description |\n|---|---|---|\n";
    let text = page(&format!(
        "### Parameters\n\n{table}| `a` | string | One |\n\nEach entry looks so:\n\n{table}| `b` | string | Two |\n"
    ));
    let found = findings(&text, &read(&text));
    assert!(
        found.iter().any(|found| found.contains("TC806") && found.contains("belong to")),
        "{found:#?}"
    );
}

#[test]
fn a_cell_may_have_a_remark_behind_the_name_or_several_names() {
    let table = "| Name | Type | Default | Description |\n|---|---|---|---|\n";
    let schema = input(&format!(
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
fn a_number_or_a_type_may_stand_before_the_name() {
    for table in [
        "| # | Parameter | Type | Required | Description |\n|---|---|---|---|---|\n| 1 | `a` | str | ✔ | One |\n",
        "| Type | Name | Required | Description |\n|---|---|---|---|\n| str | `a` | Yes. | One |\n",
    ] {
        let schema = input(&format!("### Parameters\n\n{table}"));
        assert_eq!(schema["properties"]["a"]["type"], "string", "{table}");
        assert_eq!(schema["required"], json!(["a"]), "{table}");
    }
}

#[test]
fn a_type_that_a_bare_pipe_has_torn_is_never_silently_wrong() {
    let text = page(
        "### Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | null | No | One |\n",
    );
    let reading = read(&text);
    assert!(codes(&reading).contains(&"TC804"), "{:#?}", reading.diagnostics);
    let property = reading.tools[0].input.property("a").cloned();
    assert_eq!(property, Some(json!({"type": ["string", "null"], "description": "One"})));
}

#[test]
fn a_bullet_may_say_its_type_behind_the_name_or_before_a_dash() {
    let schema = input(
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
fn an_item_that_is_no_parameter_among_parameters_is_told() {
    let text = page("### Parameters\n\n- `a` (string): One\n- and b, which is a number\n");
    let found = findings(&text, &read(&text));
    assert!(
        found.iter().any(|found| found.contains("TC806") && found.contains("and b")),
        "{found:#?}"
    );
}

#[test]
fn a_remark_behind_a_type_counts() {
    let table = "### Parameters\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n\
                 | `mode` | string (enum: \"fast\", \"slow\") | Yes | How |\n\
                 | `level` | `string (one of: low, high)` | Yes | How much |\n\
                 | `count` | integer (default: 3) | No | How many |\n";
    let schema = input(table);
    assert_eq!(schema["properties"]["mode"]["enum"], json!(["fast", "slow"]));
    assert_eq!(schema["properties"]["level"]["enum"], json!(["low", "high"]));
    assert_eq!(schema["properties"]["count"]["default"], 3);
}
