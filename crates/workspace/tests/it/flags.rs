//! `[flags]` and `[[switch]]` in `toolcrib.toml`.

use std::fs;

use catalog::flag::FlagValues;
use serde_json::{Value, json};
use workspace::{FlagDefaults, RULES, config_schema};

use crate::harness::Folder;

fn plain(flags: &FlagValues) -> Value {
    serde_json::to_value(flags).expect("flags are JSON")
}

#[test]
fn flags_of_every_type_are_read() {
    let config = "[flags]\nverbose = true\nstyle = \"plain\"\n\"größe.v1\" = [\"a\", \"b\"]\n\n[flags.consent]\nentry = \"ask\"\nexit = [\"a\"]\n";
    let crib = Folder::new(config).open().expect("a good configuration");
    let expected = json!({
        "verbose": true, "style": "plain", "größe.v1": ["a", "b"], "consent": {"entry": "ask", "exit": ["a"]},
    });
    assert_eq!(plain(&crib.flags), expected);
}

#[test]
fn the_guide_s_tools_are_wanted_with_a_section_even_an_empty_one() {
    assert!(!Folder::new("").open().expect("a crib").config.has_guide());
    assert!(Folder::new("[flags]\n").open().expect("a crib").config.has_guide());
    assert!(Folder::new("[flags]\na = true\n").open().expect("a crib").config.has_guide());
}

#[test]
fn every_problem_is_said_with_its_line() {
    let config = r#"[flags]
number = 3
"a b" = true
day = 2027-01-01
list = ["x", 1,
  2.5]

[[switch]]
flag = "a b"
is = 3
tools = "git_[a]"

[[switch]]
flag = "x"
"#;
    let mut found = Folder::new(config).findings();
    found.sort();
    insta::assert_snapshot!(found.join("\n"), @r#"
    TC620 2 invalid flag value: it is an integer; write it as the text "3"
    TC620 3 `a b` is not a valid flag name: ' ' is not allowed; use letters, digits, `_`, `-` and `.`
    TC620 4 invalid flag value: it is null; use true, false, a text, a list of texts or a map of texts
    TC620 5 invalid flag value: `[1]` is an integer, not a text
    TC620 5 invalid flag value: `[2]` is a number, not a text
    TC621 10 `3` is nothing that a switch compares with
    TC621 11 `git_[a]` is not a glob: '[' cannot occur in a tool name; the only wildcards are `*` and `?`
    TC621 13 it does not say what it switches
    TC621 9 `a b` is not a valid flag name: ' ' is not allowed; use letters, digits, `_`, `-` and `.`
    "#);
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    for rule in RULES.iter().filter(|rule| rule.code.starts_with("TC62")) {
        let codes = |text: &str| {
            Folder::new(text)
                .findings()
                .iter()
                .map(|found| found[..5].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(codes(rule.bad), [rule.code], "{}", rule.bad);
        assert_eq!(codes(rule.good), Vec::<String>::new(), "{}", rule.good);
    }
}

#[test]
fn a_switch_of_no_tool_is_told() {
    let found = Folder::new("[[switch]]\nflag = \"x\"\ntools = \"gti_push\"\n\n[[switch]]\nflag = \"x\"\ncategory = \"none\"\n")
        .findings();
    assert_eq!(
        found,
        [
            "TC622 3 `gti_push` matches no tool of a definition",
            "TC622 7 `none` matches no tool of a definition"
        ]
    );
}

#[test]
fn switches_know_their_tools() {
    let folder = Folder::new("[[switch]]\nflag = \"x\"\nis = \"full\"\ntools = \"git_*\"\n");
    let (crib, loaded) = folder.load();
    let (there, away) =
        catalog::apply_switches(&loaded.catalog, &crib.switches, &FlagValues::new());
    assert_eq!((there.tools().len(), away.len()), (0, 3));
    assert_eq!(away[0].1.to_string(), "the flag `x` is \"full\"");
}

/// Defect 6: an edit by hand was not seen, and then overwritten.
#[test]
fn an_edit_by_hand_counts_with_the_next_read_and_a_broken_one_is_passed_over() {
    let folder = Folder::new("[flags]\na = \"one\"\n");
    let defaults = FlagDefaults::new(&folder.open().expect("a crib"));
    let path = folder.path().join("toolcrib.toml");
    assert_eq!(plain(&defaults.read()), json!({"a": "one"}));
    fs::write(&path, "[flags]\na = \"second\"\n").expect("a file");
    assert_eq!(plain(&defaults.read()), json!({"a": "second"}));
    fs::write(&path, "[flags\n").expect("a file");
    assert_eq!(plain(&defaults.read()), json!({"a": "second"}));
    fs::remove_file(&path).expect("a file");
    assert_eq!(plain(&defaults.read()), json!({}));
}

#[test]
fn editors_know_what_a_flag_may_be() {
    let schema = config_schema();
    let values = &schema["properties"]["flags"]["additionalProperties"];
    assert_eq!(values["type"], json!(["boolean", "string", "array", "object"]));
    assert!(schema["$defs"]["SwitchClause"]["properties"]["flag"].is_object());
}
