//! Properties of all rules together.

use catalog::{Location, Parameter};
use serde_json::json;
use testing::{echo_tool, schema};

use crate::tools::check_all;

#[test]
fn rules_have_unique_codes_and_names_in_order() {
    let codes: Vec<_> = lint::RULES.iter().map(|rule| rule.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
    let names: std::collections::HashSet<_> = lint::RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), codes.len());
}

#[test]
fn a_good_tool_has_no_findings() {
    assert_eq!(check_all("my-crib", vec![echo_tool("fine")]), []);
}

#[test]
fn the_order_of_reading_does_not_matter() {
    let bad = |name: &str| {
        let mut tool = echo_tool(name);
        tool.annotations.mutates = None;
        tool.description.text = String::new();
        tool
    };
    let forward = check_all("c", vec![bad("a"), bad("b"), bad("c")]);
    let backward = check_all("c", vec![bad("c"), bad("b"), bad("a")]);
    assert_eq!(forward, backward);
    assert_eq!(
        forward.iter().map(|of| of.tool.as_deref().unwrap_or_default()).collect::<String>(),
        "aabbcc"
    );
}

#[test]
fn a_problem_in_a_shared_parameter_is_reported_once() {
    let sharing = |name: &str| {
        let mut tool = echo_tool(name);
        tool.origin = catalog::Origin::value(
            &catalog::SourceId::new("tools/one.json"),
            format!("/subcommand/{name}"),
        );
        let properties = json!({"manifest-path": {"type": "string", "description": "Where"}});
        tool.input = schema(
            json!({"type": "object", "properties": properties, "additionalProperties": false}),
        );
        let location = Location::Value("/options/0".into());
        tool.parameters = vec![Parameter { name: "manifest-path".into(), alias: None, location }];
        tool
    };
    let found = check_all("c", vec![sharing("a"), sharing("b")]);
    assert_eq!(
        found.iter().map(|of| (of.code, of.tool.as_deref())).collect::<Vec<_>>(),
        [("TC301", Some("a"))]
    );
}
