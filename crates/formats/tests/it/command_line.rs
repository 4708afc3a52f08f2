//! Command lines from options, positionals and bindings.

use catalog::{
    Implementation,
    implementation::{Binding, PassBy, ValueKind},
};
use serde_json::{Value, json};

use crate::reading::{errors, line, read, summary, tool, with_leaf, with_option};

fn option(option: Value) -> String {
    let tool = tool(&with_option(option));
    line(&tool).strip_prefix("prog ").unwrap_or_default().to_owned()
}

fn binding(tool: &catalog::Tool, name: &str) -> Binding {
    let Implementation::Process(process) = &tool.implementation else { panic!("a process") };
    process.bindings().find(|binding| binding.parameter == name).expect("a binding").clone()
}

#[test]
fn command_then_options_then_positionals_in_definition_order() {
    let leaf = json!({"name": "sub", "description": "S",
        "positional_args": [{"name": "two", "type": "string"}, {"name": "one", "type": "string"}],
        "options": [{"name": "zeta", "type": "string"}, {"name": "alpha", "type": "boolean"}]});
    let mut definition = json!({"name": "t", "description": "A tool", "command": "prog  fixed words", "subcommand": [leaf]});
    assert_eq!(
        line(&tool(&definition)),
        "prog fixed words sub --zeta <zeta> --alpha <alpha> <two> <one>"
    );
    definition["subcommand"][0]["positional_args_first"] = json!(true);
    assert_eq!(
        line(&tool(&definition)),
        "prog fixed words sub <two> <one> --zeta <zeta> --alpha <alpha>"
    );
}

#[test]
fn flags_derive_from_name_alias_or_flag() {
    assert_eq!(option(json!({"name": "v", "type": "boolean"})), "-v <v>");
    assert_eq!(option(json!({"name": "verbose", "type": "boolean"})), "--verbose <verbose>");
    assert_eq!(option(json!({"name": "-Wall", "type": "boolean"})), "-Wall <-Wall>");
    assert_eq!(option(json!({"name": "repo", "alias": "R", "type": "string"})), "-R <repo>");
    assert_eq!(
        option(json!({"name": "repo", "alias": "R", "flag": "+repo", "type": "string"})),
        "+repo <repo>"
    );
}

#[test]
fn reads_separators_joins_and_negations() {
    assert_eq!(
        option(json!({"name": "color", "type": "string", "separator": "="})),
        "--color=<color>"
    );
    assert_eq!(option(json!({"name": "j", "type": "integer", "separator": "none"})), "-j<j>");
    assert_eq!(option(json!({"name": "tags", "type": "array", "join": ","})), "--tags <tags,..>");
    assert_eq!(
        option(json!({"name": "color", "type": "boolean", "negate": "--no-color"})),
        "--color <color|--no-color>"
    );
}

#[test]
fn passes_values_by_stdin_environment_and_file() {
    assert_eq!(
        option(json!({"name": "text", "type": "string", "pass_by": "stdin"})),
        "<stdin:text>"
    );
    assert_eq!(
        option(json!({"name": "api-key", "type": "string", "pass_by": "env"})),
        "<API_KEY:api-key>"
    );
    assert_eq!(
        option(json!({"name": "key", "type": "string", "pass_by": "env", "env": "TOKEN"})),
        "<TOKEN:key>"
    );
    assert_eq!(
        option(json!({"name": "body", "type": "string", "pass_by": "file"})),
        "--body <file:body>"
    );
    assert_eq!(option(json!({"name": "env_vars", "type": "object"})), "<variables:env_vars>");
    assert_eq!(
        option(json!({"name": "vars", "type": "object", "pass_by": "variables"})),
        "<variables:vars>"
    );
    assert_eq!(
        option(json!({"name": "env_vars", "type": "object", "pass_by": "argument"})),
        "--env_vars <env_vars>"
    );
}

#[test]
fn passes_multi_line_text_in_a_file() {
    let message = |flag: Value| {
        let mut option =
            json!({"name": "message", "alias": "m", "type": "string", "file_arg": true});
        option
            .as_object_mut()
            .expect("an object")
            .extend(flag.as_object().expect("an object").clone());
        option
    };
    assert_eq!(option(message(json!({"file_flag": "-F"}))), "-m <message or -F file>");
    assert_eq!(option(message(json!({}))), "-m <message or -m file>");
    assert_eq!(option(message(json!({"file_arg": false, "file_flag": "-F"}))), "-m <message>");
    assert_eq!(
        errors(&read(&with_option(message(json!({"pass_by": "stdin"})))).diagnostics),
        ["error TC032 /subcommand/0/options/0/file_arg"]
    );
}

