//! RAVE YAML in; tools and diagnostics out.

use std::{fs, time::Duration};

use catalog::{
    Implementation, Mode, SourceId,
    implementation::{Atom, Encoding, Formal},
};
use formats::{Guidance, Reading};
use serde_json::{Value, json};
use testing::shared_corpus;

use crate::reading::{errors, summary};

fn read(text: &str) -> Reading {
    formats::read(&SourceId::new("inst/mcp/tools/test.yaml"), text.as_bytes(), &Guidance::default())
}

/// A definition with these properties, followed by more fields.
fn definition(properties: &str, rest: &str) -> String {
    let indented: String = properties.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "name: my.pkg-mcp_tool_group_do\ndescription: Do it\nparameters:\n  type: object\n  properties:\n{indented}\
         implementation_example: do_it()\n{rest}"
    )
}

fn properties(reading: &Reading) -> Value {
    Value::Object(reading.tools[0].input.object().clone().as_ref().clone())["properties"].clone()
}

#[test]
fn reads_every_documented_field() {
    let text = r#"name: pkg-function_name
description: Tool description
parameters:
  type: object
  properties:
    param1:
      type: string
      description: Parameter description
      enum: [option1, option2]
      default: option1
      examples: [option1, option2]
    param2:
      type: array
      items:
        type: string
      description: Array parameter
  required: [param1]
category: Category Name
implementation_example: "f()"
execution_time: 0.023
returns:
  type: object
  properties:
    field1:
      type: string
      description: Description
"#;
    let reading = read(text);
    assert_eq!(summary(&reading.diagnostics), Vec::<String>::new());
    let tool = &reading.tools[0];
    assert_eq!(
        (tool.name.as_str(), tool.title.as_deref()),
        ("pkg-function_name", Some("Function name"))
    );
    assert_eq!(tool.annotations.category.as_deref(), Some("Category Name"));
    assert_eq!((tool.measured, tool.mode), (Some(Duration::from_millis(23)), Mode::Synchronous));
    assert_eq!(tool.description.transcript.as_deref(), Some("f()"));
    let schema = Value::Object(tool.input.object().as_ref().clone());
    assert_eq!(
        (&schema["required"], &schema["additionalProperties"]),
        (&json!(["param1"]), &json!(false))
    );
    let output = tool.output.as_ref().expect("an output schema");
    assert_eq!(
        output.property("field1"),
        Some(&json!({"type": "string", "description": "Description"}))
    );
    let Implementation::R(function) = &tool.implementation else { panic!("an R function") };
    assert_eq!((function.package.as_str(), function.function.as_str()), ("pkg", "function_name"));
    let formal = |parameter: &str, encoding| Formal { parameter: parameter.to_owned(), encoding };
    let expected = [
        formal("param1", Encoding::Scalar(Atom::Character)),
        formal("param2", Encoding::Vector(Atom::Character)),
    ];
    assert_eq!(function.formals, expected);
}

