//! Trees of subcommands: names, leaves, and the scope of errors.

use catalog::{Implementation, Location};
use serde_json::json;

use crate::reading::{errors, line, names, read, summary, tool, with_leaf};

#[test]
fn one_tool_per_leaf_named_by_its_path() {
    let reading = read(&json!({
        "name": "cargo", "description": "Build", "command": "cargo",
        "subcommand": [
            {"name": "nextest", "description": "Tests", "subcommand": [
                {"name": "run", "description": "Run"},
                {"name": "show_config", "description": "Show"},
            ]},
            {"name": "default", "description": "Say what there is"},
        ],
    }));
    assert_eq!(names(&reading), ["cargo_nextest_run", "cargo_nextest_show_config", "cargo"]);
    assert_eq!(reading.diagnostics, []);
    let lines: Vec<_> = reading.tools.iter().map(line).collect();
    assert_eq!(lines, ["cargo nextest run", "cargo nextest show_config", "cargo"]);
}

#[test]
fn a_nested_default_has_its_parents_name_and_adds_no_word() {
    let tool = tool(&json!({
        "name": "git", "description": "Git", "command": "git",
        "subcommand": [{"name": "remote", "description": "Remotes", "subcommand": [{"name": "default", "description": "List"}]}],
    }));
    assert_eq!((tool.name.as_str(), line(&tool).as_str()), ("git_remote", "git remote"));
}

#[test]
fn a_tool_that_takes_no_arguments_gets_a_warning() {
    for definition in [
        json!({"name": "t", "description": "A tool", "command": "prog"}),
        json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": []}),
    ] {
        let reading = read(&definition);
        assert_eq!(names(&reading), ["t"]);
        assert_eq!(summary(&reading.diagnostics), ["warning TC028 /command"]);
    }
    let declared = json!({"name": "t", "description": "A tool", "command": "prog", "options": []});
    assert!(read(&declared).diagnostics.is_empty());
}

#[test]
fn options_of_the_tool_belong_to_its_only_leaf() {
    let tool = tool(&json!({
        "name": "ls", "description": "List", "command": "ls",
        "options": [{"name": "all", "type": "boolean"}], "positional_args": [{"name": "path", "type": "string"}],
    }));
    assert_eq!(line(&tool), "ls --all <all> <path>");
}

#[test]
fn an_error_in_a_subcommand_does_not_affect_others() {
    let reading = read(&json!({
        "name": "t", "description": "A tool", "command": "prog",
        "subcommand": [
            {"name": "good", "description": "Good"},
            {"name": "bad", "description": "Bad", "options": [{"name": "x", "type": "bool"}]},
            {"name": "group", "description": "A group", "timeout_seconds": 0, "subcommand": [{"name": "lost", "description": "Lost"}]},
            {"name": "fine", "description": "Fine"},
        ],
    }));
    assert_eq!(names(&reading), ["t_good", "t_fine"]);
    assert_eq!(
        errors(&reading.diagnostics),
        ["error TC040 /subcommand/1/options/0/type", "error TC031 /subcommand/2/timeout_seconds"]
    );
    let tools: Vec<_> = reading.diagnostics.iter().map(|found| found.tool.as_deref()).collect();
    assert_eq!(tools, [Some("t_bad"), Some("t_group")]);
}

#[test]
fn an_error_in_the_root_disables_all_tools_but_hides_no_diagnostics() {
    let reading = read(&json!({
        "name": "t", "description": "A tool", "command": " ",
        "subcommand": [{"name": "a", "description": "A"}, {"name": "b", "description": 5}],
    }));
    assert!(reading.tools.is_empty());
    assert_eq!(
        errors(&reading.diagnostics),
        ["error TC025 /command", "error TC021 /subcommand/1/description"]
    );
}

