//! Inheritance: the fields of a node apply to all nodes below it, unless they override them.

use std::time::Duration;

use catalog::{Availability, Concurrency, Mode, SourceId, Tool};
use formats::Guidance;
use serde_json::{Value, json};

use crate::reading::{line, names, read, source, summary};

/// Reads a tree of three levels with the fields `above` in the root, `inner` in a group and `leaf`
/// in its first leaf; a second leaf only inherits.
fn read_levels(above: Value, inner: Value, leaf: Value) -> Vec<Tool> {
    let extend = |mut object: Value, more: Value| {
        object
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        object
    };
    let leaf = extend(json!({"name": "leaf", "description": "A leaf"}), leaf);
    let inner = extend(
        json!({"name": "in", "description": "A group", "subcommand": [leaf, {"name": "other", "description": "O"}]}),
        inner,
    );
    let tool = extend(
        json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": [inner]}),
        above,
    );
    let reading = read(&tool);
    assert!(!reading.diagnostics.iter().any(|found| found.is_error()), "{:?}", reading.diagnostics);
    reading.tools
}

#[test]
fn the_mode_is_inherited_and_defaults_to_asynchronous() {
    let modes = |above, inner, leaf| {
        read_levels(above, inner, leaf).iter().map(|tool| tool.mode).collect::<Vec<_>>()
    };
    let (synchronous, asynchronous) = (Mode::Synchronous, Mode::Asynchronous);
    assert_eq!(modes(json!({}), json!({}), json!({})), [asynchronous, asynchronous]);
    assert_eq!(
        modes(json!({"synchronous": true}), json!({}), json!({"synchronous": false})),
        [asynchronous, synchronous]
    );
    assert_eq!(
        modes(
            json!({"force_synchronous": true}),
            json!({"asynchronous": true}),
            json!({"asynchronous": false})
        ),
        [synchronous, asynchronous]
    );
}

#[test]
fn rejects_contradicting_modes() {
    let found = read(
        &json!({"name": "t", "description": "A tool", "command": "prog", "synchronous": false, "asynchronous": false,
        "subcommand": [{"name": "s", "description": "S"}]}),
    );
    assert_eq!(summary(&found.diagnostics), ["error TC032 /asynchronous"]);
}

#[test]
fn timeouts_annotations_and_texts_are_inherited() {
    let above = json!({"timeout_seconds": 60, "mutates": true, "category": "a", "version": "1", "network": true, "dangerous": true,
        "idempotent": true, "requires_approval": true, "install_instructions": "Get it", "concurrency": "exclusive"});
    let inner = json!({"timeout_seconds": 30, "category": "b"});
    let tools = read_levels(
        above,
        inner,
        json!({"timeout_seconds": 86_400, "mutates": false, "install_instructions": "Take it"}),
    );
    let [leaf, other] = tools.as_slice() else { panic!("two tools") };
    assert_eq!(
        (leaf.timeout, other.timeout),
        (Some(Duration::from_secs(86_400)), Some(Duration::from_secs(30)))
    );
    assert_eq!((leaf.annotations.mutates, other.annotations.mutates), (Some(false), Some(true)));
    assert_eq!(leaf.annotations.category.as_deref(), Some("b"));
    assert_eq!(other.annotations.version.as_deref(), Some("1"));
    let annotations = &other.annotations;
    assert_eq!(
        [
            annotations.uses_network(),
            annotations.dangerous,
            annotations.idempotent,
            annotations.requires_approval
        ],
        [Some(true); 4]
    );
    assert_eq!(
        (leaf.description.install.as_deref(), other.description.install.as_deref()),
        (Some("Take it"), Some("Get it"))
    );
    assert_eq!(other.concurrency, Some(Concurrency::Exclusive));
}

#[test]
fn read_only_concurrency_implies_mutates_false() {
    let mutates =
        |leaf| read_levels(json!({"mutates": true}), json!({}), leaf)[0].annotations.mutates;
    assert_eq!(mutates(json!({"concurrency": "read_only"})), Some(false));
    assert_eq!(mutates(json!({"concurrency": "read_only", "mutates": true})), Some(true));
    assert_eq!(mutates(json!({"concurrency": "service"})), Some(true));
}

#[test]
fn availability_is_inherited_and_defaults_to_the_program() {
    let check = json!({"availability_check": {"args": ["--version"], "working_directory": "sub", "success_exit_codes": [0, 2]}});
    let tools = read_levels(check, json!({}), json!({"availability_check": {"command": "other"}}));
    let expected = |command: &[&str], folder: Option<&str>, success: &[i32]| {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Some(Availability { command, folder: folder.map(str::to_owned), success: success.to_vec() })
    };
    assert_eq!(tools[0].availability, expected(&["other"], None, &[0]));
    assert_eq!(tools[1].availability, expected(&["prog", "--version"], Some("sub"), &[0, 2]));
}

