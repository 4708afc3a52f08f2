//! `[[bind]]`: the implementations that it gives to tools, and the problems that it reports.

use std::time::Duration;

use catalog::{Implementation, OnMismatch, implementation::Piece};
use serde_json::json;
use workspace::Loaded;

use crate::crib_fixture::CribFixture;

/// A tool with an implementation, and a command-line tool without one.
const LIST_FILES: &str = r#"{"name": "list_files", "description": "List files", "command": "ls", "mutates": false,
 "subcommand": [{"name": "default", "description": "List files"}]}"#;
const FIND_TEXT: &str = r#"{"name": "find_text", "description": "Find text", "mutates": false,
 "subcommand": [{"name": "default", "description": "Find text", "options": [{"name": "text", "type": "string", "description": "What"}]}]}"#;

/// A specification of tools without an implementation, each with one parameter.
fn specification(names: &[&str]) -> String {
    let tool = |name: &&str| {
        format!(
            "## Tool: `{name}`\n\nDo something well.\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One thing |\n\n"
        )
    };
    format!("# M - MCP Tool Specification\n\n{}", names.iter().map(tool).collect::<String>())
}

/// A crib with this configuration, a specification of these tools, `list_files` and `find_text`.
fn crib_with_tools(config: &str, names: &[&str]) -> CribFixture {
    CribFixture::new(&[
        ("toolcrib.toml", config),
        ("MCP_TOOL_SPECIFICATION.md", &specification(names)),
        ("tools/l.json", LIST_FILES),
        ("tools/g.json", FIND_TEXT),
    ])
}

fn implementation<'a>(loaded: &'a Loaded, name: &str) -> &'a Implementation {
    &loaded.catalog.get(name).expect("a tool").implementation
}

