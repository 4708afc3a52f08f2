//! `[flags]` and `[[switch]]` in `toolcrib.toml`.

use std::fs;

use catalog::flag::FlagValues;
use serde_json::{Value, json};
use workspace::{FlagDefaults, config_schema};

use crate::crib_fixture::{CribFixture, check_rule_examples};

fn to_json(flags: &FlagValues) -> Value {
    serde_json::to_value(flags).expect("flags are JSON")
}

#[test]
fn flags_of_every_type_are_read() {
    let config = "[flags]\nverbose = true\nstyle = \"plain\"\n\"größe.v1\" = [\"a\", \"b\"]\n\n[flags.consent]\nentry = \"ask\"\nexit = [\"a\"]\n";
    let crib = CribFixture::with_config(config).open_valid();
    let expected = json!({
        "verbose": true, "style": "plain", "größe.v1": ["a", "b"], "consent": {"entry": "ask", "exit": ["a"]},
    });
    assert_eq!(to_json(&crib.flags), expected);
}

#[test]
fn a_flags_section_enables_the_flags_even_if_it_is_empty() {
    let has_flags =
        |config: &str| CribFixture::with_config(config).open_valid().config.flags.is_some();
    assert!(!has_flags(""));
    assert!(has_flags("[flags]\n"));
    assert!(has_flags("[flags]\na = true\n"));
}

#[test]
fn every_problem_is_reported_with_its_line() {
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
    insta::assert_snapshot!(CribFixture::with_config(config).check_config(), @r#"
    TC620 line 3: `a b` is not a valid flag name: ' ' is not allowed; use letters, digits, `_`, `-` and `.`
    TC620 line 4: invalid flag value: it is null; use true, false, a text, a list of texts or a map of texts
    TC620 line 5: invalid flag value: `[1]` is an integer, not a text
    TC620 line 5: invalid flag value: `[2]` is a number, not a text
    TC620 line 2: invalid flag value: it is an integer; write it as the text "3"
    TC621 line 9: `a b` is not a valid flag name: ' ' is not allowed; use letters, digits, `_`, `-` and `.` (name a flag)
    TC621 line 10: a switch cannot compare with `3` (use true, false or a string)
    TC621 line 11: `git_[a]` is not a glob: '[' cannot occur in a tool name; the only wildcards are `*` and `?` (write a name, with `*`)
    TC621 line 13: the switch selects no tools (add `tools = "git_*"`, or a `category`)
    "#);
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    check_rule_examples("TC62", 3, CribFixture::with_config);
}

#[test]
fn a_switch_that_matches_no_tool_is_reported() {
    let config = "[[switch]]\nflag = \"x\"\ntools = \"gti_push\"\n\n[[switch]]\nflag = \"x\"\ncategory = \"none\"\n";
    insta::assert_snapshot!(CribFixture::with_config(config).check_config(), @"
    TC622 line 3: `gti_push` matches no defined tool (did you mean `git_push`?)
    TC622 line 7: `none` matches no defined tool (`toolcrib list` shows the names)
    ");
}

#[test]
fn a_switch_hides_its_tools_while_the_flag_differs() {
    let config = "[[switch]]\nflag = \"x\"\nis = \"full\"\ntools = \"git_*\"\n";
    let test_crib = CribFixture::with_config(config);
    let (crib, loaded) = (test_crib.open_valid(), test_crib.load());
    let (served, hidden) =
        catalog::apply_switches(&loaded.catalog, &crib.switches, &FlagValues::new());
    assert_eq!((served.tools().len(), hidden.len()), (0, 3));
    assert_eq!(hidden[0].1.to_string(), "the flag `x` is \"full\"");
}

/// Once, an edit by hand was not noticed and then overwritten.
#[test]
fn an_edit_applies_at_the_next_read_and_an_invalid_one_is_ignored() {
    let crib = CribFixture::with_config("[flags]\na = \"one\"\n");
    let defaults = FlagDefaults::new(&crib.open_valid());
    assert_eq!(to_json(&defaults.read()), json!({"a": "one"}));
    crib.write("toolcrib.toml", "[flags]\na = \"second\"\n");
    assert_eq!(to_json(&defaults.read()), json!({"a": "second"}));
    crib.write("toolcrib.toml", "[flags\n");
    assert_eq!(to_json(&defaults.read()), json!({"a": "second"}));
    fs::remove_file(crib.root().join("toolcrib.toml")).expect("the file exists");
    assert_eq!(to_json(&defaults.read()), json!({}));
}

#[test]
fn the_schema_describes_flag_values() {
    let schema = config_schema();
    let values = &schema["properties"]["flags"]["additionalProperties"];
    assert_eq!(values["type"], json!(["boolean", "string", "array", "object"]));
    assert!(schema["$defs"]["SwitchClause"]["properties"]["flag"].is_object());
}