#[test]
fn reads_the_shared_corpus_without_errors() {
    let Some(folder) = shared_corpus("corpus/rave/yaml") else {
        return;
    };
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        let reading =
            formats::read(&SourceId::new(path.to_string_lossy()), &bytes, &Guidance::default());
        assert_eq!(errors(&reading.diagnostics), Vec::<String>::new(), "{}", path.display());
        let tool = &reading.tools[0];
        assert_eq!(Some(tool.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
        assert!(
            tool.input.validator().is_ok()
                && tool.output.as_ref().is_none_or(|output| output.validator().is_ok())
        );
        files += 1;
    }
    assert_eq!(files, 16);
}

#[test]
fn reads_safety_flags_in_every_spelling() {
    for spelling in ["yes", "Yes", "on", "true", "TRUE", "y", "'yes'", "\"TRUE\"", "1"] {
        let reading = read(&definition(
            "",
            &format!("dangerous: {spelling}\nrequires_approval: {spelling}\n"),
        ));
        let annotations = &reading.tools[0].annotations;
        assert_eq!(
            (annotations.dangerous, annotations.requires_approval),
            (Some(true), Some(true)),
            "{spelling}"
        );
    }
    assert_eq!(
        read(&definition("", "dangerous: no\n")).tools[0].annotations.dangerous,
        Some(false)
    );
}

#[test]
fn rejects_invalid_and_misspelled_safety_flags() {
    for (line, error) in [
        ("dangerous: perhaps", "error TC021 /dangerous"),
        ("requires_approval: [yes]", "error TC021 /requires_approval"),
        ("dangerus: yes", "error TC023 /dangerus"),
        ("requires-approval: yes", "error TC023 /requires-approval"),
    ] {
        let reading = read(&definition("", &format!("{line}\n")));
        assert_eq!(errors(&reading.diagnostics), [error], "{line}");
        assert!(reading.tools.is_empty(), "{line}");
    }
}

#[test]
fn keys_are_strings_even_if_they_look_like_booleans() {
    let reading = read(&definition(
        "y:\n  type: number\n  description: Y\nn:\n  type: integer\n  description: N",
        "",
    ));
    assert_eq!(
        properties(&reading).as_object().map(|found| found.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["y".into(), "n".into()])
    );
}

#[test]
fn required_names_are_strings_even_if_they_look_like_booleans() {
    let text = definition(
        "y:\n  type: number\n  description: Y\nn:\n  type: integer\n  description: N",
        "",
    );
    for (list, names) in [("[n, y]", vec!["n", "y"]), ("n", vec!["n"])] {
        let reading = read(&text.replace(
            "implementation_example",
            &format!("  required: {list}\nimplementation_example"),
        ));
        assert_eq!(
            reading.tools[0].input.required().collect::<Vec<_>>(),
            names,
            "{list}: {:?}",
            reading.diagnostics
        );
    }
}

#[test]
fn coerces_values_to_the_type_of_their_parameter() {
    let text = "i:\n  type: integer\n  description: I\n  default: 20.0\n  examples: ['50', 2L]\n\
                s:\n  type: string\n  description: S\n  enum: [yes, no, 1.0]\n  default: no\n\
                b:\n  type: boolean\n  description: B\n  default: off\n\
                one:\n  type: string\n  description: One\n  examples: x\n\
                many:\n  type: array\n  items: {type: string}\n  description: Many\n  examples: [a, [b, c]]";
    let reading = read(&definition(text, ""));
    let found = properties(&reading);
    assert_eq!((&found["i"]["default"], &found["i"]["examples"]), (&json!(20), &json!([50, 2])));
    assert_eq!(
        (&found["s"]["enum"], &found["s"]["default"]),
        (&json!(["yes", "no", "1.0"]), &json!("no"))
    );
    assert_eq!(found["b"]["default"], json!(false));
    assert_eq!(found["one"]["examples"], json!(["x"]));
    assert_eq!(found["many"]["examples"], json!([["a"], ["b", "c"]]));
    assert!(
        reading.diagnostics.iter().all(|found| found.code == "TC142"),
        "{:#?}",
        reading.diagnostics
    );
}

#[test]
fn omits_unusable_parts_with_a_warning() {
    let text = "levels:\n  type: array\n  items: {type: string}\n  description: Levels\n  default: TRACE\n\
                k:\n  type: number\n  description: K\n  default: .inf\n\
                mode:\n  type: string\n  description: Mode\n  enum: [a, b]\n  default: c\n\
                .state_env:\n  type: object\n  description: State";
    let reading = read(&definition(text, "").replace(
        "implementation_example",
        "  required: [k, k, gone, .state_env]\nimplementation_example",
    ));
    let found = properties(&reading);
    assert!(
        ["levels", "k", "mode"].iter().all(|name| found[name].get("default").is_none()),
        "{found:#}"
    );
    assert!(found.get(".state_env").is_none());
    assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["k"]);
    assert_eq!(
        summary(&reading.diagnostics),
        [
            "warning TC143 /parameters/properties/levels/default",
            "warning TC143 /parameters/properties/k/default",
            "warning TC143 /parameters/properties/mode/default",
            "warning TC144 /parameters/properties/.state_env",
            "warning TC145 /parameters/required",
            "warning TC145 /parameters/required",
        ]
    );
}

#[test]
fn reads_empty_lists_of_r() {
    for empty in ["properties: []", "properties: {}", "properties: ~", "required: []"] {
        let text = format!(
            "name: p-f\ndescription: F\nparameters:\n  type: object\n  {empty}\nimplementation_example: f()\n"
        );
        let reading = read(&text);
        assert_eq!(summary(&reading.diagnostics), Vec::<String>::new(), "{empty}");
        assert_eq!(properties(&reading), json!({}));
    }
    let reading = read(
        "name: p-f\ndescription: ~\nparameters: []\nreturns: ~\nimplementation_example: f()\n",
    );
    assert_eq!(summary(&reading.diagnostics), ["warning TC020 /description"]);
    assert_eq!(reading.tools[0].description.text, "The R function `p-f`");
}