#[test]
fn hints_are_found_by_leaf_name_then_default() {
    let hint = |hints: Value| {
        read_levels(json!({"hints": hints}), json!({}), json!({}))[0].description.hint.clone()
    };
    assert_eq!(hint(json!({"leaf": "own", "default": "all"})).as_deref(), Some("own"));
    assert_eq!(
        hint(json!({"other": "no", "default": "all", "custom": {"default": "c"}})).as_deref(),
        Some("all")
    );
    assert_eq!(
        hint(json!({"build": null, "custom": {"default": "c", "note": "n"}})).as_deref(),
        Some("c")
    );
    assert_eq!(hint(json!({"custom": {"leaf": "mine", "default": "c"}})).as_deref(), Some("mine"));
    assert_eq!(hint(json!({"usage": "u"})), None);
    let nearer = read_levels(
        json!({"hints": {"default": "far"}}),
        json!({"hints": {"default": "near"}}),
        json!({}),
    );
    assert_eq!(nearer[0].description.hint.as_deref(), Some("near"));
}

#[test]
fn guidance_is_inherited_and_precedes_the_description() {
    let text = r#"{"guidance_blocks": {"a": "Guide A", "b": "Guide B"}}"#;
    let guidance = formats::read_guidance(&SourceId::new("g"), text.as_bytes()).0;
    let definition = json!({"name": "t", "description": "A tool", "command": "prog", "guidance_key": "a", "subcommand": [
        {"name": "x", "description": "X"},
        {"name": "y", "description": "Y", "subcommand": [{"name": "z", "description": "Z", "guidance_key": "b"}]},
    ]});
    let reading = formats::read(&source(), definition.to_string().as_bytes(), &guidance);
    let texts: Vec<_> =
        reading.tools.iter().map(|tool| tool.description.guidance.as_deref()).collect();
    assert_eq!(texts, [Some("Guide A"), Some("Guide B")]);
    assert_eq!(reading.diagnostics, []);
}

#[test]
fn reports_unknown_guidance_once_with_a_suggestion() {
    let guidance =
        formats::read_guidance(&source(), br#"{"guidance_blocks": {"async_behavior": "Later"}}"#).0;
    let leaf =
        |name: &str| json!({"name": name, "description": "S", "guidance_key": "async_behaviour"});
    let definition = json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": [leaf("a"), leaf("b")]});
    let reading = formats::read(&source(), definition.to_string().as_bytes(), &guidance);
    assert_eq!(summary(&reading.diagnostics), ["warning TC080 /subcommand/0/guidance_key"]);
    assert_eq!(reading.diagnostics[0].hint.as_deref(), Some("did you mean `async_behavior`?"));
    assert_eq!(reading.tools.len(), 2);
    let without = formats::read(&source(), definition.to_string().as_bytes(), &Guidance::default());
    assert_eq!(without.tools.len(), 2);
}

#[test]
fn disabled_nodes_disable_their_children() {
    let leaf = |enabled: Value| json!({"name": "a", "description": "A", "enabled": enabled});
    let definition = |above: bool, inner: Value| {
        read(&json!({"name": "t", "description": "A tool", "command": "prog", "enabled": above,
            "subcommand": [leaf(inner), {"name": "b", "description": "B"}]}))
    };
    let some = definition(true, json!(false));
    assert_eq!((names(&some), some.diagnostics.len()), (vec!["t_b"], 0));
    let none = definition(false, json!(false));
    assert_eq!((names(&none).len(), none.diagnostics.len()), (0, 0));
    let told = definition(false, json!(true));
    assert_eq!(
        (names(&told).len(), summary(&told.diagnostics)),
        (0, vec!["warning TC033 /subcommand/0/enabled".to_owned()])
    );
}

#[test]
fn options_of_a_group_precede_its_subcommand() {
    let option = |name: &str| json!({"options": [{"name": name, "type": "string"}]});
    let tools = read_levels(
        option("context"),
        option("remote"),
        json!({"options": [{"name": "force", "type": "boolean"}], "positional_args": [{"name": "p", "type": "string"}]}),
    );
    assert_eq!(
        line(&tools[0]),
        "prog --context <context> in --remote <remote> leaf --force <force> <p>"
    );
    assert_eq!(line(&tools[1]), "prog --context <context> in --remote <remote> other");
    let keys: Vec<_> = tools[0].input.properties().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(keys, ["context", "remote", "force", "p", "working_directory"]);
}

#[test]
fn the_progress_pattern_is_inherited_and_checked() {
    let patterns = read_levels(
        json!({"progress_regex": r"(\d+)%"}),
        json!({}),
        json!({"progress_regex": r"(\d+)/(\d+)"}),
    );
    let patterns: Vec<_> = patterns.iter().map(|tool| tool.progress.as_deref()).collect();
    assert_eq!(patterns, [Some(r"(\d+)/(\d+)"), Some(r"(\d+)%")]);
    let found = read(
        &json!({"name": "t", "description": "A tool", "command": "prog", "progress_regex": "(",
        "subcommand": [{"name": "s", "description": "S"}]}),
    );
    assert!(
        summary(&found.diagnostics).iter().any(|line| line.ends_with("/progress_regex")),
        "{:?}",
        found.diagnostics
    );
}
