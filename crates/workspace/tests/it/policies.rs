//! `[[policy]]` in `toolcrib.toml`.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use catalog::{Decision, Severity};
use serde_json::{Map, Value, json};
use workspace::{Environment, check_paths, config_schema};

use crate::harness::Folder;

fn decide(config: &str, tool: &str, arguments: Value) -> Decision {
    let folder = Folder::new(config);
    let (crib, loaded) = folder.load();
    let arguments: Map<String, Value> = arguments.as_object().expect("an object").clone();
    crib.policy.decide(loaded.catalog.get(tool).expect("a tool"), &arguments, SystemTime::now())
}

#[test]
fn without_a_policy_marks_decide() {
    assert!(matches!(decide("", "git_push", json!({"branch": "main"})), Decision::Ask { .. }));
    assert_eq!(decide("", "git_log", json!({})), Decision::Allow);
    assert_eq!(decide("", "git_tag", json!({})), Decision::Allow);
}

#[test]
fn clauses_of_the_config_decide() {
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
fn every_problem_of_every_clause_is_said_with_its_line() {
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
    let found = Folder::new(config).findings();
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found[0].starts_with("TC604 5 `git_[a-z]*` is not a glob"), "{found:#?}");
    assert!(found[1].starts_with("TC604 6 the condition is not CEL"), "{found:#?}");
    assert_eq!(found[2], "TC604 11 `denny` is nothing that a policy can do");
    assert!(found[3].starts_with("TC604 16 there is no variable `arg`"), "{found:#?}");
    assert_eq!(found[4], "TC604 18 `next week` is not a date");
}

#[test]
fn what_is_not_a_date_is_said() {
    for until in ["7", "07:32:00", "\"2027-13-01\"", "true", "\"\""] {
        let config = format!("[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = {until}\n");
        let found = Folder::new(&config).findings();
        assert!(
            found.len() == 1
                && found[0].starts_with("TC604 4 ")
                && found[0].ends_with(" is not a date"),
            "{found:?}"
        );
    }
}

#[test]
fn an_unknown_key_and_a_missing_one_are_a_broken_config() {
    let unknown =
        Folder::new("[[policy]]\ntools = \"*\"\ndo = \"ask\"\nunless = \"true\"\n").findings();
    assert!(unknown[0].starts_with("TC601 4 unknown field `unless`"), "{unknown:?}");
    let missing = Folder::new("[[policy]]\ntools = \"*\"\n").findings();
    assert!(missing[0].starts_with("TC601 1 missing field `do`"), "{missing:?}");
}

#[test]
fn a_crib_with_a_broken_policy_does_not_open_and_check_says_why() {
    let folder = Folder::new("[[policy]]\ntools = \"git_*\"\nwhen = \"args.\"\ndo = \"ask\"\n");
    let error = folder.open().expect_err("a broken policy");
    assert!(error.to_string().starts_with("toolcrib.toml: the condition is not CEL"), "{error}");
    let loaded = check_paths(&[folder.path().to_owned()], &Environment::default())
        .expect("a finding, not a failure");
    assert_eq!((loaded.count(Severity::Error), loaded.diagnostics[0].code), (1, "TC604"));
    assert!(loaded.diagnostics[0].origin.source.as_str().ends_with("/toolcrib.toml"));
}

#[test]
fn a_running_crib_can_be_opened_again_with_another_policy() {
    let folder = Folder::new("");
    let (crib, loaded) = folder.load();
    fs::write(folder.path().join("toolcrib.toml"), "[[policy]]\ntools = \"*\"\ndo = \"deny\"\n")
        .expect("a file");
    let tool = loaded.catalog.get("git_log").expect("a tool");
    let again = crib.reopen().expect("a good configuration");
    assert!(matches!(
        again.policy.decide(tool, &Map::new(), SystemTime::now()),
        Decision::Deny { .. }
    ));
}

#[test]
fn strange_clauses_are_told_with_their_line() {
    let clause = |rest: &str| Folder::new(&format!("[[policy]]\n{rest}")).findings();
    assert_eq!(
        clause("tools = \"gti_push\"\ndo = \"deny\"\n"),
        ["TC605 2 `gti_push` matches no tool"],
        "matches nothing"
    );
    assert_eq!(
        clause("tools = \"git_log\"\ndo = \"ask\"\nuntil = 2020-01-01\n"),
        ["TC606 4 this clause for `git_log` has expired and does not count any more"]
    );
    assert_eq!(
        clause("tools = \"git_*\"\ndo = \"allow\"\n"),
        ["TC607 3 `git_push` is asked about by its annotations, and this allows it for ever"]
    );
    assert_eq!(clause("tools = \"git_*\"\ndo = \"allow\"\nuntil = 2999-01-01\n"), [""; 0]);
    assert_eq!(clause("tools = \"git_log\"\ndo = \"allow\"\n"), [""; 0]);
    assert_eq!(
        clause("tools = \"git_push\"\nwhen = \"args.force\"\ndo = \"ask\"\n"),
        ["TC608 3 a call of `git_push` without `force` matches too: the condition fails then"]
    );
    assert_eq!(
        clause("tools = \"git_*\"\nwhen = \"args.branch == 'main'\"\ndo = \"deny\"\n"),
        [
            "TC608 3 every call of `git_log` matches: it has no parameter `branch`, and the condition fails"
        ]
    );
    assert_eq!(
        clause(
            "tools = \"git_push\"\nwhen = \"args.branch == 'main' && args.remote != ''\"\ndo = \"ask\"\n"
        ),
        [""; 0]
    );
    assert_eq!(
        clause("tools = \"git_push\"\nwhen = \"args.?force.orValue(false)\"\ndo = \"ask\"\n"),
        [""; 0]
    );
}

#[test]
fn the_examples_of_the_rules_have_their_problem_and_not_have_it() {
    let rules: Vec<_> =
        workspace::RULES.iter().filter(|rule| ("TC604"..="TC608").contains(&rule.code)).collect();
    assert_eq!(rules.len(), 5);
    for rule in rules {
        let codes = |config: &str| {
            let found = Folder::new(config).findings();
            found.iter().filter(|line| line.starts_with(rule.code)).count()
        };
        assert_eq!((codes(rule.bad), codes(rule.good)), (1, 0), "{}", rule.code);
    }
}

#[test]
fn an_expired_clause_does_not_count() {
    let config = "[[policy]]\ntools = \"git_log\"\ndo = \"deny\"\nuntil = 2030-06-15\n";
    let folder = Folder::new(config);
    let (crib, loaded) = folder.load();
    let tool = loaded.catalog.get("git_log").expect("a tool");
    // The last second of the day, and the next.
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(1_907_798_399);
    assert!(matches!(crib.policy.decide(tool, &Map::new(), last), Decision::Deny { .. }));
    assert_eq!(
        crib.policy.decide(tool, &Map::new(), last + Duration::from_secs(1)),
        Decision::Allow
    );
}

#[test]
fn editors_know_the_keys() {
    let clause = &config_schema()["$defs"]["PolicyClause"];
    assert_eq!(clause["required"], json!(["tools", "do"]));
    assert_eq!(clause["properties"]["do"]["enum"], json!(["allow", "ask", "deny"]));
    assert_eq!(clause["additionalProperties"], false);
}