#[test]
fn a_double_dash_precedes_positionals() {
    let leaf = json!({"options": [{"name": "n", "type": "boolean"}], "positional_args": [{"name": "words", "type": "array"}]});
    let with = |key: &str, value: Value| {
        let mut leaf = leaf.clone();
        leaf[key] = value;
        with_leaf(leaf)
    };
    assert_eq!(line(&tool(&with_leaf(leaf.clone()))), "prog -n <n> <words>");
    assert_eq!(line(&tool(&with("double_dash", json!(true)))), "prog -n <n> -- <-words>");
    let mut above = with_leaf(leaf.clone());
    above["double_dash"] = json!(true);
    assert_eq!(line(&tool(&above)), "prog -n <n> -- <-words>");
    above["subcommand"][0]["double_dash"] = json!(false);
    assert_eq!(line(&tool(&above)), "prog -n <n> <words>");
    let mut both = with("double_dash", json!(true));
    both["subcommand"][0]["positional_args_first"] = json!(true);
    assert_eq!(errors(&read(&both).diagnostics), ["error TC032 /subcommand/0/double_dash"]);
}

#[test]
fn positionals_begin_with_a_dash_only_if_allowed() {
    let leaf = |allowed: bool| {
        with_leaf(
            json!({"positional_args": [{"name": "arg", "type": "string", "allow_dash": allowed}]}),
        )
    };
    assert_eq!(line(&tool(&leaf(true))), "prog <-arg>");
    assert_eq!(line(&tool(&leaf(false))), "prog <arg>");
    let flagged =
        with_leaf(json!({"positional_args": [{"name": "arg", "type": "string", "flag": "-x"}]}));
    assert_eq!(
        errors(&read(&flagged).diagnostics),
        ["error TC032 /subcommand/0/positional_args/0/flag"]
    );
}

#[test]
fn paths_are_marked_in_options_positionals_and_items() {
    let tool = tool(&with_leaf(json!({
        "options": [
            {"name": "out", "type": "string", "format": "path"},
            {"name": "many", "type": "array", "items": {"type": "string", "format": "path"}},
            {"name": "plain", "type": "string", "format": "date"},
        ],
        "positional_args": [{"name": "in", "type": "array", "format": "path"}],
    })));
    let kinds = ["out", "many", "plain", "in"].map(|name| binding(&tool, name).kind);
    assert_eq!(kinds, [ValueKind::Path, ValueKind::Path, ValueKind::Plain, ValueKind::Path]);
}

#[test]
fn path_or_value_is_reported_as_a_note() {
    let reading =
        read(&with_option(json!({"name": "at", "type": "string", "format": "path-or-value"})));
    assert_eq!(summary(&reading.diagnostics), ["note TC048 /subcommand/0/options/0/format"]);
    assert_eq!(binding(&reading.tools[0], "at").kind, ValueKind::PathOrValue);
}

#[test]
fn working_directory_is_never_a_flag() {
    let plain = tool(&with_leaf(json!({})));
    let said = tool(&with_option(
        json!({"name": "working_directory", "type": "string", "description": "Mine"}),
    ));
    for tool in [&plain, &said] {
        let folder = binding(tool, "working_directory");
        assert_eq!(
            (folder.pass_by, folder.flag, folder.kind),
            (PassBy::Folder, None, ValueKind::Path)
        );
        assert_eq!(line(tool), "prog");
    }
    let expected = json!({"type": "string", "format": "path", "description": "Folder to run in"});
    assert_eq!(plain.input.property("working_directory"), Some(&expected));
    assert_eq!(
        said.input.property("working_directory"),
        Some(&json!({"type": "string", "description": "Mine"}))
    );
    assert_eq!(
        errors(
            &read(&with_option(json!({"name": "working_directory", "type": "array"}))).diagnostics
        )
        .len(),
        1
    );
}

#[test]
fn shell_scripts_are_always_dangerous() {
    let definition = json!({"name": "sh", "description": "Shell", "command": "bash -c", "dangerous": false,
        "subcommand": [{"name": "default", "description": "Run", "positional_args": [{"name": "script", "type": "string"}]}]});
    assert_eq!(tool(&definition).annotations.dangerous, Some(true));
}

