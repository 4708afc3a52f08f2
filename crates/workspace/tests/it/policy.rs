//! `[[policy]]` in `toolcrib.toml`.

use std::time::{Duration, SystemTime};

use catalog::{Decision, Severity};
use serde_json::{Map, Value, json};
use workspace::{Environment, check_paths, config_schema};

use crate::crib_fixture::{CribFixture, check_rule_examples};

fn decide(config: &str, tool: &str, arguments: Value) -> Decision {
    let test_crib = CribFixture::with_config(config);
    let (crib, loaded) = (test_crib.open_valid(), test_crib.load());
    let arguments: Map<String, Value> = arguments.as_object().expect("an object").clone();
    crib.policy.decide(loaded.catalog.get(tool).expect("a tool"), &arguments, SystemTime::now())
}

#[test]
fn without_clauses_annotations_decide() {
    assert!(matches!(decide("", "git_push", json!({"branch": "main"})), Decision::Ask { .. }));
    assert_eq!(decide("", "git_log", json!({})), Decision::Allow);
    assert_eq!(decide("", "git_tag", json!({})), Decision::Allow);
}

#[test]
fn matching_clauses_replace_the_default() {
    let config = r#"
        [[policy]]
        tools = "git_*"
        when = "has(args.force) && args.force == true"
        do = "deny"
        reason = "nothing is overwritten here"
        until = 2999-01-01

        [[policy]]
        tools = "git_push"
        do = "allow"
        until = "2999-01-01"
    "#;
    assert_eq!(decide(config, "git_push", json!({"branch": "main"})), Decision::Allow);
    let denied = Decision::Deny { reason: "nothing is overwritten here".to_owned() };
    assert_eq!(decide(config, "git_push", json!({"branch": "main", "force": true})), denied);
}