#[test]
fn reports_all_problems_at_once() {
    let reading = read(&json!({
        "name": "a b", "command": 3, "enabled": "yes", "colour": 1,
        "subcommand": [{"description": "No name"}, 7, {"name": "c", "description": "C", "options": {}}],
    }));
    insta::assert_snapshot!(summary(&reading.diagnostics).join("\n"), @r"
    error TC024 /name
    warning TC022 /colour
    error TC021 /command
    error TC020 /description
    error TC021 /enabled
    error TC020 /subcommand/0/name
    error TC021 /subcommand/1
    error TC021 /subcommand/2/options
    ");
    let command = &reading.diagnostics[2];
    assert_eq!(command.message, "expected string, received integer");
    assert_eq!((command.expected.as_deref(), &command.received), (Some("string"), &Some(json!(3))));
}

#[test]
fn reports_wrong_types_of_every_field() {
    let good = r#"{
        "name": "t", "title": "T", "description": "A tool", "command": "prog", "enabled": true, "timeout_seconds": 5,
        "synchronous": true, "hints": {"default": "x", "custom": {"a": "b"}}, "guidance_key": "k", "mutates": true, "category": "c",
        "version": "1", "concurrency": "exclusive", "install_instructions": "i",
        "availability_check": {"command": "c", "args": ["x"], "working_directory": ".", "success_exit_codes": [0], "skip_subcommand_args": true},
        "subcommand": [{
            "name": "s", "description": "S", "positional_args_first": true,
            "options": [{
                "name": "o", "type": "array", "description": "d", "required": true, "format": "path", "enum": [["a"]], "default": ["a"],
                "minItems": 0, "maxItems": 9, "items": {"type": "string", "format": "path", "pattern": "a", "minLength": 0, "maxLength": 3},
                "alias": "a", "flag": "-a", "separator": "=", "join": ",", "negate": "-b", "pass_by": "env", "env": "E", "allow_dash": true
            }],
            "positional_args": [{"name": "p", "type": "integer", "minimum": 0, "maximum": 3, "file_arg": true, "file_flag": "-F"}]
        }, {"name": "q", "description": "Q", "step_delay_ms": 3,
            "sequence": [{"tool": "t", "subcommand": "s", "args": {}, "description": "d", "skip_if_file_exists": "f", "skip_if_file_missing": "g"}]}]
    }"#;
    let good: serde_json::Value = serde_json::from_str(good).expect("JSON");
    assert_eq!(errors(&read(&good).diagnostics), [""; 0]);
    let mut places = Vec::new();
    collect(&good, String::new(), &mut places);
    for place in places {
        for wrong in [json!(null), json!([[]]), json!({"zzz": [1]}), json!(-7.5)] {
            let mut bad = good.clone();
            *bad.pointer_mut(&place).expect("a place") = wrong.clone();
            let reading = read(&bad);
            let is_free =
                place.contains("/default") || place.contains("/enum") || place.contains("/args");
            let is_hint = place.starts_with("/hints") && wrong.is_null();
            let is_number = place.contains("imum") && wrong == json!(-7.5);
            let found = reading
                .diagnostics
                .iter()
                .any(|found| found.origin.pointer().is_some_and(|at| at.starts_with(&place)));
            assert!(
                found || is_free || is_hint || is_number,
                "{place} = {wrong}: {:?}",
                summary(&reading.diagnostics)
            );
        }
    }
}

fn collect(value: &serde_json::Value, at: String, places: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(members) => {
            members.iter().for_each(|(key, value)| collect(value, format!("{at}/{key}"), places))
        }
        serde_json::Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| collect(value, format!("{at}/{index}"), places)),
        _ => {}
    }
    if !at.is_empty() {
        places.push(at);
    }
}