#[test]
fn rejects_conflicting_names_and_flags() {
    let two = |first: Value, second: Value| {
        errors(&read(&with_leaf(json!({"options": [first, second]}))).diagnostics)
    };
    let a = json!({"name": "all", "alias": "a", "type": "boolean"});
    assert_eq!(
        two(a.clone(), json!({"name": "author", "alias": "a", "type": "boolean"})),
        ["error TC046 /subcommand/0/options/1"]
    );
    assert_eq!(
        two(a.clone(), json!({"name": "a", "type": "boolean"})),
        ["error TC046 /subcommand/0/options/1"]
    );
    assert_eq!(
        two(a.clone(), json!({"name": "x", "flag": "-a", "type": "boolean"})),
        ["error TC046 /subcommand/0/options/1"]
    );
    assert_eq!(
        two(a.clone(), json!({"name": "all", "flag": "-b", "type": "boolean"})),
        ["error TC045 /subcommand/0/options/1/name"]
    );
    let both = with_leaf(json!({"options": [{"name": "x", "type": "string", "pass_by": "stdin"}],
        "positional_args": [{"name": "y", "type": "string", "pass_by": "stdin"}]}));
    assert_eq!(errors(&read(&both).diagnostics), ["error TC032 /subcommand/0/positional_args/0"]);
}

#[test]
fn rejects_names_of_parent_parameters() {
    let mut definition = with_option(json!({"name": "verbose", "type": "boolean"}));
    definition["options"] = json!([{"name": "verbose", "type": "boolean"}, {"name": "working_directory", "type": "string"}]);
    assert_eq!(
        errors(&read(&definition).diagnostics),
        ["error TC045 /subcommand/0/options/0/name"]
    );
    definition["subcommand"][0]["options"][0]["name"] = json!("working_directory");
    definition["subcommand"][0]["options"][0]["type"] = json!("string");
    assert_eq!(errors(&read(&definition).diagnostics), [""; 0]);
}

#[test]
fn fixed_words_follow_the_name_of_their_level() {
    let definition = json!({"name": "t", "description": "A tool", "command": "prog", "fixed_args": ["--quiet"],
        "subcommand": [{"name": "ps", "description": "List", "fixed_args": ["--format", "{{.ID}} {{.Names}}"],
            "options": [{"name": "all", "type": "boolean"}]}]});
    assert_eq!(line(&tool(&definition)), "prog --quiet ps --format {{.ID}} {{.Names}} --all <all>");
    let wrong = with_leaf(json!({"fixed_args": ["-f", 1]}));
    assert_eq!(errors(&read(&wrong).diagnostics), ["error TC021 /subcommand/0/fixed_args/1"]);
}

#[test]
fn a_double_dash_precedes_any_positional() {
    let positionals = json!([{"name": "filter", "type": "string"},
        {"name": "args", "type": "array", "double_dash": true}]);
    let mut leaf = json!({"positional_args": positionals, "options": [{"name": "release", "type": "boolean"}]});
    assert_eq!(
        line(&tool(&with_leaf(leaf.clone()))),
        "prog --release <release> <filter> -- <-args>"
    );
    leaf["positional_args_first"] = json!(true);
    assert_eq!(
        line(&tool(&with_leaf(leaf))),
        "prog <filter> --release <release> -- <-args>",
        "no option follows `--`"
    );
    let wrong = with_option(json!({"name": "args", "type": "array", "double_dash": true}));
    assert_eq!(
        errors(&read(&wrong).diagnostics),
        ["error TC032 /subcommand/0/options/0/double_dash"]
    );
}

#[test]
fn objects_become_pairs() {
    let env = json!({"name": "env", "flag": "-e", "type": "object", "pairs": "="});
    assert_eq!(option(env), "-e <env=..>");
    let labels = json!({"name": "labels", "type": "object", "pairs": ":", "join": ","});
    assert_eq!(option(labels), "--labels <labels:,..>");
    let wrong = with_option(json!({"name": "env", "type": "array", "pairs": "="}));
    assert_eq!(errors(&read(&wrong).diagnostics), ["error TC032 /subcommand/0/options/0/pairs"]);
}

#[test]
fn leaves_inherit_and_replace_success_exit_codes() {
    let definition = json!({"name": "t", "description": "A tool", "command": "prog", "success_exit_codes": [0, 1],
        "subcommand": [{"name": "a", "description": "A"}, {"name": "b", "description": "B", "success_exit_codes": []}]});
    let tools = read(&definition).tools;
    assert_eq!(
        [&tools[0].success_exit_codes[..], &tools[1].success_exit_codes[..]],
        [&[1][..], &[]]
    );
    let wrong = with_leaf(json!({"success_exit_codes": [256]}));
    assert_eq!(
        errors(&read(&wrong).diagnostics),
        ["error TC021 /subcommand/0/success_exit_codes/0"]
    );
}
