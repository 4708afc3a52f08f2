//! The dialect of MTDF with a JSON Schema.

use catalog::{
    Implementation, Mode,
    implementation::{PassBy, Piece, ValueKind},
};
use serde_json::{Value, json};

use crate::reading::{errors, line, names, read, summary, tool};

fn schema_tool(properties: Value) -> Value {
    json!({"name": "t", "description": "A tool", "command": "prog sub",
        "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties}})
}

fn schema_errors(schema: Value) -> Vec<String> {
    let mut definition = schema_tool(json!({}));
    definition["inputSchema"] = schema;
    let reading = read(&definition);
    assert_eq!(
        reading.tools.is_empty(),
        reading.diagnostics.iter().any(catalog::Diagnostic::is_error)
    );
    errors(&reading.diagnostics)
}

#[test]
fn serves_the_schema_unchanged_except_for_its_dialect() {
    let mut definition = schema_tool(
        json!({"mode": {"type": "string", "enum": ["a", "b"]}, "extra": {"type": "object"}}),
    );
    definition["inputSchema"]["if"] = json!({"properties": {"mode": {"const": "b"}}});
    definition["inputSchema"]["then"] = json!({"required": ["extra"]});
    let tool = tool(&definition);
    let mut expected = definition["inputSchema"].clone();
    expected.as_object_mut().expect("an object").remove("$schema");
    assert_eq!(Value::Object((**tool.input.object()).clone()), expected);
    assert_eq!(tool.mode, Mode::Asynchronous);
    assert_eq!(tool.parameters.len(), 2);
    assert_eq!(tool.parameter_origin("mode").pointer(), Some("/inputSchema/properties/mode"));
}

#[test]
fn properties_become_options() {
    let tool = tool(&schema_tool(
        json!({"v": {"type": "boolean"}, "name": {"type": "string"}, "-x": {}, "tags": {"type": "array"}}),
    ));
    assert_eq!(line(&tool), "prog sub -v <v> --name <name> -x <-x> --tags <tags>");
}

#[test]
fn argv_overrides_bindings() {
    let mut definition = schema_tool(json!({
        "last": {}, "second": {}, "first": {}, "color": {}, "tags": {}, "quiet": {}, "text": {}, "key": {}, "file": {}, "plain": {},
    }));
    definition["argv"] = json!({
        "last": {"positional": true, "allow_dash": true}, "second": {"positional": 1}, "first": {"positional": 0},
        "color": {"flag": "-C", "separator": "="}, "tags": {"join": ":"}, "quiet": {"negate": "--loud"}, "text": {"pass_by": "stdin"},
        "key": {"pass_by": "env", "env": "K"}, "file": {"pass_by": "file"}, "plain": {"positional": false},
    });
    let tool = tool(&definition);
    let expected = "prog sub -C=<color> --tags <tags:..> --quiet <quiet|--loud> <stdin:text> <K:key> --file <file:file> --plain <plain> \
                    <first> <second> <-last>";
    assert_eq!(line(&tool), expected);
    assert!(!tool.input.object().contains_key("argv"));
}

#[test]
fn reads_order_and_double_dash() {
    let mut definition = schema_tool(json!({"a": {}, "b": {}}));
    definition["argv"] = json!({"a": {"positional": true}});
    definition["double_dash"] = json!(true);
    assert_eq!(line(&tool(&definition)), "prog sub -b <b> -- <-a>");
    definition["double_dash"] = json!(false);
    definition["positional_args_first"] = json!(true);
    assert_eq!(line(&tool(&definition)), "prog sub <a> -b <b>");
}

#[test]
fn rejects_invalid_argv_entries() {
    let mut definition = schema_tool(json!({"file": {}}));
    definition["argv"] = json!({"flie": {"positional": true}});
    let reading = read(&definition);
    assert_eq!(errors(&reading.diagnostics), ["error TC049 /argv/flie"]);
    assert_eq!(reading.diagnostics[0].hint.as_deref(), Some("did you mean `file`?"));
    definition["argv"] = json!({"file": {"positional": "yes", "flags": "-f", "separator": "~"}});
    assert_eq!(
        errors(&read(&definition).diagnostics),
        [
            "error TC021 /argv/file/positional",
            "error TC023 /argv/file/flags",
            "error TC036 /argv/file/separator"
        ]
    );
    definition["argv"] = json!({"file": {"positional": 0, "flag": "-f"}});
    assert_eq!(errors(&read(&definition).diagnostics), ["error TC032 /argv/file/flag"]);
}

#[test]
fn detects_paths_variables_and_working_directory() {
    let mut definition = schema_tool(json!({
        "in": {"type": "string", "format": "path"}, "many": {"type": "array", "items": {"$ref": "#/$defs/p"}}, "by_ref": {"$ref": "#/$defs/p"},
        "env_vars": {"type": "object"}, "working_directory": {"type": "string"},
    }));
    definition["inputSchema"]["$defs"] =
        json!({"p": {"$ref": "#/$defs/q"}, "q": {"type": "string", "format": "path"}});
    let tool = tool(&definition);
    let Implementation::Process(process) = &tool.implementation else { panic!("a process") };
    let kinds: Vec<_> = process.bindings().map(|binding| binding.kind).collect();
    assert_eq!(
        kinds,
        [ValueKind::Path, ValueKind::Path, ValueKind::Path, ValueKind::Plain, ValueKind::Path]
    );
    let ways: Vec<_> = process.bindings().map(|binding| binding.pass_by.clone()).collect();
    assert_eq!(ways[3..], [PassBy::Variables, PassBy::Folder]);
}

#[test]
fn reads_input_schema_unless_there_are_subcommands_or_options() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let mut definition =
        json!({"name": "t", "description": "A tool", "command": "prog", "input_schema": schema});
    let reading = read(&definition);
    assert_eq!(summary(&reading.diagnostics), ["note TC065 /input_schema"]);
    assert_eq!(line(&reading.tools[0]), "prog -a <a>");
    definition["options"] = json!([{"name": "b", "type": "string"}]);
    let reading = read(&definition);
    assert_eq!(summary(&reading.diagnostics), ["note TC035 /input_schema"]);
    assert_eq!(line(&reading.tools[0]), "prog -b <b>");
    definition["subcommand"] = json!([{"name": "s", "description": "S"}]);
    assert_eq!(summary(&read(&definition).diagnostics), ["note TC035 /input_schema"]);
}

#[test]
fn the_root_must_be_an_object_schema() {
    assert_eq!(schema_errors(json!({"type": "object"})), [""; 0]);
    assert_eq!(schema_errors(json!({"properties": {}})), ["error TC060 /inputSchema/type"]);
    assert_eq!(
        schema_errors(json!({"type": ["object", "null"]})),
        ["error TC060 /inputSchema/type"]
    );
    assert_eq!(schema_errors(json!("object")), ["error TC021 /inputSchema"]);
}

#[test]
fn checks_keywords_at_every_depth() {
    let of = |part: Value| {
        schema_errors(json!({"type": "object", "properties": {"a": {"items": {"anyOf": [part]}}}}))
    };
    let at = |code: &str, rest: &str| {
        [format!("error {code} /inputSchema/properties/a/items/anyOf/0/{rest}")]
    };
    assert_eq!(of(json!({"type": "strng"})), at("TC061", "type"));
    assert_eq!(of(json!({"required": true})), at("TC061", "required"));
    assert_eq!(of(json!({"enum": "a"})), at("TC061", "enum"));
    assert_eq!(of(json!({"properties": []})), at("TC061", "properties"));
    assert_eq!(of(json!({"pattern": "("})), at("TC043", "pattern"));
    assert_eq!(of(json!({"patternProperties": {"(": {}}})), at("TC043", "patternProperties/("));
    assert_eq!(of(json!({"not": 3})), at("TC021", "not"));
    assert_eq!(of(json!({"properties": {"type": {"const": "x"}, "required": {}}})), [""; 0]);
}

#[test]
fn rejects_remote_unresolved_and_circular_references() {
    let of = |reference: &str, definitions: Value| {
        schema_errors(
            json!({"type": "object", "properties": {"a": {"$ref": reference}}, "$defs": definitions}),
        )
    };
    let place = |code: &str| [format!("error {code} /inputSchema/properties/a/$ref")];
    assert_eq!(of("#/$defs/x", json!({"x": {"type": "string"}})), [""; 0]);
    assert_eq!(of("#/$defs/x~1y%20z", json!({"x/y z": {}})), [""; 0]);
    assert_eq!(of("#here", json!({"x": {"$anchor": "here"}})), [""; 0]);
    assert_eq!(of("#", json!({})), [""; 0]);
    assert_eq!(of("https://example.com/x.json", json!({})), place("TC062"));
    assert_eq!(of("other.json#/x", json!({})), place("TC062"));
    assert_eq!(of("#/$defs/missing", json!({})), place("TC063"));
    let loops = "error TC064 /inputSchema/$defs/x/$ref";
    assert_eq!(of("#/$defs/x", json!({"x": {"$ref": "#/$defs/x"}})), [loops]);
    let long = of(
        "#/$defs/x",
        json!({"x": {"$ref": "#/$defs/y"}, "y": {"allOf": [{"not": {"$ref": "#/$defs/x"}}]}}),
    );
    assert_eq!(long, [loops, "error TC064 /inputSchema/$defs/y/allOf/0/not/$ref"]);
    assert_eq!(
        of("#/$defs/x", json!({"x": {"properties": {"deeper": {"$ref": "#/$defs/x"}}}})),
        [""; 0]
    );
}

#[test]
fn accepted_schemas_compile_even_with_the_most_references() {
    let definitions: serde_json::Map<_, _> = (0..199)
        .map(|n| {
            (format!("d{n}"), json!({"properties": {"p": {"$ref": format!("#/$defs/d{}", n + 1)}}}))
        })
        .collect();
    let mut definition = schema_tool(json!({"a": {"$ref": "#/$defs/d0"}}));
    definition["inputSchema"]["$defs"] = Value::Object(definitions);
    definition["inputSchema"]["$defs"]["d199"] = json!({"type": "string"});
    assert!(tool(&definition).input.validator().is_ok());
}

/// The complete examples of the guide, none of which has a command: with one, each works as
/// described.
#[test]
fn reads_the_schema_tools_of_the_guide() {
    let Some(guide) = testing::shared_corpus("seeds/mtdf-guide.md") else {
        return;
    };
    let guide = std::fs::read_to_string(guide).expect("a readable guide");
    let blocks = guide.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let complete: Vec<_> = blocks
        .map(|(_, text)| text.trim_start_matches("# Example: tools/my_tool.json\n"))
        .filter(|text| text.contains("inputSchema"))
        .collect();
    let bind = |text: &str, command: &[&str]| {
        let reading = crate::reading::read_text(text);
        assert_eq!(summary(&reading.diagnostics), ["note TC029 /command"]);
        let command: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
        line(&formats::bind(reading.tools[0].clone(), &command))
    };
    assert_eq!(complete.len(), 3);
    assert_eq!(
        bind(complete[0], &["my_tool"]),
        "my_tool --input_file <input_file> --options <options>"
    );
    assert_eq!(
        bind(complete[0], &["cat", "--", "{options}", "{input_file}"]),
        "cat -- <-options> <-input_file>"
    );
    assert_eq!(
        bind(complete[1], &["cargo", "build"]),
        "cargo build --release <release> --features <features> --target <target>"
    );
    assert_eq!(
        bind(complete[2], &["python3", "{script_path}", "{args}"]),
        "python3 <script_path> <args> <variables:env_vars>"
    );
}

#[test]
fn binding_a_tool_keeps_argv() {
    let mut definition = schema_tool(
        json!({"script": {"type": "string"}, "args": {"type": "array"}, "v": {"type": "boolean"}}),
    );
    definition.as_object_mut().expect("an object").remove("command");
    definition["argv"] =
        json!({"script": {"positional": 0}, "args": {"positional": 1, "allow_dash": true}});
    let reading = read(&definition);
    assert_eq!(names(&reading), ["t"]);
    let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let bound = formats::bind(reading.tools[0].clone(), &command(&["bash", "-c"]));
    assert_eq!(line(&bound), "bash -c -v <v> <script> <-args>");
    assert_eq!(bound.annotations.dangerous, Some(true));
    let again = formats::bind(bound.clone(), &command(&["other"]));
    assert_eq!(again.implementation, bound.implementation);
    assert!(!formats::bind(reading.tools[0].clone(), &[]).is_callable());
    let literal = formats::bind(reading.tools[0].clone(), &command(&["x", "{nothing}"]));
    let Implementation::Process(process) = literal.implementation else { panic!("a process") };
    assert_eq!(process.pieces[0], Piece::Word("{nothing}".to_owned()));
}

#[test]
fn rejects_conflicts_and_blank_names() {
    let mut definition = schema_tool(json!({"a": {}, "b": {}, "c": {}, "": {}}));
    definition["argv"] = json!({"b": {"flag": "-a", "pass_by": "file"}, "c": {"pass_by": "stdin"}});
    assert_eq!(
        errors(&read(&definition).diagnostics),
        ["error TC024 /inputSchema/properties/", "error TC046 /argv/b"]
    );
    definition["argv"] = json!({"a": {"pass_by": "stdin"}, "c": {"pass_by": "stdin"}});
    definition["inputSchema"]["properties"] = json!({"a": {}, "c": {}});
    assert_eq!(errors(&read(&definition).diagnostics), ["error TC032 /argv/c"]);
}