#[test]
fn rejects_names_that_clients_reject() {
    let leaf = |name: &str| json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": [{"name": name, "description": "S"}]});
    assert_eq!(errors(&read(&leaf("pr close")).diagnostics), ["error TC024 /subcommand/0/name"]);
    assert_eq!(errors(&read(&leaf("")).diagnostics), ["error TC025 /subcommand/0/name"]);
    assert_eq!(errors(&read(&leaf(&"x".repeat(62))).diagnostics), [""; 0]);
    let found = read(&leaf(&"x".repeat(63))).diagnostics;
    assert_eq!(errors(&found), ["error TC024 /subcommand/0/name"]);
    assert!(found[0].message.contains("65 characters"), "{}", found[0].message);
}

#[test]
fn definitions_of_built_in_tools_set_their_description() {
    for leaf in ["default", "run"] {
        let reading = read(&json!({
            "name": "status", "description": "Look", "command": "rm -rf", "synchronous": true,
            "subcommand": [{"name": leaf, "description": "Look at operations"}],
        }));
        assert_eq!(summary(&reading.diagnostics), ["note TC030 /name"]);
        let tool = &reading.tools[0];
        assert_eq!(
            (tool.name.as_str(), &tool.implementation, tool.unbound.as_ref()),
            ("status", &Implementation::Missing, None)
        );
        assert_eq!(tool.description.text, "Look at operations");
    }
}

#[test]
fn reports_unsupported_and_ignored_fields() {
    let found = |field: &str, value: serde_json::Value| {
        let mut definition = json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": [{"name": "s", "description": "S"}]});
        definition[field] = value;
        let reading = read(&definition);
        assert_eq!(reading.diagnostics.len(), 1, "{field}: {:?}", reading.diagnostics);
        let diagnostic = &reading.diagnostics[0];
        format!(
            "{} {} {}",
            diagnostic.severity.as_str(),
            diagnostic.code,
            diagnostic.hint.as_deref().unwrap_or_default()
        )
    };
    assert_eq!(found("subcommands", json!([])), "error TC023 did you mean `subcommand`?");
    assert_eq!(found("InputSchema", json!({})), "error TC023 did you mean `inputSchema`?");
    assert_eq!(found("enable", json!(false)), "error TC023 did you mean `enabled`?");
    assert_eq!(found("guidence_key", json!("x")), "warning TC022 did you mean `guidance_key`?");
    assert_eq!(found("family", json!("gh")), "warning TC022 remove it; it is ignored");
    assert!(found("args_template", json!("-c x")).starts_with("error TC034 declare `options`"));
    assert!(found("livelog", json!({})).starts_with("error TC034"));
    assert!(found("tool_type", json!("livelog")).starts_with("error TC034"));
    assert!(found("monitor_level", json!("error")).starts_with("note TC035"));
    assert!(found("monitor_stream", json!("both")).starts_with("note TC035"));
    assert!(found("input_schema", json!({})).starts_with("note TC035"));
}

#[test]
fn programs_stay_inside_the_crib() {
    let command = |command: &str| {
        summary(&read(&json!({"name": "t", "description": "A tool", "command": command, "subcommand": [{"name": "s", "description": "S"}]})).diagnostics)
    };
    assert_eq!(command("./gradlew"), [""; 0]);
    assert_eq!(command("bin/x..y/prog .."), [""; 0]);
    assert_eq!(command("/bin/sh"), ["warning TC027 /command"]);
    assert_eq!(command("../prog"), ["error TC026 /command"]);
    assert_eq!(command("/usr/../prog"), ["error TC026 /command"]);
    assert_eq!(command("~/prog"), ["error TC026 /command"]);
}

#[test]
fn a_definition_without_a_command_is_not_served() {
    let reading = read(
        &json!({"name": "t", "description": "A tool", "subcommand": [{"name": "s", "description": "S"}]}),
    );
    assert_eq!(summary(&reading.diagnostics), ["note TC029 /command"]);
    assert!(!reading.tools[0].is_callable());
}