#[test]
fn one_clause_binds_all_tools_to_functions_of_a_module() {
    let names: Vec<String> = (1..=40).map(|number| format!("shop.item_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let crib = crib_with_tools(
        "[[bind]]\ntools = \"shop.*\"\npython = \"shop.api\"\npath = [\"src\"]\nmutates = true\n",
        &names,
    );
    crib.write("src/shop.py", "");
    let loaded = crib.load();
    for (number, name) in names.iter().enumerate() {
        let Implementation::Python(function) = implementation(&loaded, name) else {
            panic!("{name} is not bound")
        };
        assert_eq!(
            (function.module.as_str(), function.function.as_str()),
            ("shop.api", format!("item_{}", number + 1).as_str())
        );
        assert_eq!(function.path, ["src"]);
    }
    assert_eq!(crib.check_config(), "");
}

#[test]
fn a_command_gets_json_for_specifications_and_arguments_for_command_lines() {
    let config =
        "[[bind]]\ntools = \"*\"\ncommand = [\"prog\", \"{a}\", \"{text}\"]\nmutates = false\n";
    let loaded = crib_with_tools(config, &["one_tool"]).load();
    let Implementation::Process(process) = implementation(&loaded, "one_tool") else {
        panic!("a program")
    };
    assert_eq!(
        process.pieces,
        [Piece::Word("{a}".into()), Piece::Word("{text}".into()), Piece::Json],
        "nothing is substituted"
    );
    let Implementation::Process(process) = implementation(&loaded, "find_text") else {
        panic!("a program")
    };
    assert!(!process.speaks_json());
    assert!(process.bindings().any(|binding| binding.parameter == "text"));
}

#[test]
fn a_clause_sets_annotations_and_a_forwarding_tool_inherits_them() {
    let config = "[[bind]]\ntools = \"one_tool\"\npython = \"m:other\"\noutput = \"fail\"\ntimeout_seconds = 5\n\
                  mutates = true\ndangerous = true\nnetwork = [\"example.org:443\"]\nrequires_approval = true\n\
                  [[bind]]\ntools = \"two_tool\"\ntool = \"list_files\"\n";
    let loaded = crib_with_tools(config, &["one_tool", "two_tool"]).load();
    let tool = loaded.catalog.get("one_tool").expect("a tool");
    assert!(
        matches!(&tool.implementation, Implementation::Python(function) if function.function == "other")
    );
    assert_eq!(
        (tool.on_mismatch, tool.timeout),
        (Some(OnMismatch::Fail), Some(Duration::from_secs(5)))
    );
    let annotations = &tool.annotations;
    assert_eq!(
        [
            annotations.mutates,
            annotations.dangerous,
            annotations.uses_network(),
            annotations.requires_approval
        ],
        [Some(true); 4]
    );
    assert_eq!(json!(annotations.network), json!(["example.org:443"]));
    let other = loaded.catalog.get("two_tool").expect("a tool");
    assert_eq!(other.implementation, Implementation::Tool("list_files".to_owned()));
    assert_eq!(
        (other.on_mismatch, other.annotations.mutates),
        (Some(OnMismatch::Warn), Some(false)),
        "as declared by the target"
    );
}

#[test]
fn the_first_matching_clause_applies_and_later_ones_are_reported() {
    let config = "[[bind]]\ntools = \"one_tool\"\npython = \"special\"\n\n[[bind]]\ntools = \"*_tool\"\npython = \"general\"\n\n\
                  [[bind]]\ntools = \"two_*\"\npython = \"late\"\n";
    let crib = crib_with_tools(config, &["one_tool", "two_tool"]);
    let loaded = crib.load();
    let module = |name: &str| match implementation(&loaded, name) {
        Implementation::Python(function) => function.module.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((module("one_tool").as_str(), module("two_tool").as_str()), ("special", "general"));
    insta::assert_snapshot!(crib.check_config(), @"
    TC821 line 5: an earlier `[[bind]]` already binds `one_tool` of `*_tool` (no action is needed; move this clause up if it should apply)
    TC603 line 9: an earlier `[[bind]]` already binds every tool that `two_*` matches (move it up if it should apply)
    ");
}

#[test]
fn unbound_tools_are_documented_but_not_callable() {
    let config = "[[bind]]\ntools = \"one_*\"\npython = \"m\"\n";
    let loaded = crib_with_tools(config, &["one_tool", "two_tool"]).load();
    assert!(!loaded.catalog.get("two_tool").expect("a tool").is_callable());
}

#[test]
fn cycles_and_missing_targets_are_errors_and_not_served() {
    let config = "[[bind]]\ntools = \"one_tool\"\ntool = \"two_tool\"\n[[bind]]\ntools = \"two_tool\"\ntool = \"one_tool\"\n\
                  [[bind]]\ntools = \"three_tool\"\ntool = \"lost_files\"\n[[bind]]\ntools = \"four_tool\"\ntool = \"five_tool\"\n\
                  [[bind]]\ntools = \"six_tool\"\ntool = \"status\"\n";
    let names = ["one_tool", "two_tool", "three_tool", "four_tool", "five_tool", "six_tool"];
    let crib = crib_with_tools(config, &names);
    insta::assert_snapshot!(crib.check_config(), @"
    TC823 line 1: `one_tool` is bound to itself through `two_tool` (bind one of them to a program or a function)
    TC823 line 4: `two_tool` is bound to itself through `one_tool` (bind one of them to a program or a function)
    TC822 line 7: `three_tool` is bound to `lost_files`, which does not exist (did you mean `list_files`?)
    TC822 line 10: `four_tool` is bound to `five_tool`, which has no implementation (bind `five_tool` to a program or a function)
    ");
    let loaded = crib.load();
    let callable = loaded.catalog.tools().iter().filter(|tool| tool.is_callable());
    let callable: Vec<_> = callable.map(|tool| tool.name.as_str()).collect();
    assert_eq!(callable, ["list_files", "six_tool"]);
}

#[test]
fn invalid_clauses_are_reported() {
    let clauses = [
        "tools = \"*\"",
        "tools = \"*\"\npython = \"m\"\ntool = \"x\"",
        "tools = \"*\"\ncommand = []",
        "tools = \"a/b\"\ntool = \"x\"",
        "tools = \"*\"\npython = \"m.2\"",
        "tools = \"*\"\npython = \"m:f-g\"",
        "tools = \"*\"\ntool = \"x\"\npath = [\".\"]",
    ];
    let config: String = clauses.iter().map(|clause| format!("[[bind]]\n{clause}\n")).collect();
    insta::assert_snapshot!(crib_with_tools(&config, &["one_tool"]).check_config(), @r#"
    TC820 line 1: no implementation is given for `*` (add one of `python`, `command` and `tool`)
    TC820 line 3: more than one implementation is given for `*` (keep one of `python`, `command` and `tool`)
    TC820 line 7: `command` names no program (write `command = ["prog", "arg"]`)
    TC820 line 10: `a/b` is not a glob: '/' cannot occur in a tool name; the only wildcards are `*` and `?` (write a name, with `*` for any text and `?` for any character)
    TC820 line 13: `m.2` is not a Python module (write it as in an import, `package.module`, or `package.module:function`)
    TC820 line 16: `m:f-g` is not a Python module (write it as in an import, `package.module`, or `package.module:function`)
    TC820 line 19: `path` applies only to `python` (remove it, or bind to `python`)
    "#);
    let config = "[[bind]]\ntools = \"*\"\ntool = \"x\"\nnetwork = [\"example.org\"]\n";
    insta::assert_snapshot!(crib_with_tools(config, &["one_tool"]).check_config(), @r#"
    TC601 line 4: `example.org` is not a destination: it has no port; write `"host:port"`, such as `"example.org:443"`, `"127.0.0.1:5432"` or `"[::1]:5432"` (`toolcrib schema config` prints the valid keys)
    "#);
    let config = "[[bind]]\ntools = \"*\"\npyhton = \"m\"\n";
    insta::assert_snapshot!(crib_with_tools(config, &["one_tool"]).check_config(), @"
    TC601 line 3: unknown field `pyhton` (did you mean `python`?)
    ");
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    let is_ours = |code: &str| code == "TC603" || ("TC820"..="TC829").contains(&code);
    let rules: Vec<_> = workspace::RULES.iter().filter(|rule| is_ours(rule.code)).collect();
    assert_eq!(rules.len(), 7);
    for rule in rules {
        let count = |config: &str| {
            let crib = crib_with_tools(config, &["count_lines", "other_tool", "other.2d"]);
            crib.config_codes().iter().filter(|code| **code == rule.code).count()
        };
        assert_eq!((count(rule.bad), count(rule.good)), (1, 0), "{}", rule.code);
    }
}
