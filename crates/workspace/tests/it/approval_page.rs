//! The examples of `docs/approval.md` behave as the page states.

use std::{fs, path::Path, time::SystemTime};

use catalog::{
    Decision, Policy, SourceId, Tool,
    policy::{Clause, Effect},
};
use formats::Guidance;
use serde_json::{Map, Value};

use crate::crib_fixture::CribFixture;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/approval.md");
    fs::read_to_string(path).expect("the page")
}

/// The code blocks of one language, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let parts = page.split("```").skip(1).step_by(2);
    parts
        .filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n'))
        .map(str::to_owned)
        .collect()
}

/// The blocks with policies; the page has others about notification.
fn policy_blocks(page: &str) -> Vec<String> {
    blocks(page, "toml").into_iter().filter(|block| block.contains("[[policy]]")).collect()
}

fn tools(definition: &str) -> Vec<Tool> {
    let reading =
        formats::read(&SourceId::new("tools/x.json"), definition.as_bytes(), &Guidance::default());
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    reading.tools
}

#[test]
fn the_calls_in_the_table_are_decided_as_stated() {
    let page = page();
    let tools = tools(&blocks(&page, "json")[0]);
    let test_crib = CribFixture::with_config(&policy_blocks(&page)[0]);
    assert_eq!(test_crib.check_config(), "");
    let crib = test_crib.open_valid();
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `git_")).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let cells: Vec<_> = row.split(" | ").collect();
        let (name, given) = cells[0].trim_matches(['|', ' ', '`']).split_once(' ').expect("a call");
        let tool = tools.iter().find(|tool| tool.name == name).expect(name);
        let mut given: Map<String, Value> = serde_json::from_str(given).expect("arguments");
        catalog::arguments::apply_defaults(&tool.input, &mut given);
        let decision = match crib.policy.decide(tool, &given, SystemTime::now()) {
            Decision::Allow => "allow",
            Decision::Ask { .. } => "ask",
            Decision::Deny { .. } => "deny",
        };
        assert_eq!(decision, cells[1], "{row}");
    }
}

#[test]
fn every_condition_on_the_page_compiles() {
    let page = page();
    let conditions: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect();
    let conditions: Vec<_> = conditions
        .into_iter()
        .filter(|code| code.contains("args.") || code.contains("tool.") || code.contains("args["))
        .collect();
    assert!(conditions.len() >= 8, "{conditions:?}");
    for when in conditions {
        let clause = Clause {
            tools: "*".into(),
            when: Some(when.to_owned()),
            effect: Effect::Ask,
            until: None,
            reason: None,
        };
        assert!(Policy::compile([clause]).is_ok(), "{when}");
    }
}

#[test]
fn the_proposed_clause_matches_the_page() {
    let page = page();
    let push = tools(&blocks(&page, "json")[0])
        .into_iter()
        .find(|tool| tool.name == "git_push")
        .expect("a tool");
    let shown = &policy_blocks(&page)[1];
    let given: Map<String, Value> =
        serde_json::from_str(r#"{"branch": "main", "remote": "origin"}"#).expect("arguments");
    let made =
        workspace::propose_policy_clause(&push, &given, SystemTime::now()).expect("a clause");
    let without_date = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("until"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(without_date(shown), without_date(&made));
    assert_eq!(CribFixture::with_config(shown).check_config(), "");
}

#[test]
fn the_consent_word_is_recognized() {
    let forget = tools(&blocks(&page(), "json")[1]).remove(0);
    assert_eq!(forget.consent.expect("a consent").word, "DELETE_ALL_NOTES");
}