#[test]
fn tools_and_parameters_have_locations() {
    let tool = tool(&json!({
        "name": "t", "title": "T", "description": "A tool", "command": "prog",
        "subcommand": [{"name": "s", "title": "Sub", "description": "S", "options": [{"name": "long", "alias": "l", "type": "string"}]}],
    }));
    assert_eq!(tool.title.as_deref(), Some("Sub"));
    assert_eq!(tool.origin.pointer(), Some("/subcommand/0"));
    assert_eq!(tool.parameters[0].location, Location::Value("/subcommand/0/options/0".to_owned()));
    assert_eq!(tool.parameters[0].alias.as_deref(), Some("l"));
}

#[test]
fn a_default_leaf_inherits_the_title_of_its_parent() {
    let title = |own: serde_json::Value, name: &str| {
        let mut leaf = json!({"name": name, "description": "S"});
        if own.is_string() {
            leaf["title"] = own;
        }
        tool(&json!({"name": "t", "title": "Above", "description": "A tool", "command": "prog", "subcommand": [leaf]})).title
    };
    assert_eq!(title(json!(null), "default").as_deref(), Some("Above"));
    assert_eq!(title(json!("Own"), "default").as_deref(), Some("Own"));
    assert_eq!(title(json!(null), "sub"), None);
}

#[test]
fn reports_a_missing_command_only_if_one_is_needed() {
    let reading = read(
        &json!({"name": "t", "description": "A tool", "subcommand": [{"name": "s", "description": "S", "sequence": [{"tool": "x"}]}]}),
    );
    assert_eq!((reading.diagnostics.len(), names(&reading)), (0, vec!["t_s"]));
}

#[test]
fn a_misspelled_safety_annotation_is_an_error_and_the_tool_is_not_served() {
    let spellings = [
        "dangerus",
        "Dangerous",
        "requires_aproval",
        "require_approval",
        "mutate",
        "netwrok",
        "readOnly",
        "read_only",
        "destructiveHint",
        "needs-approval",
        "consnet",
    ];
    for key in spellings {
        let mut definition = with_leaf(json!({}));
        definition[key] = json!(true);
        let reading = read(&definition);
        assert_eq!(errors(&reading.diagnostics), [format!("error TC023 /{key}")], "{key}");
        assert!(reading.tools.is_empty(), "{key}");
    }
    let leaf = with_leaf(json!({"dangerus": true}));
    assert_eq!(errors(&read(&leaf).diagnostics), ["error TC023 /subcommand/0/dangerus"]);
    let of_mcp = with_leaf(json!({"annotations": {"destructiveHint": true}}));
    assert_eq!(errors(&read(&of_mcp).diagnostics), ["error TC023 /subcommand/0/annotations"]);
    let harmless =
        with_leaf(json!({"colour": "red", "author": "Ada", "license": "MIT", "tags": []}));
    assert!(errors(&read(&harmless).diagnostics).is_empty());
}

#[test]
fn shell_syntax_in_a_command_is_an_error() {
    let is_error = |command: &str| {
        let mut definition = with_leaf(json!({}));
        definition["command"] = json!(command);
        errors(&read(&definition).diagnostics) == ["error TC067 /command"]
    };
    for command in [
        "ls | wc -l",
        "make && make install",
        "cd x; ls",
        "ls ; ls",
        "echo $HOME",
        "echo ${A}",
        "echo $(date)",
        "echo `date`",
        "ls ~",
        "ls ~/notes",
        "cat > out",
        "cat <in",
        "cmd 2>/dev/null",
        "cmd 2>&1",
        "cmd &",
        "grep 'a b'",
        "sh -c \"ls\"",
    ] {
        assert!(is_error(command), "{command}");
    }
    for command in [
        "git show HEAD~1",
        "grep ^a$",
        "awk $1",
        "find . -exec touch {} ;",
        "find . -name *.rs",
        "prog a=b",
        "prog a|b",
    ] {
        assert!(!is_error(command), "{command}");
    }
}