#[test]
fn rejects_properties_that_are_not_an_object() {
    let text = "name: p-f\ndescription: F\nparameters:\n  type: object\n  properties: [a, b]\nimplementation_example: f()\n";
    assert_eq!(errors(&read(text).diagnostics), ["error TC021 /parameters/properties"]);
    let inner = definition("x:\n  type: object\n  description: X\n  properties: [a]", "");
    assert_eq!(
        errors(&read(&inner).diagnostics),
        ["error TC021 /parameters/properties/x/properties"]
    );
}

#[test]
fn a_single_required_name_is_a_list_of_one() {
    let text = definition("x:\n  type: string\n  description: X", "");
    let reading =
        read(&text.replace("implementation_example", "  required: x\nimplementation_example"));
    assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["x"]);
}

#[test]
fn a_slow_example_makes_the_tool_asynchronous() {
    assert_eq!(read(&definition("", "execution_time: 10.5\n")).tools[0].mode, Mode::Asynchronous);
    assert_eq!(read(&definition("", "execution_time: 10.0\n")).tools[0].mode, Mode::Synchronous);
}

#[test]
fn reports_arrays_without_items_and_enums_without_type() {
    let properties = "a: {type: array, description: a}\nb: {type: [array, 'null'], description: b, items: {type: vector}}\n\
                      c: {enum: [x, y], description: c}\nd: {anyOf: [{type: string}], description: d}\n";
    let found = summary(
        &read(&definition(properties, "returns: {type: array, description: r}\n")).diagnostics,
    );
    for pointer in [
        "/parameters/properties/a",
        "/parameters/properties/b/items",
        "/parameters/properties/c",
        "/returns",
    ] {
        assert!(found.contains(&format!("warning TC141 {pointer}")), "{pointer}: {found:#?}");
    }
    assert_eq!(found.iter().filter(|found| found.contains("TC141")).count(), 4, "{found:#?}");
}

#[test]
fn takes_the_package_from_the_file_name() {
    let text = definition("", "").replace("my.pkg-mcp_tool_group_do", "do_it");
    let reading =
        |file: &str| formats::read(&SourceId::new(file), text.as_bytes(), &Guidance::default());
    let named = reading("tools/my.pkg-do_it.yaml");
    let Implementation::R(function) = &named.tools[0].implementation else {
        panic!("an R function")
    };
    assert_eq!((function.package.as_str(), function.function.as_str()), ("my.pkg", "do_it"));
    let unnamed = reading("tools/tool.yaml");
    assert_eq!(unnamed.tools[0].implementation, Implementation::Missing);
    assert_eq!(summary(&unnamed.diagnostics), ["warning TC140 /name"]);
}

#[test]
fn yaml_errors_have_a_location_and_a_hint() {
    for (text, line, hint) in [
        ("name: p-f\ndescription: one: two\n", 2, "quotes"),
        ("name: p-f\nparameters:\n\ttype: object\n", 3, "tabs"),
        ("name: p-f\ndescription: `f` does\n", 2, "quotes"),
        ("name: 'p-f\ndescription: F\n", 3, "quotes"),
        ("name: p-f\nparameters: {type: object\n", 3, "quotes"),
    ] {
        let reading = read(text);
        assert_eq!(errors(&reading.diagnostics), ["error TC015 -"], "{text}");
        let found = &reading.diagnostics[0];
        let range = formats::locate(text, &found.origin.location);
        let at =
            text[..range.start].lines().count().max(text[..range.start].matches('\n').count() + 1);
        assert!(at.abs_diff(line) <= 1, "{text}: {at}");
        assert!(found.hint.as_deref().is_some_and(|text| text.contains(hint)), "{found:?}");
    }
}

#[test]
fn handles_duplicate_keys_aliases_and_alias_bombs() {
    assert_eq!(
        errors(&read(&definition("", "dangerous: yes\ndangerous: no\n")).diagnostics),
        ["error TC010 -"]
    );
    let shared = definition(
        "a: &a\n  type: string\n  description: A\nb: *a\nc:\n  <<: *a\n  description: C",
        "",
    );
    let found = properties(&read(&shared));
    assert_eq!(found["b"], found["a"]);
    assert_eq!(found["c"], json!({"description": "C", "type": "string"}));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = level - 1;
        let item = format!("*a{below}");
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [item.as_str(); 10].join(", ")));
    }
    assert_eq!(errors(&read(&bomb).diagnostics), ["error TC012 -"]);
    assert_eq!(errors(&read("name: &a [*a]\n").diagnostics), ["error TC015 -"]);
    let deep = format!("name: {}{}\n", "[".repeat(200), "]".repeat(200));
    assert_eq!(errors(&read(&deep).diagnostics), ["error TC011 -"]);
}

