//! Purpose, idempotency, errors, examples, security, versions, and what a page allows itself.

use catalog::{
    SpecDetails,
    spec_details::{IdempotencyClaim, Section, VersionOf},
};
use serde_json::json;

use crate::specs::{codes, page, read, tool};

fn details(body: &str) -> SpecDetails {
    *tool(&page(&format!("**Parameters**: None\n\n{body}"))).details.expect("details")
}

#[test]
fn a_whole_specification_is_understood() {
    let text = include_str!("whole.md");
    let reading = read(text);
    assert_eq!(codes(&reading), Vec::<&str>::new());
    let tool = &reading.tools[0];
    let details = tool.details.as_ref().expect("details");
    assert_eq!(
        details.sections.iter().map(|(section, _)| *section).collect::<Vec<_>>(),
        Section::ALL
    );
    assert_eq!(tool.description.text, "Count the lines of a file below the project folder.");
    assert_eq!(
        (tool.annotations.idempotent, tool.annotations.version.as_deref()),
        (Some(true), Some("1.2.0"))
    );
    assert_eq!(details.version.as_ref().map(|version| version.of), Some(VersionOf::Tool));
    assert_eq!(
        details.usages[0].call.as_ref().expect("a call")["arguments"],
        json!({"path": "src/main.py"})
    );
    assert_eq!(tool.description.examples[0].arguments["path"], "src/main.py");
    assert!(
        details.errors.as_ref().expect("errors").fields.iter().any(|field| field == "error_type")
    );
    assert_eq!(details.security.len(), 2);
    assert!(!tool.is_callable(), "what is only described is not served");
}

#[test]
fn idempotency_is_yes_no_partially_depends_or_unclear() {
    let answer = |text: &str| {
        details(&format!("### 6. Idempotency\n\n{text}\n")).idempotency.map(|said| said.claim)
    };
    assert_eq!(answer("- **Idempotent**: Yes (overwrites)"), Some(IdempotencyClaim::Yes));
    assert_eq!(answer("- Idempotent: No. Each call makes one."), Some(IdempotencyClaim::No));
    assert_eq!(
        answer("- **Idempotent**: Partially. The time differs."),
        Some(IdempotencyClaim::Partially)
    );
    assert_eq!(answer("- **Idempotent**: Depends on the hook"), Some(IdempotencyClaim::Depends));
    assert_eq!(answer("Yes. Search is read-only."), Some(IdempotencyClaim::Yes));
    assert_eq!(answer("Generally no."), Some(IdempotencyClaim::No));
    assert_eq!(answer("A repeated call is deterministic."), Some(IdempotencyClaim::Unclear));
    assert_eq!(answer("- **Idempotent**: Yes/No/Partially"), Some(IdempotencyClaim::Unclear));
    assert_eq!(
        details("**Idempotent**: No\n").idempotency.map(|said| said.claim),
        Some(IdempotencyClaim::No)
    );
    let partly = tool(&page("**Parameters**: None\n\n**Idempotent**: Partially\n"));
    assert_eq!(partly.annotations.idempotent, Some(false), "half a promise is none");
}

#[test]
fn examples_keep_what_is_wrong_with_them() {
    let usages =
        |fence: &str| details(&format!("### 7. Usage Examples\n\n```json\n{fence}\n```\n")).usages;
    let commented = usages("{\"tool_name\": \"greet\", // comment\n \"arguments\": {}}");
    assert!(commented[0].call.is_some() && commented[0].problem.is_some());
    let elided = usages("{\"tool_name\": \"greet\", \"arguments\": {...}}");
    assert!(elided[0].call.is_none() && elided[0].problem.is_some());
    let answered = details(
        "### 7. Usage Examples\n\n```json\n{\"tool_name\": \"greet\", \"arguments\": {}}\n```\n\n**Example response:**\n```json\n{\"status\": \"ok\"}\n```\n",
    );
    assert_eq!(answered.usages.len(), 1, "a result is no call");
    assert_eq!(details("**Example**:\n```python\ngreet()\n```\n").usages, []);
}