#[test]
fn every_problem_of_every_clause_is_reported_with_its_line() {
    let config = r#"[crib]
name = "x"

[[policy]]
tools = "git_[a-z]*"
when = "args.force = true"
do = "deny"

[[policy]]
tools = "git_*"
do = "denny"
until = 2027-01-01

[[policy]]
tools = "git_*"
when = "arg.force"
do = "ask"
until = "next week"
"#;
    insta::assert_snapshot!(CribFixture::with_config(config).check_config(), @"
    TC604 line 5: `git_[a-z]*` is not a glob: '[' cannot occur in a tool name; the only wildcards are `*` and `?` (write a name, with `*` for any text and `?` for any character)
    TC604 line 6: the condition is not CEL: a single `=` compares nothing, write `==` (conditions are CEL expressions over `args` and `tool`)
    TC604 line 11: unknown action `denny` (did you mean `deny`?)
    TC604 line 16: there is no variable `arg`, only `args` and `tool`; did you mean `args`? (conditions are CEL expressions over `args` and `tool`)
    TC604 line 18: `next week` is not a date (write it as `until = 2027-01-31`)
    ");
}

#[test]
fn values_that_are_not_dates_are_rejected() {
    for until in ["7", "07:32:00", "\"2027-13-01\"", "\"2027-02-29\"", "true", "\"\""] {
        let config = format!("[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = {until}\n");
        let text = until.trim_matches('"');
        assert_eq!(
            CribFixture::with_config(&config).check_config(),
            format!("TC604 line 4: `{text}` is not a date (write it as `until = 2027-01-31`)")
        );
    }
}

#[test]
fn an_unknown_or_missing_key_is_a_broken_config() {
    let unknown = "[[policy]]\ntools = \"*\"\ndo = \"ask\"\nunless = \"true\"\n";
    insta::assert_snapshot!(CribFixture::with_config(unknown).check_config(), @"
    TC601 line 4: unknown field `unless` (the keys here are `tools`, `when`, `do`, `until`, `reason`)
    ");
    let missing = "[[policy]]\ntools = \"*\"\n";
    insta::assert_snapshot!(CribFixture::with_config(missing).check_config(), @"
    TC601 line 1: missing field `do` (`toolcrib schema config` prints the valid keys)
    ");
}

#[test]
fn a_broken_policy_prevents_opening_and_check_reports_it() {
    let crib =
        CribFixture::with_config("[[policy]]\ntools = \"git_*\"\nwhen = \"args.\"\ndo = \"ask\"\n");
    let error = crib.open().expect_err("a broken policy");
    assert!(error.to_string().starts_with("toolcrib.toml: the condition is not CEL"), "{error}");
    let loaded =
        check_paths(&[crib.root()], &Environment::default()).expect("a finding, not a failure");
    assert_eq!((loaded.count(Severity::Error), loaded.diagnostics[0].code), (1, "TC604"));
    assert!(loaded.diagnostics[0].origin.source.as_str().ends_with("/toolcrib.toml"));
}

#[test]
fn reopening_applies_the_changed_policy() {
    let test_crib = CribFixture::with_config("");
    let (crib, loaded) = (test_crib.open_valid(), test_crib.load());
    test_crib.write("toolcrib.toml", "[[policy]]\ntools = \"*\"\ndo = \"deny\"\n");
    let tool = loaded.catalog.get("git_log").expect("a tool");
    let again = crib.reopen().expect("a valid configuration");
    assert!(matches!(
        again.policy.decide(tool, &Map::new(), SystemTime::now()),
        Decision::Deny { .. }
    ));
}

#[test]
fn useless_expired_and_risky_clauses_are_reported() {
    let check =
        |clause: &str| CribFixture::with_config(&format!("[[policy]]\n{clause}")).check_config();
    insta::assert_snapshot!(check("tools = \"gti_push\"\ndo = \"deny\"\n"), @"
    TC605 line 2: `gti_push` matches no tool (did you mean `git_push`?)
    ");
    insta::assert_snapshot!(check("tools = \"git_log\"\ndo = \"ask\"\nuntil = 2020-01-01\n"), @"
    TC606 line 4: this clause for `git_log` has expired and has no effect (remove it, or give it a later date)
    ");
    insta::assert_snapshot!(check("tools = \"git_*\"\ndo = \"allow\"\n"), @"
    TC607 line 3: `git_push` requires approval by its annotations, and this clause allows it forever (add an expiry, such as `until = 2027-01-31`)
    ");
    insta::assert_snapshot!(
        check("tools = \"git_push\"\nwhen = \"args.force\"\ndo = \"ask\"\n"),
        @"
        TC608 line 3: a call of `git_push` without `force` also matches, because the condition fails (write `has(args.force) && …`, or `args.?force.orValue(…)`)
        "
    );
    insta::assert_snapshot!(
        check("tools = \"git_*\"\nwhen = \"args.branch == 'main'\"\ndo = \"deny\"\n"),
        @"
        TC608 line 3: every call of `git_log` matches, because it has no parameter `branch` and the condition fails (write `has(args.branch) && …`, or `args.?branch.orValue(…)`)
        "
    );
    for fine in [
        "tools = \"git_*\"\ndo = \"allow\"\nuntil = 2999-01-01\n",
        "tools = \"git_log\"\ndo = \"allow\"\n",
        "tools = \"git_push\"\nwhen = \"args.branch == 'main' && args.remote != ''\"\ndo = \"ask\"\n",
        "tools = \"git_push\"\nwhen = \"args.?force.orValue(false)\"\ndo = \"ask\"\n",
    ] {
        assert_eq!(check(fine), "", "{fine}");
    }
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    for code in ["TC604", "TC605", "TC606", "TC607", "TC608"] {
        check_rule_examples(code, 1, CribFixture::with_config);
    }
}

#[test]
fn a_clause_applies_until_the_end_of_its_last_day() {
    let config = "[[policy]]\ntools = \"git_log\"\ndo = \"deny\"\nuntil = 2030-06-15\n";
    let test_crib = CribFixture::with_config(config);
    let (crib, loaded) = (test_crib.open_valid(), test_crib.load());
    let tool = loaded.catalog.get("git_log").expect("a tool");
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(1_907_798_399);
    assert!(matches!(crib.policy.decide(tool, &Map::new(), last), Decision::Deny { .. }));
    assert_eq!(
        crib.policy.decide(tool, &Map::new(), last + Duration::from_secs(1)),
        Decision::Allow
    );
}

#[test]
fn the_schema_describes_the_keys() {
    let clause = &config_schema()["$defs"]["PolicyClause"];
    assert_eq!(clause["required"], json!(["tools", "do"]));
    assert_eq!(clause["properties"]["do"]["enum"], json!(["allow", "ask", "deny"]));
    assert_eq!(clause["additionalProperties"], false);
}