#[test]
fn never_evaluates_tags() {
    let reading = read(&definition("", "category: !expr system('touch /tmp/x')\n"));
    assert_eq!(reading.tools[0].annotations.category.as_deref(), Some("system('touch /tmp/x')"));
    assert_eq!(summary(&reading.diagnostics), ["warning TC016 -"]);
}

#[test]
fn truncated_and_changed_files_never_cause_a_panic() {
    let good = definition(
        "é: &x\n  type: array\n  items: {type: [string, 'null']}\n  enum: *x\n  default: |\n    a\n",
        "returns:\n  type: string\n",
    );
    for end in 0..good.len() {
        formats::read(&SourceId::new("a.yaml"), &good.as_bytes()[..end], &Guidance::default());
        for byte in [0, b'"', b'{', b']', b'\t', b'\n', 0xff, b'*', b':'] {
            let mut bytes = good.as_bytes().to_vec();
            bytes[end] = byte;
            formats::read(&SourceId::new("a.yaml"), &bytes, &Guidance::default());
        }
    }
}

#[test]
fn locates_values_in_yaml() {
    let text = definition("x:\n  type: strin\n  description: X", "");
    let reading = read(&text);
    assert_eq!(errors(&reading.diagnostics), ["error TC061 /parameters/properties/x/type"]);
    assert_eq!(&text[formats::locate(&text, &reading.diagnostics[0].origin.location)], "strin");
}

#[test]
fn the_schema_for_editors_accepts_valid_definitions() {
    let schema = crate::reading::schema_of("rave");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let good = json!({"name": "p-f", "description": "F", "implementation_example": "f()",
        "parameters": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}});
    assert!(validator.is_valid(&good));
    let mut bad = good;
    bad["dangerous"] = json!("yes");
    assert!(!validator.is_valid(&bad));
}

#[test]
fn the_description_of_a_result_decides_its_type() {
    let returns = "returns:\n  type: object\n  properties:\n    ok:\n      type: object\n      description: Logical, whether the list was read\n    \
                   rows:\n      type: object\n      description: Data frame with columns a and b\n    all:\n      type: object\n      \
                   description: List, everything\n    n:\n      type: integer\n      description: Number of rows\n";
    let reading = read(&definition("", returns));
    let output = reading.tools[0].output.as_ref().expect("an output schema");
    let kind = |name: &str| output.property(name).expect("a property")["type"].clone();
    assert_eq!(
        [kind("ok"), kind("rows"), kind("all"), kind("n")],
        [json!("boolean"), json!("array"), json!("object"), json!("integer")]
    );
    assert_eq!(output.property("rows").expect("rows")["items"], json!({"type": "object"}));
    assert_eq!(
        summary(&reading.diagnostics),
        ["note TC142 /returns/properties/ok/type", "note TC142 /returns/properties/rows/type"]
    );
}

#[test]
fn values_match_r_names_of_types() {
    let reading = read(&definition(
        "a:\n  type: logical\n  description: A\n  default: FALSE\n\
         b:\n  type: logical\n  description: B\n  default: 'TRUE'\n\
         c:\n  type: numeric\n  description: C\n  default: 0.5\n  examples: ['2']\n\
         d:\n  type: vector\n  items: {type: character}\n  description: D\n  default: [x]\n\
         e:\n  type: character\n  description: E\n  enum: [one, two]\n  default: one",
        "",
    ));
    let found = properties(&reading);
    let defaults = ["a", "b", "c", "d", "e"].map(|name| &found[name]["default"]);
    assert_eq!(defaults, [&json!(false), &json!(true), &json!(0.5), &json!(["x"]), &json!("one")]);
    assert_eq!(found["c"]["examples"], json!([2]));
    assert_eq!(found["e"]["enum"], json!(["one", "two"]));
    let codes: Vec<_> = reading.diagnostics.iter().map(|found| found.code).collect();
    assert!(!codes.contains(&"TC143"), "{:#?}", reading.diagnostics);
}

#[test]
fn r_names_of_types_are_translated() {
    let reading = read(&definition(
        "x:\n  type: character\n  description: X\n  default: 5\nv:\n  type: vector\n  items: {type: numeric}\n  description: V",
        "",
    ));
    let found = properties(&reading);
    assert_eq!(
        (&found["x"]["type"], &found["v"]["items"]["type"]),
        (&json!("string"), &json!("number"))
    );
    assert_eq!(errors(&reading.diagnostics), Vec::<String>::new());
}