#[test]
fn the_tool_s_own_version_counts_before_the_document_s() {
    let text = |own: &str| {
        format!(
            "# M - MCP Tool Specification\n\n**Version**: v1.3.0 | **Status**: Active\n\n## Tool: `a_b`\n\n{own}Do it.\n\n**Parameters**: None\n"
        )
    };
    let version = |text: &str| {
        tool(text).details.expect("details").version.map(|version| (version.text, version.of))
    };
    assert_eq!(version(&text("")), Some(("1.3.0".to_owned(), VersionOf::Document)));
    assert_eq!(
        version(&text("**Version**: 2.0.0\n\n")),
        Some(("2.0.0".to_owned(), VersionOf::Tool))
    );
    assert_eq!(tool(&text("**Version**: 2.0.0\n\n")).annotations.version.as_deref(), Some("2.0.0"));
}

#[test]
fn labels_order_the_text_of_a_section_and_do_not_end_it() {
    let details = details(
        "### 5. Error Handling\n\n- **Not Found**: no such file\n- **Output**: see above\n\n### 8. Security Considerations\n\n- **Input Validation**: paths are checked\n\
         - **Output Sanitization**: none\n",
    );
    assert!(details.errors.expect("errors").text.contains("no such file"));
    assert_eq!(details.security.len(), 2);
    assert_eq!(details.outputs, []);
}

#[test]
fn misnumbered_sections_are_noted() {
    assert_eq!(
        codes(&read(&page(
            "**Parameters**: None\n\n### 5. Idempotency\n\n- **Idempotent**: Yes\n"
        ))),
        ["TC814"]
    );
}

#[test]
fn a_comment_allows_a_problem_for_its_tool_or_for_the_page() {
    let text = "# M - MCP Tool Specification\n\n<!-- toolcrib: allow TC411 versions are kept elsewhere -->\n\n## Tool: `a_b`\n\n\
                <!-- toolcrib: allow TC405 internal -->\n\nDo it.\n\n**Parameters**: None\n\n## Tool: `c_d`\n\n<!-- toolcrib: allow TC405 -->\n\nDo it.\n\n**Parameters**: None\n";
    let reading = read(text);
    let [page, tool] = reading.allowances.as_slice() else { panic!("{:?}", reading.allowances) };
    assert_eq!(
        (page.code.as_str(), page.reason.as_str(), page.scope.clone()),
        ("TC411", "versions are kept elsewhere", 0..text.len())
    );
    assert!(
        text[tool.scope.clone()].starts_with("## Tool: `a_b`")
            && !text[tool.scope.clone()].contains("c_d")
    );
    assert_eq!(codes(&reading), ["TC815"], "without a reason nothing is allowed");
}

#[test]
fn what_stands_behind_the_version_says_what_the_tool_is_for() {
    for facts in [
        "**Version**: 1.2.0",
        "**Version**: 1.2.0\n**Category**: greetings",
        "- **Version**: 1.2.0\n- **Category**: greetings",
    ] {
        let tool = tool(&format!(
            "# X - MCP Tool Specification\n\n## Tool: `a_b`\n\n{facts}\n\nPrint a greeting.\n\n**Parameters**: None\n"
        ));
        assert_eq!(tool.description.text, "Print a greeting.", "{facts}");
        assert_eq!(tool.annotations.version.as_deref(), Some("1.2.0"), "{facts}");
    }
}

#[test]
fn a_sentence_can_say_whether_a_tool_is_idempotent() {
    for (said, answer) in [
        ("This tool is idempotent.", IdempotencyClaim::Yes),
        ("The operation is not idempotent. It adds a row.", IdempotencyClaim::No),
        ("Non-idempotent", IdempotencyClaim::No),
        ("It depends on the backend.", IdempotencyClaim::Depends),
        ("Whether it is idempotent is unknown.", IdempotencyClaim::Unclear),
    ] {
        let details = details(&format!("### 6. Idempotency\n\n{said}\n"));
        assert_eq!(
            details.idempotency.map(|idempotency| idempotency.claim),
            Some(answer),
            "{said}"
        );
    }
}
